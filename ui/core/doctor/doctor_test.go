package doctor

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"

	"easel/internal/mask"
	"easel/internal/require"
	"easel/jupyter/managed"
	"easel/mcphost/instance"
)

// machine returns the configuration of a machine with only a Python and a font.
func machine(t *testing.T) Config {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "CODEX_HOME", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "EASEL_PYTHON"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("APPDATA", home)
	t.Setenv("XDG_RUNTIME_DIR", home)
	t.Chdir(home)
	python := filepath.Join(home, "python3")
	put(t, python, "#!/bin/sh\n"+`echo '{"executable": "'$0'", "version": [3,11,2], "name": "cpython", "pip": true, "venv": true, "ensurepip": true}'`+"\n")
	require.NoError(t, os.Chmod(python, 0o700))
	return Config{
		Version: "1.2.3", DataDir: filepath.Join(home, "data"), Python: python, Port: freePort(t), Font: "Some.otf",
		examine: withFree(8 << 30),
	}
}

// withFree examines the managed Jupyter as if a number of bytes were free on its disk.
func withFree(free uint64) func(context.Context, managed.Config) managed.Examination {
	return func(ctx context.Context, cfg managed.Config) managed.Examination {
		x := managed.Examine(ctx, cfg)
		x.Free = free
		return x
	}
}

// unixOnly skips a test on Windows, for a reason.
func unixOnly(t *testing.T, reason string) {
	t.Helper()
	if goruntime.GOOS == "windows" {
		t.Skip(reason)
	}
}

const script = "the stand-in for Python is a shell script"

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func freePort(t *testing.T) int {
	t.Helper()
	l := listen(t, "tcp", "127.0.0.1:0")
	defer func() { _ = l.Close() }()
	return portOf(l)
}

func run(t *testing.T, cfg Config) (report string, code int) {
	t.Helper()
	var b strings.Builder
	code = Run(t.Context(), &b, cfg)
	return b.String(), code
}

func wantLines(t *testing.T, report string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(report, line) {
			t.Errorf("want %q in\n%s", line, report)
		}
	}
}

func TestNewMachine(t *testing.T) {
	unixOnly(t, script)
	cfg := machine(t)
	report, code := run(t, cfg)
	if code != 0 {
		t.Errorf("code %d, want 0", code)
	}
	wantLines(t, report,
		"✓ Easel          1.2.3; none is running with "+cfg.DataDir,
		"✓ Python         Python 3.11.2, "+cfg.Python,
		"! Environment    has not been created yet",
		fmt.Sprintf("✓ Port           %d is free", cfg.Port),
		"✓ Japanese       font for window and plots: Some.otf, which Easel brings",
		"! Clients        no settings of an MCP client were found",
		"\nEasel works. ",
	)
	if _, err := os.Stat(cfg.DataDir); err == nil {
		t.Error("it made the data directory")
	}
}

func TestFaultsGiveCode1(t *testing.T) {
	unixOnly(t, script)
	tests := map[string]struct {
		harm  func(t *testing.T, cfg *Config)
		lines []string
	}{
		"no Python": {
			func(_ *testing.T, cfg *Config) { cfg.Python = "/nowhere/python3" },
			[]string{"✗ Python         no suitable Python was found", "→ Easel needs Python 3.10 or later."},
		},
		"a data directory that is a file": {
			func(t *testing.T, cfg *Config) { t.Helper(); put(t, cfg.DataDir, "") },
			[]string{"✗ Easel          the data directory cannot be written", "→ Choose another with --data-dir"},
		},
		"a full disk": {
			func(_ *testing.T, cfg *Config) { cfg.examine = withFree(300 << 20) },
			[]string{"✗ Environment    has not been created yet, and only 300 MB are free for it", "→ Free about 1 GB"},
		},
		"a library of a newer Easel": {
			func(t *testing.T, cfg *Config) {
				t.Helper()
				header := make([]byte, 100)
				copy(header, "SQLite format 3\x00")
				binary.BigEndian.PutUint32(header[60:], 1000) // user_version
				put(t, filepath.Join(cfg.DataDir, "library", "library.db"), string(header))
			},
			[]string{"✗ Library        a newer version of Easel has written the library (its schema is 1000", "Install the newer version again"},
		},
		"a server that refuses the token": {
			func(t *testing.T, cfg *Config) {
				t.Helper()
				cfg.JupyterURL, cfg.JupyterToken = jupyterServer(t, "2.21.1"), "wrong"
			},
			[]string{"✗ Jupyter", "refuses the token", "→ Check --jupyter-token"},
		},
		"no server": {
			func(t *testing.T, cfg *Config) {
				t.Helper()
				cfg.JupyterURL = fmt.Sprintf("http://127.0.0.1:%d", freePort(t))
			},
			[]string{"✗ Jupyter", "→ Check whether it is running"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := machine(t)
			test.harm(t, &cfg)
			report, code := run(t, cfg)
			if code != 1 {
				t.Errorf("code %d, want 1", code)
			}
			wantLines(t, report, append(test.lines, "1 thing has to be fixed before Easel works.")...)
			if strings.Contains(report, "wrong") {
				t.Error("the report shows the token")
			}
		})
	}
}

