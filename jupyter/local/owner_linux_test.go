package local

import (
	"os"
	"strings"
	"testing"

	"easel/jupyter/connection"
)

// TestTheOwnerOfAllPorts checks that a kernel is one process of this user that has all of
// its ports.
func TestTheOwnerOfAllPorts(t *testing.T) {
	file := connection.File{Transport: connection.TCP, IP: "127.0.0.1", ShellPort: 1, ControlPort: 2, IOPubPort: 3}
	me, other := os.Getpid(), os.Getppid()
	for name, c := range map[string]struct {
		uid   [3]int
		pid   [3]int
		found bool
	}{
		"mine":                  {[3]int{os.Geteuid(), os.Geteuid(), os.Geteuid()}, [3]int{me, me, me}, true},
		"another user's":        {[3]int{os.Geteuid() + 1, os.Geteuid() + 1, os.Geteuid() + 1}, [3]int{me, me, me}, false},
		"one another user's":    {[3]int{os.Geteuid(), os.Geteuid(), os.Geteuid() + 1}, [3]int{me, me, me}, false},
		"one another program's": {[3]int{os.Geteuid(), os.Geteuid(), os.Geteuid()}, [3]int{me, other, me}, false},
		"of no process":         {[3]int{os.Geteuid(), os.Geteuid(), os.Geteuid()}, [3]int{me, 1 << 30, me}, false},
	} {
		l := &look{owners: &owners{known: make(map[string]int)}, listening: make(map[string]socket)}
		for i, port := range []string{"1", "2", "3"} {
			l.listening["tcp "+port] = socket{"inode" + port, c.uid[i]}
			l.known["inode"+port] = c.pid[i]
		}
		if p, ok := l.owner(file); ok != c.found || ok && p.PID != me {
			t.Errorf("%s: got %+v, %v", name, p, ok)
		}
	}
}

func TestTheNameOfAProgram(t *testing.T) {
	for args, want := range map[string]string{
		"/usr/bin/jupyter-console":                      "jupyter-console",
		"/env/bin/python /env/bin/jupyter-kernel":       "jupyter-kernel",
		"/env/bin/python3.11 -u -m spyder.app.start -x": "spyder.app.start",
		"python run.py a b":                             "run",
		"/usr/share/code/code --type=utility":           "code",
		"python":                                        "python",
		"python -m":                                     "python",
		"":                                              "",
	} {
		if got := programOf(strings.Fields(args)); got != want {
			t.Errorf("%q: got %q, want %q", args, got, want)
		}
	}
}
