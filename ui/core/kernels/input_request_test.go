package kernels_test

import (
	"strings"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
)

// TestAKernelThatAsksForInputIsInterrupted checks that code does not wait until its timeout for an answer that
// nobody can give. R's kernel asks although the request does not allow it.
func TestAKernelThatAsksForInputIsInterrupted(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(x *jupytertest.Execution) {
		if x.Code != "readline('name? ')" {
			x.Usual(func() {})
			return
		}
		x.Busy()
		x.Stream("stdout", "before\n")
		x.Send(wire.Stdin, "input_request", map[string]any{"prompt": "name? ", "password": false})
		<-x.Interrupted()
		x.Send(wire.Shell, "execute_reply", wire.ExecuteReply{Status: wire.ReplyError, Ename: "KeyboardInterrupt"})
		x.Idle()
	})
	v := d.run(s, "readline('name? ')")
	if v.Status != catalog.StatusError || v.Stdout != "before\n" || v.Error == nil || !strings.Contains(v.Error.Message, "Input is not available here") {
		t.Errorf("got %s, %q, %+v", v.Status, v.Stdout, v.Error)
	}
	if v := d.run(s, "1"); v.Status != catalog.StatusOK {
		t.Errorf("the next code: %s, %+v", v.Status, v.Error)
	}
}