// jupyterServer starts a fake Jupyter server of a version. Its token is "right".
func jupyterServer(t *testing.T, version string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "token right" {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"message": "Forbidden"}`))
			return
		}
		_, _ = w.Write([]byte(`{"version": "` + version + `", "started": "2026-01-01T00:00:00Z", "last_activity": "2026-01-01T00:00:00Z", "connections": 0, "kernels": 0}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestExternalServer(t *testing.T) {
	for version, want := range map[string]string{
		"2.21.1": "✓ Jupyter        jupyter-server 2.21.1 at ",
		"2.20.0": "✓ Jupyter        jupyter-server 2.20.0 at ",
		"2.19.9": "! Jupyter        jupyter-server 2.19.9 at ",
		"1.24.0": "→ Versions before 2.20 have known security holes: upgrade it.",
	} {
		t.Run(version, func(t *testing.T) {
			cfg := machine(t)
			cfg.JupyterURL, cfg.JupyterToken = jupyterServer(t, version), "right"
			report, _ := run(t, cfg)
			wantLines(t, report, want)
			if strings.Contains(report, "Python ") {
				t.Error("it looks for a Python that is not needed")
			}
		})
	}
}

func TestPort(t *testing.T) {
	unixOnly(t, script)
	t.Run("taken by another program", func(t *testing.T) {
		cfg := machine(t)
		cfg.Port = portOf(listen(t, "tcp", "127.0.0.1:0"))
		report, code := run(t, cfg)
		wantLines(t, report, fmt.Sprintf("! Port           %d is taken by doctor.test (pid %d)", cfg.Port, os.Getpid()))
		if code != 0 {
			t.Errorf("code %d: a taken port is no fault, want 0", code)
		}
	})
	t.Run("taken by this Easel", func(t *testing.T) {
		cfg := machine(t)
		easel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"servers": [{"managed": true, "state": "installing", "message": "Downloading: 3 of 78 MB"}]}`))
		}))
		t.Cleanup(easel.Close)
		cfg.Port = portOf(easel.Listener)
		text, err := json.Marshal(instance.Runtime{URL: easel.URL, Port: cfg.Port, PID: 77, Token: "t0ps3cret", Version: "1.2.2"})
		require.NoError(t, err)
		put(t, filepath.Join(cfg.DataDir, "easel.json"), string(text))
		report, _ := run(t, cfg)
		wantLines(t, report, "version 1.2.2 runs at "+easel.URL+" (pid 77)", fmt.Sprintf("✓ Port           %d is Easel's", cfg.Port),
			"! Environment    is being created\n                 → Downloading: 3 of 78 MB\n")
	})
	t.Run("the token goes to no other address", func(t *testing.T) {
		cfg := machine(t)
		var asked atomic.Bool
		thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
		t.Cleanup(thief.Close)
		moves := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/health" {
				http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
			}
		}))
		t.Cleanup(moves.Close)
		for _, url := range []string{
			fmt.Sprintf("http://0.0.0.0:%d", portOf(thief.Listener)), // no loopback address, though it leads here
			fmt.Sprintf("http://user@127.0.0.1:%d", portOf(thief.Listener)),
			moves.URL,
		} {
			put(t, filepath.Join(cfg.DataDir, "easel.json"), fmt.Sprintf(`{"url": %q, "port": %d, "pid": 77, "token": "t0ps3cret"}`, url, cfg.Port))
			report, _ := run(t, cfg)
			if running := url == moves.URL; running == strings.Contains(report, "none is running") {
				t.Errorf("%s: %s", url, report)
			}
			if asked.Load() {
				t.Errorf("%s was asked", url)
			}
		}
	})
	t.Run("a runtime file that a killed Easel left is not believed", func(t *testing.T) {
		cfg := machine(t)
		put(t, filepath.Join(cfg.DataDir, "easel.json"), fmt.Sprintf(`{"url": "http://127.0.0.1:%d", "port": %d, "pid": 77}`, freePort(t), cfg.Port))
		report, _ := run(t, cfg)
		wantLines(t, report, "none is running")
	})
}

func TestDisplay(t *testing.T) {
	unixOnly(t, "Windows has one display")
	socket := func(t *testing.T) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "wayland-7")
		listen(t, "unix", path)
		return path
	}
	tests := map[string]struct {
		set  func(t *testing.T)
		want string
	}{
		"none":                 {func(*testing.T) {}, "! Display        there is none"},
		"Wayland":              {func(t *testing.T) { t.Helper(); t.Setenv("WAYLAND_DISPLAY", socket(t)) }, "✓ Display        Wayland, "},
		"an X that is gone":    {func(t *testing.T) { t.Helper(); t.Setenv("DISPLAY", ":32123") }, "! Display        X11 :32123: "},
		"a name without sense": {func(t *testing.T) { t.Helper(); t.Setenv("DISPLAY", "seven") }, `"seven" is no display`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := machine(t)
			test.set(t)
			var b strings.Builder
			for _, f := range checkDisplay(t.Context(), &patient{Config: cfg}) {
				write(&b, f)
			}
			wantLines(t, b.String(), test.want)
		})
	}
}

func TestWithoutAWindowNoLibrariesAreNeeded(t *testing.T) {
	cfg := machine(t)
	cfg.Headless = true
	if report, _ := run(t, cfg); strings.Contains(report, "Libraries   ") {
		t.Error(report)
	}
}

func TestInterrupted(t *testing.T) {
	cfg := machine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var b strings.Builder
	if code := Run(ctx, &b, cfg); code != 1 || !strings.Contains(b.String(), "interrupted") {
		t.Errorf("code %d, %q", code, b.String())
	}
}

// A report is for others: it has the end of the log, and no secret.
func TestReport(t *testing.T) {
	unixOnly(t, script)
	cfg := machine(t)
	m := mask.New()
	m.Know([]mask.Secret{{Name: "MY_KEY", Value: "q7zx-9431-kk0p"}})
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	old := strings.Repeat(`{"msg":"old"}`+"\n", logTail/10)
	put(t, filepath.Join(cfg.DataDir, "logs", "easel.log"), old+`{"msg":"q7zx-9431-kk0p","dir":"`+home+`/x"}`+"\n")
	var b strings.Builder
	if code := Report(t.Context(), &b, cfg, m); code != 0 {
		t.Errorf("code %d", code)
	}
	report := b.String()
	wantLines(t, report, "Easel 1.2.3, "+goruntime.GOOS, "\nEasel works. ", `{"msg":"[masked: MY_KEY]","dir":"~/x"}`)
	if strings.Contains(report, "q7zx-9431") || len(report) > logTail+8<<10 || strings.Contains(report, home+"/") {
		t.Errorf("%d bytes: %.2000s", len(report), report)
	}
	for line := range strings.Lines(report[strings.Index(report, "The end of the log:\n")+20:]) {
		if !strings.HasPrefix(line, "{") {
			t.Errorf("a part of a line: %s", line)
		}
	}
}
