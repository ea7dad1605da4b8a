// Package risk finds what code may do to others than its own kernel's memory, before it runs: for Python by
// following the cells of a kernel, for R by what a cell mentions. Code in any other language cannot be read, which is
// a risk itself.
//
// # Goroutines
//
// The package starts none. A Reader belongs to one goroutine.
package risk

import (
	"os"
	"path/filepath"
	"strings"

	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/ui/core/pycode"
	"easel/ui/core/rcode"
)

// A follower reads the cells of one language that run one after the other in one process of a kernel.
type follower interface {
	Learn(code string, byUser bool)
	Risks(code string) []pycode.Risk
}

// A Reader reads the cells that run one after the other in one process of a kernel, in any language.
type Reader struct {
	language string
	cells    follower // nil if the language is unknown
}

// NewReader returns a Reader of a kernel of a language, as the kernel names it. dir is where the kernel works, on this
// machine; "" if it does not. whole means that the Reader will see all cells that run in the process.
func NewReader(language, dir string, whole bool) *Reader {
	folder := pycode.Folder{}
	if dir != "" {
		folder = pycode.Folder{
			Path: dir, Exists: func(path string) bool { return exists(dir, path) },
			Read: func(path string) (string, bool) { return read(filepath.Join(dir, filepath.FromSlash(path))) },
		}
	}
	r := &Reader{language: language}
	switch strings.ToLower(language) {
	case "python", "":
		r.cells = pycode.NewFollower(folder, whole)
	case "r":
		r.cells = rcode.NewFollower(folder)
	}
	return r
}

// mostSource is how much of a module's source is read.
const mostSource = 256 << 10

// read returns the text of a small regular file.
func read(path string) (string, bool) {
	raw, err := system.ReadRegular(path, mostSource)
	return string(raw), err == nil
}

// LanguageOf returns the language of a kernelspec, as far as its name tells: Python, unless it is named like one of R.
func LanguageOf(kernelspec string) string {
	if n := strings.ToLower(kernelspec); n == "ir" || strings.HasPrefix(n, "ir-") || strings.HasPrefix(n, "r-") {
		return "R"
	}
	return "python"
}

// exists reports whether a path below a directory is taken, or does not lie there because a link leads elsewhere.
func exists(dir, path string) bool {
	at := filepath.Join(dir, filepath.FromSlash(path))
	if _, err := os.Lstat(at); err == nil {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return true
	}
	for parent := filepath.Dir(at); len(parent) >= len(dir); parent = filepath.Dir(parent) {
		if there, err := filepath.EvalSymlinks(parent); err == nil {
			rel, err := filepath.Rel(real, there)
			return err != nil || rel != "." && !filepath.IsLocal(rel)
		}
	}
	return false
}

// Learn notes a cell that runs before those that follow.
func (r *Reader) Learn(code string, byUser bool) {
	if r.cells != nil {
		r.cells.Learn(code, byUser)
	}
}

// Risks returns what is risky in a cell that is to run after those that the Reader has learnt, in the order of lines.
func (r *Reader) Risks(code string) []catalog.Risk {
	if r.cells == nil {
		return []catalog.Risk{{Kind: string(pycode.RiskUnseen), Line: 1, What: r.language}}
	}
	var risks []catalog.Risk
	for _, f := range r.cells.Risks(code) {
		risks = append(risks, catalog.Risk{Kind: string(f.Kind), Line: f.Line, What: f.What})
	}
	return risks
}
