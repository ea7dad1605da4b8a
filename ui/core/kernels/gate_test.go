package kernels_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// A step is one step of a sequence of calls, modes and answers.
type step struct {
	do  string
	arg int
}

var (
	steps     = []string{"assistant", "assistant", "assistant", "in a tab", "user", "allow", "ask", "read_only", "pause", "resume", "finish", "finish", "finish", "approve", "edit", "trust", "deny", "distrust"}
	assistant = tool.Caller{Name: "assistant", Holder: "process"}
)

// A sentCode is code that the kernel got.
type sentCode struct {
	code string
	at   time.Time // when it was sent
}

// An epoch is a time in which the user allowed the same.
type epoch struct {
	from, certain time.Time // it began between these
	access        string
	paused        bool
	trusted       bool
}

// A play performs a sequence of steps on a session and checks what the kernel gets.
type play struct {
	*fixture
	s         library.Session
	k         *jupytertest.Kernel
	other     *jupyter.Kernel // a client like a JupyterLab tab
	approvals *oversight.Approvals
	end       chan struct{} // a value lets the running code end; closed: all code ends

	sending  sync.Mutex // held while the other client sends, and while the mode changes
	mu       sync.Mutex
	got      []sentCode
	epochs   []epoch
	approved map[string]time.Time // by code
	started  []*execution.Execution
}

func (p *play) kernel(x *jupytertest.Execution) {
	p.mu.Lock()
	p.got = append(p.got, sentCode{x.Code, x.Header.Date})
	p.mu.Unlock()
	x.Usual(func() {
		select {
		case <-p.end:
		case <-x.Context().Done():
		}
	})
}

// change changes what the user allows, and waits until nothing is sent that was allowed before.
func (p *play) change(change func()) {
	from := time.Now()
	p.sending.Lock()
	change()
	p.sending.Unlock()
	p.Barrier(p.s.KernelID)
	s := p.state.Snapshot()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.epochs = append(p.epochs, epoch{from, time.Now(), s.Settings.Access, s.Paused, len(s.Trusted) > 0})
}

func (p *play) answer(a command.ApprovalAnswer, arg int) {
	open := p.state.Snapshot().Approvals
	if len(open) == 0 {
		return
	}
	q := open[arg%len(open)]
	a.ApprovalID = q.ApprovalID
	if a.Code != "" {
		a.Code = q.Code + a.Code
	}
	if a.Approve {
		p.mu.Lock()
		p.approved[cmp.Or(a.Code, q.Code)] = time.Now()
		p.mu.Unlock()
	}
	if err := p.approvals.Answer(a); err != nil && !errors.Is(err, oversight.ErrUnknownApproval) {
		p.t.Error(err)
	}
}

func (p *play) call(who string, q record.Request) {
	q.SessionID, q.Code = p.s.ID, fmt.Sprintf("%d %s", len(p.started), who)
	x, err := p.Execute(p.context(), q)
	if err != nil {
		if !errors.Is(err, oversight.ErrReadOnly) || q.Caller.Transport == tool.Window {
			p.t.Errorf("%s: %v", q.Code, err)
		}
		return
	}
	p.started = append(p.started, x)
}

func (p *play) step(s step) {
	access := func(mode string) {
		p.change(func() {
			p.state.Update(func(s *state.Snapshot) {
				if s.Settings.Access != mode { // as the window does it
					s.Settings.Access, s.Trusted = mode, nil
				}
			})
		})
	}
	pause := func(on bool) { p.change(func() { p.state.Update(func(s *state.Snapshot) { s.Paused = on }) }) }
	switch s.do {
	case "assistant":
		p.call("assistant", record.Request{Caller: assistant})
	case "in a tab":
		p.call("tab", record.Request{Caller: assistant, Send: func(ctx context.Context, code string, may func() error) error {
			p.sending.Lock()
			defer p.sending.Unlock()
			if err := may(); err != nil {
				return err
			}
			_, err := p.other.Execute(ctx, jupyter.ExecuteRequest{Code: code})
			return err
		}})
	case "user":
		p.call("user", record.Request{Caller: tool.Caller{Transport: tool.Window}})
	case "finish":
		select {
		case p.end <- struct{}{}:
		default: // nothing runs
		}
	case "pause", "resume":
		pause(s.do == "pause")
	case "approve":
		p.answer(command.ApprovalAnswer{Approve: true}, s.arg)
	case "edit":
		p.answer(command.ApprovalAnswer{Approve: true, Code: " edited"}, s.arg)
	case "trust":
		p.change(func() { p.answer(command.ApprovalAnswer{Approve: true, Session: true}, s.arg) })
	case "deny":
		p.answer(command.ApprovalAnswer{}, s.arg)
	case "distrust":
		p.change(func() { p.approvals.Distrust("") })
	default:
		access(s.do)
	}
}

