package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// The steps of TestHostileParameters, and the seed. make fuzz takes more of the former and
// another of the latter.
const (
	hostileSteps = 1000
	hostileSeed  = 20261127
)

// hangs is the time after which a call counts as hanging. No call waits longer for code.
const hangs = 100 * time.Second

// hostileValues are parameters as JSON, some of which is invalid.
var hostileValues = []string{
	`null`, `true`, `false`, `0`, `-1`, `1`, `-0.0`, `0.5`, `1e400`, `-1e308`, `NaN`, `-Infinity`, `9007199254740993`, `-9223372036854775809`, `18446744073709551616`, `1e19`,
	`""`, `" "`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udfff\ud800x"`, "\"\xff\xfe\"", "\"\xc0\xaf\"", `"\u202e\u2066"`, `"\r\n\t\u001b[2J\u0007"`, `"\ufffe\uffff"`, `"é\u0301"`,
	`"../../../../etc/passwd"`, `"..\\..\\x"`, `"//etc/passwd"`, `"/etc/passwd"`, `"%2e%2e/%2e%2e/x"`, `"%2e%2e%2fx.ipynb"`, `"a/../../x.ipynb"`, `"a//b/./c.ipynb"`, `"x.ipynb/"`, `".ipynb"`, `"."`, `".."`, `"/"`,
	`"/proc/self/environ"`, `"/proc/self/fd/0"`, `"/dev/zero"`, `"/dev/stdin"`, `"~"`, `"~root/x"`, `"C:\\x"`, `"\\\\server\\share"`, `"CON"`, `"-rf"`, `"--help"`,
	`"file:///etc/passwd"`, `"http://127.0.0.1:1/x"`, `"jupyter://"`, `"jupyter://sessions/"`, `"jupyter://sessions/../../x/"`, `"jupyter://sessions/%00/images/%ff.png"`, `"easel://history"`, `"data:,x"`,
	`"selected"`, `"latest"`, `"all"`, `"00000000-0000-0000-0000-000000000000"`, `"0"`, `"-1"`, `"1e9"`, `"true"`, `"null"`,
	`"0000-00-00"`, `"0000-00-00T00:00:00Z"`, `"9999-12-31T23:59:60+99:99"`, `"2026-02-30"`, `"-1 day"`,
	`"' OR 1=1 --"`, `"\"; drop table images; --"`, `"%s%n%d"`, `"(((((("`, `"[a-"`, `"*"`, `"\\"`, `"{{.}}"`, `"${HOME}"`, `"$(touch owned)"`, `"__class__"`, `"df"`, `"x"`,
	`[]`, `[null]`, `[[]]`, `["", ""]`, `["selected", "selected"]`, `["../x", 1, {}]`, `{}`, `{"__proto__": 1}`, `{"a": {"a": {"a": []}}}`, `[{"cell_type": "code"}]`, `[{"cell_type": "raw", "source": null}]`,
	`{"x": [0, 1], "y": [1, 0]}`, `{"x": [null, 1e308], "axes": -1}`, `[0, 0, 0, 0]`,
}

// hugeValues take long to send, so few are sent.
var hugeValues = []string{
	`"` + strings.Repeat("a", 3_000) + `"`, `"` + strings.Repeat("あ/", 70_000) + `"`, `"` + strings.Repeat("x", 2_000_000) + `"`,
	`"` + strings.Repeat("../", 30_000) + `"`, `"` + strings.Repeat(`\u0000`, 30_000) + `"`, strings.Repeat("9", 100_000), "1" + strings.Repeat("0", 400),
	strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000), strings.Repeat("[", 200_000),
	`["` + strings.Repeat(`a","`, 20_000) + `"]`,
}

// A hostile sends random calls to an Easel.
type hostile struct {
	t     *testing.T
	e     *easel
	rand  *rand.Rand
	tools []hostileTool
	real  map[string][]string // valid values as JSON, by the name of the parameter
	kept  string              // a session that is never ended
}

type hostileTool struct {
	Name        string
	InputSchema struct {
		Properties map[string]struct {
			Type string
			Enum []any
		}
		Required []string
	}
	names []string // of the properties, in order
}

// costly are tools that start kernels or draw for long when they succeed, so they are called
// less often.
var costly = []string{"session_create", "session_restart", "check_reproducibility", "render_image", "execute_code", "notebook_run_cell"}

