package kernels_test

import (
	"context"
	"strings"
	"testing"

	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

// awaitSecond waits until the second process of a session's kernel is ready.
func (d *fixture) awaitSecond(s library.Session) {
	d.t.Helper()
	d.awaitView(s, "idle again", func(v record.SessionView) bool { return v.Generation == 2 && v.Status == "idle" })
}

// A restarted kernel becomes idle even if nobody runs code in it.
func TestARestartedKernelIsIdleOnceItServes(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]func(*jupytertest.Kernel){
		"it died":                   (*jupytertest.Kernel).Die,
		"somebody else restarted":   (*jupytertest.Kernel).SimulateRestart,
		"the first probe is lost":   func(k *jupytertest.Kernel) { k.Swallow("kernel_info_request", 1); k.Die() },
		"the server calls it busy":  (*jupytertest.Kernel).DieAtWork,
		"nobody tells of its start": func(k *jupytertest.Kernel) { k.Status("restarting"); k.Status("idle") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s, k, _ := fakeSession(t)
			expect(t, d.run(s, "1"), catalog.StatusOK, "")
			restart(k)
			d.awaitSecond(s)
			expect(t, d.run(s, "1"), catalog.StatusOK, "")
		})
	}
}

// The window offers to restart a kernel that has died for good, until it serves again.
func TestADeadKernelIsSaidToHaveDied(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	expect(t, d.run(s, "1"), catalog.StatusOK, "")
	k.Status(wire.StateDead)
	d.awaitView(s, "died", func(v record.SessionView) bool { return v.Died == catalog.MessageDied && v.Status == "dead" })
	if _, err := d.Restart(d.context(), s.ID, true); err != nil {
		t.Fatal(err)
	}
	d.awaitView(s, "serving", func(v record.SessionView) bool { return v.Died == "" && v.Status == "idle" })
	expect(t, d.run(s, "1"), catalog.StatusOK, "")
}

// Code may end its kernel before the kernel has sent that it runs.
func TestCodeThatEndsItsKernelAtOnceIsSaidToHaveRun(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	expect(t, d.run(s, "1"), catalog.StatusOK, "")
	k.OnExecute(func(*jupytertest.Execution) { k.Die() })
	v := d.run(s, "os.kill(os.getpid(), signal.SIGKILL)")
	if expect(t, v, catalog.StatusKernelDied, ""); v.StartedAt == nil {
		t.Error("it is said to have never run")
	}
	k.OnExecute(func(x *jupytertest.Execution) { x.Usual(func() {}) })
	expect(t, d.run(s, "1"), catalog.StatusOK, "")
	d.awaitView(s, "restarted once", func(v record.SessionView) bool { return v.Generation == 2 && v.Status == "idle" })
}

// The window says that a kernel died although it runs again, until somebody restarts it.
func TestAKernelThatDiedAndRunsAgainIsSaidToHaveDied(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	expect(t, d.run(s, "1"), catalog.StatusOK, "")
	k.Die()
	d.awaitView(s, "serving, after a death", func(v record.SessionView) bool {
		return v.Generation == 2 && v.Status == "idle" && v.Died == "" && !v.Crashed.IsZero()
	})
	if _, err := d.Restart(d.context(), s.ID, true); err != nil {
		t.Fatal(err)
	}
	d.awaitView(s, "serving, after a restart", func(v record.SessionView) bool { return v.Status == "idle" && v.Crashed.IsZero() })
}

