package notebooks

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/picture"
)

func TestNamesOfSavedPictures(t *testing.T) {
	for name, want := range map[string]PictureName{
		"a.ipynb#3":                         {"a.ipynb", "3", -1},
		"a.ipynb#3.0":                       {"a.ipynb", "3", 0},
		"data/売上 #2.ipynb#ab-c_9.12":        {"data/売上 #2.ipynb", "ab-c_9", 12},
		"/home/u/x.ipynb#y.ipynb#7f.1":      {"/home/u/x.ipynb#y.ipynb", "7f", 1},
		"a.ipynb":                           {},
		"a.ipynb#":                          {},
		"a.ipynb#3.":                        {},
		"a.ipynb#a b":                       {},
		"a.png#3.0":                         {},
		"jupyter://sessions/s/images/i.png": {},
	} {
		got, ok := ParsePictureName(name)
		if got != want || ok != (want.Path != "") {
			t.Errorf("%q: %+v, %v; want %+v", name, got, ok, want)
		}
		if ok && got.String() != name {
			t.Errorf("%q became %q", name, got)
		}
	}
}

// TestPicturesInOutputsHaveNames covers outputs without a picture, with several forms, in base64
// of several lines, and cells whose id cannot be in a name.
func TestPicturesInOutputsHaveNames(t *testing.T) {
	png, svg := []byte("\x89PNG\r\n\x1a\n picture one"), "<svg xmlns='http://www.w3.org/2000/svg'/>"
	wrapped := base64.StdEncoding.EncodeToString(png)
	book, err := parseOpen(fmt.Appendf(nil, `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"id": "text", "cell_type": "markdown", "metadata": {}, "source": "# T"},
		{"id": "plot-1", "cell_type": "code", "metadata": {}, "execution_count": 4, "source": "", "outputs": [
			{"output_type": "stream", "name": "stdout", "text": "before"},
			{"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": [%q], "image/png": %q, "text/plain": "<Figure>"}},
			{"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": %q}},
			{"output_type": "display_data", "metadata": {}, "data": {"image/png": "not base64!"}}]},
		{"id": "an odd id", "cell_type": "code", "metadata": {}, "execution_count": null, "source": "", "outputs": [
			{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"image/jpeg": %q, "text/plain": "x"}}]}]}`,
		svg, wrapped[:12]+"\n"+wrapped[12:]+"\n", svg, wrapped))
	require.NoError(t, err)
	for _, how := range []string{catalog.OutputsBrief, catalog.OutputsFull} {
		cells, _ := book.View(book.All(), Look{Outputs: how, Page: 10_000})
		NamePictures("d/n.ipynb", cells)
		var got []string
		for _, c := range cells {
			for _, o := range c.Outputs {
				for _, d := range o.Data {
					got = append(got, d.MIMEType+" "+d.ResourceURI)
				}
			}
		}
		want := []string{
			"image/png d/n.ipynb#plot-1.1", "image/svg+xml ", "image/svg+xml d/n.ipynb#plot-1.2", "image/png d/n.ipynb#plot-1.3", "image/jpeg d/n.ipynb#2.0",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", how, got, want)
		}
	}
	// The second page begins after the first output, and names the others as before.
	page, _ := book.View([]int{1}, Look{Outputs: catalog.OutputsFull, Page: 10_000, Offset: len("before")})
	NamePictures("n.ipynb", page)
	if got := page[0].Outputs[0].Data[0].ResourceURI; got != "n.ipynb#plot-1.1" {
		t.Errorf("on the second page: %q", got)
	}

	for name, want := range map[string]SavedPicture{
		"n.ipynb#plot-1.1": {1, 1, "plot-1", 4, picture.PNG, png},
		"n.ipynb#plot-1":   {1, 1, "plot-1", 4, picture.PNG, png},
		"n.ipynb#1":        {1, 1, "plot-1", 4, picture.PNG, png},
		"n.ipynb#1.2":      {1, 2, "plot-1", 4, picture.SVG, []byte(svg)},
		"n.ipynb#2.0":      {2, 0, "an odd id", 0, picture.JPEG, png},
	} {
		asked, _ := ParsePictureName(name)
		got, err := book.Picture(asked)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	for name, want := range map[string]error{
		"n.ipynb#plot-1.0": ErrNoPicture, "n.ipynb#plot-1.9": ErrNoPicture, "n.ipynb#text": ErrNoPicture,
		"n.ipynb#3": ErrCellNotFound, "n.ipynb#other.0": ErrCellNotFound, "n.ipynb#1.3": picture.ErrDamaged,
	} {
		asked, _ := ParsePictureName(name)
		if got, err := book.Picture(asked); !errors.Is(err, want) {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, want)
		}
	}
}
