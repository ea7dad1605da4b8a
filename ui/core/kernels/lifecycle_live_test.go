//go:build unix

package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

func TestLiveAKernelThatIsCulled(t *testing.T) {
	t.Parallel()
	d := newFixture(t, jupytertest.WithArgs(
		"--MappingKernelManager.cull_idle_timeout=8", "--MappingKernelManager.cull_interval=1", "--MappingKernelManager.cull_connected=True"))
	// On a slow machine, a kernel may be culled before it has started.
	create := func() (s library.Session) {
		for ctx, err := d.context(), error(nil); ; {
			if s, err = d.Create(ctx, kernels.NewSession{KernelName: "python3", Notebook: "culled.ipynb", Client: "test"}); err == nil {
				return s
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			t.Logf("not yet: %v", err)
		}
	}
	s := create()
	require.Eventually(t, "it is culled although Easel is connected", func() bool {
		return !slices.ContainsFunc(d.Live(), func(v record.SessionView) bool { return v.ID == s.ID })
	})
	if _, err := d.Execute(d.context(), record.Request{SessionID: s.ID, Code: "1"}); !errors.Is(err, kernels.ErrSessionNotFound) {
		t.Errorf("code for it: %v", err)
	}
	if again := create(); again.KernelID == s.KernelID {
		t.Errorf("the notebook's next kernel: %+v", again)
	}
}

// A closed laptop stops the server and its kernels. When it is opened, they continue.
func TestLiveAServerThatSleeps(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	kernel, err := strconv.Atoi(d.run(s, "import os; os.getpid()").Text)
	require.NoError(t, err)
	signal := func(pids []int, sig syscall.Signal) {
		for _, pid := range pids {
			if err := syscall.Kill(pid, sig); err != nil {
				t.Errorf("signal %v to %d: %v", sig, pid, err)
			}
		}
	}
	x := d.start(s, "import time\nprint('begun', flush=True)\nfor i in range(20): time.sleep(0.02); print(i)\n'end'")
	d.until(x, hasStdout)
	signal([]int{d.real.PID(), kernel}, syscall.SIGSTOP)
	later := d.start(s, "'later'")
	list, err := d.List(d.context()) // must not wait for the sleeping server
	if err != nil || len(list) != 1 || list[0].SessionID != s.ID {
		t.Errorf("listed %+v, %v", list, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if vs, err := d.Variables(ctx, s.ID, ""); err == nil {
		t.Errorf("variables of a sleeping kernel: %+v", vs)
	}
	signal([]int{kernel, d.real.PID()}, syscall.SIGCONT)
	want := "begun\n"
	for i := range 20 {
		want += fmt.Sprintln(i)
	}
	v := d.wait(x)
	expect(t, v, catalog.StatusOK, want)
	if v.Text != "'end'" || len(v.Truncated) != 0 {
		t.Errorf("got %q, %+v", v.Text, v.Truncated)
	}
	if v := d.wait(later); v.Text != "'later'" {
		t.Errorf("what was asked meanwhile: %+v", v)
	}
	if list, err := d.List(d.context()); err != nil || len(list) != 1 || list[0].Generation != 1 {
		t.Errorf("listed %+v, %v", list, err)
	}
	if _, err := d.Variables(d.context(), s.ID, ""); err != nil {
		t.Errorf("variables: %v", err)
	}
}
