package e2e

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"easel/internal/require"
)

// leaks is code that gives both tokens away in many ways. Each line is an execution.
var leaks = []string{
	"print(tokens)",
	"for t in tokens: print('Authorization: Bearer ' + t, flush=True)",
	"import sys; [print(t, file=sys.stderr) for t in tokens]",
	"tokens",
	"dict(zip('ab', tokens))",
	"import os; os.environ['A_TOKEN'], os.environ['B_TOKEN'] = tokens",
	"%env",
	"!echo $A_TOKEN $B_TOKEN",
	"print([f'http://127.0.0.1:8888/lab?token={t}&x=1' for t in tokens])",
	"raise ValueError('refused: ' + ' '.join(tokens))",
	"def connect(first, second): raise RuntimeError(first)\nconnect(*tokens)",
	"from IPython.display import display, HTML, Markdown, JSON\ndisplay(HTML('<b>' + tokens[0] + '</b>'), Markdown('**' + tokens[1] + '**'), JSON({'t': tokens}))",
	"import pandas as pd\ndf = pd.DataFrame({tokens[0]: ['x', tokens[1]], 'b': tokens})\ndisplay(df)",
	"print('x' * 7_000 + ' ' + tokens[0] + 'y' * 100_000 + tokens[1] + ' ' + 'z' * 900)",
	"import matplotlib.pyplot as plt\nplt.plot([1]); plt.title(' '.join(tokens)); plt.show()",
	"first, second = tokens",
}

// saysNoToken checks that neither Easel's token nor the Jupyter server's is in anything that
// an assistant gets, or in a log, even if code prints them.
func saysNoToken(t *testing.T, e *easel, j *jupyter, session string) {
	clean := func(what string, raw []byte) {
		t.Helper()
		for _, token := range []string{e.Token, j.token, e.Token[:30], e.Token[13:]} { // also if it was cut
			if bytes.Contains(raw, []byte(token)) || bytes.Contains(raw, []byte(url.QueryEscape(token))) {
				t.Errorf("%s has %q: %.300s", what, token, raw)
			}
		}
	}
	// The file is not Easel's, and neither is its content.
	copied := "easel: " + e.Token + "\njupyter: " + j.token + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(j.root, "copied.txt"), []byte(copied), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(j.root, "copied.csv"), []byte("name,"+e.Token+"\nx,"+j.token+"\n"), 0o600))
	events := subscribe(t, e, "")
	rest := func(tool string, args map[string]any) {
		t.Helper()
		r, raw := do(t, e.request(t, http.MethodPost, "/tools/"+tool+"/execute", args))
		clean(fmt.Sprintf("%s %v", tool, args), raw)
		if code, _ := args["code"].(string); strings.HasPrefix(code, "print") && !bytes.Contains(raw, []byte("[Easel's token]")) {
			t.Errorf("%s: %d, %.500s", code, r.StatusCode, raw)
		}
	}
	both := func(tool string, args map[string]any) {
		t.Helper()
		rest(tool, args)
		clean(fmt.Sprintf("%s %v over MCP", tool, args), []byte(e.rpc(t, "tools/call", map[string]any{"name": tool, "arguments": args})))
	}
	opened := fmt.Sprintf("open(%q)", filepath.Join(j.root, "copied.txt"))
	setup := "tokens = [line.split(': ')[1].strip() for line in " + opened + "]"
	if out := e.call(t, "execute_code", map[string]any{"session_id": session, "code": setup}); out["success"] != true {
		t.Fatalf("%v", out)
	}
	for _, code := range leaks {
		both("execute_code", map[string]any{"session_id": session, "code": code})
	}
	both("execute_code", map[string]any{"session_id": session, "code": "len('" + e.Token + "')"})
	both("get_variables", map[string]any{"session_id": session})
	both("get_dataframe_info", map[string]any{"session_id": session, "variable_name": "df"})
	both("list_session_images", map[string]any{"session_id": session})
	both("get_prompt_info", map[string]any{"path": "latest"})
	both("set_tags", map[string]any{"path": "latest", "add": []string{e.Token}})
	both("get_files_in_view", nil)
	both("file_read", map[string]any{"path": "copied.txt"})
	both("file_read", map[string]any{"path": "copied.csv"})
	both("file_read", map[string]any{"path": e.Token})
	both("get_execution", map[string]any{"execution_id": j.token})
	both("notebook_create", map[string]any{"path": "tokens.ipynb", "cells": []any{
		map[string]any{"cell_type": "code", "source": "print(" + opened + ".read())"},
		map[string]any{"cell_type": "markdown", "source": "token " + e.Token},
	}})
	both("notebook_run_cell", map[string]any{"path": "tokens.ipynb", "index": 0})
	both("notebook_read", map[string]any{"path": "tokens.ipynb", "outputs": "full"})
	for _, document := range []string{"history", "state", "settings"} {
		_, raw := do(t, e.request(t, http.MethodGet, "/api/resources/"+document, nil))
		clean(document, raw)
		clean(document+" over MCP", []byte(e.rpc(t, "resources/read", map[string]any{"uri": "easel://" + document})))
	}
	clean("resources/list", []byte(e.rpc(t, "resources/list", nil)))
	saved, err := os.ReadFile(filepath.Join(j.root, "tokens.ipynb"))
	if err != nil || !bytes.Contains(saved, []byte(e.Token)) { // it is the user's
		t.Errorf("the notebook was changed: %v, %.300s", err, saved)
	}
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": "print('the end')"})
	last := ""
	for _, ev := range events.until(t, "the end", func(ev event) bool {
		if ev.name == "execution.started" && strings.Contains(fmt.Sprint(ev.payload), "the end") {
			last = ev.name
		}
		return last != "" && ev.name == "execution.ended"
	}) {
		clean("event "+ev.name, fmt.Append(nil, ev.payload))
	}
	logs, err := filepath.Glob(filepath.Join(e.data, "logs", "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	for _, path := range logs {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		clean(path, raw)
	}
	clean("the log of calls", callsOf(t, e))
}

// callsOf returns the log of calls in the library.
func callsOf(t *testing.T, e *easel) []byte {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(e.data, "library", "library.db")+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	var calls string
	if err := db.QueryRowContext(t.Context(), "select group_concat(body, char(10)) from activities").Scan(&calls); err != nil || !strings.Contains(calls, "execute_code") {
		t.Fatalf("%v: %.200s", err, calls)
	}
	return []byte(calls)
}
