package kernels_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/userinput"
)

// An asksInput asks the test's user, if there is a window.
type asksInput struct {
	*userinput.Questions
	window atomic.Bool
	last   string // id of the question that the test has answered last
}

// Possible reports whether the user can be asked.
func (a *asksInput) Possible() bool { return a.window.Load() }

// asked waits until the user is asked something, and returns it.
func (d *fixture) asked() command.InputQuestion {
	d.t.Helper()
	return poll(d, "a question", func(context.Context) (command.InputQuestion, bool) {
		if open := d.state.Snapshot().Inputs; len(open) > 0 && open[0].ID != d.input.last {
			return open[0], true
		}
		return command.InputQuestion{}, false
	})
}

// answered waits for a question with the prompt and answers it.
func (d *fixture) answered(prompt, value string) {
	d.t.Helper()
	q := poll(d, "the question "+prompt, func(context.Context) (q command.InputQuestion, ok bool) {
		for _, q = range d.state.Snapshot().Inputs {
			if q.Prompt == prompt && q.ID != d.input.last {
				return q, true
			}
		}
		return q, false
	})
	d.input.last = q.ID
	require.NoError(d.t, d.input.Answer(command.InputAnswer{ID: q.ID, Value: value}))
}

// unasked waits until nothing is asked.
func (d *fixture) unasked() {
	d.t.Helper()
	poll(d, "the end of the question", func(context.Context) (any, bool) {
		open := d.state.Snapshot().Inputs
		return open, len(open) == 0
	})
}

// asksName is the script of a kernel that asks for a name and prints a greeting.
func asksName(t *testing.T, password bool) func(*jupytertest.Execution) {
	return func(x *jupytertest.Execution) {
		if !strings.Contains(x.Code, "readline") {
			x.Usual(func() {})
			return
		}
		x.Busy()
		x.Stream("stdout", "before\n")
		x.Send(wire.Stdin, "input_request", wire.InputRequest{Prompt: "name? ", Password: password})
		select {
		case m := <-x.Inputs():
			var in wire.InputReply
			if err := m.Decode(&in); err != nil || m.Channel != wire.Stdin || m.Parent.MsgType != "input_request" {
				t.Errorf("answered %v on %s to %s", err, m.Channel, m.Parent.MsgType)
			}
			if !password {
				x.Stream("stdout", "hello "+in.Value+"\n")
			}
			x.Send(wire.Shell, "execute_reply", wire.ExecuteReply{Status: wire.ReplyOK})
		case <-x.Interrupted():
			x.Send(wire.Shell, "execute_reply", wire.ExecuteReply{Status: wire.ReplyError, Ename: "KeyboardInterrupt"})
		case <-x.Context().Done():
			return
		}
		x.Idle()
	}
}

// inputSession returns a session on a fake server whose kernel asks for a name.
func inputSession(t *testing.T, password bool) (*fixture, library.Session, *jupytertest.Kernel) {
	t.Helper()
	d, s, k, _ := fakeSession(t)
	d.input.window.Store(true)
	k.OnExecute(asksName(t, password))
	return d, s, k
}

// TestAKernelThatAsksForInputIsInterrupted checks that code does not wait until its timeout for an answer that
// nobody can give. R's kernel asks although the request does not allow it.
func TestAKernelThatAsksForInputIsInterrupted(t *testing.T) {
	t.Parallel()
	d, s, k := inputSession(t, false)
	d.input.window.Store(false)
	v := d.run(s, "readline('name? ')")
	if v.Status != catalog.StatusError || v.Stdout != "before\n" || v.Error == nil || !strings.Contains(v.Error.Message, "Input is not available here") {
		t.Errorf("got %s, %q, %+v", v.Status, v.Stdout, v.Error)
	}
	var sent wire.ExecuteRequest
	require.NoError(t, k.Await("execute_request", 1).Decode(&sent))
	if sent.AllowStdin {
		t.Error("without a window, the request allows stdin")
	}
	if v := d.run(s, "1"); v.Status != catalog.StatusOK {
		t.Errorf("the next code: %s, %+v", v.Status, v.Error)
	}
}

// TestTheUserAnswersCode checks the way of a question: its status, its answer, and the output.
func TestTheUserAnswersCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		password bool
		out      string
	}{
		"a name":     {false, "before\nname? 花子\nhello 花子\n"},
		"a password": {true, "before\nname? ········\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, _ := inputSession(t, c.password)
			x := d.start(s, "readline('name? ')")
			q := d.asked()
			if q.Prompt != "name? " || q.Password != c.password || q.ExecutionID != x.ID() || q.SessionID != s.ID || q.Client != "test" || q.Deadline.IsZero() {
				t.Errorf("asked %+v", q)
			}
			v := d.until(x, func(v catalog.Execution) bool { return v.Status == catalog.StatusAwaitingInput })
			if v.AwaitingInput == nil || v.AwaitingInput.Prompt != "name? " || v.AwaitingInput.Password != c.password || !v.Success || !strings.Contains(v.Hint, "name?") {
				t.Errorf("waits for %+v, %s", v.AwaitingInput, v.Hint)
			}
			if stored := x.Record().Status; stored != catalog.StatusRunning {
				t.Errorf("stored as %s, which the next start would not take for running code", stored)
			}
			d.mu.Lock()
			if len(d.asks) != 1 || d.asks[0].Status != catalog.StatusAwaitingInput || d.asks[0].ExecutionID != x.ID() {
				t.Errorf("the events had %+v", d.asks)
			}
			d.mu.Unlock()
			d.answered("name? ", "花子")
			if v := d.wait(x); v.Stdout != c.out || v.AwaitingInput != nil || v.Status != catalog.StatusOK {
				t.Errorf("got %s, %q, %+v", v.Status, v.Stdout, v.AwaitingInput)
			}
			d.unasked()
		})
	}
}

