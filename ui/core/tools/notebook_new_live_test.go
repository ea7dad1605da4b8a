package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// A mistyped path of a notebook makes a new one. The result says so, and names the one that may be meant.
func TestLiveANewNotebookIsSaid(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.Mkdir(filepath.Join(b.real.Root, "analysis"), 0o700))
	for _, name := range []string{"analysis/report.ipynb", "analysis/week1.ipynb"} {
		b.write(name, `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`)
	}
	for path, want := range map[string]struct {
		created bool
		like    string
	}{
		"analysis/repport.ipynb": {true, `"analysis/report.ipynb"`},
		"analysis/week2.ipynb":   {true, ""},
		"report.ipynb":           {true, ""}, // in another folder
		"analysis/week1.ipynb":   {false, ""},
	} {
		s := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"notebook_path": "`+path+`"}`)
		if s.NewNotebook != want.created || (s.Hint == "") != (want.like == "") || !strings.Contains(s.Hint, want.like) {
			t.Errorf("%s: created is %t, and the hint is %q", path, s.NewNotebook, s.Hint)
		}
		if again := must[catalog.SessionCreateOut](b, catalog.SessionCreate, `{"notebook_path": "`+path+`"}`); again.NewNotebook || again.Hint != "" {
			t.Errorf("%s, opened again: created is %t, and the hint is %q", path, again.NewNotebook, again.Hint)
		}
	}
}
