package kernels_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

// elsewhere starts code that send makes another client run.
func (d *fixture) elsewhere(s library.Session, code string, send func(ctx context.Context, code string, may func() error) error) *execution.Execution {
	d.t.Helper()
	x, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: code, Caller: tool.Caller{Name: "test"}, Send: send})
	require.NoError(d.t, err)
	return x
}

func TestCodeThatAnotherClientRunsForEasel(t *testing.T) {
	t.Parallel()
	// tab returns another client of the kernel, like a JupyterLab tab.
	tab := func(d *fixture, s library.Session) func(ctx context.Context, code string, may func() error) error {
		k, err := d.client.Follow(d.context(), s.KernelID, jupyter.FollowOptions{})
		require.NoError(d.t, err)
		d.t.Cleanup(func() { _ = k.Close() })
		go func() { // ignore the messages to the tab
			for _, err := k.Next(d.t.Context()); err == nil; {
				_, err = k.Next(d.t.Context())
			}
		}()
		return func(ctx context.Context, code string, may func() error) error {
			if err := may(); err != nil {
				return err
			}
			_, err := k.Execute(ctx, jupyter.ExecuteRequest{Code: code})
			return err
		}
	}
	t.Run("is recorded as its own", func(t *testing.T) {
		t.Parallel()
		d, s, k, _ := fakeSession(t)
		k.OnExecute(func(x *jupytertest.Execution) {
			if x.Code == "1/0" {
				x.Busy()
				x.Input()
				x.Error("ZeroDivisionError", "division by zero")
				x.Reply("error")
				x.Idle()
				return
			}
			x.Usual(func() { x.Stream("stdout", x.Code+"\n") })
		})
		send := tab(d, s)
		first, second := d.elsewhere(s, "cell", send), d.start(s, "own")
		failing := d.elsewhere(s, "1/0", send)
		v := d.wait(first)
		expect(t, v, catalog.StatusOK, "cell\n")
		if kept := d.keptAs(first, catalog.StatusOK); !kept.Own || kept.Client != "test" || kept.Request == "" || v.Watched != "" {
			t.Errorf("recorded as another client's: %+v", kept)
		}
		expect(t, d.wait(second), catalog.StatusOK, "own\n")
		v = d.wait(failing)
		expect(t, v, catalog.StatusError, "")
		if v.Error.Type != "ZeroDivisionError" {
			t.Errorf("error %+v", v.Error)
		}
	})
	t.Run("ends if it could not be sent", func(t *testing.T) {
		t.Parallel()
		d, s, _, _ := fakeSession(t)
		x := d.elsewhere(s, "cell", func(context.Context, string, func() error) error { return errors.New("the tab is closed") })
		next := d.start(s, "next")
		v := d.wait(x)
		expect(t, v, catalog.StatusLost, "")
		if !strings.Contains(v.Error.Message, "the tab is closed") {
			t.Errorf("error %+v", v.Error)
		}
		expect(t, d.wait(next), catalog.StatusOK, "")
	})
	t.Run("is not confused with other code", func(t *testing.T) {
		t.Parallel()
		d, s, _, _ := fakeSession(t)
		send := tab(d, s)
		x := d.elsewhere(s, "approved", func(ctx context.Context, _ string, may func() error) error { return send(ctx, "something else", may) })
		theirs := d.awaitEnded("something else", catalog.StatusOK)
		if theirs.Watched == "" {
			t.Errorf("recorded as Easel's: %+v", theirs)
		}
		v := d.wait(x)
		expect(t, v, catalog.StatusLost, "")
		if !strings.Contains(v.Error.Message, "has not run the cell. Perhaps it asks the user") {
			t.Errorf("error %+v", v.Error)
		}
	})
	t.Run("can be cancelled", func(t *testing.T) {
		t.Parallel()
		d, s, k, _ := fakeSession(t)
		k.OnExecute(hold)
		x := d.elsewhere(s, "cell", tab(d, s))
		d.until(x, func(v catalog.Execution) bool { return v.Stdout == "begun\n" })
		d.Cancel(x)
		if v := d.wait(x); v.Status != catalog.StatusCancelled {
			t.Errorf("cancelled: %+v", v)
		}
	})
}