// TestHostileParameters sends parameters to every tool, over REST and MCP, that no sensible
// client sends. Each call must be answered, with the error of what is wrong: an internal error
// is a bug. Nothing outside of Easel's directories may change.
func TestHostileParameters(t *testing.T) {
	base := t.TempDir()
	outside := filepath.Join(base, "outside")
	require.NoError(t, os.MkdirAll(outside, 0o700))
	for _, name := range []string{"x", "x.ipynb", "data.csv"} {
		require.NoError(t, os.WriteFile(filepath.Join(outside, name), []byte("kept"), 0o600))
	}
	j := startJupyter(t)
	e := launch(t, options{base: base, jupyter: j})
	h := newHostile(t, e, j, setting(t, "EASEL_FUZZ_SEED", hostileSeed))
	before := treeOf(t, base, e.data)
	for step := range setting(t, "EASEL_FUZZ_STEPS", hostileSteps) {
		if h.step(step); t.Failed() {
			t.FailNow() // the next ones would say the same
		}
	}
	out := e.call(t, "execute_code", map[string]any{"session_id": h.kept, "code": "kept + 1"})
	if out["result"] != "42" {
		t.Errorf("the session was changed: %v", out)
	}
	if after := treeOf(t, base, e.data); after != before {
		t.Errorf("files were changed.\nbefore:\n%s\nafter:\n%s", before, after)
	}
	if _, err := os.Stat(filepath.Join(j.root, "owned")); err == nil {
		t.Error("a shell ran")
	}
	log, err := os.ReadFile(filepath.Join(e.data, "logs", "easel.log"))
	if err != nil || bytes.Contains(log, []byte("INTERNAL_ERROR")) || bytes.Contains(log, []byte("panic")) {
		t.Errorf("the log has an internal error: %v", err)
	}
}

// setting returns a number from the environment.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func newHostile(t *testing.T, e *easel, j *jupyter, seed int) *hostile {
	t.Helper()
	h := &hostile{t: t, e: e, rand: rand.New(rand.NewPCG(uint64(seed), 0))}
	t.Logf("seed %d", seed)
	_, raw := do(t, e.request(t, http.MethodGet, "/tools", nil))
	var list struct{ Tools []hostileTool }
	if err := json.Unmarshal(raw, &list); err != nil || len(list.Tools) < 30 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	for _, tool := range list.Tools {
		for name := range tool.InputSchema.Properties {
			tool.names = append(tool.names, name)
		}
		slices.Sort(tool.names)
		h.tools = append(h.tools, tool)
	}
	require.NoError(t, os.WriteFile(filepath.Join(j.root, "data.csv"), []byte("a,b\n1,2\n"), 0o600))
	h.kept = e.call(t, "session_create", nil)["session_id"].(string)
	code := "import pandas as pd, matplotlib.pyplot as plt\nkept, x, df = 41, 1, pd.DataFrame({'a': [1]})\nplt.plot([1, 2]); plt.show()"
	ran := e.call(t, "execute_code", map[string]any{"session_id": h.kept, "code": code})
	image := ran["images"].([]any)[0].(map[string]any)
	e.call(t, "notebook_create", map[string]any{"path": "real.ipynb", "cells": []any{map[string]any{"cell_type": "code", "source": "1"}}})
	quote := strconv.Quote
	uri := quote(image["resource_uri"].(string))
	h.real = map[string][]string{
		"session_id": {quote(h.kept)}, "execution_id": {quote(ran["execution_id"].(string))}, "resource_uri": {uri, `"latest"`},
		"path": {uri, `"real.ipynb"`, `"data.csv"`, `"selected"`}, "paths": {"[" + uri + "]"}, "notebook_path": {`"real.ipynb"`},
		"variable_name": {`"df"`, `"x"`}, "code": {`"x"`}, "source": {`"x"`}, "index": {"0"}, "wait": {"0"}, "timeout": {"5"}, "cell_type": {`"code"`},
	}
	return h
}

// value returns a value for a parameter, valid or not.
func (h *hostile) value(name string, enum []any) string {
	switch n := h.rand.IntN(100); {
	case n < 35 && len(h.real[name]) > 0:
		return h.real[name][h.rand.IntN(len(h.real[name]))]
	case n < 45 && len(enum) > 0:
		b, err := json.Marshal(enum[h.rand.IntN(len(enum))])
		require.NoError(h.t, err)
		return string(b)
	case n >= 97:
		return hugeValues[h.rand.IntN(len(hugeValues))]
	}
	return hostileValues[h.rand.IntN(len(hostileValues))]
}

// ends reports whether a call could end the session that is kept.
func ends(tool, args string, kept string) bool {
	return slices.Contains([]string{"session_delete", "session_restart", "session_interrupt", "execute_code"}, tool) && strings.Contains(args, kept)
}

