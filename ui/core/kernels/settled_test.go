package kernels

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/ui/core/library"
)

// A recorder may be behind what came, by more than any pause: nothing is settled
// before it has taken that in.
func TestSettledIsWhatTheRecorderHasTakenIn(t *testing.T) {
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
	m := New(Config{Log: slog.New(slog.DiscardHandler)})
	m.pace.settle = 0
	r := m.newRecorder(&server{name: "test"}, client, conn, library.Session{})

	k.Send(wire.IOPub, "comm_open", wire.Header{}, struct{}{})
	settled := make(chan bool, 1)
	go func() { settled <- r.settled(ctx) }()
	came := false
	for done := false; !done; {
		in, err := conn.Next(ctx) // in the place of the pump
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-settled:
			t.Fatal("it is settled, and the recorder has not taken in what came")
		default:
		}
		came = came || in.Message != nil
		done = in.Mark != nil
		r.receive(in)
	}
	if !<-settled || !came {
		t.Errorf("settled after the message: %v", came)
	}
}
