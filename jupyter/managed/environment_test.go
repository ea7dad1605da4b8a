package managed

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// Status returns what j is doing now.
func (j *Jupyter) Status() Status {
	st, _ := j.reporter.current()
	return st
}

// fakeJupyter returns a Jupyter that would install with the fake programs on PATH.
func fakeJupyter(t *testing.T, scripts map[string]string) (*Jupyter, *recorder) {
	t.Helper()
	path := os.Getenv("PATH")
	fakes(t, scripts)
	t.Setenv("PATH", os.Getenv("PATH")+":"+path) // the programs that the scripts use
	// Only the fakes must be found, whatever else is installed.
	t.Setenv("EASEL_PYTHON", filepath.Join(strings.Split(os.Getenv("PATH"), ":")[0], "python3"))
	rec := &recorder{}
	j := New(Config{DataDir: t.TempDir(), RootDir: t.TempDir(), Report: rec.report})
	require.NoError(t, j.dir.make())
	return j, rec
}

// uvSaying is a fake uv whose installation fails with that text.
func uvSaying(text string) string {
	return `case "$1" in --version) echo "uv 0.9.9";; venv) ;; *) echo "` + text + `" >&2; exit 2;; esac`
}

func TestInstallExplains(t *testing.T) {
	tests := map[string]struct {
		said   string
		want   error
		remedy string
	}{
		"no name resolution": {
			"error: Request failed after 3 retries\n  Caused by: Failed to fetch: 'index/numpy/'\n  Caused by: error sending request for url\n  Caused by: client error (Connect)\n  Caused by: dns error: failed to lookup address information: Temporary failure in name resolution",
			ErrNoNetwork, "Connect to the network",
		},
		"a proxy that does not listen": {
			"error: Failed to fetch\n Caused by: error sending request for url\n Caused by: client error (Connect)\n Caused by: tunnel error: failed to create underlying connection\n Caused by: tcp connect error",
			ErrNoNetwork, "Correct the setting",
		},
		"a proxy with a password": {
			"error: Failed to fetch\n Caused by: tunnel error: proxy authorization required", ErrNoNetwork, "Correct the setting",
		},
		"what pip says about a proxy": {
			"WARNING: Retrying after 'ProxyError('Cannot connect to proxy.')'\nERROR: No matching distribution found for uv", ErrNoNetwork, "Correct the setting",
		},
		"an intercepting proxy": {
			"error: Failed to fetch\n Caused by: invalid peer certificate: UnknownIssuer", ErrNoNetwork, "SSL_CERT_FILE",
		},
		"what pip says before it tries again": {
			"WARNING: Retrying after 'NewConnectionError: Temporary failure in name resolution'\nERROR: No matching distribution found for uv",
			ErrNoNetwork, "Connect to the network",
		},
		"disk full": {
			"error: Failed to install: numpy.whl\n  Caused by: failed to copy file: No space left on device (os error 28)", ErrDiskFull, "Free about",
		},
		"not writable": {
			"error: failed to create directory: Permission denied (os error 13)", ErrPermission, "Make it writable",
		},
		"something else": {"error: the moon is in the wrong place", ErrInstall, "Try again"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			j, rec := fakeJupyter(t, map[string]string{"python3": says("3,11,2", whole), "uv": uvSaying(test.said)})
			_, err := j.Start(t.Context())
			e, ok := errors.AsType[*Error](err)
			if !ok || !errors.Is(err, test.want) || !strings.Contains(e.Remedy, test.remedy) {
				t.Fatalf("Start: %v, want %v and a remedy with %q", err, test.want, test.remedy)
			}
			last, _, _ := strings.Cut(test.said[strings.LastIndexByte(test.said, '\n')+1:], " (")
			if !strings.Contains(err.Error(), strings.TrimSpace(last)) {
				t.Errorf("%v\nwant it to quote the program", err)
			}
			st := j.Status()
			if st.Phase != Failed || st.Remedy != e.Remedy || rec.count(Failed) != 1 {
				t.Errorf("status %+v, want failed with the remedy, once", st)
			}
			if _, err := j.dir.readStamp(); err == nil {
				t.Error("the environment is called complete")
			}
			if err := j.Stop(t.Context()); err != nil {
				t.Errorf("Stop after failure: %v", err)
			}
		})
	}
}

// TestTheKernelspecIsEaselsOwn: uv links the files of all environments to those of its cache. What somebody writes
// into that of another environment must not start another Python here.
func TestTheKernelspecIsEaselsOwn(t *testing.T) {
	d := newLayout(t.TempDir())
	cached, own := filepath.Join(t.TempDir(), "kernel.json"), filepath.Join(d.env, "share", "jupyter", "kernels", "python3", "kernel.json")
	write(t, cached, `{"argv": ["python"]}`)
	require.NoError(t, d.placeKernelSpec()) // without any
	require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(own), 0o700), os.Link(cached, own)))
	for _, file := range []string{cached, own} { // the latter was damaged before
		require.NoError(t, d.placeKernelSpec())
		require.NoError(t, os.WriteFile(file, []byte(`{"argv": ["/elsewhere/python"]}`), 0o600))
	}
	require.NoError(t, d.placeKernelSpec())
	var spec KernelSpec
	if err := readJSON(own, &spec); err != nil || spec.Argv[0] != "python" || spec.Protocol == "" {
		t.Errorf("%+v, %v", spec, err)
	}
	if text, err := os.ReadFile(cached); err != nil || !strings.Contains(string(text), "elsewhere") {
		t.Errorf("the cache has %s, %v", text, err)
	}
}

