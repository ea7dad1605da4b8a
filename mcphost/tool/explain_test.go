package tool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"easel/mcphost/tool"
)

// TestExplain: the user reads neither the code nor the cause of an error.
func TestExplain(t *testing.T) {
	full := &tool.Error{Code: tool.StorageFull, Detail: "The disk of \"/a\" is full.", Err: errors.New("write /a/.tmp: no space left on device")}
	closed := &tool.Error{Code: tool.NotExecutable, Detail: "Easel may not write to \"/a\".", Hint: "Choose another folder.", Err: fs.ErrPermission}
	for want, err := range map[string]error{
		full.Detail: full,
		"Easel may not write to \"/a\". Choose another folder.": fmt.Errorf("export: %w", closed),
		"saving to /a: file does not exist":                     fmt.Errorf("saving to /a: %w", fs.ErrNotExist),
	} {
		if got := tool.Explain(err); got != want {
			t.Errorf("%v is explained as %q, want %q", err, got, want)
		}
	}
}
