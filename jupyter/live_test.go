package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/wire"
)

// The tests in this file run against a real jupyter-server.

// liveLimit is the timeout of one live test.
const liveLimit = 3 * time.Minute

func live(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), liveLimit)
	t.Cleanup(cancel)
	return ctx
}

// start starts a kernel and follows it. The kernel ends with the test, because some tests
// leave it at work, which slows down the tests after them.
func start(t *testing.T, s *Server, how ...func(*connectionParameters)) *Kernel {
	t.Helper()
	model, err := s.StartKernel(live(t), StartKernelRequest{Name: "python3"})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), liveLimit)
		defer cancel()
		if err := s.DeleteKernel(ctx, model.ID); err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("the kernel's end: %v", err)
		}
	})
	return join(t, s, model.ID, how...)
}

func join(t *testing.T, s *Server, id string, how ...func(*connectionParameters)) *Kernel {
	t.Helper()
	tune := defaultParameters()
	for _, h := range how {
		h(&tune)
	}
	k, err := s.follow(live(t), id, FollowOptions{}, tune)
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// An outcome is the result of one request.
type outcome struct {
	words  []string // the messages of this parent, in brief
	stdout string
	stderr string
	reply  wire.ExecuteReply
	forms  []map[string]json.RawMessage
	errors []wire.ErrorContent
	// process is the session id in the headers of the kernel's messages.
	process string
}

// run executes code and collects what arrives until reply and idle.
func run(t *testing.T, k *Kernel, code string) outcome {
	t.Helper()
	id, err := k.Execute(live(t), ExecuteRequest{Code: code})
	require.NoError(t, err)
	return collect(t, k, id, func(o outcome) bool {
		return slices.Contains(o.words, "idle") && slices.Contains(o.words, "execute_reply")
	})
}

func collect(t *testing.T, k *Kernel, id string, enough func(outcome) bool) outcome {
	t.Helper()
	ctx := live(t)
	var o outcome
	for !enough(o) {
		in, err := k.Next(ctx)
		if err != nil {
			t.Fatalf("after %q: %v", o.words, err)
		}
		if in.Event != 0 {
			o.words = append(o.words, brief(in))
			continue
		}
		if in.Message.ParentID() != id {
			if in.Message.Parent.IsZero() {
				o.words = append(o.words, "parentless "+brief(in))
			}
			continue
		}
		o.add(t, in)
	}
	return o
}

func (o *outcome) add(t *testing.T, in Delivery) {
	t.Helper()
	m := in.Message
	o.process = m.Header.Session
	var err error
	switch m.Type() {
	case "stream":
		var s wire.Stream
		err = m.Decode(&s)
		if s.Name == "stdout" {
			o.stdout += s.Text
		} else {
			o.stderr += s.Text
		}
	case "execute_reply":
		err = m.Decode(&o.reply)
	case "display_data", "execute_result":
		var d wire.DisplayData
		err = m.Decode(&d)
		o.forms = append(o.forms, d.Data)
	case "error":
		var e wire.ErrorContent
		err = m.Decode(&e)
		o.errors = append(o.errors, e)
	}
	if err != nil || in.Err != nil {
		t.Errorf("%s: %v, %v", m.Type(), err, in.Err)
	}
	o.words = append(o.words, strings.Fields(brief(in) + " ")[0])
}

func TestLiveREST(t *testing.T) {
	_, s := overWebsocket(t)
	ctx := live(t)
	st, err := s.Status(ctx)
	if err != nil || st.Version == "" || st.Started.IsZero() {
		t.Errorf("status: %+v, %v", st, err)
	}
	specs, err := s.KernelSpecs(ctx)
	if spec := specs.Specs[specs.Default]; err != nil || spec.Language != "python" || spec.InterruptMode != "signal" {
		t.Errorf("specs: %+v, %v", specs, err)
	}
	const path = "日本 dir/a%2Fb #1.txt"
	if _, err := s.PutContents(ctx, "日本 dir", ContentsModel{Type: "directory"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutContents(ctx, path, ContentsModel{Type: "file", Format: "text", Content: json.RawMessage(`"tekst"`)}); err != nil {
		t.Fatal(err)
	}
	m, err := s.Contents(ctx, path, ContentsQuery{Content: true})
	if err != nil || string(m.Content) != `"tekst"` || m.Path != path || m.LastModified.IsZero() {
		t.Errorf("contents: %+v, %v", m, err)
	}
	dir, err := s.Contents(ctx, "日本 dir", ContentsQuery{Content: true})
	require.NoError(t, err)
	if entries, err := dir.Entries(); err != nil || len(entries) != 1 || entries[0].Path != path {
		t.Errorf("entries: %+v, %v", entries, err)
	}
	session, err := s.CreateSession(ctx, CreateSessionRequest{Path: "/x/../nb.ipynb", KernelName: "python3"})
	require.NoError(t, err)
	again, err := s.CreateSession(ctx, CreateSessionRequest{Path: "nb.ipynb", KernelName: "python3"})
	if err != nil || again.ID != session.ID || again.Kernel.ID != session.Kernel.ID {
		t.Errorf("the same path: %+v, %v", again, err)
	}
	if got, err := s.Session(ctx, session.ID); err != nil || got.Path != "nb.ipynb" {
		t.Errorf("session: %+v, %v", got, err)
	}
	if all, err := s.Sessions(ctx); err != nil || len(all) == 0 {
		t.Errorf("sessions: %+v, %v", all, err)
	}
	if err := s.DeleteSession(ctx, session.ID); err != nil {
		t.Error(err)
	}
	if _, err := s.Kernel(ctx, session.Kernel.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("its kernel: %v", err)
	}
}

func TestLiveRefusalsAreTold(t *testing.T) {
	_, s := overWebsocket(t)
	ctx := live(t)
	wrong, err := New(s.URL().String(), "wrong-token")
	require.NoError(t, err)
	const nobody = "00000000-0000-4000-8000-000000000000"
	_, e1 := wrong.Status(ctx)
	_, e2 := wrong.Follow(ctx, nobody, FollowOptions{})
	_, e3 := wrong.dial(ctx, nobody, &arrivals{session: "x"}, nil, defaultParameters())
	for _, err := range []error{e1, e2, e3} {
		if !errors.Is(err, ErrUnauthorized) || strings.Contains(err.Error(), "wrong-token") {
			t.Errorf("wrong token: %v", err)
		}
	}
	_, e1 = s.Follow(ctx, nobody, FollowOptions{})
	_, e2 = s.dial(ctx, nobody, &arrivals{session: "x"}, nil, defaultParameters())
	for _, err := range []error{e1, e2} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("unknown kernel: %v", err)
		}
	}
	_, err = s.StartKernel(ctx, StartKernelRequest{Name: "cobol"})
	if e, ok := errors.AsType[*NoSuchKernelSpecError](err); !ok || !slices.Contains(e.Known, "python3") {
		t.Errorf("unknown kernelspec: %v", err)
	}
	if _, err = s.Contents(ctx, "nowhere.txt", ContentsQuery{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown file: %v", err)
	}
}

func TestLiveOutputOfAllKinds(t *testing.T) { overBoth(t, liveOutput) }

func liveOutput(t *testing.T, s *Server) {
	k := start(t, s)
	if info := k.Info(); info.Language != "python" || !info.Subshells || info.InterruptMode != "signal" || info.Name != "python3" {
		t.Errorf("info: %+v", info)
	}
	if o := run(t, k, "print('日本 \\x00 \\u00e4 😀'); 1+1"); o.stdout != "日本 \x00 ä 😀\n" || string(o.forms[0]["text/plain"]) != `"2"` || o.reply.Status != wire.ReplyOK || o.reply.ExecutionCount != 1 {
		t.Errorf("got %+v", o)
	}
	if o := run(t, k, "1/0"); o.reply.Ename != "ZeroDivisionError" || len(o.errors) != 1 || o.errors[0].Ename != "ZeroDivisionError" {
		t.Errorf("got %+v", o)
	}
	if o := run(t, k, "input()"); o.reply.Ename != "StdinNotImplementedError" {
		t.Errorf("got %+v", o)
	}
	o := run(t, k, "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1,2]);plt.show()")
	if len(o.forms) != 1 {
		t.Fatalf("got %+v", o)
	}
	if png, err := wire.Base64(o.forms[0]["image/png"]); err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("picture: %v", err)
	}
	_, err := k.Evaluate(live(t), Evaluation{Code: "raise KeyError(3)"})
	if e, ok := errors.AsType[*EvaluationError](err); !ok || e.Ename != "KeyError" {
		t.Errorf("evaluation: %v", err)
	}
	v, err := k.Evaluate(live(t), Evaluation{Code: "print('unheard'); q = 40", Expressions: map[string]string{"a": "q+2", "b": "1/0"}})
	if err != nil || v["a"].Text() != "42" || v["b"].Ename != "ZeroDivisionError" {
		t.Errorf("evaluation: %+v, %v", v, err)
	}
	if o := run(t, k, "6*7"); o.reply.ExecutionCount != 5 || o.stdout != "" {
		t.Errorf("the evaluations left a trace: %+v", o)
	}
}

func TestLiveTwoClientsSeeEachOther(t *testing.T) { overBoth(t, liveTwoClients) }

func liveTwoClients(t *testing.T, s *Server) {
	a := start(t, s)
	b := join(t, s, a.ID())
	id, err := a.Execute(live(t), ExecuteRequest{Code: "print('from a')"})
	require.NoError(t, err)
	o := collect(t, b, id, func(o outcome) bool { return slices.Contains(o.words, "idle") })
	if o.stdout != "from a\n" || slices.Contains(o.words, "execute_reply") {
		t.Errorf("b sees %+v", o)
	}
	if o := run(t, b, "1"); o.reply.ExecutionCount != 2 {
		t.Errorf("b: %+v", o)
	}
}

func TestLiveASubshellAnswersWhileTheKernelWorks(t *testing.T) { overBoth(t, liveSubshell) }

func liveSubshell(t *testing.T, s *Server) {
	k := start(t, s)
	id, err := k.Execute(live(t), ExecuteRequest{Code: "x = 5\nprint('go', flush=True)\nimport time\ntime.sleep(100)"})
	require.NoError(t, err)
	collect(t, k, id, func(o outcome) bool { return o.stdout != "" })
	late := join(t, s, k.ID(), func(tune *connectionParameters) { tune.farewell = liveLimit }) // joins a busy kernel, and deletes its subshell when it closes
	for _, k := range []*Kernel{k, late, k} {
		began := time.Now()
		v, err := k.Evaluate(live(t), Evaluation{Expressions: map[string]string{"a": "x"}, Subshell: true})
		if err != nil || v["a"].Text() != "5" {
			t.Errorf("got %v, %v", v, err)
		}
		if took := time.Since(began); took > 50*time.Second { // the kernel sleeps for 100
			t.Errorf("it took %v", took)
		}
	}
	if err := late.Close(); err != nil {
		t.Error(err)
	}
	// Another client deletes our subshell.
	mine, _, _ := k.subshell.state()
	if _, err := k.roundTrip(live(t), k.message(k.ids.next(true), wire.Control, "delete_subshell_request", map[string]string{"subshell_id": mine})); err != nil {
		t.Fatal(err)
	}
	v, err := k.Evaluate(live(t), Evaluation{Expressions: map[string]string{"a": "x"}, Subshell: true})
	if err != nil || v["a"].Text() != "5" {
		t.Errorf("with a subshell that is gone: %v, %v", v, err)
	}
	mine, _, _ = k.subshell.state()
	var list wire.ListSubshellReply
	if err := k.control(live(t), "list_subshell_request", &list); err != nil || !slices.Equal(list.SubshellIDs, []string{mine}) {
		t.Errorf("subshells: %v, %v, want %s", list.SubshellIDs, err, mine)
	}
	require.NoError(t, s.InterruptKernel(live(t), k.ID()))
	collect(t, k, id, func(o outcome) bool { return slices.Contains(o.words, "execute_reply") })
}

func TestLiveLargeMessagesArrive(t *testing.T) { overBoth(t, liveLarge) }

func liveLarge(t *testing.T, s *Server) {
	k := start(t, s)
	o := run(t, k, "for i in range(2000): print('x'*9999)")
	if len(o.stdout) != 2000*10_000 {
		t.Errorf("got %d bytes", len(o.stdout))
	}
	o = run(t, k, "import os\nfrom IPython.display import Image, display\ndisplay(Image(data=b'\\x89PNG\\r\\n\\x1a\\n'+bytes(30_000_000), format='png'))")
	if len(o.forms) != 1 {
		t.Fatalf("got %q", o.words)
	}
	png, err := wire.Base64(o.forms[0]["image/png"])
	if err != nil || len(png) != 30_000_008 {
		t.Errorf("picture: %d bytes, %v", len(png), err)
	}
	if o := run(t, k, strings.Repeat("#", 9_000_000)); o.reply.Status != wire.ReplyOK {
		t.Errorf("9 MB of code: %+v", o.reply)
	}
}

func TestLiveTheOldSubprotocol(t *testing.T) {
	_, s := overWebsocket(t)
	k := start(t, s, func(tune *connectionParameters) { tune.legacy = true })
	o := run(t, k, "from IPython.display import display, SVG\nprint('日本')\ndisplay(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))\n1+1")
	if o.stdout != "日本\n" || len(o.forms) != 2 || string(o.forms[1]["text/plain"]) != `"2"` {
		t.Errorf("got %+v", o)
	}
	if k.socket.decoder.Protocol != wire.Legacy {
		t.Error("it is not the old protocol")
	}
	if v, err := k.Evaluate(live(t), Evaluation{Expressions: map[string]string{"a": "1"}, Subshell: true}); err != nil || v["a"].Text() != "1" {
		t.Errorf("got %v, %v", v, err)
	}
	const comm = "from comm import create_comm\nc = create_comm(target_name='t', buffers=[b'\\x00\\xff'*1000])"
	if o := run(t, k, comm); !slices.Contains(o.words, "comm_open") {
		t.Errorf("buffers: %+v", o)
	}
}
