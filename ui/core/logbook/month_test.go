package logbook

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/mask"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
)

// A month is a month of work by three assistants, several sessions a day, and what an auditor must find out of it.
type month struct {
	t     *testing.T
	l     *library.Library
	calls uint64
	runs  int

	onTwelfth            map[string]int // runs by assistant
	refused              map[string]string
	cut                  map[string]int64
	masked               map[string]int
	died, writers, ruled []string
}

var firstDay = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

// call adds a call of an assistant, with a run if it has code.
func (m *month) call(at time.Time, who, session, code string, edit func(a *catalog.Activity, x *library.Execution)) string {
	m.t.Helper()
	m.calls++
	names := map[string]string{"cursor": "Claude Code", "codex": "codex-mcp-client", "cline": "Cline"} // what they call themselves
	args, err := json.Marshal(map[string]string{"session_id": session, "code": code})
	require.NoError(m.t, err)
	a := catalog.Activity{
		ID: m.calls, Began: at, Ended: at.Add(time.Second), Tool: "execute_code", Transport: "mcp", Name: names[who], Version: "2", Client: names[who] + " 2",
		Assistant: who, SessionID: session, Args: args, Status: "ok", TextBytes: 100,
	}
	m.runs++
	x := library.Execution{
		ID: fmt.Sprintf("run%04d", m.runs), SessionID: session, Code: code, Status: catalog.StatusOK, Transport: "mcp", Client: names[who], Own: true,
		CreatedAt: at, StartedAt: at, EndedAt: at.Add(time.Second), Count: m.runs,
	}
	if edit != nil {
		edit(&a, &x)
	}
	a.ExecutionID = x.ID
	require.NoError(m.t, m.l.Executions.Put(m.t.Context(), x))
	require.NoError(m.t, m.l.Activities.Put(m.t.Context(), a))
	return x.ID
}

func (m *month) answer(at time.Time, args map[string]any) {
	m.t.Helper()
	m.calls++
	raw, err := json.Marshal(args)
	require.NoError(m.t, err)
	require.NoError(m.t, m.l.Activities.Put(m.t.Context(), catalog.Activity{
		ID: m.calls, Began: at, Ended: at, Tool: "answer_approval", Transport: "window", Client: "user", Name: "user", Args: raw, Status: "ok",
	}))
}

// day adds what an assistant does in a session.
func (m *month) day(day int, who string, n int) {
	session := fmt.Sprintf("s-%02d-%s-%d", day, who, n)
	at := firstDay.AddDate(0, 0, day-1).Add(time.Duration(n) * time.Hour)
	require.NoError(m.t, m.l.Sessions.Put(m.t.Context(), library.Session{ID: session, KernelID: session, KernelName: "python3", Title: who, CreatedAt: at}))
	step := func() time.Time { at = at.Add(time.Minute); return at }
	run := func(code string, edit func(a *catalog.Activity, x *library.Execution)) string {
		if day == 12 {
			m.onTwelfth[who]++
		}
		return m.call(step(), who, session, code, edit)
	}
	run("x = 1", nil)
	id := run("print('row ' * 9999)", func(a *catalog.Activity, x *library.Execution) { a.LeftOut, x.StdoutBytes = int64(1000*day+n), 40_000 })
	m.cut[id] = int64(1000*day + n)
	run("key = '"+token+"'", func(a *catalog.Activity, _ *library.Execution) { // parameters are stored without secrets
		a.Args = json.RawMessage(fmt.Sprintf(`{"session_id":%q,"code":"key = '[masked: DB_PASSWORD]'"}`, session))
		a.Masked = map[string]int{"DB_PASSWORD": 1 + n}
	})
	m.masked["DB_PASSWORD"] += 1 + n
	files := []catalog.Risk{{Kind: "files", Line: 2, What: "os.remove"}}
	m.writers = append(m.writers, run("import os\nos.remove('a.csv')", func(_ *catalog.Activity, x *library.Execution) { x.Risks = files }))
	switch day % 4 {
	case 0:
		id := run("fetch()", func(a *catalog.Activity, x *library.Execution) {
			a.Status, a.TextBytes = "DENIED", 0
			x.Status, x.Risks = catalog.StatusCancelled, []catalog.Risk{{Kind: "network", Line: 1, What: "requests.get in fetch"}}
		})
		m.refused[id] = fmt.Sprintf("not on day %d", day)
		m.answer(at.Add(5*time.Second), map[string]any{
			"client": "x 2", "assistant": who, "about": "code", "code": "fetch()", "words": m.refused[id], "session_id": session, "run": id,
			"risks": []catalog.Risk{{Kind: "network", Line: 1, What: "requests.get in fetch"}},
		})
	case 1:
		m.died = append(m.died, run("boom()", func(a *catalog.Activity, x *library.Execution) {
			a.Status, x.Status = "failed", catalog.StatusKernelDied
			x.Error = &catalog.ExecutionError{Code: catalog.CodeKernelDied, Message: "The kernel died and was restarted. It crashed (SIGSEGV)."}
		})+" SIGSEGV")
	case 2:
		m.died = append(m.died, run("y = 2", func(a *catalog.Activity, _ *library.Execution) { // it died between the calls
			a.KernelReplaced = &catalog.KernelReplaced{Generation: 2, By: "the kernel itself: it died. It was killed (SIGKILL)", At: at, Note: catalog.VariablesLost}
		})+" SIGKILL")
	default:
		m.calls++
		m.ruled = append(m.ruled, fmt.Sprint(day, who, n))
		require.NoError(m.t, m.l.Activities.Put(m.t.Context(), catalog.Activity{
			ID: m.calls, Began: step(), Ended: at, Tool: "execute_code", Transport: "mcp", Name: "x", Assistant: who, SessionID: session,
			Args: json.RawMessage(`{"code":"requests.get(u)"}`), Status: "DENIED", Detail: "Nothing was done: the user does not let this assistant use the network.",
		}))
	}
}

