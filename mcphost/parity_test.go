package mcphost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

// An outcome is the result of a call, independent of the transport.
type outcome struct {
	code   tool.Code      // of an error
	detail string         // of an error; with its hint
	out    map[string]any // of a result
}

// A transport calls a tool.
type transport func(t *testing.T, r *rig, tl tool.Any, args string) outcome

var transports = map[string]transport{
	"MCP, sessions": func(t *testing.T, r *rig, tl tool.Any, args string) outcome {
		t.Helper()
		s := r.initialize(t, "parity")
		return mcpOutcome(t, r.rpc(t, s, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tl.Spec().Name, args)))
	},
	"MCP, stateless": func(t *testing.T, r *rig, tl tool.Any, args string) outcome {
		t.Helper()
		return mcpOutcome(t, r.modern(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tl.Spec().Name, args)))
	},
	"its own address": func(t *testing.T, r *rig, tl tool.Any, args string) outcome {
		t.Helper()
		if tl.Spec().Category == tool.Execute {
			return restOutcome(t, r, "POST", "/api/execute/"+tl.Spec().Name, args)
		}
		q, ok := query(args)
		if !ok { // null, for example, cannot be expressed in a query
			return restOutcome(t, r, "POST", "/tools/"+tl.Spec().Name+"/execute", args)
		}
		for _, name := range tl.Spec().Names()[1:] { // under all its names
			restOutcome(t, r, "GET", "/api/info/"+name+"?"+q, "")
		}
		return restOutcome(t, r, "GET", "/api/info/"+tl.Spec().Names()[0]+"?"+q, "")
	},
	"the generic address": func(t *testing.T, r *rig, tl tool.Any, args string) outcome {
		t.Helper()
		return restOutcome(t, r, "POST", "/tools/"+tl.Spec().Name+"/execute", args)
	},
}

// query converts args to a query string, if possible.
func query(args string) (string, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &m) != nil {
		return "", false
	}
	q := make(url.Values)
	for k, raw := range m {
		var v any
		_ = json.Unmarshal(raw, &v)
		switch v := v.(type) {
		case string:
			q.Set(k, v)
		case float64, bool:
			q.Set(k, string(raw))
		default:
			return "", false
		}
	}
	return q.Encode(), true
}

func restOutcome(t *testing.T, r *rig, method, path, body string) outcome {
	t.Helper()
	res, b := r.do(t, method, path, body)
	if res.StatusCode == http.StatusOK {
		var o outcome
		if err := json.Unmarshal(b, &o.out); err != nil {
			t.Fatalf("%s %s: %s: %v", method, path, b, err)
		}
		return o
	}
	var p openapi.Problem
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, b)
	}
	return outcome{code: p.Code, detail: strings.TrimSpace(p.Detail + " " + p.Hint)}
}

func mcpOutcome(t *testing.T, m map[string]any) outcome {
	t.Helper()
	result, ok := m["result"].(map[string]any)
	if !ok {
		t.Fatalf("a protocol error: %v", m)
	}
	text := at(result, "content", 0, "text").(string)
	out := make(map[string]any)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("the text is no JSON: %s", text)
	}
	if out["error"] != nil && out["status"] == nil {
		var e struct {
			Success bool
			Error   struct {
				Code          tool.Code
				Message, Hint string
			}
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.Success {
			t.Fatalf("an error without an error in its text: %s", text)
		}
		return outcome{code: e.Error.Code, detail: strings.TrimSpace(e.Error.Message + " " + e.Error.Hint)}
	}
	if failed := out["success"] == false; failed != (result["isError"] == true) {
		t.Errorf("isError %v of a result whose success is %v", result["isError"], out["success"])
	}
	if structured, ok := result["structuredContent"].(map[string]any); ok && !cmp.Equal(structured, out) {
		t.Errorf("the text must be the structured content once more:\n%s\n%v", text, structured)
	}
	return outcome{out: out}
}

// at returns the value at a path of keys and indexes in decoded JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[p]
		case int:
			a, _ := v.([]any)
			if p >= len(a) {
				return nil
			}
			v = a[p]
		}
	}
	return v
}

