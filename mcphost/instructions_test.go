package mcphost

import (
	"regexp"
	"strings"
	"testing"

	"easel/assets"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// TestInstructionsNameOnlyListedTools reads the real instructions with each choice of
// toolsets, in both eras of the protocol: they name no tool that the client does not have.
func TestInstructionsNameOnlyListedTools(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Instructions = assets.Instructions })
	for _, sets := range []string{"", "core", "jupyter", "notebook", "gallery", "core,gallery", "jupyter,notebook"} {
		t.Run(sets, func(t *testing.T) {
			path := "/mcp"
			if sets != "" {
				path += "?toolsets=" + sets
			}
			text := instructionsOf(t, r, path)
			body, header := modernRequest("server/discover", `{}`)
			res, b := r.do(t, "POST", path, body, header...)
			if ms := messages(t, res, b); at(ms[len(ms)-1], "result", "instructions") != text {
				t.Errorf("server/discover gives other ones: %v", ms)
			}
			chosen, err := tool.ParseToolsets(sets)
			require.NoError(t, err)
			for _, x := range catalog.All() {
				if s := x.Spec(); !chosen.Has(s) && regexp.MustCompile("`"+s.Name+"`").MatchString(text) {
					t.Errorf("they name %s", s.Name)
				}
			}
			for line := range strings.Lines(text) {
				if regexp.MustCompile(`^(\d+\.|-)\s*$`).MatchString(line) {
					t.Errorf("an empty line of a list: %q", line)
				}
			}
			switch {
			case sets == "" && text != assets.Instructions:
				t.Error("all toolsets, but not the whole text")
			case strings.Contains(sets, "core"):
				for _, want := range []string{"`execute_code`", "`get_variables`", "`get_selected_files`", "Long-running code", "DENIED"} {
					if !strings.Contains(text, want) {
						t.Errorf("%s is missing: %s", want, text)
					}
				}
			case sets == "gallery" && strings.Contains(text, "Data\n\n"):
				t.Errorf("a heading without text: %s", text)
			}
		})
	}
}

// instructionsOf returns what initialize gives a client.
func instructionsOf(t *testing.T, r *rig, path string) string {
	t.Helper()
	res, b := r.do(t, "POST", path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	ms := messages(t, res, b)
	text, _ := at(ms[len(ms)-1], "result", "instructions").(string)
	if text == "" {
		t.Fatalf("%s: %v", path, ms)
	}
	return text
}
