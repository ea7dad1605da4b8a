package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.0": "0.1.0", "0.1.0-dev.1734": "0.1.0.dev1734", "0.1.0-dev.7+changed": "0.1.0.dev7+changed", "1.0.0-rc.2": "1.0.0rc2", "1.0.0-beta.1": "1.0.0b1",
	} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

// makeWheel writes a wheel with a small program, and returns its path.
func makeWheel(t *testing.T) string {
	t.Helper()
	t.Chdir("../..")
	dir := t.TempDir()
	program := filepath.Join(dir, "easel")
	require.NoError(t, os.WriteFile(program, []byte("\x7fELF"), 0o600))
	w := wheel{project{"https://github.com/Ada/easel", "easel-mcp"}, "0.1.0-dev.7", "manylinux_2_17_x86_64.manylinux2014_x86_64", program}
	require.NoError(t, w.write(dir, time.Unix(1e9, 0).UTC()))
	return filepath.Join(dir, "easel_mcp-0.1.0.dev7-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl")
}

// contents returns the files of an archive.
func contents(t *testing.T, path string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer z.Close()
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		files[f.Name], err = io.ReadAll(r)
		require.NoError(t, err)
		if executable := f.Mode()&0o111 != 0; executable != strings.Contains(f.Name, ".data/scripts/") {
			t.Errorf("%s: mode %v", f.Name, f.Mode())
		}
	}
	return files
}

// TestWheelListsItsFiles compares RECORD with the archive, as pip does.
func TestWheelListsItsFiles(t *testing.T) {
	files := contents(t, makeWheel(t))
	const list = "easel_mcp-0.1.0.dev7.dist-info/RECORD"
	rows, err := csv.NewReader(bytes.NewReader(files[list])).ReadAll()
	require.NoError(t, err)
	if len(rows) != len(files) {
		t.Errorf("%d rows for %d files", len(rows), len(files))
	}
	for _, row := range rows {
		data, ok := files[row[0]]
		sum := sha256.Sum256(data)
		want := []string{row[0], "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(data))}
		if row[0] == list {
			want = []string{list, "", ""}
		}
		if !ok || !slices.Equal(row, want) {
			t.Errorf("row %q, want %q", row, want)
		}
	}
	if string(files["easel_mcp-0.1.0.dev7.data/scripts/easel"]) != "\x7fELF" {
		t.Error("the program is missing")
	}
}

func TestWheelMetadata(t *testing.T) {
	files := contents(t, makeWheel(t))
	const info = "easel_mcp-0.1.0.dev7.dist-info/"
	read := func(name string) textproto.MIMEHeader {
		h, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(files[info+name], "\n\n"...)))).ReadMIMEHeader()
		require.NoError(t, err)
		return h
	}
	about := read("METADATA")
	for name, want := range map[string]string{"Name": "easel-mcp", "Version": "0.1.0.dev7", "License-Expression": "MIT", "Description-Content-Type": "text/markdown"} {
		if got := about.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range about["License-File"] {
		if len(files[info+"licenses/"+name]) == 0 {
			t.Errorf("%s is missing", name)
		}
	}
	// The MCP registry looks for this line in what PyPI shows.
	if !bytes.Contains(files[info+"METADATA"], []byte("\n\n<!-- mcp-name: io.github.Ada/easel -->")) || placeholder.Match(files[info+"METADATA"]) {
		t.Errorf("description:\n%s", files[info+"METADATA"])
	}
	if tags := read("WHEEL")["Tag"]; !slices.Equal(tags, []string{"py3-none-manylinux_2_17_x86_64", "py3-none-manylinux2014_x86_64"}) {
		t.Errorf("tags %q", tags)
	}
	if got := string(files[info+"entry_points.txt"]); got != "[console_scripts]\neasel-mcp = easel_mcp.__main__:main\n" {
		t.Errorf("entry points %q", got)
	}
}

func TestFill(t *testing.T) {
	p := project{"https://github.com/Ada/easel", "easel-mcp"}
	got, err := fill("@MCP_NAME@ @IMAGE@ @VERSION@ ada@example.org", p.values("1.2.3"))
	if err != nil || got != "io.github.Ada/easel ghcr.io/ada/easel 1.2.3 ada@example.org" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := fill("@NOTHING@", nil); err == nil {
		t.Error("a placeholder without a value was accepted")
	}
}
