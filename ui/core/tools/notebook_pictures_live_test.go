package tools_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
)

// drawsSquares is code that defines square(n), which displays a picture of its own for each n.
const drawsSquares = `import struct, zlib
from IPython.display import Image, display
def square(n):
    part = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = (b'\0' + bytes([n, 90, 90]) * 8) * 8
    display(Image(b'\x89PNG\r\n\x1a\n' + part(b'IHDR', struct.pack('>IIBBBBB', 8, 8, 8, 2, 0, 0, 0)) + part(b'IDAT', zlib.compress(rows)) + part(b'IEND', b'')))`

// notebookOf creates a notebook of code cells.
func (b *bench) notebookOf(path string, code ...string) {
	b.t.Helper()
	type cell struct {
		CellType string `json:"cell_type"`
		Source   string `json:"source"`
	}
	cells := make([]cell, len(code))
	for i, c := range code {
		cells[i] = cell{"code", c}
	}
	raw, err := json.Marshal(map[string]any{"path": path, "cells": cells})
	require.NoError(b.t, err)
	must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, string(raw))
}

// brief is what a model reads of an output, as the host encodes it.
func briefly(t testing.TB, out any, inlined ...string) string {
	raw, err := tool.Marshal(brief.Of(out, inlined))
	require.NoError(t, err)
	return string(raw)
}

func TestLiveRangesHaveThePicturesOfAllTheirCells(t *testing.T) {
	b := newBench(t)
	b.notebookOf("squares.ipynb", drawsSquares, "square(1)", "'no picture'", "square(2); square(3)", "square(4); square(5)")
	all := `{"path": "squares.ipynb", "index": 0, "through": -1}`
	rest := must[catalog.CellChanged](b, catalog.NotebookRunCell, all)
	if !rest.Success || len(rest.Images) != 3 || len(rest.Execution.Images) != 2 || len(rest.Execution.Inline) != 0 {
		t.Fatalf("over REST: %d pictures of the cells before, %d of the last, %+v", len(rest.Images), len(rest.Execution.Images), rest.Execution.Error)
	}
	model := b.as("")
	model.mcp = "mcp-of-ranges"
	out := must[catalog.CellChanged](model, catalog.NotebookRunCell, all)
	for i, want := range []int{1, 3, 3} {
		if c := out.Images[i].Cell; c == nil || c.Index == nil || *c.Index != want {
			t.Errorf("picture %d is of the cell %+v, want %d", i, c, want)
		}
	}
	uris, _ := out.Pictures()
	want := []string{out.Images[0].ResourceURI, out.Images[1].ResourceURI, out.Images[2].ResourceURI, out.Execution.Images[0].ResourceURI}
	if fmt.Sprint(uris) != fmt.Sprint(want) {
		t.Errorf("the result contains %q, want the first four: %q", uris, want)
	}
	if got := out.Links(); len(got) != 5 || got[4].URI != out.Execution.Images[1].ResourceURI {
		t.Errorf("links %+v", got)
	}
	said := briefly(t, out, uris...)
	for _, want := range []string{`"ran":"cell 0 ok, cell 1 ok, cell 2 ok, cell 3 ok, cell 4 ok"`, `"pictures":"4 of 5 shown; get the others, which have a path, with get_image_resource"`, `"cell":3`} {
		if strings.Count(said, want) == 0 {
			t.Errorf("the model does not read %s:\n%s", want, said)
		}
	}
	if n := strings.Count(said, `"pictures"`); n != 1 || len(said) > 1_500 {
		t.Errorf("%d lines about pictures, %d bytes:\n%s", n, len(said), said)
	}
	if alone := must[catalog.CellChanged](model, catalog.NotebookRunCell, `{"path": "squares.ipynb", "index": 4}`); len(alone.Images) != 0 || len(alone.Execution.Inline) != 2 {
		t.Errorf("one cell: %d earlier pictures, %q in the result", len(alone.Images), alone.Execution.Inline)
	}
}

// saved is an output of a notebook with data of a MIME type.
func saved(mime string, data []byte) string {
	if mime == "image/svg+xml" {
		return fmt.Sprintf(`{"output_type": "display_data", "metadata": {}, "data": {%q: %q}}`, mime, data)
	}
	return fmt.Sprintf(`{"output_type": "display_data", "metadata": {}, "data": {%q: %q, "text/plain": "<a picture>"}}`, mime, base64.StdEncoding.EncodeToString(data))
}

