package window

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// A waitingCall is code that an assistant wants to run, which waits for the person.
type waitingCall struct {
	code   string
	answer chan outcome
}

// An outcome is what the assistant got.
type outcome struct {
	catalog.Execution

	err error
}

// asks has what assistants want to run.
type asks struct {
	waiting []waitingCall // the oldest first, which the window shows
	sent    int
	session string
	ran     chan string // what the kernel was sent
	draft   string      // the code of the first question as it was edited; empty if it was not
}

// mostAsked is how many calls wait at the same time.
const mostAsked = 2

// needSession starts a session if there is none.
func (p *person) needSession() {
	if p.session != "" {
		return
	}
	var out catalog.SessionCreateOut
	p.invoke("session_create", map[string]any{}, &out)
	p.session = out.SessionID
	ran := p.ran
	p.server.Kernel(out.KernelID).OnExecute(func(x *jupytertest.Execution) {
		if !x.Request.Silent {
			ran <- x.Code
		}
		x.Usual(func() {})
	})
}

// invoke calls a tool as an assistant does, while the window goes on.
func (p *person) invoke(name string, in, out any) {
	p.t.Helper()
	done := make(chan error, 1)
	q := p.q
	go func() {
		done <- p.send(name, in, out)
		q.Do(func() {})
	}()
	p.q.Until(p.t, name, func() bool {
		select {
		case err := <-done:
			if err != nil {
				p.t.Fatal(name, ": ", err)
			}
			return true
		default:
			return false
		}
	})
}

// send calls a tool, and waits.
func (p *person) send(name string, in, out any) error {
	bus := p.bus
	args, err := json.Marshal(in)
	if err != nil {
		return err
	}
	for _, x := range catalog.All() {
		if x.Spec().Name != name {
			continue
		}
		ctx := tool.WithCaller(p.t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude-code", Version: "2.1.0", Holder: "process"})
		got, _, err := x.Invoke(ctx, bus, args)
		if err != nil {
			return err
		}
		b, err := json.Marshal(got)
		if err != nil {
			return err
		}
		return json.Unmarshal(b, out)
	}
	return fmt.Errorf("no tool %s", name)
}

// ask has an assistant send code, for which the person is asked.
func (p *person) ask(int) string {
	if len(p.waiting) >= mostAsked {
		return ""
	}
	p.needSession()
	p.sent++
	q, session := p.q, p.session
	c := waitingCall{fmt.Sprintf("ask(%d)", p.sent), make(chan outcome, 1)}
	go func() {
		var out outcome
		out.err = p.send("execute_code", map[string]any{"session_id": session, "code": c.code, "wait": 60}, &out.Execution)
		c.answer <- out
		q.Do(func() {})
	}()
	before := len(p.waiting)
	p.q.Until(p.t, "the question", func() bool { return len(p.store.Snapshot().Approvals) > before })
	p.waiting = append(p.waiting, c)
	return ""
}

// questions checks that the window shows the oldest question, and nothing if there is none.
func (p *person) questions() string {
	o := p.app.shell.asks.Object()
	if open := o.Visible(); open != (len(p.waiting) > 0) {
		return fmt.Sprintf("a question is shown: %v; %d wait", open, len(p.waiting))
	}
	if len(p.waiting) == 0 || p.at == inCode || p.draft != "" || p.app.shell.full {
		return ""
	}
	if seen := written(o); !strings.Contains(seen, p.waiting[0].code) {
		return fmt.Sprintf("the question shows %q, not %s", seen, p.waiting[0].code)
	}
	return ""
}

// answer answers with a key the question that is shown.
func (p *person) answer(yes bool) string {
	p.windowed()
	key := map[bool]fyne.KeyName{true: fyne.KeyReturn, false: fyne.KeyD}[yes]
	if len(p.waiting) == 0 {
		p.command(ctrl(key))
		return ""
	}
	p.q.Until(p.t, "the question to be answerable", func() bool { return p.app.shell.asks.Ready() })
	c, want := p.waiting[0], p.waiting[0].code
	if p.draft != "" {
		want = p.draft
	}
	if p.at == inCode {
		want = p.text
	}
	before := len(p.store.Snapshot().Approvals)
	p.command(ctrl(key))
	p.q.Until(p.t, "the answer", func() bool {
		return len(p.store.Snapshot().Approvals) < before && p.app.shell.asks.Object().Visible() == (before > 1)
	})
	p.waiting, p.draft = p.waiting[1:], ""
	if p.at == inCode {
		p.at, p.text = inWindow, ""
	}
	var out outcome
	p.q.Until(p.t, "the end of the call", func() bool {
		select {
		case out = <-c.answer:
			return true
		default:
			return false
		}
	})
	switch {
	case !yes && (out.err == nil || tool.AsError(out.err).Code != tool.Denied):
		return fmt.Sprintf("code that was refused is %q, %v", out.Status, out.err)
	case !yes:
		return ""
	case out.Status != "ok":
		return fmt.Sprintf("code that was approved is %q, %v", out.Status, out.err)
	}
	if ran := <-p.ran; ran != want {
		return fmt.Sprintf("%q was approved, %q ran", want, ran)
	}
	return ""
}

// edit opens the code of the question, or discards what was edited.
func (p *person) edit(int) string {
	if len(p.waiting) == 0 {
		return ""
	}
	if p.at != inCode {
		p.leave(0)
	}
	p.windowed()
	discards := p.at == inCode || p.draft != ""
	p.command(ctrl(fyne.KeyE))
	if discards {
		p.at, p.text, p.draft = inWindow, "", ""
		return ""
	}
	p.key(fyne.KeyEnd)
	p.at, p.text = inCode, p.waiting[0].code
	return ""
}

// withdraw says that the questions have ended with Easel. None of their code must have run.
func (p *person) withdraw() string {
	for _, c := range p.waiting {
		select {
		case <-c.answer:
		case <-time.After(time.Minute):
			return "a call does not end with Easel"
		}
	}
	p.waiting, p.session, p.draft = nil, "", ""
	select {
	case code := <-p.ran:
		return fmt.Sprintf("%q ran without an answer", code)
	default:
	}
	return ""
}