// allowed reports whether the user allowed code at a time.
func (p *play) allowed(c sentCode) bool {
	if strings.HasSuffix(c.code, "user") {
		return true
	}
	at, approved := p.approved[c.code]
	approved = approved && !at.After(c.at)
	for i, e := range p.epochs {
		if e.from.After(c.at) || i+1 < len(p.epochs) && p.epochs[i+1].certain.Before(c.at) {
			continue
		}
		if !e.paused && (e.access == oversight.AccessAllow || e.access == oversight.AccessAsk && (approved || e.trusted)) {
			return true
		}
	}
	return false
}

// perform performs steps on a new session, and returns what was wrong; "" if nothing.
func (d *fixture) perform(srv *jupytertest.Server, sequence []step) (wrong string) {
	d.state.Update(func(s *state.Snapshot) {
		s.Settings.Access, s.Paused, s.Trusted = oversight.AccessAllow, false, nil
	})
	p := &play{
		fixture: d, s: d.session(), end: make(chan struct{}), approved: make(map[string]time.Time),
		approvals: oversight.NewApprovals(d.state, nil, func(catalog.ChangeName, catalog.Approval) {}),
		epochs:    []epoch{{access: oversight.AccessAllow}},
	}
	d.answerWith(func(ctx context.Context, x catalog.Execution) (oversight.Consent, error) {
		return p.approvals.AskToRun(ctx, x, oversight.SenderOf(assistant, p.s.ID, ""), nil, nil)
	})
	p.k = srv.Kernel(p.s.KernelID)
	p.k.OnExecute(p.kernel)
	var err error
	if p.other, err = d.client.Follow(d.context(), p.s.KernelID, jupyter.FollowOptions{}); err != nil {
		d.t.Fatal(err)
	}
	defer p.other.Close()
	go func() { // ignore the messages to the tab; ends when it is closed
		for _, err := p.other.Next(d.t.Context()); err == nil; {
			_, err = p.other.Next(d.t.Context())
		}
	}()
	for _, s := range sequence {
		p.step(s)
	}
	// At the end, the user allows everything, and all that was not refused runs.
	close(p.end)
	p.step(step{do: "allow"})
	p.step(step{do: "resume"})
	var refused []string
	for _, x := range p.started {
		for { // the user approves what is asked
			select {
			case <-x.Done():
			case <-time.After(time.Millisecond): // a question has no channel
				p.answer(command.ApprovalAnswer{Approve: true}, 0)
				continue
			}
			break
		}
		if v := d.wait(x); x.Refused() != nil {
			refused = append(refused, v.Code)
		} else if v.Status != catalog.StatusOK {
			return fmt.Sprintf("%q ended as %s: %+v", v.Code, v.Status, v.Error)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.got {
		switch {
		case slices.Contains(refused, c.code):
			return fmt.Sprintf("%q was refused and sent", c.code)
		case !p.allowed(c):
			return fmt.Sprintf("%q was sent when it was not allowed", c.code)
		}
	}
	if len(p.got)+len(refused) != len(p.started) {
		return fmt.Sprintf("of %d calls, %d were sent and %d refused", len(p.started), len(p.got), len(refused))
	}
	return ""
}

// TestNothingIsSentThatTheModeRefuses performs random sequences of calls, modes and answers. It
// prints the shortest sequence that fails.
func TestNothingIsSentThatTheModeRefuses(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range 60 {
		sequence := make([]step, 5+random.IntN(40))
		for i := range sequence {
			sequence[i] = step{steps[random.IntN(len(steps))], random.IntN(8)}
		}
		wrong := d.perform(srv, sequence)
		if wrong == "" {
			continue
		}
		for i := 0; i < len(sequence); { // leave out what is not needed
			fewer := slices.Delete(slices.Clone(sequence), i, i+1)
			if w := d.perform(srv, fewer); w != "" {
				sequence, wrong, i = fewer, w, 0
			} else {
				i++
			}
		}
		t.Fatalf("sequence %d of seed %d: %s\n%v", n, seed, wrong, sequence)
	}
}

// TestOnlySoManyExecutionsWait sends more code than may wait in a session.
func TestOnlySoManyExecutionsWait(t *testing.T) {
	t.Parallel()
	d, s, k := patientSession(t)
	k.OnExecute(hold)
	working := d.start(s, "working")
	d.until(working, hasStdout)
	first := d.start(s, "first")
	for range record.MaxWaiting - 1 {
		d.start(s, "more")
	}
	_, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "too much", Caller: tool.Caller{Name: "test"}})
	many, ok := errors.AsType[*record.TooManyError](err)
	if !ok || many.Waiting != record.MaxWaiting {
		t.Fatalf("got %v", err)
	}
	d.Cancel(first)
	expect(t, d.wait(first), catalog.StatusCancelled, "")
	d.start(s, "one more")
	d.awaitView(s, "with a full queue", func(v record.SessionView) bool { return v.Queued == record.MaxWaiting })
}
