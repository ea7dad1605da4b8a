package mcphost

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/apps"
)

// renders is what a client declares that renders pages.
const renders = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`

// plots are the tools whose results have plots, in the order of the list.
const plots = "execute_code get_execution get_image_resource notebook_add_cell notebook_edit_cell notebook_run_cell get_selected_files"

// toolsFor returns the tools that a client is listed, in both eras of the protocol.
func (r *rig) toolsFor(t *testing.T, name, capabilities string) (old, modern []any) {
	t.Helper()
	res, b := r.do(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":%q,"version":"9"}}}`, capabilities, name))
	id := res.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("initialize: %d %s", res.StatusCode, b)
	}
	old, _ = at(r.rpc(t, id, "tools/list", `{}`), "result", "tools").([]any)
	body, header := modernRequest("tools/list", `{}`)
	body = strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":`+capabilities, 1)
	body = strings.Replace(body, `"name":"modern"`, `"name":"`+name+`"`, 1)
	res, b = r.do(t, "POST", "/mcp", body, header...)
	modern, _ = at(messages(t, res, b)[0], "result", "tools").([]any)
	if len(old) == 0 || len(modern) == 0 {
		t.Fatalf("%s: %d and %d tools", name, len(old), len(modern))
	}
	return old, modern
}

// TestOnlyClientsThatShowTheViewerAreOfferedIt compares each client's tools with those of a client that declares nothing.
func TestOnlyClientsThatShowTheViewerAreOfferedIt(t *testing.T) {
	r := newRig(t)
	r.c.Viewer = func(client string) bool { return client != "claude-ai" }
	plain, _ := r.toolsFor(t, "plain", `{}`)
	for _, c := range []struct {
		name, capabilities string
		want               bool
	}{
		{"Visual Studio Code", renders, true},
		{"goose", strings.Replace(renders, `["`, `["text/html","`, 1), true},
		{"claude-ai", renders, false},
		{"plain", `{}`, false},
		{"other page", strings.Replace(renders, "mcp-app", "other", 1), false},
		{"no types", `{"extensions":{"io.modelcontextprotocol/ui":{}}}`, false},
		{"odd", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":"text/html;profile=mcp-app"}}}`, false},
		{"other extension", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, false},
	} {
		old, modern := r.toolsFor(t, c.name, c.capabilities)
		for era, tools := range map[string][]any{"2025-11-25": old, "2026-07-28": modern} {
			var linked []string
			for _, x := range tools {
				entry := x.(map[string]any)
				if meta, _ := entry["_meta"].(map[string]any); at(meta, "ui", "resourceUri") == apps.ViewerURI && meta["ui/resourceUri"] == apps.ViewerURI {
					linked = append(linked, entry["name"].(string))
					delete(meta, "ui")
					delete(meta, "ui/resourceUri")
					if len(meta) == 0 {
						delete(entry, "_meta")
					}
				}
			}
			if want := strings.Fields(plots); c.want && !slices.Equal(linked, want) || !c.want && len(linked) > 0 {
				t.Errorf("%s, %s: %v link to the viewer", c.name, era, linked)
			}
			if d := cmp.Diff(plain, tools); d != "" {
				t.Errorf("%s, %s: besides the links, the tools differ: %s", c.name, era, d)
			}
		}
	}
}

// TestTheViewerIsReadAndNotListed checks what a client gets that follows a tool's link.
func TestTheViewerIsReadAndNotListed(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "plain")
	for era, answer := range map[string]map[string]any{
		"2025-11-25": r.rpc(t, s, "resources/read", `{"uri":"`+apps.ViewerURI+`"}`),
		"2026-07-28": r.modern(t, "resources/read", `{"uri":"`+apps.ViewerURI+`"}`),
	} {
		contents, _ := at(answer, "result", "contents").([]any)
		if len(contents) != 1 {
			t.Fatalf("%s: %v", era, answer)
		}
		text, _ := at(contents[0], "text").(string)
		if at(contents[0], "mimeType") != "text/html;profile=mcp-app" || at(contents[0], "uri") != apps.ViewerURI || !strings.HasPrefix(text, "<!doctype html>") {
			t.Errorf("%s: %v", era, contents[0])
		}
		if csp, ok := at(contents[0], "_meta", "ui", "csp").(map[string]any); !ok || len(csp) > 0 || at(contents[0], "_meta", "ui", "prefersBorder") != false {
			t.Errorf("%s: _meta is %v", era, at(contents[0], "_meta"))
		}
	}
	raw, err := json.Marshal(r.rpc(t, s, "resources/list", `{}`))
	require.NoError(t, err)
	if strings.Contains(string(raw), "ui://") {
		t.Errorf("the list of resources has the viewer: %s", raw)
	}
}
