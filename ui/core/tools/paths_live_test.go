package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

const emptyBook = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`

func (b *bench) folder(name string) {
	b.t.Helper()
	require.NoError(b.t, os.MkdirAll(filepath.Join(b.real.Root, name), 0o700))
}

func TestLiveAbsolutePathsLeadBelowTheRoot(t *testing.T) {
	b := newBench(t)
	root := b.real.Root
	b.folder("abs/in")
	b.write("abs/in/a.csv", "x\n1\n")
	b.write("abs/in/book.ipynb", emptyBook)
	b.write("plain.ipynb", emptyBook)
	alias := filepath.Join(t.TempDir(), "alias")
	require.NoError(t, os.Symlink(root, alias))
	for given, want := range map[string]string{
		root + "/abs/in/a.csv": "abs/in/a.csv", root + "/abs/../abs/in/a.csv": "abs/in/a.csv", alias + "/abs/in/a.csv": "abs/in/a.csv",
		"/abs/in/a.csv": "abs/in/a.csv", "file://" + root + "/abs/in/a.csv": "abs/in/a.csv",
	} {
		if got := must[catalog.FileReadOut](b, catalog.FileRead, fmt.Sprintf(`{"path": %q}`, given)); got.Path != want {
			t.Errorf("file_read %s: %s, want %s", given, got.Path, want)
		}
	}
	if got := must[catalog.FileListOut](b, catalog.FileList, fmt.Sprintf(`{"path": %q}`, root)); got.Path != "/" || len(got.Contents) == 0 {
		t.Errorf("the root itself: %+v", got)
	}
	for given, want := range map[string]string{root + "/abs/in/book.ipynb": "abs/in/book.ipynb", "/abs/in/book.ipynb": "abs/in/book.ipynb", "/plain.ipynb": "plain.ipynb"} {
		if got := must[catalog.NotebookReadOut](b, catalog.NotebookRead, fmt.Sprintf(`{"path": %q}`, given)); got.Path != want {
			t.Errorf("notebook_read %s: %s, want %s", given, got.Path, want)
		}
	}
	made := must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, fmt.Sprintf(`{"path": %q}`, root+"/abs/new/n.ipynb"))
	if made.Path != "abs/new/n.ipynb" {
		t.Errorf("a new notebook by its path on the disk: %+v", made)
	}
	if made := must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, `{"path": "/fresh.ipynb"}`); made.Path != "fresh.ipynb" {
		t.Errorf("a new notebook by a plain name: %+v", made)
	}
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, fmt.Sprintf(`{"name": "python3", "notebook_path": %q}`, root+"/abs/in/book.ipynb"))
	if session.NotebookPath != "abs/in/book.ipynb" {
		t.Errorf("a session by the path on the disk: %+v", session)
	}
	again := must[catalog.SessionConnectOut](b, catalog.SessionConnect, fmt.Sprintf(`{"notebook_path": %q}`, root+"/abs/in/book.ipynb"))
	if again.SessionID != session.SessionID {
		t.Errorf("connected to %+v, want %s", again, session.SessionID)
	}

	elsewhere := t.TempDir()
	there := filepath.Join(elsewhere, "mine.ipynb")
	require.NoError(t, os.WriteFile(there, []byte(emptyBook), 0o600))
	before := b.everything()
	for _, path := range []string{there, elsewhere + "/new.ipynb", "/no-such-folder/a.ipynb", `C:\Users\u\a.ipynb`, "D:/data/a.ipynb", `\\server\share\a.ipynb`, "~/a.ipynb", root + "-2/a.ipynb", "file://" + there} {
		for parameter, tools := range map[string][]tool.Any{
			"path": {catalog.NotebookCreate, catalog.NotebookRead, catalog.NotebookRunCell, catalog.FileRead, catalog.FileList}, "notebook_path": {catalog.SessionCreate, catalog.SessionConnect},
		} {
			for _, asked := range tools {
				args := fmt.Sprintf(`{%q: %q}`, parameter, path)
				switch asked {
				case tool.Any(catalog.NotebookRunCell):
					args = fmt.Sprintf(`{"path": %q, "index": 0}`, path)
				case tool.Any(catalog.SessionCreate):
					args = fmt.Sprintf(`{"name": "python3", "notebook_path": %q}`, path)
				}
				if e := b.refusal(asked, args, tool.Validation); !strings.Contains(e.Detail, root) {
					t.Errorf("%s %s does not name the root: %v", asked.Spec().Name, args, e)
				}
			}
		}
	}
	for _, path := range []string{"http://localhost:8888/notebooks/abs/in/book.ipynb", "http://localhost:8888/../../plain.ipynb", "ssh://gpu/home/../../../plain.ipynb", "$HOME/a.ipynb", `abs\\in\\book.ipynb`, " abs/in/book.ipynb", "abs/in/book%20.ipynb"} {
		b.refused(catalog.NotebookCreate, fmt.Sprintf(`{"path": "%s"}`, path), tool.Validation)
		b.refused(catalog.SessionCreate, fmt.Sprintf(`{"name": "python3", "notebook_path": "%s"}`, path), tool.Validation)
	}
	if after := b.everything(); after != before {
		t.Errorf("files were made:\n%s\nbefore:\n%s", after, before)
	}
	if e := b.refusal(catalog.FileRead, `{"path": "abs/none.csv"}`, tool.FileNotFound); !strings.Contains(e.Detail, "in "+root) {
		t.Errorf("what is missing: %v", e)
	}
	if e := b.refusal(catalog.NotebookRead, `{"path": "abs/none.ipynb"}`, tool.NotebookNotFound); !strings.Contains(e.Detail, "in "+root) {
		t.Errorf("what is missing: %v", e)
	}
}

// everything lists everything in the root.
func (b *bench) everything() string {
	var names []string
	_ = filepath.WalkDir(b.real.Root, func(path string, _ os.DirEntry, _ error) error {
		if !strings.Contains(path, "checkpoint") {
			names = append(names, path)
		}
		return nil
	})
	return strings.Join(names, "\n")
}

func TestLiveNamesAsMacsWriteThemAreFound(t *testing.T) {
	b := newBench(t)
	folder := norm.NFD.String("Entwürfe")
	b.folder(folder)
	csv, book := folder+"/"+norm.NFD.String("Größe.csv"), folder+"/"+norm.NFD.String("が分析.ipynb")
	b.write(csv, "a\n1\n")
	b.write(book, emptyBook)
	before := b.everything()
	read := must[catalog.FileReadOut](b, catalog.FileRead, fmt.Sprintf(`{"path": %q}`, norm.NFC.String(csv)))
	if read.Path != csv || len(read.Rows) != 1 {
		t.Errorf("file_read %+q: %+v", read.Path, read)
	}
	if list := must[catalog.FileListOut](b, catalog.FileList, fmt.Sprintf(`{"path": %q}`, folder)); list.Path != folder || len(list.Contents) != 2 {
		t.Errorf("file_list: %+v", list)
	}
	session := must[catalog.SessionCreateOut](b, catalog.SessionCreate, fmt.Sprintf(`{"name": "python3", "notebook_path": %q}`, norm.NFC.String(book)))
	if session.NotebookPath != book {
		t.Errorf("a session at %+q, want %+q", session.NotebookPath, book)
	}
	for _, spelling := range []string{book, norm.NFC.String(book)} {
		if again := must[catalog.SessionConnectOut](b, catalog.SessionConnect, fmt.Sprintf(`{"notebook_path": %q}`, spelling)); again.SessionID != session.SessionID {
			t.Errorf("connected to %+v", again)
		}
		added := must[catalog.CellChanged](b, catalog.NotebookAddCell, fmt.Sprintf(`{"path": %q, "cell_type": "code", "source": "len('é')", "run": true}`, spelling))
		if added.Path != book || added.Execution == nil || added.Execution.Status != "ok" || added.Execution.SessionID != session.SessionID {
			t.Errorf("a cell: %+v", added)
		}
	}
	if cells := must[catalog.NotebookReadOut](b, catalog.NotebookRead, fmt.Sprintf(`{"path": %q}`, norm.NFC.String(book))); len(cells.Cells) != 2 || cells.SessionID != session.SessionID {
		t.Errorf("notebook_read: %+v", cells)
	}
	b.refused(catalog.NotebookCreate, fmt.Sprintf(`{"path": %q}`, norm.NFC.String(book)), tool.AlreadyExists)
	if after := b.everything(); after != before {
		t.Errorf("files were made:\n%+q\nbefore:\n%+q", after, before)
	}
	made := must[catalog.NotebookCreateOut](b, catalog.NotebookCreate, fmt.Sprintf(`{"path": %q}`, norm.NFC.String(folder+"/neu für 2.ipynb")))
	if made.Path != folder+"/neu für 2.ipynb" {
		t.Errorf("a new notebook in such a folder: %+q", made.Path)
	}

	// Renamed to the composed form in the meantime, and both forms at once.
	require.NoError(t, os.Rename(filepath.Join(b.real.Root, csv), filepath.Join(b.real.Root, folder, "Größe.csv")))
	if read := must[catalog.FileReadOut](b, catalog.FileRead, fmt.Sprintf(`{"path": %q}`, norm.NFC.String(csv))); read.Path != folder+"/Größe.csv" {
		t.Errorf("after a renaming: %+q", read.Path)
	}
	b.refused(catalog.FileRead, fmt.Sprintf(`{"path": %q}`, norm.NFC.String(folder)+"/nirgendwö.csv"), tool.FileNotFound)
}