// TestADamagedPointer checks that an environment is found although env.json is damaged.
func TestADamagedPointer(t *testing.T) {
	d := newLayout(t.TempDir())
	made := map[string]stamp{
		"env-half":    {},
		"env-moved":   {Path: "/elsewhere", Requirements: requirementsHash()},
		"env-old":     {Requirements: "former"},
		"env-partial": {Requirements: requirementsHash(), Partial: true},
		"env-whole":   {Requirements: requirementsHash()},
	}
	for name, s := range made {
		e := d
		e.env = d.file(name)
		if s.Path == "" {
			s.Path = e.env
		}
		require.NoError(t, errors.Join(os.MkdirAll(e.env, 0o700), e.writeStamp(s)))
	}
	require.NoError(t, os.Remove(filepath.Join(d.file("env-half"), "easel.json")))
	for text, want := range map[string]string{
		`{"env":"env-old"}`: "env-old", "{": "env-whole", "": "env-whole",
		`{"env":"../env-old"}`: "env-whole", `{"env":"env-gone"}`: "env-whole", `{"env":"env-moved"}`: "env-whole",
	} {
		write(t, d.file("env.json"), text)
		if got := filepath.Base(d.current()); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestUVHasACacheWhereTheUsersIsReadOnly covers containers and read-only home directories.
func TestUVHasACacheWhereTheUsersIsReadOnly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the cache is elsewhere")
	}
	j, _ := fakeJupyter(t, map[string]string{"python3": says("3,11,2", whole)})
	t.Setenv("UV_CACHE_DIR", "")
	i := &installation{Jupyter: j}
	for _, writable := range []bool{true, false} {
		dir := t.TempDir()
		if !writable { // root may write to a read-only directory
			dir = filepath.Join(dir, "file")
			write(t, dir, "")
		}
		t.Setenv("XDG_CACHE_HOME", dir)
		if got := slices.Contains(i.uvEnv(t.Context()), "UV_CACHE_DIR="+j.dir.file("cache")); got == writable {
			t.Errorf("cache writable: %t; a cache of its own: %t", writable, got)
		}
	}
}

func TestErrorsContainNoPasswords(t *testing.T) {
	j, _ := fakeJupyter(t, map[string]string{
		"python3": says("3,11,2", whole),
		"uv":      uvSaying("invalid value 'http://ann:s3cret@mirror:port/' for '--default-index'"),
	})
	var log strings.Builder
	j.cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, err := j.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "http://****@mirror:port/") {
		t.Errorf("Start: %v", err)
	}
	if strings.Contains(log.String(), "s3cret") {
		t.Error(log.String())
	}
}

