package kernels_test

import (
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// When a laptop sleeps or a router drops its state, no data passes in either direction, and the
// client gets no error. The kernels are on another machine and continue.
func TestLiveAConnectionThatDiesWithoutASign(t *testing.T) {
	t.Parallel()
	d := newForeign(t)
	proxy := jupytertest.NewProxy(t, d.real.URL)
	far := openFixture(t, proxy.URL, d.real.Token, 1, func(m *kernels.Manager) { m.DisconnectAfter(10 * time.Second) })

	// begin starts code that prints, waits until resume is called, and prints the rest.
	begin := func() (s library.Session, x *execution.Execution, resume func()) {
		s = far.session()
		far.run(s, "x = 41")
		code, resume := far.gated("print('begun', flush=True)", "print('end')\nx + 1")
		x = far.start(s, code)
		far.until(x, hasStdout)
		return s, x, resume
	}
	// stands waits until ok accepts the kernel's model from the server. It uses a separate
	// connection.
	stands := func(t *testing.T, s library.Session, what string, ok func(jupyter.KernelModel) bool) {
		t.Helper()
		require.Eventually(t, "the kernel is "+what, func() bool {
			k, err := d.client.Kernel(t.Context(), s.KernelID)
			return err == nil && ok(k)
		})
	}
	idle := func(t *testing.T, s library.Session) {
		t.Helper()
		stands(t, s, "idle", func(k jupyter.KernelModel) bool { return k.State == "idle" })
	}
	status := func(s library.Session) string {
		for _, v := range far.Live() {
			if v.ID == s.ID {
				return v.Status
			}
		}
		return "gone"
	}
	becomes := func(t *testing.T, s library.Session, want string) {
		t.Helper()
		require.Eventually(t, "the session is "+want, func() bool { return status(s) == want })
	}
	// well checks that v has a note about the connection, and that the kernel is unchanged.
	well := func(t *testing.T, s library.Session, v catalog.Execution) {
		t.Helper()
		if len(v.Truncated) != 1 || !strings.Contains(v.Truncated[0].Reason, "connection") {
			t.Errorf("that something may be missing is not said: %+v", v.Truncated)
		}
		if v := far.run(s, "x + 1"); v.Text != "42" {
			t.Errorf("after it: %+v", v)
		}
		becomes(t, s, "idle")
	}

	t.Run("and the code ends meanwhile: all of it is there", func(t *testing.T) {
		s, x, resume := begin()
		proxy.Sleep() // the server sees the end, and buffers what it cannot send
		waiting := far.start(s, "'later'")
		stands(t, s, "left by everybody", func(k jupyter.KernelModel) bool { return k.Connections == 0 }) // before that, it writes to a dead connection
		resume()
		idle(t, s)
		becomes(t, s, "disconnected")
		proxy.Wake()
		v := far.wait(x)
		expect(t, v, catalog.StatusOK, "begun\nend\n")
		if v.Text != "42" {
			t.Errorf("got %q", v.Text)
		}
		if v := far.wait(waiting); v.Text != "'later'" {
			t.Errorf("what was asked meanwhile: %+v", v)
		}
		well(t, s, v)
	})
	t.Run("and the code goes on: its end comes", func(t *testing.T) {
		s, x, resume := begin()
		proxy.Sleep()
		becomes(t, s, "disconnected")
		proxy.Wake()
		other := far.session() // no request is stuck in a dead connection
		resume()
		v := far.wait(x)
		expect(t, v, catalog.StatusOK, "begun\nend\n")
		well(t, s, v)
		if v := far.run(other, "1"); v.Text != "1" {
			t.Errorf("another session: %+v", v)
		}
	})
	t.Run("and the server does not know either: what it said is lost, and that is told", func(t *testing.T) {
		s, x, resume := begin()
		proxy.Freeze()
		resume()
		idle(t, s)
		v := far.wait(x)
		expect(t, v, catalog.StatusLost, "begun\n")
		if v.Error == nil || v.Error.Code != catalog.CodeOutputLost || !strings.Contains(v.Error.Message, "connection") {
			t.Errorf("got %+v", v.Error)
		}
		well(t, s, v)
	})
}
