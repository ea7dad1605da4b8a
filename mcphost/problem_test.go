package mcphost

import (
	"encoding/json"
	"strings"
	"testing"

	"easel/mcphost/openapi"
	"easel/mcphost/tool"
)

func TestErrorsAreProblemsEverywhere(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		method, path, body string
		code               tool.Code
	}{
		{"GET", "/nope", "", tool.ToolNotFound},
		{"GET", "/api/info/nope", "", tool.ToolNotFound},
		{"GET", "/api/info/session_create", "", tool.ToolNotFound},
		{"POST", "/api/execute/get_variables", "{}", tool.ToolNotFound},
		{"POST", "/tools/nope/execute", "{}", tool.ToolNotFound},
		{"PUT", "/tools", "{}", tool.MethodNotAllowed},
		{"DELETE", "/api/resources", "", tool.MethodNotAllowed},
		{"PATCH", "/mcp", "{}", tool.MethodNotAllowed},
		{"POST", "/api/execute/session_create", "{", tool.Validation},
		{"POST", "/api/execute/session_create", "[]", tool.Validation},
		{"POST", "/api/execute/session_create", `"x"`, tool.Validation},
		{"POST", "/api/execute/session_create?name=x", "{}", tool.Validation},
		{"GET", "/api/info/variables", "", tool.Validation},
		{"GET", "/api/info/variables?session_id=a&session_id=b", "", tool.Validation},
		{"GET", "/api/info/variables?session_id=%zz", "", tool.Validation},
		{"GET", "/api/resources?limit=0", "", tool.Validation},
		{"GET", "/api/resources?limit=x", "", tool.Validation},
		{"GET", "/api/resources?what=x", "", tool.Validation},
		{"GET", "/api/resources?cursor=x", "", tool.Validation},
		{"GET", "/api/resources/nope", "", tool.ToolNotFound},
		{"GET", "/api/resources/sessions/s1/images/nope.png", "", tool.ImageNotFound},
		{"GET", "/tools?toolsets=jupyter,nope", "", tool.Validation},
		{"POST", "/mcp?toolsets=nope", "{}", tool.Validation},
		{"POST", "/api/execute/session_interrupt", `{"session_id":"never"}`, tool.NotExecutable},
		{"POST", "/api/execute/session_interrupt", `{"session_id":"x"}`, tool.Internal},
		{"POST", "/api/execute/session_delete", `{"session_id":"x"}`, tool.Internal}, // no body is registered
		{"POST", "/api/window/show", `{"env":{"DISPLAY":":0"}}`, tool.ToolNotFound},  // a client cannot give Easel a window
	} {
		res, b := r.do(t, c.method, c.path, c.body)
		wantProblem(t, c.method+" "+c.path, res, b, c.code)
		if c.code == tool.MethodNotAllowed && res.Header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", c.method, c.path)
		}
		if strings.Contains(string(b), "secret") {
			t.Errorf("%s %s tells what a panic said: %s", c.method, c.path, b)
		}
	}
	if log := r.log.String(); strings.Count(log, "a bug with a secret in it") != 1 || !strings.Contains(log, "fakecore_test.go") {
		t.Errorf("a panic must be in the log once, with its stack:\n%s", log)
	}
}

// wantProblem checks an answer that is an error.
func wantProblem(t *testing.T, what string, res *reply, body []byte, code tool.Code) {
	t.Helper()
	var p openapi.Problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Errorf("%s: %d %s: no problem", what, res.StatusCode, body)
		return
	}
	info := code.Info()
	want := openapi.Problem{Type: "/problems/" + string(code), Title: info.Title, Status: info.Status, Code: code}
	if p.Code != want.Code || p.Type != want.Type || p.Title != want.Title || p.Status != want.Status || p.Detail == "" {
		t.Errorf("%s: got %+v, want %s", what, p, code)
	}
	if res.StatusCode != info.Status || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: %d %s, want %d application/problem+json", what, res.StatusCode, res.Header.Get("Content-Type"), info.Status)
	}
}
