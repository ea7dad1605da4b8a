package paths

import (
	"regexp"
	"testing"

	"easel/jupyter"
	"easel/mcphost/catalog"
)

// TestDocumentedPatternsLetEveryPathThrough checks that the documented patterns match every
// spelling of a valid path, and do not match paths that cannot be a notebook or a file.
func TestDocumentedPatternsLetEveryPathThrough(t *testing.T) {
	notebook, optional := regexp.MustCompile(catalog.NotebookPattern), regexp.MustCompile(catalog.OptionalNotebookPattern)
	file := regexp.MustCompile(catalog.FilePattern)
	for _, p := range []string{
		"a.ipynb", "/a.ipynb", "a.ipynb/", "./x/../a.ipynb", "a.ipynb/.", "a.ipynb/b/..", "RTC:a.ipynb", "データ/が.ipynb", " a .ipynb", "...ipynb",
		"", "/", "//", ".", "..", "./.", "a", "a.txt", ".ipynb", "x/.ipynb", "a.IPYNB", "...", "a/...", ".hidden", "a.ipynb.txt", " ",
	} {
		_, err := jupyter.NotebookPath(p)
		if err == nil && (!notebook.MatchString(p) || !optional.MatchString(p)) {
			t.Errorf("%q is a notebook's path and does not match", p)
		}
		if clean, err := jupyter.CleanPath(p); err == nil && clean != "" && !file.MatchString(p) {
			t.Errorf("%q is a file's path and does not match", p)
		}
	}
	for _, p := range []string{"", "/", ".", "a.txt", ".ipynb", "x/.ipynb"} {
		if notebook.MatchString(p) || p != "" && optional.MatchString(p) {
			t.Errorf("%q is no notebook's path and matches", p)
		}
	}
	for _, p := range []string{"", "/", "//", ".", "..", "./"} {
		if file.MatchString(p) {
			t.Errorf("%q is no file's path and matches", p)
		}
	}
}
