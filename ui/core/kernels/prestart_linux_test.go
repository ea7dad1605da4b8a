package kernels_test

import (
	"errors"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

func TestLiveADeadSpareIsGivenToNobody(t *testing.T) {
	d := newFixture(t)
	d.prestart()
	dead, _ := d.Prestarter.Ready()
	if dead <= 0 {
		t.Fatal("the prestarted kernel did not tell its process")
	}
	process, err := unix.PidfdOpen(dead, 0)
	require.NoError(t, err)
	defer unix.Close(process)
	require.NoError(t, unix.Kill(dead, unix.SIGKILL))
	// The pidfd is readable when the process has ended (pidfd_open(2)).
	ended := []unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(ended, int(patience.Milliseconds()))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			t.Fatalf("it did not die: %v", err)
		}
		break
	}
	s := d.session() // before Jupyter notices the death, which it checks every 3 s
	if v := d.run(s, "import os; os.getpid()"); v.Status != catalog.StatusOK || v.Text == strconv.Itoa(dead) {
		t.Errorf("got %q %v %v, the dead one was %d", v.Text, v.Status, v.Error, dead)
	}
}