// TestStartRemovesWhatAKilledInstallationLeft covers a kill -9 while uv is downloaded, while
// a wheelhouse is unpacked, and while packages are installed. A small disk needs the space.
func TestStartRemovesWhatAKilledInstallationLeft(t *testing.T) {
	j, _ := fakeJupyter(t, map[string]string{"python3": says("3,11,2", whole), "uv": uvSaying("error")})
	left := []string{"uv-299971085", "wheelhouse-1", "env-abcdefgh"}
	for _, name := range left {
		require.NoError(t, os.MkdirAll(filepath.Join(j.dir.file(name), "bin"), 0o700))
	}
	if _, err := j.Start(t.Context()); !errors.Is(err, ErrInstall) {
		t.Fatal(err)
	}
	for _, name := range left {
		if _, err := os.Stat(j.dir.file(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestStartWithoutPython(t *testing.T) {
	j, _ := fakeJupyter(t, map[string]string{})
	if _, err := j.Start(t.Context()); !errors.Is(err, ErrNoPython) {
		t.Errorf("Start: %v, want ErrNoPython", err)
	}
}

func TestStartInReadOnlyPlace(t *testing.T) {
	if os.Geteuid() <= 0 {
		// Root may write anywhere, and Windows has no modes. A file in place of the directory comes closest.
		dir := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(dir, nil, 0o600))
		if _, err := New(Config{DataDir: dir, RootDir: t.TempDir()}).Start(t.Context()); err == nil {
			t.Error("Start in a data directory that is a file: no error")
		}
		return
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o500))
	if _, err := New(Config{DataDir: filepath.Join(dir, "data"), RootDir: t.TempDir()}).Start(t.Context()); !errors.Is(err, ErrPermission) {
		t.Errorf("Start: %v, want ErrPermission", err)
	}
}

func TestMeter(t *testing.T) {
	read := func(text string) (steps []Progress) {
		m := newMeter([]piece{
			{pin{name: "scipy"}, wheel{Bytes: 30e6}}, {pin{name: "kiwisolver"}, wheel{Bytes: 10e6}}, {pin{name: "anyio"}, wheel{Bytes: 1e5}},
		})
		for line := range strings.Lines(text) {
			if p, ok := m.read(strings.TrimRight(line, "\n")); ok {
				steps = append(steps, p)
			}
		}
		return steps
	}
	const all = 40_100_000
	got := read("Using Python 3.12.1 environment at: env\nResolved 104 packages in 421ms\nDownloading kiwisolver (10.0MiB)\n" +
		"Downloading scipy (30.0MiB)\n Downloaded kiwisolver\n Downloaded scipy\nPrepared 23 packages in 949ms\nInstalled 104 packages in 183ms\n + anyio==4.16.0\n")
	want := []Progress{
		{Step: Fetching, Total: all},
		{Step: Fetching, Total: all, Package: "kiwisolver"},
		{Step: Fetching, Total: all, Package: "scipy"},
		{Step: Fetching, Total: all, Package: "scipy", Done: all / 4}, // the small one in proportion
		{Step: Fetching, Total: all, Done: all},
		{Step: Unpacking, Total: all, Done: all},
		{Step: Unpacking, Total: all, Done: all},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of uv (-want +got):\n%s", diff)
	}
	got = read("Collecting scipy==2.4.6 (from -r requirements.txt (line 5))\n  Downloading scipy.whl (30 MB)\nCollecting kiwisolver==1\nInstalling collected packages: scipy\n")
	want = []Progress{
		{Step: Fetching, Total: all, Package: "scipy"},
		{Step: Fetching, Total: all, Package: "kiwisolver", Done: 30e6},
		{Step: Unpacking, Total: all, Done: all},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of pip (-want +got):\n%s", diff)
	}
}

func TestRequirementsArePinned(t *testing.T) {
	line := regexp.MustCompile(`^([a-z0-9-]+)==[0-9][0-9a-z.]*( ; [^#]+)?( +# via .*)?$`)
	have := map[string]bool{}
	for text := range strings.Lines(string(requirements)) {
		text = strings.TrimRight(text, "\n")
		if strings.HasPrefix(text, "#") {
			continue
		}
		m := line.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("not a pinned package: %q", text)
			continue
		}
		have[m[1]] = true
	}
	for name := range strings.FieldsSeq("jupyter-server jupyterlab ipykernel matplotlib pandas numpy scipy seaborn plotly pillow pip nbclient psutil") {
		if !have[name] {
			t.Errorf("%s is not among the requirements", name)
		}
	}
	if strings.Contains(string(requirements), "://") {
		t.Error("the requirements name an address")
	}
}

// TestUVTakesPipsMirror checks that uv uses pip's mirror and certificates.
func TestUVTakesPipsMirror(t *testing.T) {
	dir := fakes(t, map[string]string{"python3": `echo "global.index-url='http://127.0.0.1:9/simple'"; echo "install.cert='/tmp/ca.pem'"; echo "global.timeout='9'"`})
	env := uvEnv(t.Context(), []string{"A=b", "UV_PYTHON=x"}, Interpreter{Executable: filepath.Join(dir, "python3"), Pip: true})
	got := strings.Join(env, "\n")
	for _, want := range []string{"UV_DEFAULT_INDEX=http://127.0.0.1:9/simple", "SSL_CERT_FILE=/tmp/ca.pem", "A=b"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "UV_PYTHON=") {
		t.Error("UV_PYTHON would send uv elsewhere")
	}
}

func TestLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jupyter.log")
	f, err := openLog(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	write := func(text string) {
		t.Helper()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat("old line\n", 100) + "the last line\n")
	if got := logTail(path); !strings.HasSuffix(got, "old line\nthe last line") || strings.Count(got, "\n") != tailLines-1 {
		t.Errorf("tail %q", got)
	}
	require.NoError(t, boundLog(path, 1<<20))
	require.NoError(t, boundLog(path, 100))
	write("new line\n") // by the server, which does not know of the rotation
	now, err := os.ReadFile(path)
	if err != nil || string(now) != "new line\n" {
		t.Errorf("log %q, %v", now, err)
	}
	old, err := os.ReadFile(path + ".1")
	if err != nil || len(old) != 100 || !strings.HasSuffix(string(old), "the last line\n") {
		t.Errorf("old log %q, %v", old, err)
	}
}

func TestProcessStart(t *testing.T) {
	if a, b := processStart(os.Getpid()), processStart(os.Getpid()); a == "" || a != b {
		t.Errorf("of ourselves: %q, then %q", a, b)
	}
	zombie := exec.CommandContext(t.Context(), self(t), "-test.run=^$")
	require.NoError(t, zombie.Start())
	waitFor(t, "a zombie to count as gone", pidGone(zombie.Process.Pid))
	require.NoError(t, zombie.Wait())
}