func TestParity(t *testing.T) {
	r := newRig(t)
	long := strings.Repeat("é", 100) // the limit counts characters, not bytes
	for _, c := range []struct {
		what string
		tool tool.Any
		args string
		code tool.Code      // of an error
		says []string       // in its message
		want map[string]any // some members of a result
	}{
		{"no parameters", catalog.SessionCreate, `{}`, "", nil, map[string]any{"success": true, "session_id": "s1", "status": "idle", "kernel_name": "python3"}},
		{"a default", catalog.SessionCreate, `{"name":null}`, "", nil, map[string]any{"kernel_name": "python3"}},
		{"an error with a hint", catalog.SessionCreate, `{"name":"nope"}`, tool.KernelStartFailed, []string{"nope", "python3"}, nil},
		{"an unknown parameter", catalog.SessionCreate, `{"nam":"x"}`, tool.Validation, []string{"nam", "name, notebook_path, server"}, nil},
		{"a wrong type", catalog.SessionCreate, `{"name":7}`, tool.Validation, []string{"name"}, nil},
		{"too short", catalog.SessionCreate, `{"name":""}`, tool.Validation, []string{"name must not be empty"}, nil},
		{"a missing parameter", catalog.GetVariables, `{}`, tool.Validation, []string{"session_id is required"}, nil},
		{"an empty parameter", catalog.GetVariables, `{"session_id":""}`, tool.Validation, []string{"session_id"}, nil},
		{"100 characters", catalog.GetVariables, `{"session_id":"` + long + `"}`, "", nil, map[string]any{"success": true}},
		{"101 characters", catalog.GetVariables, `{"session_id":"` + long + `x"}`, tool.Validation, []string{"session_id", "100"}, nil},
		{"not found", catalog.GetVariables, `{"session_id":"gone"}`, tool.KernelNotFound, []string{"gone"}, nil},
		{"a number in bounds", catalog.GetExecution, `{"execution_id":"e1","wait":0.5}`, "", nil, map[string]any{"status": "ok"}},
		{"a number too small", catalog.GetExecution, `{"execution_id":"e1","wait":-1}`, tool.Validation, []string{"wait", "0"}, nil},
		{"an unknown parameter", catalog.GetExecution, `{"execution_id":"e1","wait_for_previous":true}`, "", nil, map[string]any{"status": "ok", "ignored": []any{"wait_for_previous"}}},
		{"a misspelt one", catalog.GetExecution, `{"execution_id":"e1","max_wait":1}`, tool.Validation, []string{"did you mean `wait`?"}, nil},
		{"no number", catalog.GetExecution, `{"execution_id":"e1","wait":"soon"}`, tool.Validation, []string{"wait", "number"}, nil},
		{"a number for a string", catalog.GetExecution, `{"execution_id":"12"}`, tool.ExecutionNotFound, []string{"12"}, nil},
		{"a failed execution", catalog.ExecuteCode, `{"session_id":"s","code":"fail"}`, "", nil, map[string]any{"success": false, "status": "error"}},
		{"a word that is none", catalog.ExecuteCode, `{"session_id":"s","code":"1","images":"all"}`, tool.Validation, []string{"images", "inline", "link", "none"}, nil},
		{"two faults", catalog.ExecuteCode, `{"code":"","images":"all"}`, tool.Validation, []string{"session_id", "code", "images"}, nil},
		{"zero where more is wanted", catalog.ExecuteCode, `{"session_id":"s","code":"1","timeout":0}`, tool.Validation, []string{"timeout", "0"}, nil},
		{"cannot run now", catalog.SessionInterrupt, `{"session_id":"never"}`, tool.NotExecutable, []string{"nothing runs there"}, nil},
		{"empty list", catalog.SessionList, `{}`, "", nil, map[string]any{"sessions": []any{}}},
		{"images", catalog.ListSessionImages, `{"session_id":"s1"}`, "", nil, map[string]any{"success": true}},
		{"no such image", catalog.GetImageResource, `{"resource_uri":"jupyter://x"}`, tool.ImageNotFound, []string{"jupyter://x"}, nil},
		{"no object", catalog.SessionCreate, `[]`, tool.Validation, []string{"object"}, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			outcomes := make(map[string]outcome)
			for name, call := range transports {
				o := call(t, r, c.tool, c.args)
				outcomes[name] = o
				if o.code != c.code {
					t.Errorf("%s: %s %q, want %q", name, o.code, o.detail, c.code)
				}
				for _, s := range c.says {
					if !strings.Contains(o.detail, s) {
						t.Errorf("%s: the message %q does not say %q", name, o.detail, s)
					}
				}
				for k, v := range c.want {
					if !cmp.Equal(o.out[k], v) {
						t.Errorf("%s: %s is %v, want %v", name, k, o.out[k], v)
					}
				}
			}
			first := outcomes["its own address"]
			for name, o := range outcomes {
				if strings.HasPrefix(name, "MCP") && o.code == "" {
					shorter(t, name, o.out, first.out)
					continue
				}
				if d := cmp.Diff(first, o, cmp.AllowUnexported(outcome{})); d != "" {
					t.Errorf("%s differs:\n%s", name, d)
				}
			}
		})
	}
}

