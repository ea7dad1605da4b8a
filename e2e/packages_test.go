package e2e

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestEveryPackageSaysWhoRunsWhere checks that every package documents its goroutines, which
// code alone does not show. It omits commands and tests.
func TestEveryPackageSaysWhoRunsWhere(t *testing.T) {
	docs := make(map[string]string)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		if f.Name.Name != "main" {
			docs[filepath.Dir(path)] += f.Doc.Text()
		}
		return nil
	})
	require.NoError(t, err)
	if len(docs) < 30 {
		t.Fatalf("only %d packages were found", len(docs))
	}
	for dir, doc := range docs {
		if !strings.Contains(doc, "# Goroutines\n") {
			t.Errorf("%s: its package comment has no section on goroutines", dir)
		}
	}
}
