package tools_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/japanese"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

func testFilesAreListedAndRead(b *bench) {
	t := b.t
	if err := os.MkdirAll(filepath.Join(b.real.Root, "data", "b dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.write("data/z.csv", "a,b\n1,x\n2,y\n")
	b.write("data/A.txt", "hello")
	b.write("data/n.ipynb", `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`)
	sjis, err := japanese.ShiftJIS.NewEncoder().String("日付,売上\n1月,100\n")
	if err != nil {
		t.Fatal(err)
	}
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
	if diff := cmp.Diff([]string{"日付", "売上"}, csv.Columns); diff != "" || csv.Encoding != "shift_jis" || *csv.TotalRows != 1 || csv.Text != nil {
		t.Errorf("csv %+v\n%s", csv, diff)
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
	b.refused(catalog.FileRead, `{"path": "data"}`, tool.Validation)
	b.refused(catalog.FileRead, `{"path": "../../etc/passwd"}`, tool.Validation)
	b.refused(catalog.FileRead, `{"path": ".."}`, tool.Validation)
	if err := os.Symlink("/etc/passwd", filepath.Join(b.real.Root, "link")); err == nil {
		out, err := call[catalog.FileReadOut](b, catalog.FileRead, `{"path": "link"}`)
		t.Logf("a link out of the root is the server's business: %v %v", out.Size, err)
	}
}
