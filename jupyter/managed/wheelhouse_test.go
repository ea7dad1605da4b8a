package managed

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// saved makes a wheelhouse for an interpreter, with small files in place of the wheels, and
// makes the pinned hashes fit. change changes the manifest before it is written.
func saved(t *testing.T, p Interpreter, change func(*manifest)) string {
	t.Helper()
	dir := t.TempDir()
	m := manifest{Requirements: requirementsHash(), Python: "3.11", Platform: p.Platform, Libc: p.Libc}
	for _, x := range locked().pieces(p, first, rest) {
		text := []byte("in place of " + x.wheel.File)
		sum := sha256.Sum256(text)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a"+x.wheel.File), text, 0o600))
		m.Files = append(m.Files, wheel{File: "a" + x.wheel.File, SHA256: hex.EncodeToString(sum[:])})
	}
	if change != nil {
		change(&m)
	}
	text, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, manifestName), text, 0o600))
	return dir
}

func TestBrokenWheelhouses(t *testing.T) {
	debian := pythons["Debian 12"]
	remove := func(m *manifest, name string) {
		m.Files = slices.DeleteFunc(m.Files, func(w wheel) bool { return strings.HasPrefix(w.File, name) })
	}
	tests := map[string]struct {
		change func(*manifest)
		spoil  func(t *testing.T, dir string)
		python string // the interpreter that it has to serve
		want   string
	}{
		"good":           {},
		"nothing there":  {spoil: func(t *testing.T, dir string) { rename(t, dir, dir+".away") }, want: "cannot be read"},
		"not one":        {spoil: func(t *testing.T, dir string) { rename(t, filepath.Join(dir, manifestName), filepath.Join(dir, "x")) }, want: "has no easel-wheelhouse.json"},
		"a lost file":    {spoil: func(t *testing.T, dir string) { rename(t, glob(t, dir, "anumpy-*"), filepath.Join(dir, "x")) }, want: "incomplete: it lacks anumpy-2.4.6"},
		"a damaged file": {spoil: func(t *testing.T, dir string) { write(t, glob(t, dir, "anumpy-*"), "spoiled") }, want: "damaged: the hash of anumpy-2.4.6"},
		"a wheel that is not the pinned one": {change: func(m *manifest) {
			for i, w := range m.Files {
				if strings.HasPrefix(w.File, "anumpy-") {
					m.Files[i].File = w.File[1:]
				}
			}
		}, spoil: func(t *testing.T, dir string) {
			from := glob(t, dir, "anumpy-*")
			rename(t, from, filepath.Join(dir, filepath.Base(from)[1:]))
		}, want: "damaged: the hash of numpy-2.4.6"},
		"a damaged manifest": {spoil: func(t *testing.T, dir string) { write(t, filepath.Join(dir, manifestName), "{") }, want: "easel-wheelhouse.json in"},
		"a file elsewhere":   {change: func(m *manifest) { m.Files[0].File = "../secret.whl" }, want: "it names a file elsewhere"},
		"another system":     {python: "macOS", want: "it was made for linux-x86_64 glibc, and this is macosx-arm64"},
		"another machine":    {python: "Raspberry Pi OS", want: "it was made for linux-x86_64 glibc, and this is linux-aarch64 glibc"},
		"too few packages":   {change: func(m *manifest) { remove(m, "anumpy") }, want: "it is incomplete: it lacks numpy 2.4.6"},
		"another Easel's":    {change: func(m *manifest) { remove(m, "anumpy"); m.Requirements = "older" }, want: "made by another version of Easel: it lacks numpy 2.4.6"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := saved(t, debian, test.change)
			if test.spoil != nil {
				test.spoil(t, dir)
			}
			h, err := openWheelhouse(t.Context(), dir, t.TempDir())
			if err == nil {
				defer h.close()
				p := debian
				if test.python != "" {
					p = pythons[test.python]
				}
				for i, f := range h.Files { // as the files were named
					h.Files[i].File = strings.TrimPrefix(f.File, "a")
				}
				err = h.serves(p)
			}
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*Error](err)
			if !ok || !errors.Is(err, ErrWheelhouse) || e.Kind != KindWheelhouse || e.Remedy == "" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with a remedy that says %q", err, test.want)
			}
		})
	}
}

