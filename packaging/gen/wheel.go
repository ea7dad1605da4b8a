package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A wheel is a package for pip and uv: a ZIP archive with a program, and a list of its files
// (https://packaging.python.org/en/latest/specifications/binary-distribution-format/).
type wheel struct {
	project project
	version string
	tag     string // which system it is for: manylinux_2_17_x86_64, win_amd64
	program string // path of easel, or of easel.exe
}

// name returns the file's name without .whl.
func (w wheel) name() string { return w.stem() + "-py3-none-" + w.tag }

func (w wheel) stem() string { return w.module() + "-" + pythonVersion(w.version) }

// module returns the name of the Python module: the package's name with underscores.
func (w wheel) module() string {
	return strings.ToLower(regexp.MustCompile(`[-_.]+`).ReplaceAllString(w.project.pypi, "_"))
}

// write writes the wheel to a directory.
func (w wheel) write(dir string, at time.Time) error {
	stage, err := os.MkdirTemp("", "wheel")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }() // the system deletes what is left
	files, err := w.files()
	if err != nil {
		return err
	}
	for name, data := range files {
		path := filepath.Join(stage, name)
		mode := fs.FileMode(0o644)
		if strings.Contains(name, "/scripts/") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // it is published
			return err
		}
		if err := os.WriteFile(path, data, mode); err != nil {
			return err
		}
	}
	record, err := record(stage, w.stem()+".dist-info/RECORD")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(stage, w.stem()+".dist-info", "RECORD"), record, 0o644); err != nil { //nolint:gosec // it is published
		return err
	}
	return zipDir(filepath.Join(dir, w.name()+".whl"), stage, at)
}

// files returns the contents of the wheel without the list of its files.
func (w wheel) files() (map[string][]byte, error) {
	info, readme := w.stem()+".dist-info/", "packaging/wheel/README.md"
	files := make(map[string][]byte)
	for name, path := range map[string]string{
		w.stem() + ".data/scripts/" + filepath.Base(w.program): w.program,
		w.module() + "/__main__.py":                            "packaging/wheel/__main__.py",
		info + "licenses/LICENSE":                              "LICENSE",
		info + "licenses/licences.txt":                         "assets/licences.txt",
		readme:                                                 readme,
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	about, err := fill(string(files[readme]), w.project.values(w.version))
	if err != nil {
		return nil, err
	}
	delete(files, readme)
	files[w.module()+"/__init__.py"] = []byte(`"""Easel, a program that runs code in Jupyter kernels and shows the plots. It is not written in Python."""` + "\n")
	files[info+"entry_points.txt"] = fmt.Appendf(nil, "[console_scripts]\n%s = %s.__main__:main\n", w.project.pypi, w.module())
	files[info+"WHEEL"] = []byte("Wheel-Version: 1.0\nGenerator: easel\nRoot-Is-Purelib: false\n" + w.tags())
	files[info+"METADATA"] = []byte(w.metadata() + "\n" + about)
	return files, nil
}

// tags returns a line for each tag. A tag in a file's name can stand for several systems, joined by dots.
func (w wheel) tags() string {
	var b strings.Builder
	for tag := range strings.SplitSeq(w.tag, ".") {
		fmt.Fprintf(&b, "Tag: py3-none-%s\n", tag)
	}
	return b.String()
}

// metadata returns what PyPI shows, without the description
// (https://packaging.python.org/en/latest/specifications/core-metadata/).
func (w wheel) metadata() string {
	v := w.project.values(w.version)
	var b strings.Builder
	for _, line := range [][2]string{
		{"Metadata-Version", "2.4"},
		{"Name", w.project.pypi},
		{"Version", pythonVersion(w.version)},
		{"Summary", "Run code in Jupyter kernels and show the user every plot: an MCP server"},
		{"Author", "The Easel authors"},
		{"License-Expression", "MIT"},
		{"License-File", "LICENSE"},
		{"License-File", "licences.txt"},
		{"Keywords", "jupyter,mcp,plots,notebook"},
		{"Classifier", "Environment :: Console"},
		{"Classifier", "Intended Audience :: Science/Research"},
		{"Classifier", "Topic :: Scientific/Engineering :: Visualization"},
		{"Requires-Python", ">=3.10"}, // which Easel's own environment needs
		{"Project-URL", "Homepage, " + v["REPOSITORY"]},
		{"Project-URL", "Documentation, " + v["DOCS"]},
		{"Project-URL", "Issues, " + v["SUPPORT"]},
		{"Project-URL", "Changelog, " + v["REPOSITORY"] + "/blob/main/CHANGELOG.md"},
		{"Description-Content-Type", "text/markdown"},
	} {
		b.WriteString(line[0] + ": " + line[1] + "\n")
	}
	return b.String()
}

// record lists the files of a directory with their hashes and sizes. The list itself has none.
func record(dir, list string) ([]byte, error) {
	var b bytes.Buffer
	files := os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		sum := sha256.Sum256(data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		return err
	})
	fmt.Fprintf(&b, "%s,,\n", list)
	return b.Bytes(), err
}

// pythonVersion returns a version in Python's form: 0.1.0.dev7 for 0.1.0-dev.7, 0.2.0rc1 for 0.2.0-rc.1.
func pythonVersion(version string) string {
	return strings.NewReplacer("-dev.", ".dev", "-alpha.", "a", "-beta.", "b", "-rc.", "rc").Replace(version)
}
