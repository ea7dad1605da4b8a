package record

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/coretest"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// scripted returns a recorder, which is not started, of a kernel of a scripted server.
func scripted(t *testing.T) (*Recorder, *jupytertest.Kernel) {
	t.Helper()
	srv := jupytertest.NewServer(t)
	k := srv.AddKernel("python3")
	client, err := jupyter.New(srv.URL, srv.Token)
	require.NoError(t, err)
	conn, err := client.Follow(t.Context(), k.ID, jupyter.FollowOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	lib := coretest.Open(t)
	sess := library.Session{ID: k.ID, KernelID: k.ID, Server: "test", Generation: 1, CreatedAt: time.Now()}
	return New(environment(lib), &servers.Server{Name: "test"}, client, conn, sess), k
}

// The recorder may lag behind the connection for any time. drained must not return before the
// recorder has handled the messages.
func TestDrainedIsWhatTheRecorderHasTakenIn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, k := scripted(t)
	r.env.Timing.Drain = 0
	conn := r.Link.conn

	k.Send(wire.IOPub, "comm_open", wire.Header{}, struct{}{})
	drained := make(chan bool, 1)
	go func() { drained <- r.examiner.drained(ctx) }()
	came := false
	for done := false; !done; {
		in, err := conn.Next(ctx) // instead of the pump
		require.NoError(t, err)
		select {
		case <-drained:
			t.Fatal("it is drained, and the recorder has not taken in what came")
		default:
		}
		came = came || in.Message != nil
		done = in.Barrier != nil
		r.receive(in)
	}
	if !<-drained || !came {
		t.Errorf("drained after the message: %v", came)
	}
}

// The answer to a probe may be handled only after the kernel has died. A request that is then
// sent would be lost.
func TestAProbeFromBeforeARestartProvesNothing(t *testing.T) {
	t.Parallel()
	for name, accident := range map[string]func(*Recorder){
		"the kernel died":         func(r *Recorder) { r.died("It died.", nil) },
		"the connection was lost": func(r *Recorder) { r.receive(jupyter.Delivery{Event: jupyter.ConnectionLost, At: time.Now()}) },
	} {
		r, _ := scripted(t)
		r.Session.become(kernelUnconfirmed)
		before := r.process.begin()
		accident(r)
		if r.process.probe != 0 {
			t.Errorf("%s: the probe from before still counts", name)
		}
		r.probeAnswered(before, nil)
		if r.Session.phase == kernelReady {
			t.Errorf("%s: code would be sent at once", name)
		}
		if r.Session.phase == kernelDisconnected {
			r.receive(jupyter.Delivery{Event: jupyter.ConnectionRestored, At: time.Now()})
		}
		if r.probeAnswered(r.process.begin(), nil); r.Session.phase != kernelReady || r.process.probe != 0 {
			t.Errorf("%s: the next probe proves nothing, either", name)
		}
	}
}

// TestTheWatchdogChecksWhatIsSilent: sooner if a message was due.
func TestTheWatchdogChecksWhatIsSilent(t *testing.T) {
	t.Parallel()
	const short, long = 2 * time.Hour, 2 * longInterval * time.Hour
	for what, c := range map[string]struct {
		u     queuedExecution
		quiet time.Duration
		want  bool
	}{
		"just sent":                {queuedExecution{phase: runSent}, 0, false},
		"sent, no message":         {queuedExecution{phase: runSent}, short, true},
		"runs, silent":             {queuedExecution{phase: runRunning}, short, false},
		"runs, silent for long":    {queuedExecution{phase: runRunning}, long, true},
		"the idle is missing":      {queuedExecution{phase: runRunning, reply: "ok"}, short, true},
		"the reply is missing":     {queuedExecution{phase: runIdle}, short, true},
		"interrupted":              {queuedExecution{phase: runRunning, stop: causeInterrupted}, short, true},
		"interrupted, and reports": {queuedExecution{phase: runRunning, stop: causeInterrupted}, 0, false},
		"checked not long ago":     {queuedExecution{phase: runRunning, checked: time.Now()}, long, false},
	} {
		w := watchdog{interval: time.Hour}
		c.u.lastSign = time.Now().Add(-c.quiet)
		if got := w.suspects(&c.u); got != c.want || got && time.Since(c.u.checked) > time.Hour {
			t.Errorf("%s: %v", what, got)
		}
	}
	w := watchdog{interval: time.Hour}
	if !w.suspectsForeign(false) || w.suspectsForeign(false) || !w.suspectsForeign(true) {
		t.Error("foreign code is checked seldom, and at once if requests wait for it")
	}
}

// TestHowAnExecutionWithoutAnEndEnds checks what is said of it.
func TestHowAnExecutionWithoutAnEndEnds(t *testing.T) {
	t.Parallel()
	send := func(context.Context, string, func() error) error { return nil }
	for what, c := range map[string]struct {
		u        queuedExecution
		replaced bool
		status   string
		says     string
	}{
		"it never began":               {queuedExecution{phase: runSent}, false, catalog.StatusLost, "never took"},
		"interrupted before it began":  {queuedExecution{phase: runSent, stop: causeInterrupted}, false, catalog.StatusInterrupted, "It never ran."},
		"the editor did not run it":    {queuedExecution{phase: runSent, send: send}, false, catalog.StatusLost, "has not run the cell"},
		"interrupted":                  {queuedExecution{phase: runRunning, stop: causeInterrupted}, false, catalog.StatusInterrupted, "interrupted"},
		"interrupted, connection lost": {queuedExecution{phase: runRunning, stop: causeInterrupted, linkLost: true}, false, catalog.StatusLost, "connection"},
		"the connection was lost":      {queuedExecution{phase: runRunning, linkLost: true}, false, catalog.StatusLost, "connection"},
		"an earlier run sent it":       {queuedExecution{phase: runUnconfirmed, linkLost: true}, false, catalog.StatusLost, "Easel was restarted"},
		"its process is gone":          {queuedExecution{phase: runUnconfirmed, linkLost: true}, true, catalog.StatusKernelDied, catalog.MessageReplaced},
		"it runs, by another process":  {queuedExecution{phase: runRunning}, true, catalog.StatusLost, "idle again"},
	} {
		if why := c.u.lostCause(c.replaced); why.status != c.status || !strings.Contains(why.message, c.says) {
			t.Errorf("%s: %s, %q", what, why.status, why.message)
		}
	}
}

func environment(lib *library.Library) *Environment {
	return &Environment{
		Library: lib, Log: slog.New(slog.DiscardHandler), Tasks: tasks.New(), Servers: servers.NewList(servers.Events{}),
		Executions: execution.NewRegistry(), Forget: func(*Recorder, library.Session) {}, Timing: DefaultTiming(), Others: DefaultOthersLimits(),
	}
}
