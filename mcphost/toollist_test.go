package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// listed returns the tools/list of the toolsets and its encoded size.
func listed(t *testing.T, r *rig, toolsets string) (tools []any, size int) {
	t.Helper()
	body, header := modernRequest("tools/list", `{}`)
	res, b := r.do(t, "POST", "/mcp?toolsets="+toolsets, body, header...)
	tools, ok := at(messages(t, res, b)[0], "result", "tools").([]any)
	if !ok {
		t.Fatalf("toolsets=%s: %d %s", toolsets, res.StatusCode, b)
	}
	return tools, len(b)
}

// told returns what a model reads of tools. Clients show it name, description and
// parameters, but not title, annotations or output schema.
func told(t *testing.T, tools []any) string {
	t.Helper()
	shown := make([]map[string]any, len(tools))
	for i, x := range tools {
		shown[i] = map[string]any{"name": at(x, "name"), "description": at(x, "description"), "inputSchema": at(x, "inputSchema")}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(shown))
	return b.String()
}

// TestTheToolListIsSmall limits what a model reads in every conversation.
func TestTheToolListIsSmall(t *testing.T) {
	r := newRig(t)
	for set, most := range map[string]int{"": 4_200, "core": 1_800} {
		tools, size := listed(t, r, set)
		n := tokens(t, told(t, tools))
		t.Logf("%q: %d tools, %d bytes, %d tokens", set, len(tools), size, n)
		if n > most {
			t.Errorf("the toolset %q costs %d tokens, the contract says at most %d", set, n, most)
		}
		if size > 32_000 {
			t.Errorf("the toolset %q has %d bytes, the contract says at most 30 kB", set, size)
		}
	}
}

// TestListedSchemasAreTakenByEveryClient covers google-genai, which rejects
// additionalProperties, and LangChain, which rejects an object without properties.
func TestListedSchemasAreTakenByEveryClient(t *testing.T) {
	tools, _ := listed(t, newRig(t), "")
	for _, x := range tools {
		name := at(x, "name").(string)
		in := at(x, "inputSchema").(map[string]any)
		if raw, _ := json.Marshal(in); strings.Contains(string(raw), "additionalProperties") {
			t.Errorf("%s: %s", name, raw)
		}
		checkObjects(t, name, in)
		for p, s := range at(in, "properties").(map[string]any) {
			d, _ := at(s, "description").(string)
			if d == "" {
				t.Errorf("%s: %s is not described", name, p)
			}
			if most, bounded := at(s, "maximum").(float64); bounded && !strings.Contains(strings.ReplaceAll(d, ",", ""), jsonOf(most)) {
				t.Errorf("%s: the description of %s does not say its maximum %v: %q", name, p, most, d)
			}
			if v := at(s, "default"); v != nil && !strings.Contains(strings.ReplaceAll(d, ",", ""), "default "+strings.Trim(jsonOf(v), `"`)) {
				t.Errorf("%s: the description of %s does not say its default %v: %q", name, p, v, d)
			}
		}
	}
	if raw, _ := json.Marshal(at(toolNamed(tools, "session_list"), "inputSchema")); string(raw) != `{"properties":{},"type":"object"}` {
		t.Errorf("without parameters: %s", raw)
	}
}

func checkObjects(t *testing.T, at string, s map[string]any) {
	t.Helper()
	props, ok := s["properties"].(map[string]any)
	if s["type"] == "object" && !ok {
		t.Errorf("%s: an object without properties", at)
	}
	for name, p := range props {
		checkObjects(t, at+"/"+name, p.(map[string]any))
	}
	if items, ok := s["items"].(map[string]any); ok {
		checkObjects(t, at+"/items", items)
	}
}

func jsonOf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

func toolNamed(tools []any, name string) any {
	if i := slices.IndexFunc(tools, func(x any) bool { return at(x, "name") == name }); i >= 0 {
		return tools[i]
	}
	return nil
}