func TestWheelhouseInAnArchive(t *testing.T) {
	dir := saved(t, pythons["Debian 12"], nil)
	var files []wheel
	found, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range found {
		files = append(files, wheel{File: filepath.Base(f)})
	}
	file, scratch := filepath.Join(t.TempDir(), "packages.zip"), t.TempDir()
	require.NoError(t, zipFiles(dir, file, files))
	h, err := openWheelhouse(t.Context(), file, scratch)
	require.NoError(t, err)
	if len(h.Files) != len(files)-1 || !strings.HasPrefix(h.dir, scratch) {
		t.Errorf("%d files in %s", len(h.Files), h.dir)
	}
	h.close()
	if left, _ := filepath.Glob(filepath.Join(scratch, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	write(t, file, string(text[:len(text)/2]))
	if _, err := openWheelhouse(t.Context(), file, scratch); !errors.Is(err, ErrWheelhouse) || !strings.Contains(err.Error(), "not complete") {
		t.Errorf("half of a file: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(scratch, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestHostileArchives covers archives that would write elsewhere or fill the disk.
func TestHostileArchives(t *testing.T) {
	for name, header := range map[string]zip.FileHeader{
		"../x.whl":  {},
		"/etc/x":    {},
		"dir/x.whl": {},
		`..\x.whl`:  {},
		"huge.whl":  {Method: zip.Deflate, UncompressedSize64: largestHouse + 1, CompressedSize64: 3},
		"lying.whl": {Method: zip.Deflate, UncompressedSize64: 10, CompressedSize64: uint64(len(zeros))},
	} {
		t.Run(name, func(t *testing.T) {
			file, above := filepath.Join(t.TempDir(), "x.zip"), t.TempDir()
			f, err := os.Create(file)
			require.NoError(t, err)
			header.Name = name
			z := zip.NewWriter(f)
			w, err := z.CreateRaw(&header)
			if err == nil && header.Method == zip.Deflate {
				_, err = w.Write(zeros)
			}
			require.NoError(t, errors.Join(err, z.Close(), f.Close()))
			scratch := filepath.Join(above, "scratch")
			require.NoError(t, os.Mkdir(scratch, 0o700))
			_, err = openWheelhouse(t.Context(), file, scratch)
			if !errors.Is(err, ErrWheelhouse) || name == "huge.whl" && !strings.Contains(err.Error(), "more than 2048 MB") {
				t.Errorf("got %v", err)
			}
			_ = filepath.WalkDir(above, func(path string, d fs.DirEntry, _ error) error {
				if !d.IsDir() {
					t.Errorf("it wrote %s", path)
				}
				return nil
			})
		})
	}
}

// zeros is a megabyte of zeros, compressed.
var zeros = func() []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Close()
	return b.Bytes()
}()

// TestExportForOtherReleasesOfAPython covers packages that need a later release than the one
// that exports: soupsieve on Debian 12. pip refuses to download them for itself.
func TestExportForOtherReleasesOfAPython(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	j, _ := fakeJupyter(t, map[string]string{"python3": `while [ "$1" != -r ]; do shift; done; sed "s/$/ $4/" "$2" >>` + asked})
	py := pythons["Debian 12"]
	py.Executable = os.Getenv("EASEL_PYTHON")
	require.NoError(t, j.downloadWheels(t.Context(), py, py, t.TempDir(), func(Progress) {}))
	text, _ := os.ReadFile(asked)
	newest := py
	newest.Version[2] = 99
	for _, x := range locked().pieces(newest, first, rest) {
		want := x.name + "==" + x.version + " "
		if !slices.ContainsFunc(locked().pieces(py, first, rest), func(y piece) bool { return y.name == x.name && y.version == x.version }) {
			want += "3.11.99" // pip's own Python may be too old for it
		}
		if !strings.Contains(string(text), want+"\n") {
			t.Errorf("pip was not asked for %q", want)
		}
	}
}

// TestWheelhouseForAnotherPython covers a machine whose Pythons do not fit the wheelhouse.
func TestWheelhouseForAnotherPython(t *testing.T) {
	dir := saved(t, pythons["Debian 12"], func(m *manifest) { m.Python = "3.13" })
	j, _ := fakeJupyter(t, map[string]string{"python3": says("3,11,2", whole)})
	t.Setenv("EASEL_PYTHON", "")
	j.cfg.Wheelhouse = func() string { return dir }
	_, err := j.Start(t.Context())
	if !errors.Is(err, ErrWheelhouse) || !strings.Contains(err.Error(), "made for Python 3.13, and this machine has 3.11") {
		t.Errorf("Start: %v", err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.Rename(from, to))
}

func write(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func glob(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return found[0]
}

// TestExportForAnotherSystem checks what pip is told for a Python of another version and system.
func TestExportForAnotherSystem(t *testing.T) {
	py := pythons["Debian 12"]
	py.Platform, py.Version = "linux-aarch64", [3]int{3, 13, 2}
	options := foreign(py, locked().pieces(py, first, rest))
	text := strings.Join(options, " ")
	if !strings.HasPrefix(text, "--python-version 3.13.2 --implementation cp --abi cp313 --abi abi3 --abi none --platform ") {
		t.Errorf("got %s", text)
	}
	for i, option := range options {
		if option == "--platform" && !strings.HasSuffix(options[i+1], "_aarch64") {
			t.Errorf("a platform is %s", options[i+1])
		}
	}
}
