package outputs

import (
	"fmt"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

func describe(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s:%s:%d|", p.Kind, p.Text, p.Images)
	}
	return b.String()
}

// TestPartsKeepTheOrderOfTheCell checks what the user sees of an execution, and where an error is.
func TestPartsKeepTheOrderOfTheCell(t *testing.T) {
	k := &kit.Kit{Tr: i18n.New("en")}
	failure := func(code, traceback string) *catalog.ExecutionError {
		return &catalog.ExecutionError{Code: code, Message: "it died", Traceback: traceback}
	}
	for name, c := range map[string]struct {
		x    catalog.Execution
		want string
	}{
		"nothing":        {catalog.Execution{Outputs: []catalog.Output{}}, ""},
		"nothing listed": {catalog.Execution{Stdout: "a\n", Text: "1", Images: make([]catalog.Image, 2)}, "stdout:a:0|result:1:0|image::2|"},
		"empty texts":    {catalog.Execution{Outputs: []catalog.Output{{Type: Stdout, Text: " \n"}, {Type: Display, Text: "b"}}}, "display:b:0|"},
		"a terminal": {
			catalog.Execution{Outputs: []catalog.Output{{Type: Stderr, Text: "\x1b[31m1 %\r2 %\x1b[0m\n\x1b[1A\x1b[2K3 %\n\n"}}}, "stderr:3 %:0|",
		},
		"pictures in between": {
			catalog.Execution{Outputs: []catalog.Output{{Type: Images, ImageID: "1"}, {Type: Images, ImageID: "2"}, {Type: Stdout, Text: "t"}, {Type: Images, ImageID: "3"}}},
			"image::2|stdout:t:0|image::1|",
		},
		"a widget's error and the cell's": {
			catalog.Execution{Status: catalog.StatusError, Error: failure(catalog.CodeExecution, "trace\n"), Outputs: []catalog.Output{{Type: Failure, Text: "of the widget"}, {Type: Failure, Text: "short"}, {Type: Stdout, Text: "late"}}},
			"error:of the widget:0|error:trace:0|stdout:late:0|",
		},
		"a dead kernel": {
			catalog.Execution{Status: catalog.StatusKernelDied, Error: failure(catalog.CodeKernelDied, ""), Outputs: []catalog.Output{{Type: Failure, Text: "of the widget"}}},
			"error:of the widget:0|error:kernel died: it died:0|",
		},
	} {
		if got := describe(Of(k, c.x)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestTheLastLinesOfParts(t *testing.T) {
	parts := []Part{{Stdout, "1\n2\n3", 0}, {Images, "", 1}, {Stderr, "4\n5", 0}}
	for n, want := range map[int]string{
		1: "stderr:5:0|", 2: "stderr:4\n5:0|", 3: "image::1|stderr:4\n5:0|", 4: "stdout:3:0|image::1|stderr:4\n5:0|", 100: describe(parts),
	} {
		if got := describe(Ending(parts, n)); got != want {
			t.Errorf("the last %d: got %q, want %q", n, got, want)
		}
	}
	if parts[0].Text != "1\n2\n3" {
		t.Error("the parts were changed")
	}
}