func TestToolsetsNarrowTheList(t *testing.T) {
	r := newRig(t)
	core, _ := listed(t, r, "core")
	if n := len(core); n < 12 || n > 16 {
		t.Errorf("core has %d tools, the contract says about 14", n)
	}
	for _, name := range []string{
		"session_create", "session_list", "session_connect", "execute_code", "get_execution", "get_variables",
		"get_image_resource", "get_selected_files", "notebook_read", "notebook_add_cell", "notebook_run_cell",
	} {
		if toolNamed(core, name) == nil {
			t.Errorf("core has no %s", name)
		}
	}
	both, _ := listed(t, r, "core,gallery")
	gallery, _ := listed(t, r, "gallery")
	for _, x := range slices.Concat(core, gallery) {
		if toolNamed(both, at(x, "name").(string)) == nil {
			t.Errorf("core and gallery together have no %v", at(x, "name"))
		}
	}
	if len(both) >= len(core)+len(gallery) {
		t.Error("get_selected_files is listed twice")
	}
	_, b := r.do(t, "POST", "/mcp?toolsets=core", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
	for _, p := range catalog.Prompts() {
		if !strings.Contains(string(b), p.Name) {
			t.Errorf("core has no prompt %s: its tools are enough for it", p.Name)
		}
	}
	if res, b := r.do(t, "POST", "/mcp?toolsets=nope", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); res.StatusCode != 400 || !strings.Contains(string(b), "core, jupyter, notebook, gallery") {
		t.Errorf("an unknown toolset: %d %s", res.StatusCode, b)
	}
}

// TestWhatEachConversationNeedsIsLoadedAtOnce covers Claude Code, where models have to
// search for the other tools.
func TestWhatEachConversationNeedsIsLoadedAtOnce(t *testing.T) {
	tools, _ := listed(t, newRig(t), "")
	for _, x := range tools {
		want := slices.Contains([]string{"session_create", "execute_code", "get_execution"}, at(x, "name").(string))
		if got := at(x, "_meta", "anthropic/alwaysLoad"); (got == true) != want || !want && at(x, "_meta") != nil {
			t.Errorf("%v: %v", at(x, "name"), at(x, "_meta"))
		}
	}
}

// TestResultsAnnounceLateAnswers checks that the next result has what the user answered when
// a call no longer waited.
func TestResultsAnnounceLateAnswers(t *testing.T) {
	r := newRig(t)
	late := []catalog.LateAnswer{{Reason: "keep the data", Code: "rm()", SessionID: "s", ExecutionID: "e7"}}
	catalog.AnnounceAnswers.Handle(r.bus, func(context.Context, struct{}) (out []catalog.LateAnswer, _ error) {
		out, late = late, nil
		return out, nil
	}, nil)
	s := r.initialize(t, "x")
	for _, want := range []bool{true, false} {
		raw, err := json.Marshal(r.rpc(t, s, "tools/call", `{"name":"execute_code","arguments":{"session_id":"s","code":"1"}}`)["result"])
		require.NoError(t, err)
		if got := strings.Contains(string(raw), `\"answers_from_user\":[{\"answer\":\"denied\",\"reason\":\"keep the data\"`); got != want {
			t.Errorf("%s: announced %v, want %v", raw, got, want)
		}
	}
}

// TestResultsNameWhatWasNotUsed checks the model's text, structured content and REST.
func TestResultsNameWhatWasNotUsed(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	call := func(name, args string) string {
		t.Helper()
		raw, err := json.Marshal(r.rpc(t, s, "tools/call", `{"name":"`+name+`","arguments":`+args+`}`)["result"])
		require.NoError(t, err)
		return string(raw)
	}
	if got := call("execute_code", `{"session_id":"s","code":"1","wait":600,"wait_for_previous":true}`); !strings.Contains(got, `\"ignored\":[\"wait_for_previous\"]`) || !strings.Contains(got, `\"adjusted\":{\"wait\":50}`) {
		t.Errorf("over MCP: %s", got)
	}
	if got := call("execute_code", `{"session_id":"s","code":"1"}`); strings.Contains(got, "ignored") || strings.Contains(got, "adjusted") {
		t.Errorf("nothing to name: %s", got)
	}
	if got := call("execute_code", `{"session_id":"s","code":"1","timeout_seconds":9}`); !strings.Contains(got, "VALIDATION_ERROR") || !strings.Contains(got, "did you mean `timeout`?") {
		t.Errorf("misspelt: %s", got)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/api/execute/execute_code", `{"session_id":"s","code":"1","wait_for_previous":true}`, 200, `"ignored":["wait_for_previous"]`},
		{"POST", "/tools/execute_code/execute", `{"session_id":"s","code":"1","reason":"x"}`, 200, `"ignored":["reason"]`},
		{"GET", "/api/info/session_list?cache=1&cache=2&z=3", "", 200, `"ignored":["cache","z"]`},
		{"POST", "/api/execute/execute_code", `{"session_id":"s","code":"1","wait":600}`, 400, "wait must be at most 50, not 600"},
		{"GET", "/api/info/session_list?sesion=1", "", 200, `"ignored":["sesion"]`},
		{"GET", "/api/info/get_execution?execution_id=e&wiat=1", "", 400, "did you mean `wait`?"},
	} {
		res, b := r.do(t, c.method, c.path, c.body)
		if res.StatusCode != c.status || !strings.Contains(string(b), c.want) || !json.Valid(b) {
			t.Errorf("%s %s: %d %s, want %d with %s", c.method, c.path, res.StatusCode, b, c.status, c.want)
		}
	}
}

func TestNotedKeepsAResultAnObject(t *testing.T) {
	note := tool.Note{Ignored: []string{"a"}, Adjusted: map[string]float64{"wait": 50}}
	got, err := noted(json.RawMessage(`{"success":true}`), note)
	if want := `{"success":true,"ignored":["a"],"adjusted":{"wait":50}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
