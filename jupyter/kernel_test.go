package jupyter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

// patience is how long a test waits for something that must happen.
const patience = time.Minute

// quick returns a tuning with which failures are noticed within a test.
func quick() connectionParameters {
	t := defaultParameters()
	t.check, t.soon, t.confirm = time.Hour, 20*time.Millisecond, time.Millisecond
	t.probe, t.backoff = 20*time.Millisecond, 5*time.Millisecond
	t.backoffTo, t.restore = 20*time.Millisecond, 2*time.Second
	return t
}

func client(t *testing.T, s *jupytertest.Server) *Server {
	t.Helper()
	c, err := New(s.URL, s.Token)
	require.NoError(t, err)
	return c
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// follow follows a fake kernel and drops what other clients' requests cause while
// connecting.
func follow(t *testing.T, s *jupytertest.Server, k *jupytertest.Kernel, how ...func(*connectionParameters, *FollowOptions)) *Kernel {
	t.Helper()
	tune, opts := quick(), FollowOptions{}
	for _, h := range how {
		h(&tune, &opts)
	}
	f, err := client(t, s).follow(within(t), k.ID, opts, tune)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func next(t *testing.T, k *Kernel) Delivery {
	t.Helper()
	in, err := k.Next(within(t))
	if err != nil {
		t.Fatalf("next: %v", err)
	}
	return in
}

// brief describes a Delivery in one word.
func brief(in Delivery) string {
	if in.Event != 0 {
		return "connection " + in.Event.String()
	}
	if in.Barrier != nil {
		return "barrier"
	}
	m := in.Message
	switch m.Type() {
	case "status":
		var s wire.Status
		_ = m.Decode(&s)
		return s.ExecutionState
	case "stream":
		var s wire.Stream
		_ = m.Decode(&s)
		return s.Name + " " + s.Text
	default:
		return m.Type()
	}
}

// until collects what arrives up to and including last.
func until(t *testing.T, k *Kernel, last string) []string {
	t.Helper()
	var got []string
	for {
		got = append(got, brief(next(t, k)))
		if got[len(got)-1] == last {
			return got
		}
	}
}

// untilIdle drops what arrives up to the idle status of an execute_request: the given
// one, or with "" the next one of any client.
func untilIdle(t *testing.T, k *Kernel, id string) {
	t.Helper()
	for {
		in := next(t, k)
		m := in.Message
		if m != nil && brief(in) == wire.StateIdle && m.Parent.MsgType == "execute_request" && (id == "" || m.ParentID() == id) {
			return
		}
	}
}

func execute(t *testing.T, k *Kernel, code string) (id string) {
	t.Helper()
	id, err := k.Execute(within(t), ExecuteRequest{Code: code})
	if err != nil {
		t.Fatalf("execute: %v", err)
	}
	return id
}

func diff(t *testing.T, want, got []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOrderIsKeptWhateverItIs(t *testing.T) {
	for name, c := range map[string]struct {
		script func(x *jupytertest.Execution)
		want   []string
	}{
		"reply before busy": {
			func(x *jupytertest.Execution) {
				x.Reply(wire.ReplyOK)
				x.Busy()
				x.Input()
				x.Result("2")
				x.Idle()
			},
			[]string{"execute_reply", "busy", "execute_input", "execute_result", "idle"},
		},
		"idle before reply": {
			func(x *jupytertest.Execution) { x.Busy(); x.Idle(); x.Reply(wire.ReplyOK) },
			[]string{"busy", "idle", "execute_reply"},
		},
		"a stream in pieces and output after idle": {
			func(x *jupytertest.Execution) {
				x.Usual(func() { x.Stream("stdout", "a"); x.Stream("stderr", "b"); x.Stream("stdout", "c") })
				x.Stream("stdout", "late")
			},
			[]string{"busy", "execute_input", "stdout a", "stderr b", "stdout c", "execute_reply", "idle", "stdout late"},
		},
		"an error, and a type nobody knows": {
			func(x *jupytertest.Execution) {
				x.Busy()
				x.Send(wire.IOPub, "comm_open", map[string]any{"x": 1})
				x.Error("ZeroDivisionError", "division by zero")
				x.Fail("ZeroDivisionError", "division by zero")
				x.Idle()
			},
			[]string{"busy", "comm_open", "error", "execute_reply", "idle"},
		},
	} {
		for _, opts := range [][]jupytertest.ServerOption{nil, {jupytertest.Legacy(), jupytertest.BaseURL("/user/ann/")}} {
			t.Run(name, func(t *testing.T) {
				s := jupytertest.NewServer(t, opts...)
				fake := s.AddKernel("python3")
				fake.OnExecute(c.script)
				k := follow(t, s, fake)
				id := execute(t, k, "x")
				var got []string
				for range c.want {
					in := next(t, k)
					if in.Message.ParentID() != id || in.Message.Parent.Session != k.Session() {
						t.Errorf("%s: parent %+v, want %s", brief(in), in.Message.Parent, id)
					}
					got = append(got, brief(in))
				}
				diff(t, c.want, got)
			})
		}
	}
}

func TestWhatExecuteSends(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake, func(_ *connectionParameters, o *FollowOptions) { o.Session = "ours" })
	no := false
	if _, err := k.Execute(t.Context(), ExecuteRequest{Code: "a", StoreHistory: &no}); err != nil {
		t.Fatal(err)
	}
	execute(t, k, "b")
	for n, want := range []string{
		`{"code":"a","silent":false,"store_history":false,"user_expressions":{},"allow_stdin":false,"stop_on_error":false}`,
		`{"code":"b","silent":false,"store_history":true,"user_expressions":{},"allow_stdin":false,"stop_on_error":false}`,
	} {
		m := fake.Await("execute_request", n+1)
		if got := string(m.Content); got != want || m.Channel != wire.Shell || m.Header.Session != "ours" {
			t.Errorf("got %s on %s by %s, want %s", got, m.Channel, m.Header.Session, want)
		}
	}
}

func TestAPongAfterEachRead(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	for range 5 {
		before := fake.Pongs()
		fake.Status("starting")
		until(t, k, "starting")
		for deadline := time.Now().Add(patience); fake.Pongs() == before; {
			if time.Now().After(deadline) {
				t.Fatal("no pong came")
			}
			if err := k.ProbeControl(within(t)); err != nil { // the pong precedes the next request
				t.Fatal(err)
			}
		}
	}
}

func TestRequestsThatAreTooLargeAreNotSent(t *testing.T) {
	s := jupytertest.NewServer(t)
	k := follow(t, s, s.AddKernel("python3"))
	if _, err := k.Execute(t.Context(), ExecuteRequest{Code: strings.Repeat("#", 11<<20)}); !errors.Is(err, ErrRequestTooLarge) {
		t.Errorf("got %v", err)
	}
	execute(t, k, "1")
	until(t, k, "idle")
}

func TestMessagesThatAreTooLargeAreSurvived(t *testing.T) {
	for _, opts := range [][]jupytertest.ServerOption{nil, {jupytertest.Legacy()}} {
		s := jupytertest.NewServer(t, opts...)
		fake := s.AddKernel("python3")
		fake.OnExecute(func(x *jupytertest.Execution) {
			x.Usual(func() { x.Display(map[string]any{"image/png": strings.Repeat("A", 3<<20)}, "") })
		})
		k := follow(t, s, fake, func(tune *connectionParameters, _ *FollowOptions) { tune.readLimit = 1 << 20 })
		id := execute(t, k, "plot")
		for {
			in := next(t, k)
			if in.Message.Type() == "idle" || in.Event != 0 {
				t.Fatalf("the large message is missing; got %s", brief(in))
			}
			if in.Message.Type() == "display_data" {
				if !errors.Is(in.Err, ErrMessageTooLarge) || in.Message.ParentID() != id || in.Message.Content != nil {
					t.Errorf("got %+v", in)
				}
				break
			}
		}
		diff(t, []string{"execute_reply", "idle"}, until(t, k, "idle"))
	}
}

func TestCloseLeavesWhatCameAndThenEnds(t *testing.T) {
	s := jupytertest.NewServer(t)
	fake := s.AddKernel("python3")
	k := follow(t, s, fake)
	execute(t, k, "1")
	if err := k.Probe(within(t)); err != nil { // after it
		t.Fatal(err)
	}
	k.Barrier(make(chan struct{}))
	for range 2 {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	diff(t, []string{"busy", "execute_input", "execute_reply", "idle", "barrier"}, until(t, k, "barrier"))
	for range 2 {
		if in, err := k.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("got %v, %v", in, err)
		}
	}
	if _, err := k.Execute(t.Context(), ExecuteRequest{Code: "1"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := k.Probe(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	fake.AwaitConnections(0)
}

func TestNothingTellsTheToken(t *testing.T) {
	s := jupytertest.NewServer(t)
	var log bytes.Buffer
	c, err := New(s.URL+"/lab?token="+s.Token, "", WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	require.NoError(t, err)
	fake := s.AddKernel("python3")
	k, err := c.follow(within(t), fake.ID, FollowOptions{}, quick())
	require.NoError(t, err)
	s.Down()
	in := next(t, k)
	_, restErr := c.Status(within(t))
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	slog.New(slog.NewTextHandler(&log, nil)).Info("it", "server", c)
	for name, text := range map[string]string{
		"log": log.String(), "link": in.Err.Error(), "rest": restErr.Error(), "printed": strings.Join([]string{c.String(), c.URL().String()}, " "),
	} {
		if strings.Contains(text, s.Token) || text == "" {
			t.Errorf("%s: %q", name, text)
		}
	}
	for _, r := range s.Requests() {
		if strings.Contains(r, s.Token) {
			t.Errorf("request: %s", r)
		}
	}
}