func aMonth(t *testing.T) *month {
	t.Helper()
	m := &month{t: t, l: coretest.Open(t), onTwelfth: make(map[string]int), refused: make(map[string]string), cut: make(map[string]int64), masked: make(map[string]int)}
	for day := 1; day <= 28; day++ {
		for n, who := range []string{"cursor", "codex", "cline"} {
			m.day(day, who, 2*n)
			if day%2 == 0 {
				m.day(day, who, 2*n+1)
			}
		}
	}
	return m
}

// A line is an entry as an auditor's own program reads it.
type line = map[string]any

// at returns what lies at a path, such as answer.words; nil if nothing does.
func at(l line, path string) any {
	var v any = l
	for key := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// TestAnAuditorReadsAMonth answers, from the lines alone, what somebody asks who was not there.
func TestAnAuditorReadsAMonth(t *testing.T) {
	m := aMonth(t)
	text, _ := written(t, m.l, Options{Format: JSONL, Mask: secretMask()})
	if strings.Contains(text, token) {
		t.Fatal("a secret is in the lines")
	}
	onTwelfth, refused, cut, masked := make(map[string]int), make(map[string]string), make(map[string]int64), make(map[string]int)
	var died, writers []string
	ruled := 0
	for raw := range strings.Lines(text) {
		var l line
		require.NoError(t, json.Unmarshal([]byte(raw), &l))
		id, _ := at(l, "execution_id").(string)
		who, _ := at(l, "assistant").(string)
		if strings.HasPrefix(at(l, "at").(string), "2026-11-12T") && at(l, "execution") != nil {
			onTwelfth[who]++
		}
		if at(l, "answer.given") == "denied" {
			refused[id], _ = at(l, "answer.words").(string)
			because := at(l, "answer.because").([]any)[0].(line)
			if because["kind"] != "network" || at(l, "answer.about") != "code" || at(l, "answer.assistant") == nil {
				t.Errorf("why the user was asked: %s", raw)
			}
		}
		if n, _ := at(l, "received.left_out_bytes").(float64); n > 0 {
			cut[id] = int64(n)
		}
		names, _ := at(l, "received.masked").(line)
		for name, n := range names {
			masked[name] += int(n.(float64))
		}
		why, _ := at(l, "received.kernel_replaced.by").(string)
		if at(l, "execution.status") == "kernel_died" {
			why = at(l, "execution.error.message").(string)
		}
		if _, signal, found := strings.Cut(why, "(SIG"); found {
			died = append(died, id+" SIG"+strings.TrimRight(signal, ")."))
		}
		risks, _ := at(l, "execution.risks").([]any)
		if slices.ContainsFunc(risks, func(r any) bool { return r.(line)["kind"] == "files" }) {
			writers = append(writers, id)
		}
		if at(l, "status") == "DENIED" && at(l, "execution") == nil { // by a rule, not by the user
			ruled++
		}
		if at(l, "execution.edited") != nil || strings.Contains(fmt.Sprint(at(l, "parameters")), "[masked") {
			t.Errorf("nobody has edited this: %s", raw)
		}
	}
	slices.Sort(m.died)
	slices.Sort(died)
	slices.Sort(writers)
	slices.Sort(m.writers)
	for what, pair := range map[string][2]any{
		"who ran how much on the 12th": {onTwelfth, m.onTwelfth}, "what the user refused, and why": {refused, m.refused}, "which results were cut": {cut, m.cut},
		"what was masked": {masked, m.masked}, "which kernels died, of what": {died, m.died}, "what changed files": {writers, m.writers},
		"what a rule refused": {ruled, len(m.ruled)},
	} {
		if got, want := fmt.Sprint(pair[0]), fmt.Sprint(pair[1]); got != want || len(want) < 3 && what != "what a rule refused" {
			t.Errorf("%s:\n got %s\nwant %s", what, got, want)
		}
	}
}

// TestAReportOfADay has the same answers for people.
func TestAReportOfADay(t *testing.T) {
	m := aMonth(t)
	day := library.LogQuery{Since: firstDay.AddDate(0, 0, 11), Until: firstDay.AddDate(0, 0, 12)}
	text, _ := written(t, m.l, Options{LogQuery: day, Format: Report, Mask: secretMask()})
	for _, want := range []string{
		"(UTC" + firstDay.Local().Format("-07:00") + ")", "refused by you: 1", "shortened results: 1", "You denied it", "not on day 12", "Asked by x 2 (token: codex)",
		"You were asked because: line 1 uses the network: requests.get in fetch", "It may do this: line 2 changes or deletes files: os.remove",
		"hidden from it: 2 × DB_PASSWORD", "(token: cursor)", "100 B of 12.1 kB of text", "hidden secrets: 2",
	} {
		if !strings.Contains(html.UnescapeString(text), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(text, "before you edited it") {
		t.Error("it says that the user edited code, which only has a secret")
	}
	day.Since, day.Until = firstDay.AddDate(0, 0, 9), firstDay.AddDate(0, 0, 11)
	text, _ = written(t, m.l, Options{LogQuery: day, Format: Report, Mask: secretMask()})
	for _, want := range []string{"and that its kernel was replaced at", "It was killed (SIGKILL)", "<pre>requests.get(u)</pre>", "does not let this assistant use the network"} {
		if !strings.Contains(html.UnescapeString(text), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

func secretMask() *mask.Mask {
	m := mask.New()
	m.Set(mask.Easel, token)
	return m
}