// shorter checks that MCP's result is REST's result with parts omitted.
func shorter(t *testing.T, name string, brief, whole map[string]any) {
	t.Helper()
	for k, v := range brief {
		switch part, ok := v.(map[string]any); {
		case ok:
			inner, _ := whole[k].(map[string]any)
			shorter(t, name+" "+k, part, inner)
		case k == "images", k == "pictures": // TestResultsCarryPictures
		case k == "sort": // a word for each, and an object over REST
		case whole[k] == nil && (v == "" || v == 0.0): // REST omits it
		case !cmp.Equal(v, whole[k]):
			t.Errorf("%s: %s is %v, and %v over REST", name, k, v, whole[k])
		}
	}
}

func TestEveryCallKnowsItsCaller(t *testing.T) {
	r := newRig(t)
	r.raw(t, "POST /api/execute/session_create HTTP/1.1\nHost: localhost\nAuthorization: Bearer "+testToken+"\nContent-Type: application/json\nUser-Agent: script/2 \tod\xffd\nContent-Length: 2\nConnection: close\n\n{}")
	if c := r.lastCaller(); c.Transport != tool.REST || c.Name != "script/2 od\uFFFDd" || c.Cancelled != nil || c.Progress != nil {
		t.Errorf("REST: %+v", c)
	}
	s := r.initialize(t, "claude-code")
	r.rpc(t, s, "tools/call", `{"name":"session_create"}`)
	if c := r.lastCaller(); c.Transport != tool.MCP || c.Name != "claude-code" || c.Version != "9" || c.Session != s {
		t.Errorf("MCP with a session: %+v, want %s", c, s)
	} else if c.Cancelled == nil || c.Progress != nil {
		t.Error("it cannot cancel, or is told of progress without having asked")
	}
	r.modern(t, "tools/call", `{"name":"session_create"}`)
	if c := r.lastCaller(); c.Name != "modern" || c.Version != "3" || c.Session != "" || c.Cancelled == nil {
		t.Errorf("MCP without: %+v", c)
	}
}

func TestActivitiesTellOfEveryCall(t *testing.T) {
	r := newRig(t)
	var seen []catalog.Activity
	watch := catalog.Activities.Watch(t.Context(), r.bus, 100)
	s := r.initialize(t, "claude-code")
	r.rpc(t, s, "tools/call", `{"name":"execute_code","arguments":{"session_id":"s1","code":"plots 2"}}`)
	r.do(t, "POST", "/api/execute/session_create", `{"nam":1}`)
	r.do(t, "POST", "/api/execute/execute_code", `{"session_id":"s","code":"`+strings.Repeat("x", 100_000)+`"}`)
	for a, err := range watch {
		require.NoError(t, err)
		if seen = append(seen, a); len(seen) == 6 {
			break
		}
	}
	for i := 0; i < 6; i += 2 {
		begun, ended := seen[i], seen[i+1]
		if begun.ID != ended.ID || begun.Status != "running" || !begun.Ended.IsZero() || ended.Ended.Before(ended.Began) {
			t.Errorf("begin %+v and end %+v do not belong together", begun, ended)
		}
		if i > 0 && begun.ID <= seen[i-1].ID {
			t.Errorf("ids do not grow: %d after %d", begun.ID, seen[i-1].ID)
		}
		if len(begun.Args) > 64<<10 || len(begun.Args) > 0 && !json.Valid(begun.Args) {
			t.Errorf("args of %d bytes, valid %v", len(begun.Args), json.Valid(begun.Args))
		}
	}
	a := seen[1]
	if diff := cmp.Diff([]any{"claude-code 9", "execute_code", "ok", 2, 2}, []any{a.Client, a.Tool, a.Status, len(a.Images), len(a.Sent)}); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	if !bytes.Contains(a.Result, []byte(`"plots 2"`)) {
		t.Errorf("its result: %s", a.Result)
	}
	if a := seen[3]; a.Transport != "rest" || a.Status != "VALIDATION_ERROR" || a.Detail == "" || a.Result != nil {
		t.Errorf("the refused: %+v", a)
	}
	if n := strings.Count(r.log.String(), "msg=call "); n != 3 {
		t.Errorf("%d log lines for three calls", n)
	}
}
