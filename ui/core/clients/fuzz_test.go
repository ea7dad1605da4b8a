package clients_test

import (
	"bytes"
	"errors"
	"testing"

	"easel/ui/core/clients"
)

// FuzzMerge checks that Easel either refuses a file or adds an entry that is up to date. merge
// itself checks that the rest of the file is preserved.
func FuzzMerge(f *testing.F) {
	for _, seed := range []string{
		"", codexBefore, "{\"mcpServers\": {/* a */},}", "{\"inputs\":[1,],\"servers\":{\"easel\":{\"command\":\"x\",}}}",
		"extensions: {}\n", "mcpServers:\n- name: easel\n  url: x", "mcp_servers.easel.url='x'\r\n", "a: |\n  b\nextensions:\n  easel:\n    uri: >-\n      x\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"VS Code", "Gemini CLI", "Codex", "Goose", "Continue"} {
			c := client(t, name)
			merged, _, err := c.Merge([]byte(text), conn)
			if err != nil {
				if !errors.Is(err, clients.ErrNotPlain) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			again, had, err := c.Merge(merged, conn)
			if err != nil || !had || !bytes.Equal(again, merged) {
				t.Errorf("%s: %q became %q, and then %q, %v", name, text, merged, again, err)
			}
		}
	})
}
