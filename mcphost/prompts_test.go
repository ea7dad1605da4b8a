package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// handlePrompts returns prompts that contain their arguments, and completes with 150
// values.
func handlePrompts(r *rig) {
	catalog.GetPrompt.Handle(r.bus, func(ctx context.Context, in catalog.GetPromptIn) (catalog.GetPromptOut, error) {
		r.note(ctx)
		if in.Arguments["wish"] == "crash" {
			return catalog.GetPromptOut{}, errors.New("a secret")
		}
		out := catalog.GetPromptOut{Description: in.Name, Messages: []catalog.PromptMessage{{Text: fmt.Sprint(in.Arguments)}}}
		for n := range 6 {
			out.Messages = append(out.Messages, catalog.PromptMessage{Image: testImage("s1", n+1).ResourceURI})
		}
		return out, nil
	}, nil)
	catalog.Complete.Handle(r.bus, func(_ context.Context, in catalog.CompleteIn) (catalog.CompleteOut, error) {
		if in.Value == "broken" {
			return catalog.CompleteOut{}, errors.New("no server")
		}
		out := catalog.CompleteOut{Values: []string{string(in.Of), in.Value, in.Given["session_id"]}}
		for i := range 150 {
			if in.Value == "many" {
				out.Values = append(out.Values, fmt.Sprint(i))
			}
		}
		return out, nil
	}, nil)
}

// ask posts a request of the handshake era and returns result and error.
func (r *rig) ask(t *testing.T, path, method, params string) (result, fault map[string]any) {
	t.Helper()
	_, b := r.do(t, "POST", path, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, "Accept: application/json, text/event-stream")
	var m struct{ Result, Error map[string]any }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%s: %v: %.300s", method, err, b)
	}
	return m.Result, m.Error
}

// TestPromptsStayInTheBudget checks that of six images of 300 kB at most four are sent,
// scaled to fit client limits.
func TestPromptsStayInTheBudget(t *testing.T) {
	r := newRig(t)
	handlePrompts(r)
	got, fault := r.ask(t, "/mcp", "prompts/get", `{"name":"rework_plot","arguments":{"wish":"blue"}}`)
	if fault != nil {
		t.Fatal(fault)
	}
	kinds := map[string]int{}
	for _, m := range got["messages"].([]any) {
		kinds[m.(map[string]any)["content"].(map[string]any)["type"].(string)]++
	}
	if diff := cmp.Diff(map[string]int{"text": 1, "image": 4}, kinds); diff != "" {
		t.Error(diff)
	}
	if b, _ := json.Marshal(got); len(b) > maxResult {
		t.Errorf("%d bytes", len(b))
	}
	if c := r.lastCaller(); c.Transport != tool.MCP {
		t.Errorf("the caller is %+v", c)
	}
	if !strings.Contains(r.log.String(), "prompts/get rework_plot") {
		t.Error("the log does not have it")
	}
}

func TestPromptsThatFail(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		params string
		code   float64
		told   string
	}{
		"missing":          {`{"name":"rework_plot"}`, -32602, "wish is required"},
		"unknown argument": {`{"name":"rework_plot","arguments":{"wish":"w","x":"y"}}`, -32602, "x is not an argument"},
		"unknown prompt":   {`{"name":"paint"}`, -32602, "paint"},
		"no body":          {`{"name":"rework_plot","arguments":{"wish":"w"}}`, -32603, ""},
	} {
		if _, fault := r.ask(t, "/mcp", "prompts/get", c.params); fault["code"] != c.code || !strings.Contains(fmt.Sprint(fault["message"]), c.told) {
			t.Errorf("%s: %v", name, fault)
		}
	}
	handlePrompts(r)
	_, fault := r.ask(t, "/mcp", "prompts/get", `{"name":"rework_plot","arguments":{"wish":"crash"}}`)
	if fault["code"] != -32603.0 || strings.Contains(fmt.Sprint(fault), "secret") || !strings.Contains(r.log.String(), "a secret") {
		t.Errorf("a bug: %v", fault)
	}
}

// TestCompletionNeverStandsInTheWay checks that a failure returns an empty list, that a
// list has at most one hundred values, and that an unknown argument is an error.
func TestCompletionNeverStandsInTheWay(t *testing.T) {
	r := newRig(t)
	ref := func(kind, what, arg, value string) string {
		return `{"ref":{"type":"ref/` + kind + `",` + what + `},"argument":{"name":"` + arg + `","value":"` + value + `"},"context":{"arguments":{"session_id":"s"}}}`
	}
	image := `"uri":"` + imageTemplate + `"`
	complete := func(params string) (values []any, more any, code any) {
		got, fault := r.ask(t, "/mcp", "completion/complete", params)
		if fault != nil {
			return nil, nil, fault["code"]
		}
		c := got["completion"].(map[string]any)
		return c["values"].([]any), c["hasMore"], nil
	}
	if v, _, code := complete(ref("prompt", `"name":"rework_plot"`, "image", "l")); len(v) != 0 || code != nil {
		t.Errorf("without a body: %v %v", v, code)
	}
	handlePrompts(r)
	for what, c := range map[string]struct {
		params string
		want   []any
	}{
		"an image":       {ref("prompt", `"name":"rework_plot"`, "image", "l"), []any{"image", "l", "s"}},
		"any text":       {ref("prompt", `"name":"rework_plot"`, "wish", "l"), []any{}},
		"a file":         {ref("prompt", `"name":"analyse_file"`, "path", "a"), []any{"file", "a", "s"}},
		"a part":         {ref("resource", image, "image_id", ""), []any{"image_id", "", "s"}},
		"a broken one":   {ref("prompt", `"name":"analyse_file"`, "path", "broken"), []any{}},
		"far too long":   {ref("prompt", `"name":"analyse_file"`, "path", strings.Repeat("x", 5000)), []any{}},
		"a session's id": {ref("resource", image, "session_id", "q"), []any{"plot_home", "q", "s"}},
	} {
		if v, _, code := complete(c.params); code != nil || !cmp.Equal(v, c.want) {
			t.Errorf("%s: %v, want %v (error %v)", what, v, c.want, code)
		}
	}
	if v, more, _ := complete(ref("prompt", `"name":"analyse_file"`, "path", "many")); len(v) != 100 || more != true {
		t.Errorf("%d values, more: %v", len(v), more)
	}
	for what, params := range map[string]string{
		"no such prompt":   ref("prompt", `"name":"paint"`, "path", ""),
		"no such argument": ref("prompt", `"name":"analyse_file"`, "colour", ""),
		"no such template": ref("resource", `"uri":"jupyter://{x}"`, "x", ""),
	} {
		if _, _, code := complete(params); code != -32602.0 {
			t.Errorf("%s: %v", what, code)
		}
	}
}

func TestToolsetsNarrowThePrompts(t *testing.T) {
	r := newRig(t)
	for path, want := range map[string]int{"/mcp": 4, "/mcp?toolsets=gallery": 3, "/mcp?toolsets=jupyter": 1, "/mcp?toolsets=notebook": 0} {
		got, _ := r.ask(t, path, "prompts/list", `{}`)
		if list, ok := got["prompts"].([]any); !ok || len(list) != want {
			t.Errorf("%s: %v, want %d", path, got, want)
		}
	}
}
