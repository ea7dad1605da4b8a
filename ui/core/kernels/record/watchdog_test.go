package record

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// The recorder may lag behind the connection for any time. drained must not return before the
// recorder has handled the messages.
func TestDrainedIsWhatTheRecorderHasTakenIn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	srv := jupytertest.NewServer(t)
	k := srv.AddKernel("python3")
	client, err := jupyter.New(srv.URL, srv.Token)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := client.Follow(ctx, k.ID, jupyter.FollowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	env := environment(nil)
	env.Timing.Drain = 0
	r := New(env, &servers.Server{Name: "test"}, client, conn, library.Session{})

	k.Send(wire.IOPub, "comm_open", wire.Header{}, struct{}{})
	drained := make(chan bool, 1)
	go func() { drained <- r.drained(ctx) }()
	came := false
	for done := false; !done; {
		in, err := conn.Next(ctx) // instead of the pump
		if err != nil {
			t.Fatal(err)
		}
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
	srv := jupytertest.NewServer(t)
	k := srv.AddKernel("python3")
	client, err := jupyter.New(srv.URL, srv.Token)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := client.Follow(t.Context(), k.ID, jupyter.FollowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lib, err := library.Open(t.Context(), t.TempDir(), library.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	env := environment(lib)
	for name, accident := range map[string]func(*Recorder){
		"the kernel died":         func(r *Recorder) { r.restart("It died.", true, sessionuse.Itself) },
		"the connection was lost": func(r *Recorder) { r.receive(jupyter.Delivery{Link: jupyter.LinkLost, At: time.Now()}) },
	} {
		r := New(env, &servers.Server{Name: "test"}, client, conn, library.Session{ID: k.ID, KernelID: k.ID, Server: "test", Generation: 1, CreatedAt: time.Now()})
		r.Session.become(kernelUnconfirmed)
		before := r.process.begin()
		accident(r)
		r.probeAnswered(before, nil)
		if r.Session.phase == kernelReady {
			t.Errorf("%s: code would be sent at once", name)
		}
		if r.Session.phase == kernelDisconnected {
			r.receive(jupyter.Delivery{Link: jupyter.LinkRestored, At: time.Now()})
		}
		if r.probeAnswered(r.process.begin(), nil); r.Session.phase != kernelReady || r.process.probe != 0 {
			t.Errorf("%s: the next probe proves nothing, either", name)
		}
	}
}

func environment(lib *library.Library) *Environment {
	return &Environment{
		Library: lib, Log: slog.New(slog.DiscardHandler), Tasks: tasks.New(), Servers: servers.NewList(servers.Events{}),
		Executions: execution.NewRegistry(), Forget: func(*Recorder, library.Session) {}, Timing: DefaultTiming(), Others: DefaultOthersLimits(),
	}
}
