package managed

import (
	"strings"
	"testing"
)

// pythons are interpreters of systems that Easel supports.
var pythons = map[string]Interpreter{
	"Debian 12":       {Name: "cpython", Version: [3]int{3, 11, 2}, Platform: "linux-x86_64", Libc: "glibc", SystemVersion: [2]int{2, 36}},
	"Raspberry Pi OS": {Name: "cpython", Version: [3]int{3, 13, 5}, Platform: "linux-aarch64", Libc: "glibc", SystemVersion: [2]int{2, 41}},
	"Ubuntu 22.04":    {Name: "cpython", Version: [3]int{3, 10, 12}, Platform: "linux-x86_64", Libc: "glibc", SystemVersion: [2]int{2, 35}},
	"macOS":           {Name: "cpython", Version: [3]int{3, 13, 1}, Platform: "macosx-11.0-arm64", SystemVersion: [2]int{15, 1}},
	"Windows":         {Name: "cpython", Version: [3]int{3, 12, 4}, Platform: "win-amd64"},
}

// TestEveryPackageHasAWheel checks that no supported system has to compile a package, and
// that the packages of the first plot are a smaller part of the download.
func TestEveryPackageHasAWheel(t *testing.T) {
	for name, p := range pythons {
		for _, x := range locked().pieces(p, first, rest) {
			if x.wheel.File == "" {
				t.Errorf("%s: no wheel of %s %s", name, x.name, x.version)
			}
		}
		a, b := locked().download(p, first), locked().download(p, rest)
		if a < 20e6 || a > 100e6 || b < a {
			t.Errorf("%s: %d MB for the first plot and %d MB later", name, a/1e6, b/1e6)
		}
		if w, ok := p.choose(locked().installer.wheels); !ok || w.Bytes < 1e6 {
			t.Errorf("%s: no wheel of uv: %+v", name, w)
		}
		t.Logf("%s: %d MB, %d MB later", name, a/1e6, b/1e6)
	}
}

func TestFirstStage(t *testing.T) {
	early, late := string(locked().list(first)), string(locked().list(rest))
	for name := range strings.FieldsSeq("jupyter-server ipykernel matplotlib numpy pip psutil pillow") {
		if !strings.Contains("\n"+early, "\n"+name+"==") {
			t.Errorf("%s is not installed first", name)
		}
	}
	for name := range strings.FieldsSeq("pandas scipy seaborn plotly jupyterlab vl-convert-python pypdfium2") {
		if !strings.Contains("\n"+late, "\n"+name+"==") {
			t.Errorf("%s is not installed later", name)
		}
	}
}

func TestChooseWheel(t *testing.T) {
	tests := map[string]struct {
		python string
		files  string
		want   string
	}{
		"the newest that the C library supports": {
			"Debian 12", "a-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl a-1-cp311-cp311-manylinux_2_28_x86_64.whl a-1-cp311-cp311-manylinux_2_39_x86_64.whl",
			"a-1-cp311-cp311-manylinux_2_28_x86_64.whl",
		},
		"not of another machine or C library": {"Debian 12", "a-1-cp311-cp311-manylinux_2_17_aarch64.whl a-1-cp311-cp311-musllinux_1_2_x86_64.whl", ""},
		"not of another Python":               {"Debian 12", "a-1-cp312-cp312-manylinux_2_17_x86_64.whl a-1-cp312-abi3-manylinux_2_17_x86_64.whl", ""},
		"the stable ABI":                      {"Debian 12", "a-1-cp38-abi3-manylinux2014_x86_64.whl a-1-py3-none-any.whl", "a-1-cp38-abi3-manylinux2014_x86_64.whl"},
		"universal of macOS":                  {"macOS", "a-1-cp313-cp313-macosx_10_13_universal2.whl a-1-cp313-cp313-macosx_16_0_arm64.whl", "a-1-cp313-cp313-macosx_10_13_universal2.whl"},
		"for Windows":                         {"Windows", "a-1-cp312-cp312-win_arm64.whl a-1-cp312-cp312-win_amd64.whl", "a-1-cp312-cp312-win_amd64.whl"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var wheels []wheel
			for f := range strings.FieldsSeq(test.files) {
				wheels = append(wheels, wheel{File: f})
			}
			if got, _ := pythons[test.python].choose(wheels); got.File != test.want {
				t.Errorf("got %q, want %q", got.File, test.want)
			}
		})
	}
}

func TestMarkers(t *testing.T) {
	tests := map[string]map[string]bool{
		"python_full_version < '3.11'":                                     {"Debian 12": false, "Ubuntu 22.04": true},
		"python_full_version == '3.11.*'":                                  {"Debian 12": true, "Windows": false},
		"python_full_version >= '3.11.5'":                                  {"Debian 12": false, "Windows": true},
		"sys_platform == 'darwin' or os_name == 'nt'":                      {"Debian 12": false, "macOS": true, "Windows": true},
		"os_name != 'nt' or (sys_platform != 'win32' and os_name == 'nt')": {"Debian 12": true, "Windows": false},
		"python_full_version >= '3.11' and implementation_name != 'PyPy'":  {"Debian 12": true, "Ubuntu 22.04": false},
	}
	for marker, wants := range tests {
		for name, want := range wants {
			if got, err := pythons[name].applies(marker); err != nil || got != want {
				t.Errorf("%s on %s: %v, %v, want %v", marker, name, got, err, want)
			}
		}
	}
	for _, bad := range []string{"os_name", "os_name ~= 'nt'", "weather == 'fine'", "(os_name == 'nt'", "os_name == 'nt' 'x'"} {
		if _, err := pythons["macOS"].applies(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
	for _, p := range locked().pins {
		if _, err := pythons["macOS"].applies(p.marker); err != nil {
			t.Error(err)
		}
	}
}
