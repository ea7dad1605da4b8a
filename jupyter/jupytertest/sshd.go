//go:build unix

package jupytertest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"easel/internal/require"
)

// Aliases in the configuration of [SSHD].
const (
	SSHHost   = "other-machine"
	SSHBehind = "behind-it" // the same machine, with itself as the jump host
)

// An SSHD is another machine: a real sshd on this one, with its own keys, whose users have
// other home directories. SSH is a program that uses its configuration.
type SSHD struct {
	SSH  string // a program in a directory of its own, with the name ssh
	Home string // of the user there
	Env  string // further variables there, as for the program env; set it before Up

	t    testing.TB
	dir  string
	real string // the system's ssh; SSH may be the first on the PATH
	port int
	cmd  *exec.Cmd
	done chan struct{}
	log  *tail
}

// StartSSHD starts an sshd, whose user has the home directory home. It skips the test if
// there is none (scripts/deps test installs it).
func StartSSHD(t testing.TB, home string) *SSHD {
	t.Helper()
	if _, err := exec.LookPath("sshd"); err != nil {
		if _, err := os.Stat("/usr/sbin/sshd"); err != nil {
			t.Skip("there is no sshd (scripts/deps test installs it)")
		}
	}
	real, err := exec.LookPath("ssh")
	require.NoError(t, err)
	d := &SSHD{Home: home, t: t, dir: t.TempDir(), real: real, port: FreePort(t)}
	d.SSH = filepath.Join(d.dir, "bin", "ssh")
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) //nolint:gosec // sshd of root needs it, and says so
	}
	for _, key := range []string{"host", "user", "stranger"} {
		d.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", d.path(key))
	}
	d.write("authorized", string(d.read("user.pub")), 0o600)
	d.Configure("user", true)
	d.Up()
	t.Cleanup(func() {
		d.Stop()
		if t.Failed() {
			t.Logf("sshd said:\n%s", d.log.String())
		}
	})
	return d
}

// configure writes the configuration of sshd.
func (d *SSHD) configure() {
	d.t.Helper()
	d.write("sshd_config", fmt.Sprintf(`ListenAddress 127.0.0.1:%d
HostKey %s
AuthorizedKeysFile %s
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
ForceCommand env -u JUPYTER_DATA_DIR -u XDG_DATA_HOME -u EASEL_DATA_DIR HOME='%s' JUPYTER_RUNTIME_DIR='%[4]s/runtime' %s sh -c "$SSH_ORIGINAL_COMMAND"
`, d.port, d.path("host"), d.path("authorized"), d.Home, d.Env), 0o600)
}

// Configure makes SSH use a key: "user", which is accepted, or "stranger". The host key is
// known, or not.
func (d *SSHD) Configure(key string, known bool) {
	d.t.Helper()
	hosts := ""
	if known {
		hosts = "[127.0.0.1]:" + strconv.Itoa(d.port) + " " + string(d.read("host.pub"))
	}
	d.write("known_hosts", hosts, 0o600)
	me, err := user.Current()
	require.NoError(d.t, err)
	d.write("ssh_config", fmt.Sprintf(`Host %s
  HostName 127.0.0.1
  Port %d
  User %s
  IdentityFile %s
  IdentitiesOnly yes
  UserKnownHostsFile %s
  GlobalKnownHostsFile /dev/null
Host %s
  HostName 127.0.0.1
  Port %[2]d
  User %[3]s
  IdentityFile %[4]s
  IdentitiesOnly yes
  ProxyJump %[1]s
Host *
  UserKnownHostsFile %[5]s
`, SSHHost, d.port, me.Username, d.path(key), d.path("known_hosts"), SSHBehind), 0o600)
	d.write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec '%s' -F '%s' \"$@\"\n", d.real, d.path("ssh_config")), 0o700)
}

// ChangeHostKey gives the machine another host key, from the next Up on.
func (d *SSHD) ChangeHostKey() {
	d.t.Helper()
	d.write("host", string(d.read("stranger")), 0o600)
}

// Up starts the sshd and waits until it accepts connections.
func (d *SSHD) Up() {
	d.t.Helper()
	path, err := exec.LookPath("sshd")
	if err != nil {
		path = "/usr/sbin/sshd" // it starts itself again, and needs its whole path
	}
	d.configure()
	d.cmd = exec.CommandContext(context.WithoutCancel(d.t.Context()), path, "-D", "-e", "-f", d.path("sshd_config"))
	d.log, d.done = new(tail), make(chan struct{})
	d.cmd.Stderr = d.log
	isolate(d.cmd)
	require.NoError(d.t, d.cmd.Start())
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait() // the log says how it ended
		close(done)
	}(d.cmd, d.done)
	deadline := time.Now().Add(startTimeout)
	for time.Now().Before(deadline) {
		conn, err := new(net.Dialer).DialContext(d.t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(d.port))
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-d.done:
			d.t.Fatalf("sshd has ended:\n%s", d.log.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	d.t.Fatal("sshd does not answer")
}

// Stop ends the sshd and all its connections.
func (d *SSHD) Stop() {
	_ = d.signal("KILL")
	<-d.done
}

// Cut ends the sshd and all its connections, but not the programs that those have started.
func (d *SSHD) Cut() {
	pids := []string{strconv.Itoa(d.cmd.Process.Pid)}
	for i := 0; i < len(pids); i++ {
		out, _ := exec.CommandContext(context.WithoutCancel(d.t.Context()), "pgrep", "-P", pids[i], "^sshd").Output() // fails if there are none
		for pid := range bytes.FieldsSeq(out) {
			pids = append(pids, string(pid))
		}
	}
	_ = exec.CommandContext(context.WithoutCancel(d.t.Context()), "kill", append([]string{"-KILL"}, pids...)...).Run()
	<-d.done
}

// signal sends a signal to the sshd and the processes of its connections, which have left
// its process group.
func (d *SSHD) signal(name string) error {
	pids := []string{strconv.Itoa(d.cmd.Process.Pid)}
	for i := 0; i < len(pids); i++ {
		out, _ := exec.CommandContext(context.WithoutCancel(d.t.Context()), "pgrep", "-P", pids[i]).Output() // fails if it has no children
		for pid := range bytes.FieldsSeq(out) {
			pids = append(pids, string(pid))
		}
	}
	return exec.CommandContext(context.WithoutCancel(d.t.Context()), "kill", append([]string{"-" + name}, pids...)...).Run()
}

// Freeze stops all its connections without closing them, as if the network were gone.
// The returned function continues them.
func (d *SSHD) Freeze() (thaw func()) {
	_ = d.signal("STOP")
	return func() { _ = d.signal("CONT") }
}

func (d *SSHD) path(name string) string { return filepath.Join(d.dir, name) }

func (d *SSHD) read(name string) []byte {
	d.t.Helper()
	text, err := os.ReadFile(d.path(name))
	require.NoError(d.t, err)
	return text
}

func (d *SSHD) write(name, text string, mode os.FileMode) {
	d.t.Helper()
	require.NoError(d.t, os.MkdirAll(filepath.Dir(d.path(name)), 0o700))
	require.NoError(d.t, os.WriteFile(d.path(name), []byte(text), mode))
}

func (d *SSHD) run(name string, args ...string) {
	d.t.Helper()
	if out, err := exec.CommandContext(d.t.Context(), name, args...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// KnownHosts is the file with the host keys that SSH knows.
func (d *SSHD) KnownHosts() string { return d.path("known_hosts") }
