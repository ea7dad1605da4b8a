package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"easel/internal/require"
)

// probing is the argument with which this program says what it can do.
const probing = "probe"

// probe tries to reach an address, an abstract socket and a file.
func probe(aims []string) {
	say := func(err error) string {
		if err != nil {
			return "refused"
		}
		return "reached"
	}
	dial := func(network, address string) error {
		conn, err := new(net.Dialer).DialContext(context.Background(), network, address)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	_, err := os.ReadFile(aims[2])
	fmt.Printf("tcp %s, abstract %s, file %s\n", say(dial("tcp", aims[0])), say(dial("unix", aims[1])), say(err))
}

// TestTheNetworkForAnOrdinaryUser checks the sandbox with the network allowed, also for who is not root: root may restrict itself
// in ways in which nobody else can.
func TestTheNetworkForAnOrdinaryUser(t *testing.T) {
	config := new(net.ListenConfig)
	tcp, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = tcp.Close() })
	name := fmt.Sprintf("@easel-test-%d", os.Getpid())
	abstract, err := config.Listen(t.Context(), "unix", name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = abstract.Close() })
	for _, network := range []bool{true, false} {
		want := "tcp refused, abstract refused, file refused\n"
		if network && version() < 6 {
			want = "tcp reached, abstract reached, file refused\n"
		} else if network {
			want = "tcp reached, abstract refused, file refused\n"
		}
		s := newStart(t, Bubblewrap)
		s.Network = network
		base := filepath.Dir(s.Root)
		outside := filepath.Join(base, "outside")
		require.NoError(t, os.WriteFile(outside, []byte("x"), 0o600))
		program := filepath.Join(s.Root, "program")
		self, err := os.Executable()
		require.NoError(t, err)
		text, err := os.ReadFile(self)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(program, text, 0o700))
		attr := &syscall.SysProcAttr{Setsid: true}
		if os.Getuid() == 0 {
			const nobody = 65534
			attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
			for _, path := range []string{filepath.Dir(base), base, outside, s.Root, s.Home, s.Temp, program} {
				require.NoError(t, os.Chown(path, nobody, nobody))
			}
		}
		given, err := json.Marshal(s)
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), program, Command, "--", program, probing, tcp.Addr().String(), name, outside)
		cmd.Env = append(os.Environ(), Variable+"="+string(given), "HOME="+s.Home)
		cmd.Dir, cmd.SysProcAttr = s.Root, attr
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("network %v: %v, %s", network, err, out)
		}
	}
}

// otherRights is the variable with the path of a program that runs as another user, where a test cannot make one.
const otherRights = "EASEL_TEST_SETUID"

// TestTheSandboxForAnOrdinaryUser runs the other tests again as who is not root, with each backend. Where all tests run so, the
// attacks find no program with other rights: only root can make one.
func TestTheSandboxForAnOrdinaryUser(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	program := filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(program, text, 0o700))
	tests := []string{
		"TestAttacks", "TestUsualWork", "TestWhatLeavesTheGroupEndsWithTheProgram", "TestSignalsReachTheProgramAlone",
		"TestTheExitCodeIsThatOfTheProgram", "TestAProjectCannotWidenItsSandbox", "TestAnEnvironmentElsewhere",
	}
	for _, by := range []Backend{Bubblewrap, Landlock} {
		cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", "^("+strings.Join(tests, "|")+")$/^"+string(by)+"$")
		cmd.Env, cmd.Dir = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir), dir
		if os.Geteuid() == 0 {
			asDaemon(t, cmd, dir, program)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", by, err, out)
		}
		for _, name := range tests {
			if !strings.Contains(string(out), "--- PASS: "+name+"/"+string(by)+" ") {
				t.Errorf("%s/%s has not passed:\n%s", name, by, out)
			}
		}
	}
}

// asDaemon has a command run as a user that every system has, in a folder of its own.
func asDaemon(t *testing.T, cmd *exec.Cmd, dir, program string) {
	t.Helper()
	const daemon, nobody = 1, 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: daemon, Gid: daemon}}
	for _, path := range []string{filepath.Dir(dir), dir, program} {
		require.NoError(t, os.Chown(path, daemon, daemon))
	}
	id, err := exec.LookPath("id")
	require.NoError(t, err)
	text, err := os.ReadFile(id)
	require.NoError(t, err)
	other := filepath.Join(dir, "id")
	require.NoError(t, os.WriteFile(other, text, 0o600))
	require.NoError(t, os.Chown(other, nobody, nobody))
	require.NoError(t, os.Chmod(other, 0o755|os.ModeSetuid))
	cmd.Env = append(cmd.Env, otherRights+"="+other, "PATH=/usr/bin:/bin") // root's Python may be where only root reads
}
