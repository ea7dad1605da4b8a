package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"easel/internal/require"
	"easel/jupyter/sandbox/attack"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		os.Exit(Main(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == probing {
		probe(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// both runs a test with each backend. Both must be here: scripts/deps test installs bubblewrap.
func both(t *testing.T, test func(t *testing.T, by Backend)) {
	t.Helper()
	for _, by := range []Backend{Bubblewrap, Landlock} {
		t.Run(string(by), func(t *testing.T) {
			if _, err := Check(Policy{Backend: by}); err != nil {
				t.Fatal(err)
			}
			test(t, by)
		})
	}
}

// python is an interpreter of this machine.
func python(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))").Output() // not a shim
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// newStart returns a Start with a project and its folders.
func newStart(t *testing.T, by Backend) Start {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := Start{Policy: Policy{Root: filepath.Join(root, "project"), Home: filepath.Join(root, "home"), Backend: by}, Temp: filepath.Join(root, "temp")}
	for _, dir := range []string{s.Root, s.Home, s.Temp} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	return s
}

// command returns the launcher of a program.
func (s Start) command(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, append([]string{Command, "--"}, argv...)...)
	cmd.Env = append(os.Environ(), Variable+"="+string(text), "MY_TOKEN="+attack.Secret, "SSH_AUTH_SOCK=/x", "DBUS_SESSION_BUS_ADDRESS=x", "DISPLAY=:0")
	cmd.Dir = s.Root
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// output runs a program in the sandbox.
func (s Start) output(t *testing.T, argv ...string) string {
	t.Helper()
	cmd := s.command(t, argv...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, stderr.Bytes())
	}
	return string(out)
}

const runAttacks = "\nimport json\nprint(json.dumps(run_all(json.loads(sys.argv[1]))))\n"

func results(t *testing.T, text string) (found map[string]string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &found))
	return found
}

func TestAttacks(t *testing.T) {
	both(t, func(t *testing.T, by Backend) { attacks(t, newStart(t, by), nil) })
	t.Run("with the network", func(t *testing.T) {
		s := newStart(t, Bubblewrap)
		s.Network = true
		allowed := []string{"tcp4", "tcp6", "udp4", "udp6", "tcp_in_child", "route_out"}
		if version() < 6 {
			allowed = append(allowed, "abstract_socket")
		}
		attacks(t, s, allowed)
	})
}

// onlyRoot are attacks that the system itself prevents for everybody but root.
var onlyRoot = []string{
	"raw_socket", "user_faults", "load_program", "become_another", "mount", "raw_device", "enter_namespace", "by_handle", "change_system",
}

// attacks runs all attacks outside, where each must succeed, and in the sandbox, where only those may that are allowed.
func attacks(t *testing.T, s Start, allowed []string) {
	t.Helper()
	aims := attack.NewAims(t, python(t), s.Root)
	aims.Setuid = cmp.Or(os.Getenv(otherRights), aims.Setuid)
	s.Given = []string{aims.Connection, aims.Setuid}

	cmd := exec.CommandContext(t.Context(), python(t), "-c", attack.Source+runAttacks, aims.JSON())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	control := results(t, string(out))

	aims.Renew(t)
	aims.Setuid = cmp.Or(os.Getenv(otherRights), aims.Setuid)
	mayFail := onlyRoot
	switch {
	case os.Geteuid() == 0:
		mayFail = nil
	case os.Getenv(otherRights) == "":
		mayFail = append(slices.Clip(mayFail), "program_with_other_rights")
	}
	inside := results(t, s.output(t, python(t), "-c", attack.Source+runAttacks, aims.JSON()))
	for name, prevented := range inside {
		switch {
		case control[name] != "" && (prevented == "" || !slices.Contains(mayFail, name)):
			t.Errorf("%s fails outside, so it shows nothing: %s", name, control[name])
		case prevented == "" && !slices.Contains(allowed, name):
			t.Errorf("%s succeeds in the sandbox", name)
		default:
			t.Logf("%s: %s", name, prevented)
		}
	}
	aims.Intact(t)
	if len(inside) < 60 {
		t.Errorf("%d attacks", len(inside))
	}
}

func TestWhatLeavesTheGroupEndsWithTheProgram(t *testing.T) {
	const survivor = `
import os, subprocess, sys, time
r, w = os.pipe()
program = "import os, sys, time\nif os.fork(): os._exit(0)\nos.setsid()\nprint('up', flush=True)\nos.write(int(sys.argv[1]), b'x')\ntime.sleep(3600)"
subprocess.Popen([sys.executable, "-c", program, str(w)], start_new_session=True, pass_fds=[w]).wait()
os.read(r, 1)
if sys.argv[1] == "stay":
    time.sleep(3600)
`
	both(t, func(t *testing.T, by Backend) {
		for _, how := range []string{"leave", "stay"} {
			t.Run(how, func(t *testing.T) {
				cmd := newStart(t, by).command(t, python(t), "-c", survivor, how)
				r, w, err := os.Pipe()
				require.NoError(t, err)
				cmd.Stdout, cmd.Stderr = w, os.Stderr
				require.NoError(t, cmd.Start())
				require.NoError(t, w.Close())
				up := make([]byte, 3)
				_, err = io.ReadFull(r, up)
				require.NoError(t, err)
				if how == "stay" { // as Jupyter ends a kernel
					require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
				}
				_ = cmd.Wait()
				rest, err := io.ReadAll(r) // it ends when nobody is left who could write
				if err != nil || len(rest) > 0 {
					t.Errorf("%q, %v", rest, err)
				}
			})
		}
	})
}