// TestAQuestionOfCodeEnds covers what ends a question without an answer.
func TestAQuestionOfCodeEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end    func(*fixture, library.Session, *jupytertest.Kernel, *execution.Execution)
		status string
	}{
		"an interrupt": {func(d *fixture, s library.Session, _ *jupytertest.Kernel, _ *execution.Execution) {
			_, err := d.InterruptSession(d.context(), s.ID, false)
			require.NoError(d.t, err)
		}, catalog.StatusInterrupted},
		"a cancelled call": {func(d *fixture, _ library.Session, _ *jupytertest.Kernel, x *execution.Execution) { d.Cancel(x) }, catalog.StatusCancelled},
		"a restart": {func(_ *fixture, _ library.Session, k *jupytertest.Kernel, _ *execution.Execution) {
			k.SimulateRestart()
		}, catalog.StatusInterrupted},
		"the kernel's death": {func(_ *fixture, _ library.Session, k *jupytertest.Kernel, _ *execution.Execution) { k.Die() }, catalog.StatusKernelDied},
		"the session's end": {func(d *fixture, s library.Session, _ *jupytertest.Kernel, _ *execution.Execution) {
			_, err := d.Delete(d.context(), s.ID, false)
			require.NoError(d.t, err)
		}, catalog.StatusKernelDied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k := inputSession(t, false)
			x := d.start(s, "readline('name? ')")
			d.asked()
			c.end(d, s, k, x)
			if v := d.wait(x); v.Status != c.status || v.AwaitingInput != nil {
				t.Errorf("ended as %s, %+v", v.Status, v.Error)
			}
			d.unasked()
		})
	}
}

// TestAQuestionThatNobodyAnswers checks that an assistant's code is interrupted after the time in which the
// user can approve code, and that its own timeout does not run meanwhile.
func TestAQuestionThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	d, s, _ := inputSession(t, false)
	d.state.Update(func(n *state.Snapshot) { n.Settings.AskFor = 0.3 })
	x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "readline()", Timeout: 100 * time.Millisecond, Caller: tool.Caller{Name: "test"}})
	require.NoError(t, err)
	v := d.wait(x)
	if v.Status != catalog.StatusTimeout || !strings.Contains(v.Error.Message, `did not answer in time: the code asked for input ("name? ")`) || v.Stdout != "before\n" {
		t.Errorf("got %s, %+v, %q", v.Status, v.Error, v.Stdout)
	}
	// The user's own code waits, and its timeout goes on after the answer.
	if x, err = d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "readline()", Timeout: time.Hour, Caller: tool.Caller{Transport: tool.Window}}); err != nil {
		t.Fatal(err)
	}
	if q := d.asked(); !q.Deadline.IsZero() || !q.ByUser {
		t.Errorf("asked %+v", q)
	}
	d.answered("name? ", "")
	if v := d.wait(x); v.Status != catalog.StatusOK || !strings.HasSuffix(v.Stdout, "name? \nhello \n") {
		t.Errorf("got %s, %q", v.Status, v.Stdout)
	}
}

// TestQuittingInterruptsCodeThatAsks checks that the code does not wait for an answer that nobody can give.
func TestQuittingInterruptsCodeThatAsks(t *testing.T) {
	t.Parallel()
	d, s, k := inputSession(t, false)
	interrupted := make(chan struct{})
	ask := asksName(t, false)
	k.OnExecute(func(x *jupytertest.Execution) {
		go func() {
			select {
			case <-x.Interrupted():
				close(interrupted)
			case <-x.Context().Done():
			}
		}()
		ask(x)
	})
	x := d.start(s, "readline('name? ')")
	d.asked()
	require.NoError(t, d.Close(d.context()))
	<-interrupted
	stored, err := d.lib.Executions.Get(d.context(), x.ID())
	if err != nil || stored.Status != catalog.StatusInterrupted || !strings.Contains(stored.Error.Message, "Easel was quit") {
		t.Errorf("stored as %s, %+v, %v", stored.Status, stored.Error, err)
	}
	d.unasked()
}

// TestAQuestionSurvivesALostConnection checks that the question is hidden while nobody could answer it, and then
// asked again.
func TestAQuestionSurvivesALostConnection(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	s := d.session()
	k := srv.Kernel(s.KernelID)
	d.input.window.Store(true)
	k.OnExecute(asksName(t, false))
	x := d.start(s, "readline('name? ')")
	first := d.asked()
	release := holdChannels(t, srv)
	k.Drop()
	d.unasked()
	release()
	if again := d.asked(); again.ID != first.ID {
		t.Errorf("asked %q, then %q: what the user has typed would be lost", first.ID, again.ID)
	}
	d.answered("name? ", "Ada")
	if v := d.wait(x); v.Status != catalog.StatusOK || !strings.HasSuffix(v.Stdout, "hello Ada\n") {
		t.Errorf("got %s, %q, %+v", v.Status, v.Stdout, v.Error)
	}
}