// An assistant and the user learn how a process died, if its server says it, until somebody restarts the kernel.
func TestADeathIsExplained(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(*jupytertest.Execution) {
		k.DieOf(wire.ProcessEnd{Code: -9, Signal: "SIGKILL", Memory: 14.21e9, Total: 16e9, OutOfMemory: true, Words: "a warning"})
	})
	v := d.run(s, "x = bytes(1 << 40)")
	expect(t, v, catalog.StatusKernelDied, "")
	const why = "It was killed by the system at 14.2 of 16 GB: out of memory."
	if want := catalog.MessageDiedRestarted + " " + why + " Its last lines on stderr:\na warning"; v.Error.Message != want || !strings.Contains(v.Hint, "smaller types") {
		t.Errorf("got %q, %q", v.Error.Message, v.Hint)
	}
	d.awaitView(s, "dead of it", func(v record.SessionView) bool {
		return v.Death == why && v.Catalog(0).Death == why && strings.HasSuffix(v.Replaced.By, "it died. It was killed by the system at 14.2 of 16 GB: out of memory")
	})
	if _, err := d.Restart(d.context(), s.ID, true); err != nil {
		t.Fatal(err)
	}
	d.awaitView(s, "restarted", func(v record.SessionView) bool { return v.Status == "idle" && v.Death == "" })
}

// A server that missed the messages of a kernel's new process reports the kernel as busy
// forever. A client that joins it finds out that it is not.
func TestAKernelThatIsWronglyCalledBusyIsJoined(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	k := srv.AddKernel("python3")
	k.DieAtWork()
	expect(t, d.run(library.Session{ID: k.ID}, "1"), catalog.StatusOK, "")
}

func TestLiveARestartedKernelIsIdleOnceItServes(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	if v := d.run(s, suicide); v.Status != catalog.StatusKernelDied {
		t.Fatalf("got %+v", v)
	}
	d.awaitSecond(s)
	if v := d.run(s, "6 * 7"); v.Text != "42" {
		t.Errorf("got %+v", v)
	}
}

// Jupyter interrupts a kernel before it restarts it. The traceback may arrive after the
// message about the restart, when the execution has already ended.
func TestATracebackBehindTheRestartChangesNoEnd(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		x.Stream("stdout", "begun\n")
		k.Send(wire.IOPub, "shutdown_reply", wire.Header{}, wire.ShutdownReply{Restart: true})
		x.Error("KeyboardInterrupt", "")
		x.Stream("stdout", "late\n")
		x.Idle()
	})
	x := d.start(s, "theirs")
	if v := d.wait(x); v.Status != catalog.StatusInterrupted {
		t.Errorf("got %+v", v)
	}
	v := d.until(x, func(v catalog.Execution) bool { return v.Stdout == "begun\nlate\n" })
	if v.Status != catalog.StatusInterrupted || v.Error == nil || v.Error.Code != catalog.CodeInterrupted {
		t.Errorf("after the traceback: %s, %+v", v.Status, v.Error)
	}
}

// Nobody needs to have interrupted code that ends with KeyboardInterrupt.
func TestCodeMayRaiseKeyboardInterrupt(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Busy()
		x.Input()
		x.Error("KeyboardInterrupt", "")
		x.Fail("KeyboardInterrupt", "")
		x.Idle()
	})
	v := d.wait(d.start(s, "raise KeyboardInterrupt"))
	if v.Status != catalog.StatusInterrupted || v.Error == nil || !strings.Contains(v.Error.Message, "the code raised it, or someone outside Easel") {
		t.Errorf("%s, %+v", v.Status, v.Error)
	}
}

func TestCodeSentWhileDisconnected(t *testing.T) {
	t.Parallel()
	d, s, k, srv := fakeSession(t)
	release := holdChannels(t, srv)
	k.Drop()
	d.awaitStatus(s, "disconnected")
	xs := []*execution.Execution{d.start(s, "1"), d.start(s, "2")}
	if v, _ := xs[0].View(context.Background(), ""); v.Status != catalog.StatusQueued || v.QueuePosition != 1 {
		t.Errorf("got %+v", v)
	}
	k.Swallow("kernel_info_request", 1) // the connection is restored while the kernel restarts
	release()
	for _, x := range xs {
		expect(t, d.wait(x), catalog.StatusOK, "")
	}
}
