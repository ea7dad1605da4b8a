package assets

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"easel/internal/atomicfile"
)

// Instructions is the page that the MCP server gives to the model.
//
//go:embed instructions.md
var Instructions string

// WriteFonts writes the Japanese fonts into dir, where they are not there yet, and
// gives their paths: other programs, as matplotlib, take files.
func WriteFonts(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("writing the fonts: %w", err)
	}
	path := filepath.Join(dir, FontJPName)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(FontJP)) {
		return []string{path}, nil
	}
	if err := atomicfile.Write(path, FontJP, 0o600); err != nil {
		return nil, fmt.Errorf("writing the fonts: %w", err)
	}
	return []string{path}, nil
}
