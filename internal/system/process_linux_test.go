package system

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

func TestProcesses(t *testing.T) {
	all := Processes()
	for _, pid := range []int{1, os.Getpid(), os.Getppid()} {
		if !slices.Contains(all, pid) {
			t.Errorf("process %d is missing from %v", pid, all)
		}
	}
}

func TestWhatAProcessIs(t *testing.T) {
	s, ok := ReadStat(os.Getpid())
	if !ok || s.Ended() || s.Parent != os.Getppid() || s.Start == "" {
		t.Errorf("this process is %+v, %v", s, ok)
	}
	if args := Arguments(os.Getpid()); !slices.Equal(args, os.Args) {
		t.Errorf("its arguments are %q", args)
	}
	if s, ok := ReadStat(-1); ok {
		t.Errorf("no process is %+v", s)
	}
}

func TestListener(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	if name := Listener(port); !strings.HasSuffix(name, fmt.Sprintf("(pid %d)", os.Getpid())) {
		t.Errorf("%q listens", name)
	}
	require.NoError(t, l.Close())
	if name := Listener(port); name != "" {
		t.Errorf("%q listens after Close", name)
	}
}
