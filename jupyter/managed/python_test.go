package managed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// fakes sets PATH to a directory of shell scripts with those names and bodies, and makes
// sure that no other Python or uv is found.
func fakes(t *testing.T, scripts map[string]string) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fakes are shell scripts")
	}
	dir = t.TempDir()
	for name, body := range scripts {
		text := "#!/bin/sh\n" + body + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", dir)
	t.Setenv("EASEL_PYTHON", "")
	t.Setenv("HOME", dir)
	old := systemDirs
	systemDirs = nil
	t.Cleanup(func() { systemDirs = old })
	return dir
}

// says returns a fake Python's answer to the probe.
func says(version, has string) string {
	return fmt.Sprintf(`echo '{"executable": "'$0'", "version": [%s], "name": "cpython", %s}'`, version, has)
}

const (
	whole   = `"pip": true, "venv": true, "ensurepip": true`
	debian  = `"pip": false, "venv": true, "ensurepip": false` // without python3-venv
	justPip = `"pip": true, "venv": true, "ensurepip": false`
)

func TestFindPython(t *testing.T) {
	tests := map[string]struct {
		scripts map[string]string
		env     string // EASEL_PYTHON, a name in the directory
		want    string // the name of the script that is found
		refused map[string]string
		says    []string // parts of the error and the remedy
	}{
		"the newest of several is taken": {
			scripts: map[string]string{"python3": says("3,11,2", whole), "python3.12": says("3,12,1", whole), "python3.13": says("3,13,0", whole)},
			want:    "python3.13",
		},
		"one that does not start, as pyenv's, is passed over": {
			scripts: map[string]string{
				"python3.13": "echo 'pyenv: python3.13: command not found' >&2; exit 127",
				"python3":    says("3,11,2", whole),
			},
			want:    "python3",
			refused: map[string]string{"python3.13": "does not run: pyenv: python3.13: command not found"},
		},
		"pip alone is enough": {
			scripts: map[string]string{"python3": says("3,11,2", justPip)},
			want:    "python3",
		},
		"with uv on the machine nothing else is needed": {
			scripts: map[string]string{"python3": says("3,11,2", debian), "uv": "echo 'uv 0.9.1 (abc)'"},
			want:    "python3",
		},
		"a uv that is too old does not help": {
			scripts: map[string]string{"python3": says("3,11,2", debian), "uv": "echo 'uv 0.1.24'"},
			refused: map[string]string{"python3": "has neither pip nor the parts of venv that bring it (ensurepip)"},
			says:    []string{"Python is installed", "lacks what it needs"},
		},
		"too old and too new are refused by number": {
			scripts: map[string]string{"python3": says("3,9,2", whole), "python3.14": says("3,15,0", whole), "python": says("2,7,18", whole)},
			refused: map[string]string{
				"python3":    "is Python 3.9.2, too old: 3.10 or later is needed",
				"python3.14": "is Python 3.15.0, too new: Easel's packages are tried up to 3.14",
				"python":     "is Python 2.7.18, too old: 3.10 or later is needed",
			},
			says: []string{"Easel needs Python 3.10 or later", "EASEL_PYTHON"},
		},
		"PyPy is refused": {
			scripts: map[string]string{"python3": `echo '{"executable": "x", "version": [3,11,1], "name": "pypy"}'`},
			refused: map[string]string{"python3": "is pypy, not CPython"},
		},
		"what answers nonsense is refused": {
			scripts: map[string]string{"python3": "echo hello"},
			refused: map[string]string{"python3": "does not answer as a Python does"},
		},
		"none at all": {
			scripts: map[string]string{},
			says:    []string{"there is no python3 on this machine", "Easel needs Python 3.10 or later"},
		},
		"the one asked for is taken before all others": {
			scripts: map[string]string{"mine": says("3,10,0", whole), "python3.13": says("3,13,0", whole)},
			env:     "mine", want: "mine",
		},
		"the one asked for is not replaced by another": {
			scripts: map[string]string{"mine": says("3,8,0", whole), "python3.13": says("3,13,0", whole)},
			env:     "mine",
			refused: map[string]string{"mine": "is Python 3.8.0, too old: 3.10 or later is needed"},
			says:    []string{"set by name"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := fakes(t, test.scripts)
			if test.env != "" {
				t.Setenv("EASEL_PYTHON", filepath.Join(dir, test.env))
			}
			p, refused, err := FindPython(t.Context(), Config{DataDir: t.TempDir()})
			if got := strings.TrimPrefix(p.Path, dir+"/"); got != test.want {
				t.Errorf("found %q, want %q (%v)", got, test.want, err)
			}
			got := map[string]string{}
			for _, r := range refused {
				got[filepath.Base(r.Path)] = r.Reason
			}
			if diff := cmp.Diff(test.refused, got); diff != "" && len(test.refused)+len(got) > 0 {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
			if test.want != "" {
				return
			}
			e, ok := errors.AsType[*Error](err)
			if !ok || !errors.Is(err, ErrNoPython) {
				t.Fatalf("error %v, want an *Error with ErrNoPython", err)
			}
			for _, part := range test.says {
				if !strings.Contains(e.Error()+"\n"+e.Remedy, part) {
					t.Errorf("%v\n%s\nwant it to say %q", e, e.Remedy, part)
				}
			}
		})
	}
}

// uvWithPython is a fake uv that downloads a fake Python.
const uvWithPython = `case "$1 $2" in
--version*) echo "uv 0.9.9";;
"python install") mkdir -p "$UV_PYTHON_INSTALL_DIR/cpython-3.13.1-any/bin"
	printf '%s\n' '#!/bin/sh' 'echo "{\"executable\": \"$0\", \"version\": [3,13,1], \"name\": \"cpython\"}"' >"$UV_PYTHON_INSTALL_DIR/cpython-3.13.1-any/bin/python3"
	chmod +x "$UV_PYTHON_INSTALL_DIR/cpython-3.13.1-any/bin/python3";;
venv*) echo "error: venv $4" >&2; exit 2;;
esac`

// TestUVDownloadsPython covers machines without a suitable Python.
func TestUVDownloadsPython(t *testing.T) {
	unreachable := `case "$1" in --version) echo "uv 0.9.9";; *) echo "error: Failed to download\n  Caused by: dns error" >&2; exit 2;; esac`
	tests := map[string]struct {
		scripts map[string]string
		want    string // part of the error
		kind    Kind
	}{
		"with uv":                         {map[string]string{"uv": uvWithPython}, "error: venv ", KindInstall},
		"also if there is an old one":     {map[string]string{"uv": uvWithPython, "python3": says("3,9,2", whole)}, "cpython-3.13.1-any", KindInstall},
		"uv cannot reach its server":      {map[string]string{"uv": unreachable}, "uv cannot get one either", KindNoPython},
		"without uv":                      {map[string]string{}, "there is no python3 on this machine", KindNoPython},
		"the pip of an old one gets uv":   {map[string]string{"python3": oldPython(uvWithPython)}, "cpython-3.13.1-any", KindInstall},
		"nor can it get that":             {map[string]string{"python3": oldPython(unreachable)}, "uv cannot get one either", KindNoPython},
		"an old one without pip does not": {map[string]string{"python3": says("3,9,2", debian)}, "is Python 3.9.2, too old", KindNoPython},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			j, rec := fakeJupyter(t, test.scripts)
			t.Setenv("EASEL_PYTHON", "")
			t.Setenv("PATH", strings.Split(os.Getenv("PATH"), ":")[0]+":"+basics(t))
			_, err := j.Start(t.Context())
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != test.kind || !strings.Contains(err.Error(), test.want) || e.Remedy == "" {
				t.Fatalf("Start: %v, want %q and the kind %s", err, test.want, test.kind)
			}
			if test.kind == KindNoPython && e.Command == "" && !strings.Contains(e.Remedy, "uv") {
				t.Errorf("remedy %q, want it to say what to install", e.Remedy)
			}
			if test.kind == KindInstall && rec.count(Installing) != 1 {
				t.Error("no progress was reported")
			}
		})
	}
}