func TestSignalsReachTheProgramAlone(t *testing.T) {
	const program = `
import signal, time
try:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("up", flush=True)
    time.sleep(3600)
except KeyboardInterrupt:
    print("interrupted", flush=True)
time.sleep(3600)
`
	both(t, func(t *testing.T, by Backend) {
		cmd := newStart(t, by).command(t, python(t), "-c", program)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		text := make([]byte, 3)
		_, err = io.ReadFull(out, text)
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
		text = make([]byte, len("interrupted\n"))
		if _, err = io.ReadFull(out, text); string(text) != "interrupted\n" {
			t.Errorf("%q, %v", text, err)
		}
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() == failed {
			t.Errorf("it ended with %v", cmd.ProcessState)
		}
	})
}

func TestTheExitCodeIsThatOfTheProgram(t *testing.T) {
	both(t, func(t *testing.T, by Backend) {
		err := newStart(t, by).command(t, "/bin/sh", "-c", "exit 7").Run()
		if e := new(exec.ExitError); err == nil || !asExit(err, &e) || e.ExitCode() != 7 {
			t.Errorf("%v", err)
		}
	})
}

func asExit(err error, into **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError) //nolint:errorlint // of Run
	*into = e
	return ok
}

// What people do in kernels works.
func TestUsualWork(t *testing.T) {
	const work = `
import multiprocessing, os, shutil, subprocess, sys, tempfile, threading, random, socket
assert multiprocessing.get_context("fork").Pool(2).map(abs, [-1, -2]) == [1, 2]
multiprocessing.Queue().put(1)
with open("data.csv", "w") as f:
    f.write("a,b\n1,2\n")
shutil.copy("data.csv", "copy.csv")
shutil.copy2("data.csv", "copy2.csv")
os.makedirs("deep/er"); os.rename("copy.csv", "deep/er/x.csv"); os.remove("deep/er/x.csv")
with tempfile.TemporaryDirectory() as d, open(os.path.join(d, "x"), "w") as f:
    f.write("x")
assert subprocess.run(["ls"], capture_output=True, text=True, check=True).stdout.split()
assert subprocess.check_output("echo hello | cat", shell=True) == b"hello\n"
t = threading.Thread(target=lambda: None); t.start(); t.join()
os.cpu_count(); os.getlogin if False else None
import getpass, pwd, locale, ssl, sqlite3, time; getpass.getuser(); pwd.getpwuid(os.getuid()); time.tzset()
sqlite3.connect("x.db").execute("create table t (a)")
os.makedirs(os.path.expanduser("~/.cache/x"))
a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
with socket.socket(socket.AF_UNIX) as s:
    s.bind("sock"); s.listen()
open("/dev/null", "w").write("x"); open("/dev/urandom", "rb").read(1); open("/proc/self/status").read(); open("/proc/meminfo").read()
assert not {"MY_TOKEN", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "EASEL_SANDBOX_START"} & set(os.environ), os.environ
print(os.getcwd())
`
	both(t, func(t *testing.T, by Backend) {
		s := newStart(t, by)
		if got := strings.TrimSpace(s.output(t, python(t), "-c", work)); got != s.Root {
			t.Errorf("%q", got)
		}
	})
}

// Links in what the program writes make nothing readable at the next start.
func TestAProjectCannotWidenItsSandbox(t *testing.T) {
	both(t, func(t *testing.T, by Backend) {
		s := newStart(t, by)
		outside := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte(attack.Secret), 0o600))
		venv := filepath.Join(s.Root, ".venv")
		require.NoError(t, os.MkdirAll(filepath.Join(venv, "bin"), 0o700))
		require.NoError(t, os.Symlink(python(t), filepath.Join(venv, "bin", "python")))
		require.NoError(t, os.Symlink(outside, filepath.Join(venv, "share")))
		require.NoError(t, os.WriteFile(filepath.Join(venv, "pyvenv.cfg"), []byte("home = "+outside+"/bin\n"), 0o600))
		packages := filepath.Join(venv, "lib", "python3", "site-packages")
		require.NoError(t, os.MkdirAll(packages, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(packages, "x.pth"), []byte(outside+"\n"), 0o600))
		require.NoError(t, os.Symlink(outside, filepath.Join(s.Root, "also")))
		s.Write = []string{filepath.Join(s.Root, "also")}
		script := "import sys\ntry:\n  open(sys.argv[1]).read()\nexcept OSError: print('refused')"
		if got := s.output(t, filepath.Join(venv, "bin", "python"), "-c", script, filepath.Join(outside, "secret")); got != "refused\n" {
			t.Errorf("%q", got)
		}
	})
}

// The environment may be elsewhere, and have packages elsewhere.
func TestAnEnvironmentElsewhere(t *testing.T) {
	both(t, func(t *testing.T, by Backend) {
		s := newStart(t, by)
		venv, source := filepath.Join(t.TempDir(), "venv"), t.TempDir()
		require.NoError(t, exec.CommandContext(t.Context(), python(t), "-m", "venv", "--without-pip", venv).Run())
		packages, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(packages[0], "x.pth"), []byte(source+"\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(source, "mine.py"), []byte("answer = 42\n"), 0o600))
		if got := s.output(t, filepath.Join(venv, "bin", "python"), "-c", "import mine; print(mine.answer)"); got != "42\n" {
			t.Errorf("%q", got)
		}
	})
}
