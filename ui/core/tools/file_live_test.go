package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/japanese"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func TestLiveFilesAreListedAndRead(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.MkdirAll(filepath.Join(b.real.Root, "data", "b dir"), 0o700))
	b.write("data/z.csv", "a,b\n1,x\n2,y\n")
	b.write("data/A.txt", "hello")
	b.write("data/n.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`)
	sjis, err := japanese.ShiftJIS.NewEncoder().String("日付,売上\n1月,100\n")
	require.NoError(t, err)
	b.write("data/売上.csv", sjis)
	b.write("data/x.bin", "\x00\xff\x00\x01")
	b.write("data/empty.txt", "")

	list := must[catalog.FileListOut](b, catalog.FileList, `{"path": "/data/"}`)
	var got []string
	for _, e := range list.Contents {
		got = append(got, e.Type+" "+e.Name)
		if e.ModifiedAt == nil || e.Type == "file" && e.Size == 0 && e.Name != "empty.txt" {
			t.Errorf("entry %+v", e)
		}
	}
	want := []string{"directory b dir", "file A.txt", "file empty.txt", "notebook n.ipynb", "file x.bin", "file z.csv", "file 売上.csv"}
	if diff := cmp.Diff(want, got); diff != "" || list.Path != "data" {
		t.Errorf("list of %q (-want +got):\n%s", list.Path, diff)
	}
	root := must[catalog.FileListOut](b, catalog.FileList, `{}`)
	if root.Path != "/" || len(root.Contents) == 0 || root.Contents[0].Type != "directory" {
		t.Errorf("root %+v", root)
	}
	b.refused(catalog.FileList, `{"path": "none"}`, tool.FileNotFound)
	b.refused(catalog.FileList, `{"path": "data/A.txt"}`, tool.Validation)
	b.refused(catalog.FileList, `{"path": "data/../../x"}`, tool.Validation)
	b.refused(catalog.FileList, `{"server": "none"}`, tool.ServerNotFound)

	csv := must[catalog.FileReadOut](b, catalog.FileRead, `{"path": "data/売上.csv"}`)
	parts := []any{[]string{"日付", "売上"}, "cp932", ",", `pd.read_csv("` + filepath.Join(b.real.Root, "data", "売上.csv") + `", encoding="cp932")`, int64(1)}
	if diff := cmp.Diff(parts, []any{csv.Columns, csv.Encoding, csv.Delimiter, csv.Pandas, *csv.TotalRows}); diff != "" || csv.Text != nil {
		t.Errorf("csv with the text %v (-want +got):\n%s", csv.Text, diff)
	}
	one := must[catalog.FileReadOut](b, catalog.FileRead, `{"path": "data/z.csv", "rows": 1}`)
	if len(one.Rows) != 1 || !one.Truncated || string(one.Rows[0][0]) != "1" {
		t.Errorf("csv %+v", one)
	}
	text := must[catalog.FileReadOut](b, catalog.FileRead, `{"path": "data/A.txt", "max_bytes": 3}`)
	if *text.Text != "hel" || !text.Truncated || text.Size != 5 || text.Columns != nil {
		t.Errorf("text %+v", text)
	}
	if empty := must[catalog.FileReadOut](b, catalog.FileRead, `{"path": "data/empty.txt"}`); empty.Text == nil || *empty.Text != "" {
		t.Errorf("empty %+v", empty)
	}
	if book := must[catalog.FileReadOut](b, catalog.FileRead, `{"path": "data/n.ipynb"}`); !strings.Contains(*book.Text, "nbformat") {
		t.Errorf("a notebook's text %+v", book)
	}
	b.refused(catalog.FileRead, `{"path": "data/x.bin"}`, tool.Unsupported)
	b.refused(catalog.FileRead, `{"path": "data/none.csv"}`, tool.FileNotFound)
	if runtime.GOOS != "windows" {
		b.link("/dev/null", "device.csv")
		b.refused(catalog.FileRead, `{"path": "device.csv"}`, tool.Unsupported)
	}
	b.refused(catalog.FileRead, `{"path": "data"}`, tool.Validation)
	b.refused(catalog.FileRead, `{"path": "../../etc/passwd"}`, tool.Validation)
	b.refused(catalog.FileRead, `{"path": ".."}`, tool.Validation)
}