// arguments returns the parameters of a call as JSON.
func (h *hostile) arguments(tool hostileTool) string {
	given := make(map[string]string)
	for _, name := range tool.InputSchema.Required {
		if len(h.real[name]) > 0 && h.rand.IntN(10) > 0 {
			given[name] = h.real[name][0]
		}
	}
	for range 1 + h.rand.IntN(3) {
		name := "unknown\u0000"
		if len(tool.names) > 0 && h.rand.IntN(20) > 0 {
			name = tool.names[h.rand.IntN(len(tool.names))]
		}
		given[name] = h.value(name, tool.InputSchema.Properties[name].Enum)
	}
	if _, waits := tool.InputSchema.Properties["wait"]; waits && given["wait"] == "" {
		given["wait"] = "1"
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	parts := make([]string, len(names))
	for i, name := range names {
		key, _ := json.Marshal(name) // a string can be encoded
		parts[i] = string(key) + ":" + given[name]
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// step sends one call.
func (h *hostile) step(n int) {
	if n%20 == 0 {
		h.method(n)
		return
	}
	tool := h.tools[h.rand.IntN(len(h.tools))]
	if slices.Contains(costly, tool.Name) && h.rand.IntN(3) > 0 {
		return
	}
	args := h.arguments(tool)
	if ends(tool.Name, args, h.kept) {
		return
	}
	if h.rand.IntN(2) == 0 {
		status, raw := h.post(n, "/tools/"+tool.Name+"/execute", args)
		if status == http.StatusInternalServerError || status < 200 || bytes.Contains(raw, []byte("INTERNAL_ERROR")) {
			h.t.Errorf("step %d: %s %.500s: %d %.1000s", n, tool.Name, args, status, raw)
		}
		if tool.Name == "session_create" && status == http.StatusOK {
			h.end(raw)
		}
		return
	}
	_, raw := h.post(n, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool.Name+`","arguments":`+args+`}}`)
	h.checkRPC(n, tool.Name+" "+args, raw)
	if tool.Name == "session_create" {
		var answer struct {
			Result struct{ Content []struct{ Text string } }
		}
		if json.Unmarshal(raw, &answer) == nil && len(answer.Result.Content) > 0 {
			h.end([]byte(answer.Result.Content[0].Text))
		}
	}
}

// method calls another method of MCP.
func (h *hostile) method(n int) {
	methods := []string{"resources/read", "resources/list", "resources/subscribe", "resources/unsubscribe", "prompts/get", "prompts/list", "completion/complete", "tools/list", "logging/setLevel", "ping"}
	method := methods[h.rand.IntN(len(methods))]
	params := fmt.Sprintf(`{"uri":%s,"name":%s,"arguments":%s,"cursor":%s,"ref":{"type":"ref/resource","uri":%s},"argument":{"name":%s,"value":%s}}`,
		h.value("resource_uri", nil), h.value("", nil), h.value("", nil), h.value("", nil), h.value("", nil), h.value("", nil), h.value("", nil))
	_, raw := h.post(n, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	h.checkRPC(n, method+" "+params, raw)
}

func (h *hostile) checkRPC(n int, what string, raw []byte) {
	var answer struct {
		Error *struct{ Code int }
	}
	text := bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("event: message\ndata: "))
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error != nil && answer.Error.Code == -32603 || bytes.Contains(raw, []byte("INTERNAL_ERROR")) {
		h.t.Errorf("step %d: %.500s: %v %.1000s", n, what, err, raw)
	}
}

// end ends a session that was created.
func (h *hostile) end(created []byte) {
	var out struct {
		ID string `json:"session_id"`
	}
	if json.Unmarshal(created, &out) == nil && out.ID != "" && out.ID != h.kept {
		h.e.call(h.t, "session_delete", map[string]any{"session_id": out.ID})
	}
}

// post sends a body as it is. It fails if there is no answer in time.
func (h *hostile) post(n int, path, body string) (status int, answer []byte) {
	ctx, cancel := context.WithTimeout(h.t.Context(), hangs)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.e.URL+path, strings.NewReader(body))
	require.NoError(h.t, err)
	req.Header.Set("Authorization", "Bearer "+h.e.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatalf("step %d: %s %.500s: %v", n, path, body, err)
	}
	defer r.Body.Close()
	answer, err = io.ReadAll(r.Body)
	if err != nil {
		h.t.Fatalf("step %d: %s %.500s: %v", n, path, body, err)
	}
	return r.StatusCode, answer
}

// treeOf describes the files below a directory, except for those of Easel.
func treeOf(t *testing.T, base, data string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == data {
			return fs.SkipDir
		}
		if d.IsDir() {
			fmt.Fprintln(&b, path)
			return nil
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %q\n", path, content)
		return err
	})
	require.NoError(t, err)
	return b.String()
}
