package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"easel/internal/require"
)

// TestASecondStartShowsTheFirst checks that there is one Easel per data directory.
func TestASecondStartShowsTheFirst(t *testing.T) {
	base := t.TempDir()
	first := launch(t, options{base: base})
	o := options{base: base}
	o.fill(t)
	second := start(t, o.env(t), binary(t), "--headless")
	if code := second.end(t); code != 0 {
		t.Errorf("the second start ended with %d:\n%s", code, second.out.String())
	}
	if !first.alive() {
		t.Error("the first one ended")
	}
	if code := first.stop(t); code != 0 {
		t.Errorf("the first one ended with %d:\n%s", code, first.out.String())
	}
}

// TestSignalsQuitCleanly checks that signals end Easel with exit code 0, and that it removes
// the runtime file.
func TestSignalsQuitCleanly(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			e := launch(t, options{})
			require.NoError(t, e.Process.Signal(sig))
			if code := e.end(t); code != 0 {
				t.Errorf("exit code %d, want 0:\n%s", code, e.out.String())
			}
			if _, err := os.Stat(filepath.Join(e.data, "easel.json")); !os.IsNotExist(err) {
				t.Errorf("the runtime file is still there (%v)", err)
			}
		})
	}
}

// TestSecretsAreForTheUserOnly checks that the runtime file and the token have mode 0600, that
// the token survives a restart, and that no log contains it.
func TestSecretsAreForTheUserOnly(t *testing.T) {
	base := t.TempDir()
	e := launch(t, options{base: base})
	if got := e.Token; len(got) < 32 {
		t.Errorf("the token %q is short", got)
	}
	err := filepath.WalkDir(e.data, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // SQLite's files come and go
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !strings.Contains(string(raw), e.Token) {
			return err
		}
		if strings.HasSuffix(path, ".log") {
			t.Errorf("%s has the token", path)
		}
		i, err := d.Info()
		if err == nil && i.Mode().Perm() != 0o600 {
			t.Errorf("%s has the token and mode %v", path, i.Mode())
		}
		return err
	})
	require.NoError(t, err)
	e.stop(t)
	if strings.Contains(e.out.String(), e.Token) {
		t.Errorf("it wrote its token:\n%s", e.out.String())
	}
	if again := launch(t, options{base: base}); again.Token != e.Token {
		t.Error("the token changed by a restart")
	}
}

// TestAKilledEaselIsReplaced checks that Easel starts despite a stale runtime file and lock.
func TestAKilledEaselIsReplaced(t *testing.T) {
	base := t.TempDir()
	e := launch(t, options{base: base})
	require.NoError(t, e.Process.Kill())
	e.end(t)
	if _, err := os.Stat(filepath.Join(e.data, "easel.json")); err != nil {
		t.Fatalf("the test needs a stale runtime file: %v", err)
	}
	again := launch(t, options{base: base})
	if again.PID == e.PID {
		t.Error("the runtime file is the old one")
	}
}

// TestATakenPortGivesTheNext checks that Easel uses the next port if its port is taken and was
// not given on the command line.
func TestATakenPortGivesTheNext(t *testing.T) {
	l := listen(t)
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port
	base := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "data", "settings.json"), fmt.Appendf(nil, `{"port":%d}`, taken), 0o600))
	e := launch(t, options{base: base, port: -1})
	if e.Port == taken || !strings.HasSuffix(e.URL, ":"+strconv.Itoa(e.Port)) {
		t.Errorf("port %d, URL %s; %d was taken", e.Port, e.URL, taken)
	}
}

