//go:build !race

// With the race detector, writing these results takes ten times as long.

package mcphost

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

func TestWhateverIsTooLargeIsCut(t *testing.T) {
	wide := make([]string, 50_000)
	for i := range wide {
		wide[i] = strings.Repeat("<", 20)
	}
	deep := make(map[string]string)
	for i := range 10_000 {
		deep[fmt.Sprintf("name %d", i)] = strings.Repeat("\x01", 30)
	}
	for what, out := range map[string]any{
		"a long text":             map[string]any{"success": true, "text": strings.Repeat("é", 600_000)},
		"what quotes to six":      map[string]any{"success": true, "text": strings.Repeat("\x01", 200_000)},
		"a long list":             map[string]any{"success": true, "list": wide},
		"a large object":          map[string]any{"success": true, "object": deep},
		"a large object of lists": map[string]any{"success": true, "object": map[string]any{"a": wide, "b": wide}},
	} {
		for _, withPictures := range []bool{true, false} {
			text, _, _, err := new(Host).briefText(t.Context(), out, nil, withPictures)
			var o map[string]any
			if err != nil || json.Unmarshal(text, &o) != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if o["success"] != true || !strings.Contains(o["cut"].(string), "too large for MCP") {
				t.Errorf("%s: %.200s", what, text)
			}
			size := quotedLen(text)
			if !withPictures {
				size += len(text)
			}
			if size > maxResult || withPictures && size > maxTextWithPictures || size < 1000 {
				t.Errorf("%s: %d bytes are left", what, size)
			}
		}
	}
	small, _, _, err := new(Host).briefText(t.Context(), catalog.SessionListOut{Result: catalog.OK}, nil, false)
	if err != nil || string(small) != `{"success":true,"sessions":[]}` {
		t.Errorf("what fits stays: %s, %v", small, err)
	}
}
