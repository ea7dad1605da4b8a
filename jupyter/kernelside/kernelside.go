// Package kernelside contains the Python modules that Easel loads into kernels. They make
// figures report their titles, axes and values, keep displayed figures, give plots fallback fonts,
// keep output that nobody has read yet, run shell commands without a terminal, keep Easel's questions from ending
// the figures that code is drawing, and say where code was when it crashed. They do nothing in a kernel that lacks what
// they extend.
//
// # Goroutines
//
// It has none. Its functions may be called from any goroutine.
package kernelside

import (
	"embed"
	"path"
	"strings"
)

//go:embed python/*.py
var files embed.FS

// Modules returns the sources of all modules, by name.
func Modules() map[string]string {
	found, _ := files.ReadDir("python") // embedded
	sources := map[string]string{}
	for _, f := range found {
		text, _ := files.ReadFile(path.Join("python", f.Name()))
		sources[strings.TrimSuffix(f.Name(), ".py")] = string(text)
	}
	return sources
}

// FigureKeeper returns the sources of the modules that keep the figures that a kernel
// displays, describe their axes and read what they show, by name.
func FigureKeeper() map[string]string {
	all, found := Modules(), map[string]string{}
	for _, name := range []string{
		"pickles", "figures", "axes", "facts", "series", "shapes", "groups", "numbers", "drawing", "unseen", "looks",
	} {
		found["easel_"+name] = all["easel_"+name]
	}
	return found
}

// Install is the Python statement that makes a process use the modules. In a process that
// is no kernel, only the fallback fonts and the titles of figures have an effect.
const Install = "import easel_fonts, easel_titles, easel_figures, easel_iopub, easel_flush, easel_aside, easel_crash, easel_shell; " +
	"easel_fonts.install(); easel_titles.install(); easel_figures.install(); easel_iopub.install(); easel_flush.install(); easel_aside.install(); " +
	"easel_crash.install(); easel_shell.install()"