func pngOf(t testing.TB, w, h int, ink color.Color) []byte {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w {
		m.Set(i, i%h, ink)
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// TestLiveSavedPicturesCanBeLookedAt reads a notebook that somebody else has run, which also has a
// picture that Easel's library has.
func TestLiveSavedPicturesCanBeLookedAt(t *testing.T) {
	b := newBench(t)
	b.notebookOf("ours.ipynb", drawsSquares+"\nsquare(77)")
	ours := must[catalog.CellChanged](b, catalog.NotebookRunCell, `{"path": "ours.ipynb", "index": 0}`).Execution.Images[0]
	if _, err := command.SetNote.Ask(b.context(), b.bus, command.SetTextIn{ID: ours.ImageID, Text: "the axis is wrong"}); err != nil {
		t.Fatal(err)
	}
	must[catalog.FilesOut](b, catalog.SetRating, fmt.Sprintf(`{"rating": 4, "image_id": %q}`, ours.ImageID[16:]))
	own := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"notebook_path": "ours.ipynb"}`)
	if p := own.Cells[0].Outputs[0].Data[0].Plot; p == nil || p.ImageID != ours.ImageID || p.Note != "the axis is wrong" || p.Rating != 4 {
		t.Errorf("a plot of Easel's: %+v", own.Cells[0].Outputs[0].Data[0])
	}
	if said := briefly(t, own); !strings.Contains(said, `"image_id":"`+ours.ImageID[18:]+`","rating":4,"note":"the axis is wrong"`) || strings.Contains(said, "ours.ipynb#") {
		t.Errorf("the model reads of a plot of Easel's:\n%s", said)
	}

	whole := pngOf(t, 3000, 20, color.Black)
	broken := pngOf(t, 30, 20, color.White)
	broken = broken[:len(broken)-20]
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>`)
	b.write("theirs 年.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"id": "first", "cell_type": "markdown", "metadata": {}, "source": "# Their work"},
		{"id": "f00d", "cell_type": "code", "metadata": {}, "execution_count": 8, "source": "plot()", "outputs": [
			`+saved("image/png", whole)+`, `+saved("image/png", broken)+`, `+saved("image/svg+xml", svg)+`]}]}`)
	read := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "theirs 年.ipynb"}`)
	name := read.Cells[1].Outputs[0].Data[0].ResourceURI
	if name != "theirs 年.ipynb#f00d.0" || read.Cells[1].Outputs[0].Data[0].Plot != nil {
		t.Fatalf("the picture is named %q", name)
	}
	if said := briefly(t, read); !strings.Contains(said, `{"mime_type":"image/png","resource_uri":"theirs 年.ipynb#f00d.0"}`) {
		t.Errorf("the model reads:\n%s", said)
	}
	model := b.as("")
	model.mcp = "mcp-of-saved"
	get := func(b *bench, name string) catalog.GetImageResourceOut {
		t.Helper()
		return must[catalog.GetImageResourceOut](b, catalog.GetImageResource, fmt.Sprintf(`{"resource_uri": %q}`, name))
	}
	for _, name := range []string{name, "theirs 年.ipynb#f00d", "theirs 年.ipynb#1.0", "/theirs 年.ipynb#1"} {
		rest := get(b, name)
		data, err := base64.StdEncoding.DecodeString(rest.Data)
		require.NoError(t, err)
		want := []any{"image/png", 3000, 20, int64(len(whole)), ""}
		if diff := cmp.Diff(want, []any{rest.DataMIMEType, rest.Width, rest.Height, rest.Bytes, rest.ImageID}); diff != "" {
			t.Errorf("%s over REST (-want +got):\n%s", name, diff)
		}
		out := get(model, name)
		preview, mime := out.Inline()
		if uris, _ := out.Pictures(); len(uris) != 0 || mime != "image/png" || !bytes.Equal(preview, data) || len(out.Links()) != 0 {
			t.Errorf("%s over MCP: %d bytes of %q, and %q", name, len(preview), mime, uris)
		}
		if c, err := png.DecodeConfig(bytes.NewReader(preview)); err != nil || c.Width != catalog.InlineEdge {
			t.Errorf("%s: %v, %v", name, c, err)
		}
		if said := briefly(t, out); !strings.Contains(said, "saved in the notebook theirs 年.ipynb, by the cell at index 1") || strings.Contains(said, "not shown") {
			t.Errorf("%s: the model reads %s", name, said)
		}
	}
	for i, want := range []string{1: `"damaged":"png: invalid format`, 2: "not shown, as it is an SVG: notebook_read with outputs=full has its text"} {
		out := get(model, fmt.Sprintf("theirs 年.ipynb#f00d.%d", i))
		if preview, _ := out.Inline(); i > 0 && (len(preview) > 0 || !strings.Contains(briefly(t, out), want)) {
			t.Errorf("output %d: %d bytes, %s", i, len(preview), briefly(t, out))
		}
	}
	if rest := get(b, "theirs 年.ipynb#f00d.2"); rest.Data != base64.StdEncoding.EncodeToString(svg) {
		t.Errorf("an SVG over REST: %+v", rest)
	}
	// The same picture as Easel's is Easel's, wherever it is saved.
	if out := get(b, "ours.ipynb#0"); out.ImageID != ours.ImageID || out.Note != "the axis is wrong" {
		t.Errorf("a plot of Easel's by its cell: %+v", out.Image)
	}
	for name, want := range map[string]tool.Code{
		"theirs 年.ipynb#first": tool.ImageNotFound, "theirs 年.ipynb#f00d.7": tool.ImageNotFound, "theirs 年.ipynb#nocell.0": tool.CellNotFound,
		"no such.ipynb#0": tool.NotebookNotFound, "../out.ipynb#0": tool.Validation,
	} {
		b.refused(catalog.GetImageResource, fmt.Sprintf(`{"resource_uri": %q}`, name), want)
	}
	if images := must[catalog.FilesOut](b, catalog.SetRating, `{"rating": 1, "path": "latest"}`); images.Files[0].ImageID != ours.ImageID {
		t.Errorf("a saved picture went into the gallery: %+v", images.Files[0])
	}
}
