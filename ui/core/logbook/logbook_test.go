package logbook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"easel/internal/mask"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
)

var begin = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

const token = "tok-0123456789abcdefghijklmnop"

// filled returns a library with a session in which an assistant and others worked.
func filled(t *testing.T) *library.Library {
	t.Helper()
	l := coretest.Open(t)
	ctx := t.Context()
	require.NoError(t, l.Sessions.Put(ctx, library.Session{ID: "s1", KernelID: "k1", KernelName: "python3", Title: "Tides", CreatedAt: begin}))
	at := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }
	run := func(id, code, transport string, n int, edit func(*library.Execution)) {
		x := library.Execution{
			ID: id, SessionID: "s1", Code: code, Status: catalog.StatusOK, Transport: transport, Client: transport,
			CreatedAt: at(n), StartedAt: at(n), EndedAt: at(n).Add(2 * time.Second), Count: n, StdoutBytes: 48_000,
		}
		if edit != nil {
			edit(&x)
		}
		require.NoError(t, l.Executions.Put(ctx, x))
	}
	run("e1", "# Draw the tides\nplot()", "mcp", 1, nil)
	run("e2", "safe()", "mcp", 3, nil)
	run("e3", "df.head()", catalog.TransportJupyter, 5, func(x *library.Execution) { x.Client = "JupyterLab" })
	run("e4", "key = '"+token+"'\n1/0", "mcp", 6, func(x *library.Execution) {
		x.Status, x.Error = catalog.StatusError, &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "ZeroDivisionError", Message: "division by <zero>"}
	})
	require.NoError(t, l.Executions.SetEnvironment(ctx, "e1", catalog.Environment{
		Name: "sales/.venv", Language: "Python", Version: "3.12.1",
		Packages: []catalog.Package{{Name: "matplotlib", Version: "3.11.2", Used: true}, {Name: "six", Version: "1"}},
	}))
	var raw bytes.Buffer
	require.NoError(t, png.Encode(&raw, image.NewGray(image.Rect(0, 0, 64, 48))))
	im, err := l.Images.Add(ctx, library.NewImage{SessionID: "s1", ExecutionID: "e1", Forms: []library.Form{{MIME: "image/png", Data: raw.Bytes()}}, Title: "潮位 <m>"})
	require.NoError(t, err)
	id := uint64(0)
	call := func(n int, tool, transport, execution, args string, edit func(*catalog.Activity)) {
		id++
		a := catalog.Activity{
			ID: id, Began: at(n), Ended: at(n).Add(3 * time.Second), Tool: tool, Transport: transport, Name: "claude-code", Version: "2", Client: "claude-code 2",
			ExecutionID: execution, Args: json.RawMessage(args), Status: "ok",
		}
		if edit != nil {
			edit(&a)
		}
		require.NoError(t, l.Activities.Put(ctx, a))
	}
	call(0, "session_create", "mcp", "", `{"title":"Tides"}`, func(a *catalog.Activity) { a.SessionID = "s1" })
	call(1, "execute_code", "mcp", "e1", `{"session_id":"s1","code":"# Draw the tides\nplot()"}`, func(a *catalog.Activity) {
		a.Sent, a.TextBytes, a.LeftOut = []catalog.SentImage{{ImageID: im.ImageID, How: catalog.SentInline, Width: 64, Height: 48, Bytes: raw.Len()}}, 2_100, 45_900
	})
	call(2, "answer_approval", "window", "", `{"approve":true,"edited":true,"client":"claude-code 2","code":"safe()","session_id":"s1","run":"e2"}`, nil)
	call(3, "execute_code", "mcp", "e2", `{"session_id":"s1","code":"risky()"}`, nil)
	call(4, "answer_input", "window", "", `{"prompt":"PIN:","password":true,"session_id":"s1","execution_id":"e2"}`, nil)
	call(6, "execute_code", "mcp", "e4", `{"session_id":"s1","code":"key = '`+token+`'\n1/0"}`, func(a *catalog.Activity) { a.Status = "failed" })
	call(7, "file_list", "mcp", "", `{"path":"/"}`, nil)
	call(8, "execute_code", "mcp", "", `{"session_id":"s1","code":"x"}`, func(a *catalog.Activity) { a.Ended, a.Status = time.Time{}, catalog.StatusRunning })
	return l
}

func written(t *testing.T, l *library.Library, o Options) (string, Counts) {
	t.Helper()
	o.Now = begin.Add(time.Hour)
	var b strings.Builder
	n, err := Write(t.Context(), &b, Of(l), o)
	require.NoError(t, err)
	return b.String(), n
}

