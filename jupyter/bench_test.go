package jupyter

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
)

// BenchmarkOnePlusOne measures 1+1 until reply and idle over three transports: this
// package, a bare loop that sends a pong for each frame (the minimum), and a bare loop
// that does not. The transports are interleaved, so that load on the machine affects all
// of them. It reports medians in milliseconds.
func BenchmarkOnePlusOne(b *testing.B) {
	real := jupytertest.Start(b)
	s, err := New(real.URL, real.Token, WithRuntimeDir(real.Runtime))
	require.NoError(b, err)
	ctx := b.Context()
	transports := map[string]func(ctx context.Context) error{
		"ours-ms":    oursLoop(b, s),
		"ws-pong-ms": bareLoop(b, s, true),
		"plain-ms":   bareLoop(b, s, false),
	}
	for _, run := range transports { // the first execution takes the kernel longer
		require.NoError(b, run(ctx))
	}
	took := make(map[string][]time.Duration)
	for b.Loop() {
		for name, run := range transports {
			began := time.Now()
			if err := run(ctx); err != nil {
				b.Fatalf("%s: %v", name, err)
			}
			took[name] = append(took[name], time.Since(began))
		}
	}
	for name, times := range took {
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, name)
	}
}

func newKernelID(b *testing.B, s *Server) string {
	b.Helper()
	model, err := s.StartKernel(b.Context(), StartKernelRequest{})
	require.NoError(b, err)
	return model.ID
}

func oursLoop(b *testing.B, s *Server) func(context.Context) error {
	b.Helper()
	k, err := s.Follow(b.Context(), newKernelID(b, s), FollowOptions{})
	require.NoError(b, err)
	b.Cleanup(func() { _ = k.Close() })
	return func(ctx context.Context) error {
		id, err := k.Execute(ctx, ExecuteRequest{Code: "1+1"})
		if err != nil {
			return err
		}
		var done ended
		for !done.all() {
			in, err := k.Next(ctx)
			if err != nil {
				return err
			}
			if in.Message != nil && in.Message.ParentID() == id {
				done.see(in.Message)
			}
		}
		return nil
	}
}

// ended tracks the end of an execution, which is both its reply and its idle.
type ended struct{ reply, idle bool }

func (e *ended) see(m *wire.Message) {
	e.reply = e.reply || m.Type() == "execute_reply"
	e.idle = e.idle || m.Type() == "status" && strings.Contains(string(m.Content), wire.StateIdle)
}

func (e *ended) all() bool { return e.reply && e.idle }

func bareLoop(b *testing.B, s *Server, pong bool) func(context.Context) error {
	b.Helper()
	u := s.at("api", "kernels", newKernelID(b, s), "channels")
	u.Scheme = "ws"
	dialer := websocket.Dialer{Subprotocols: []string{wire.V1Name}}
	ws, resp, err := dialer.DialContext(b.Context(), u.String(), http.Header{"Authorization": {"token " + s.token.token}})
	require.NoError(b, err)
	_ = resp.Body.Close()
	b.Cleanup(func() { _ = ws.Close() })
	decoder := wire.Decoder{Protocol: wire.V1}
	k := &Kernel{ids: messageIDs{session: "bare", nonce: "0"}}
	return func(context.Context) error {
		id := k.ids.next(false)
		frame, _, err := wire.V1.Encode(k.message(id, wire.Shell, "execute_request", wire.ExecuteRequest{Code: "1+1", StoreHistory: true, UserExpressions: map[string]string{}}))
		if err != nil {
			return err
		}
		if err := ws.WriteMessage(websocket.BinaryMessage, frame); err != nil {
			return err
		}
		var done ended
		for !done.all() {
			_, frame, err := ws.ReadMessage()
			if err != nil {
				return err
			}
			if pong {
				if err := ws.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second)); err != nil {
					return err
				}
			}
			m, err := decoder.Decode(frame, true)
			if err != nil {
				return err
			}
			if m.ParentID() == id {
				done.see(m)
			}
		}
		return nil
	}
}