// link makes a symbolic link in the server's root.
func (b *bench) link(to, name string) {
	b.t.Helper()
	require.NoError(b.t, os.Symlink(to, filepath.Join(b.real.Root, name)))
}

func TestLiveLinksLeadAnywhereButToEaselsOwnFiles(t *testing.T) {
	b := newBench(t)
	secret := []byte(`{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5, "token": "opens everything"}`)
	own := filepath.Join(b.data, "easel.json")
	elsewhere := t.TempDir()
	require.NoError(t, errors.Join(os.WriteFile(own, secret, 0o600), os.WriteFile(filepath.Join(elsewhere, "sales.csv"), []byte("a\n1\n"), 0o600),
		os.WriteFile(filepath.Join(elsewhere, "book.ipynb"), []byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`), 0o600)))
	b.link(own, "t.json")
	b.link(own, "t.ipynb")
	b.link(filepath.Join(b.data, "later.ipynb"), "later.ipynb")
	b.link(b.data, "own")
	b.link(elsewhere, "elsewhere")
	require.NoError(t, os.Link(own, filepath.Join(b.real.Root, "hard.txt")))
	for _, c := range []struct {
		tool tool.Any
		args string
	}{
		{catalog.FileRead, `{"path": "t.json"}`},
		{catalog.FileRead, `{"path": "/hard.txt"}`},
		{catalog.FileRead, `{"path": "elsewhere/../own/easel.json"}`},
		{catalog.FileList, `{"path": "own"}`},
		{catalog.FileList, `{"path": "own/library"}`},
		{catalog.NotebookRead, `{"path": "t.ipynb"}`},
		{catalog.NotebookAddCell, `{"path": "t.ipynb", "cell_type": "markdown", "source": "x"}`},
		{catalog.NotebookCreate, `{"path": "own/new.ipynb"}`},
		{catalog.NotebookCreate, `{"path": "later.ipynb"}`},
		{catalog.SessionCreate, `{"name": "python3", "notebook_path": "own/new.ipynb"}`},
	} {
		if e := b.refusal(c.tool, c.args, tool.Validation); !strings.Contains(e.Detail, "Easel's own data directory") || strings.Contains(e.Detail, "opens everything") {
			t.Errorf("%s %s: %v", c.tool.Spec().Name, c.args, e)
		}
	}
	if after, err := os.ReadFile(own); err != nil || string(after) != string(secret) {
		t.Errorf("the file is now %s, %v", after, err)
	}
	for _, name := range []string{"new.ipynb", "later.ipynb"} {
		if _, err := os.Lstat(filepath.Join(b.data, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}

	real, err := filepath.EvalSymlinks(elsewhere)
	require.NoError(t, err)
	read := must[catalog.FileReadOut](b, catalog.FileRead, `{"path": "elsewhere/sales.csv"}`)
	if read.Path != "elsewhere/sales.csv" || read.RealPath != filepath.Join(real, "sales.csv") || len(read.Rows) != 1 {
		t.Errorf("a link to data elsewhere: %+v", read)
	}
	if list := must[catalog.FileListOut](b, catalog.FileList, `{"path": "elsewhere"}`); list.RealPath != real || len(list.Contents) != 2 {
		t.Errorf("a link to a folder elsewhere: %+v", list)
	}
	if book := must[catalog.NotebookReadOut](b, catalog.NotebookRead, `{"path": "elsewhere/book.ipynb"}`); book.RealPath != filepath.Join(real, "book.ipynb") {
		t.Errorf("a link to a notebook elsewhere: %+v", book)
	}
	if inside := must[catalog.FileListOut](b, catalog.FileList, `{}`); inside.RealPath != "" {
		t.Errorf("the root leads to %q", inside.RealPath)
	}
	b.write("copy.json", string(secret)) // as of a server whose disk is unknown here
	b.refused(catalog.FileRead, `{"path": "copy.json"}`, tool.Validation)
}