func TestEachLineSaysWhatHappened(t *testing.T) {
	l := filled(t)
	m := mask.New()
	m.Set(mask.Easel, token)
	text, n := written(t, l, Options{Format: JSONL, Mask: m})
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var got []string
	for _, line := range lines {
		var e Entry
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		what := e.Tool
		if e.Answer != nil {
			what = e.Answer.To + " " + e.Answer.Given
		}
		code := ""
		if e.Execution != nil {
			code = e.Execution.Code
		}
		got = append(got, fmt.Sprintf("%s %s %s|%s|%s|%s", e.Record, e.Client, what, e.Status, e.SessionID, code))
	}
	want := []string{
		"call claude-code session_create|ok|s1|",
		"call claude-code execute_code|ok|s1|# Draw the tides\nplot()",
		"answer claude-code approval approved|ok|s1|",
		"call claude-code execute_code|ok|s1|safe()",
		"answer claude-code input typed|ok|s1|",
		"run JupyterLab |ok|s1|df.head()",
		"call claude-code execute_code|failed|s1|key = '[Easel's token]'\n1/0",
		"call claude-code file_list|ok||",
		"call claude-code execute_code|lost|s1|",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if n.Entries != len(want) || n.Masked == 0 || strings.Contains(text, token) {
		t.Errorf("%+v; the token is in it: %v", n, strings.Contains(text, token))
	}
	var plotted Entry
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &plotted))
	x, r := plotted.Execution, plotted.Received
	if len(x.Images) != 1 || x.Images[0].Title != "潮位 <m>" || x.Images[0].Width != 64 || len(r.Images) != 1 || r.Images[0].ImageID != x.Images[0].ID ||
		r.Images[0].How != catalog.SentInline || r.TextBytes != 2_100 || r.LeftOutBytes != 45_900 || x.KernelName != "python3" ||
		x.Environment.Version != "3.12.1" || strings.Join(x.Environment.Packages, ",") != "matplotlib 3.11.2" || x.StdoutBytes != 48_000 || x.ExecutionTimeMS != 2_000 ||
		plotted.DurationMS != 3_000 || string(plotted.Parameters) != `{"session_id":"s1"}` || plotted.Session != "Tides" {
		t.Errorf("the plot: %s", lines[1])
	}
	var edited Entry
	require.NoError(t, json.Unmarshal([]byte(lines[3]), &edited))
	if !edited.Execution.Edited || !strings.Contains(string(edited.Parameters), "risky()") {
		t.Errorf("the edited: %s", lines[3])
	}
	if !strings.Contains(lines[4], `"execution_id":"e2"`) || !strings.Contains(lines[4], `"secret":true`) || strings.Contains(lines[4], `"value"`) {
		t.Errorf("the password: %s", lines[4])
	}
}

func TestAPartOfTheLog(t *testing.T) {
	l := filled(t)
	for name, c := range map[string]struct {
		q    library.LogQuery
		want int
	}{
		"all":           {library.LogQuery{}, 9},
		"a session":     {library.LogQuery{Session: "s1"}, 8},
		"no session":    {library.LogQuery{None: true}, 1},
		"from a moment": {library.LogQuery{Since: begin.Add(5 * time.Minute)}, 4},
		"until it":      {library.LogQuery{Until: begin.Add(5 * time.Minute)}, 5},
		"nothing":       {library.LogQuery{Since: begin.Add(time.Hour)}, 0},
	} {
		if text, n := written(t, l, Options{LogQuery: c.q, Format: JSONL}); n.Entries != c.want || strings.Count(text, "\n") != c.want {
			t.Errorf("%s: %d entries, want %d", name, n.Entries, c.want)
		}
	}
}

func TestAReport(t *testing.T) {
	l := filled(t)
	m := mask.New()
	m.Set(mask.Easel, token)
	for lang, want := range map[string][]string{
		"en": {
			"What assistants did", "Tides", "runs: 4 · plots: 1 · failed: 1 · your answers: 2", "Claude Code, You, JupyterLab", "sales/.venv Python 3.12.1",
			"Draw the tides", "You edited the code and approved it", "What was asked for, before you edited it", "risky()", "a password, which is not in the log",
			"ZeroDivisionError: division by &lt;zero&gt;", "潮位 &lt;m&gt; · 64 × 48 px", "64 × 48 px as a picture", "2.1 kB of 48 kB of text", "printed 48 kB", "[Easel",
		},
		"ja": {"アシスタントの記録", "実行 4 回", "あなたがコードを編集して許可", "テキスト 48 kB のうち 2.1 kB", "画像 64 × 48 px"},
	} {
		text, _ := written(t, l, Options{Format: Report, Language: lang, Mask: m})
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: the report does not say %q", lang, w)
			}
		}
		if strings.Contains(text, token) || strings.Contains(text, "<img") {
			t.Errorf("%s: the token is in it, or pictures that nobody asked for", lang)
		}
		if dir := os.Getenv("EASEL_KEEP"); dir != "" { // to look at
			require.NoError(t, os.WriteFile(filepath.Join(dir, lang+".html"), []byte(text), 0o600))
		}
	}
	if text, _ := written(t, l, Options{Format: Report, Thumbnails: true}); strings.Count(text, `<img src="data:image/png;base64,`) != 1 {
		t.Error("the report has no picture")
	}
}

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	l := filled(t)
	to := filepath.Join(t.TempDir(), "log.jsonl")
	if _, err := Save(t.Context(), to, Of(l), Options{LogQuery: library.LogQuery{Session: "unknown"}, Format: JSONL}); err == nil || !strings.Contains(err.Error(), "session_id") {
		t.Errorf("an unknown session: %v", err)
	}
	if _, err := Save(t.Context(), to, Of(l), Options{Format: "pdf"}); err == nil {
		t.Error("an unknown format")
	}
	if left, _ := filepath.Glob(to + "*"); len(left) > 0 {
		t.Errorf("after errors there is %q", left)
	}
	n, err := Save(t.Context(), to, Of(l), Options{LogQuery: library.LogQuery{Session: "k1"}, Format: JSONL})
	if err != nil || n.Entries != 8 {
		t.Errorf("%+v, %v", n, err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others can read it: %v, %v", info, err)
	}
	if _, err := Save(t.Context(), to, Of(l), Options{Format: JSONL}); err == nil {
		t.Error("it replaced a file")
	}
	if n, err := Save(t.Context(), to, Of(l), Options{Format: JSONL, Replace: true}); err != nil || n.Entries != 9 {
		t.Errorf("a file that may be replaced: %+v, %v", n, err)
	}
}
