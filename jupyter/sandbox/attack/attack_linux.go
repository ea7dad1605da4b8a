// Package attack is for tests: it attacks a sandbox from inside. Its aims are files, sockets and processes
// that it makes.
//
// # Goroutines
//
// Some aims have one that serves their socket until the test ends. The functions are for a test's own goroutine.
package attack

import (
	_ "embed"
	"encoding/json"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"easel/internal/require"
)

// Source is Python code with the function run_all(aims), which returns what prevented each attack, by
// its name; "" if it has succeeded.
//
//go:embed attacks.py
var Source string

// Secret is the content of files that nobody in a sandbox may read.
const Secret = "open sesame"

// Aims are what is attacked.
type Aims struct {
	Secret     string `json:"secret"`
	Project    string `json:"project"`    // the sandbox's own folder
	Outside    string `json:"outside"`    // a folder with files
	Token      string `json:"token"`      // a file
	Other      string `json:"other"`      // a file of another kernel
	Connection string `json:"connection"` // the kernel's own connection file
	Victim     int    `json:"victim"`     // a process of this user with the secret in its environment
	Parent     int    `json:"parent"`     // Easel
	TCP4       int    `json:"tcp4"`
	TCP6       int    `json:"tcp6"`
	UDP4       int    `json:"udp4"`
	UDP6       int    `json:"udp6"`
	Address    string `json:"address"`  // of this machine, other than loopback
	Abstract   string `json:"abstract"` // the name of an abstract socket
	Stream     string `json:"stream"`   // a socket by its path
	Datagram   string `json:"datagram"`
	Terminal   string `json:"terminal"` // of another program
	Setuid     string `json:"setuid"`   // a program that runs as another user
	Shared     string `json:"shared"`   // the name of shared memory
}

// JSON returns the aims for Python.
func (a Aims) JSON() string {
	text, _ := json.Marshal(a) //nolint:gosec // numbers, texts, and the secret of a test
	return string(text)
}

// victim is a process that everybody of its user may trace.
const victim = "import ctypes, sys; ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_long(-1), 0, 0, 0); print(flush=True); sys.stdin.read()"

// NewAims makes what is attacked, for the rest of the test. The files that a test uses up are made again
// by [Aims.Renew].
func NewAims(t *testing.T, python, project string) Aims {
	t.Helper()
	a := Aims{Secret: Secret, Project: project, Outside: t.TempDir(), Parent: os.Getpid()}
	a.Token, a.Other = filepath.Join(a.Outside, "token"), filepath.Join(a.Outside, "other")
	a.Connection = filepath.Join(t.TempDir(), "connection")
	a.Renew(t)
	a.listen(t)
	a.victim(t, python)
	return a
}

// Renew makes the files of the aims as they were.
func (a *Aims) Renew(t *testing.T) {
	t.Helper()
	for _, dir := range []string{a.Outside, a.Project} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
		found, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, f := range found {
			if f.Type().IsRegular() || f.Type()&os.ModeSymlink != 0 {
				require.NoError(t, os.Remove(filepath.Join(dir, f.Name())))
			}
		}
	}
	_ = os.Remove(filepath.Join(a.Outside, "made"))
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(a.Outside, name), []byte(Secret), 0o600))
	}
	require.NoError(t, os.WriteFile(a.Connection, []byte(Secret), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(a.Outside, "secret"), filepath.Join(a.Project, "planted")))
	a.Setuid = filepath.Join(a.Project, "id")
	id, err := exec.LookPath("id")
	require.NoError(t, err)
	program, err := os.ReadFile(id)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(a.Setuid, program, 0o700)) //nolint:gosec // a program
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(a.Setuid, 65534, 65534))
		require.NoError(t, os.Chmod(a.Setuid, 0o755|os.ModeSetuid))
	}
}

// names are the files in the folder outside.
var names = []string{"secret", "appended", "truncated", "removed", "enters", "exchanged", "linked", "moded", "timed", "token", "other"}

// Intact checks that nothing has changed outside.
func (a *Aims) Intact(t *testing.T) {
	t.Helper()
	for _, path := range append(slices.Collect(a.files()), a.Connection) {
		text, err := os.ReadFile(path)
		st, _ := os.Lstat(path)
		if err != nil || string(text) != Secret || st.Mode() != 0o600 || st.ModTime().Unix() < 1000 {
			t.Errorf("%s: %q, %v, %v", path, text, err, st)
		}
	}
	if found, err := os.ReadDir(a.Outside); err != nil || len(found) != len(names) {
		t.Errorf("outside are now %v, %v", found, err)
	}
}

func (a *Aims) files() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range names {
			if !yield(filepath.Join(a.Outside, name)) {
				return
			}
		}
	}
}

// listen makes sockets that answer what they hear.
func (a *Aims) listen(t *testing.T) {
	t.Helper()
	stream := func(network, address string) net.Addr {
		l, err := new(net.ListenConfig).Listen(t.Context(), network, address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer func() { _ = c.Close() }()
					b := make([]byte, 5)
					if n, err := c.Read(b); err == nil {
						_, _ = c.Write(b[:n])
					}
				}()
			}
		}()
		return l.Addr()
	}
	packets := func(network, address string) net.Addr {
		c, err := new(net.ListenConfig).ListenPacket(t.Context(), network, address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		go func() {
			b := make([]byte, 5)
			for {
				n, from, err := c.ReadFrom(b)
				if err != nil {
					return
				}
				if from != nil {
					_, _ = c.WriteTo(b[:n], from)
				}
			}
		}()
		return c.LocalAddr()
	}
	a.TCP4 = stream("tcp4", "127.0.0.1:0").(*net.TCPAddr).Port
	a.TCP6 = stream("tcp6", "[::1]:0").(*net.TCPAddr).Port
	a.UDP4 = packets("udp4", "127.0.0.1:0").(*net.UDPAddr).Port
	a.UDP6 = packets("udp6", "[::1]:0").(*net.UDPAddr).Port
	dir, err := os.MkdirTemp("", "easel") //nolint:usetesting // a short path
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	a.Stream, a.Datagram, a.Abstract = filepath.Join(dir, "s"), filepath.Join(dir, "d"), dir
	stream("unix", a.Stream)
	stream("unix", "@"+a.Abstract)
	packets("unixgram", a.Datagram)
	a.Address = "127.0.0.2"
	addresses, _ := net.InterfaceAddrs()
	for _, x := range addresses {
		if ip, ok := x.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			a.Address = ip.IP.String()
		}
	}
}

// victim starts a process, and makes a terminal and shared memory.
func (a *Aims) victim(t *testing.T, python string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, "-c", victim)
	cmd.Env = append(os.Environ(), "VICTIM="+Secret)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	a.Victim = cmd.Process.Pid
	a.Terminal = terminal(t)
	shared, err := os.CreateTemp("/dev/shm", "easel-test-")
	require.NoError(t, err)
	a.Shared = filepath.Base(shared.Name())
	id, _, errno := syscall.Syscall(syscall.SYS_SHMGET, 0x45415345, 16, 0o1600) // IPC_CREAT
	if errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() {
		_ = shared.Close()
		_ = os.Remove(shared.Name())
		_, _, _ = syscall.Syscall(syscall.SYS_SHMCTL, id, 0, 0) // IPC_RMID
	})
}

// terminal makes a terminal, and returns the path of the end that programs use.
func terminal(t *testing.T) string {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return unlock(t, f)
}