// TestATakenPortThatWasGivenIsAnError checks that a port from the command line must be free,
// because clients rely on it.
func TestATakenPortThatWasGivenIsAnError(t *testing.T) {
	l := listen(t)
	defer l.Close()
	taken := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	for name, c := range map[string]struct{ env, args []string }{
		"by a flag":     {nil, []string{"--headless", "--port", taken}},
		"by a variable": {[]string{"EASEL_PORT=" + taken}, []string{"--headless"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := options{port: -1}
			o.fill(t)
			p := start(t, append(o.env(t), c.env...), binary(t), c.args...)
			code := p.end(t)
			out := p.out.String()
			if code != 1 || !strings.Contains(out, "port "+taken+" is taken by") || strings.Count(strings.TrimSpace(out), "\n") > 0 {
				t.Errorf("exit code %d, want 1 and one line:\n%s", code, out)
			}
			if _, err := os.Stat(filepath.Join(o.base, "data", "easel.json")); err == nil {
				t.Error("it left a runtime file")
			}
		})
	}
	t.Run("the bridge says why", func(t *testing.T) {
		o := options{port: -1}
		o.fill(t)
		bridge := exec.CommandContext(t.Context(), binary(t), "mcp", "--headless", "--port", taken)
		bridge.Env, bridge.Stdin = o.env(t), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		out, err := bridge.Output()
		if err != nil || !strings.Contains(string(out), "port "+taken+" is taken by") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestItListensOnLoopbackOnly checks that other machines cannot connect.
func TestItListensOnLoopbackOnly(t *testing.T) {
	e := launch(t, options{})
	want := ":" + strings.ToUpper(strconv.FormatInt(int64(e.Port), 16))
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(table)
		if err != nil {
			t.Skipf("no %s to read: %v", table, err)
		}
		for line := range strings.Lines(string(raw)) {
			f := strings.Fields(line)
			if len(f) < 4 || f[3] != "0A" || !strings.HasSuffix(f[1], want) { // 0A: listening
				continue
			}
			addr, _, _ := strings.Cut(f[1], ":")
			if addr != "0100007F" && addr != "00000000000000000000000001000000" {
				t.Errorf("it listens on %s", f[1])
			}
		}
	}
}

// TestWrongCommandLines checks that they end with exit code 2 and a message.
func TestWrongCommandLines(t *testing.T) {
	for name, args := range map[string][]string{
		"unknown flag":    {"--colour", "red"},
		"unknown command": {"paint"},
		"bad port":        {"--port", "many"},
		"bad toolset":     {"mcp", "--toolsets", "nope"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, cleanEnv(t.TempDir(), false), binary(t), args...)
			if code := p.end(t); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			out := p.out.String()
			if !strings.Contains(out, args[0]) && !strings.Contains(out, "port") && !strings.Contains(out, "core, jupyter, notebook, gallery") {
				t.Errorf("it does not say what is wrong:\n%s", out)
			}
			if strings.Count(out, "\n") != 1 || strings.Contains(out, "usage:") {
				t.Errorf("want one line that says what is wrong:\n%s", out)
			}
		})
	}
}

// TestHelpTellsEveryFlag checks that the help lists all flags and their variables.
func TestHelpTellsEveryFlag(t *testing.T) {
	p := start(t, cleanEnv(t.TempDir(), false), binary(t), "help")
	if code := p.end(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, word := range []string{
		"--port", "EASEL_PORT", "--token", "EASEL_TOKEN", "--data-dir", "EASEL_DATA_DIR", "--root-dir", "EASEL_ROOT_DIR",
		"--jupyter-url", "EASEL_JUPYTER_URL", "--server", "EASEL_SERVER", "--jupyter-token", "EASEL_JUPYTER_TOKEN",
		"--lang", "EASEL_LANG", "--log-level", "EASEL_LOG_LEVEL", "--hidden", "--headless", "mcp", "demo", "doctor", "version",
	} {
		if !strings.Contains(p.out.String(), word) {
			t.Errorf("help does not tell of %s", word)
		}
	}
}

// TestTheLogIsJSON checks that the log, in the data directory, has one JSON object per line.
func TestTheLogIsJSON(t *testing.T) {
	e := launch(t, options{})
	e.stop(t)
	logs, err := filepath.Glob(filepath.Join(e.data, "**", "*.log"))
	if more, _ := filepath.Glob(filepath.Join(e.data, "*.log")); err == nil {
		logs = append(logs, more...)
	}
	if len(logs) == 0 {
		t.Fatal("there is no log")
	}
	for _, path := range logs {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: no JSON: %s", filepath.Base(path), line)
			}
		}
	}
}