// oldPython is a fake Python 3.9 whose pip installs uv with that body.
func oldPython(uv string) string {
	return `if [ "$1 $2" = "-m pip" ]; then
	for a; do case "$last" in --target) dir="$a";; esac; last="$a"; done
	[ -n "$dir" ] || exit 0
	mkdir -p "$dir/bin"; cat >"$dir/bin/uv" <<'EOF'
#!/bin/sh
` + uv + `
EOF
	chmod +x "$dir/bin/uv"; exit 0
fi
` + says("3,9,2", whole)
}

// basics returns a directory with the programs that the fakes use, but no Python.
func basics(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "mkdir", "cat", "chmod", "printf"} {
		if path, err := exec.LookPath("/bin/" + name); err == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(dir, name)))
		}
	}
	return dir
}

func TestInstallPythonNamesThePackage(t *testing.T) {
	tests := map[string]struct{ osRelease, want string }{
		"Debian":     {"PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", "sudo apt install python3-venv"},
		"Mint":       {"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "sudo apt install python3-venv"},
		"Ubuntu":     {"ID=ubuntu\nID_LIKE=debian\n", "sudo apt install python3-venv"},
		"Rocky":      {"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "sudo dnf install python3"},
		"Arch":       {"ID=arch\n", "sudo pacman -S python"},
		"openSUSE":   {"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "sudo zypper install python3"},
		"Alpine":     {"ID=alpine\n", "sudo apk add python3 py3-pip"},
		"an unknown": {"ID=nixos\n", "Install Python 3.10 or later, with pip."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := parseOSRelease(test.osRelease).installPython(); !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q in it", got, test.want)
			}
		})
	}
}
