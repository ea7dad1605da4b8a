package reproduce

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// A forgetfulKernel answers each cell, but the message that says it is idle is lost.
type forgetfulKernel struct{ said chan *wire.Message }

func (k forgetfulKernel) Execute(context.Context, jupyter.ExecuteRequest) (string, error) {
	var m wire.Message
	m.Header.MsgType, m.Parent.MsgID, m.Content = "execute_reply", "id", json.RawMessage(`{"status": "ok"}`)
	k.said <- &m
	return "id", nil
}

func (k forgetfulKernel) Next(ctx context.Context) (jupyter.Delivery, error) {
	select {
	case m := <-k.said:
		return jupyter.Delivery{Message: m}, nil
	case <-ctx.Done():
		return jupyter.Delivery{}, ctx.Err()
	}
}

func (forgetfulKernel) Interrupt(context.Context) error { return nil }
func (forgetfulKernel) End()                            {}
func (forgetfulKernel) Environment(context.Context) (catalog.Environment, error) {
	return catalog.Environment{}, nil
}

// TestALostIdleDoesNotHoldACheck: Jupyter servers can lose it, and the next cell runs.
func TestALostIdleDoesNotHoldACheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &replay{kernel: forgetfulKernel{make(chan *wire.Message, 1)}, catcher: newCatcher(false)}
		for range 2 {
			failure, err := r.cell(t.Context(), &Cell{Execution: library.Execution{Code: "1"}})
			require.NoError(t, err)
			if failure != nil {
				t.Errorf("it failed: %+v", failure)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.cell(ctx, &Cell{Execution: library.Execution{Code: "1"}}); err == nil {
			t.Error("a check that was cancelled goes on")
		}
	})
}
