package desktop

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
)

// alone hides from a test the display on which it runs.
func alone(t *testing.T) {
	t.Helper()
	for _, name := range displayVars {
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
}

func TestADisplayThatCannotBeLeavesTheEnvironment(t *testing.T) {
	alone(t)
	t.Setenv("LANG", "en_US.UTF-8")
	bad := map[string]Display{
		"another variable": {"DISPLAY": ":0", "LD_PRELOAD": "/tmp/evil.so"},
		"a NUL":            {"DISPLAY": ":0\x00"},
		"too long":         {"DISPLAY": strings.Repeat(":", maxVar+1)},
	}
	if runtime.GOOS == "linux" {
		bad["no X server"] = Display{"DISPLAY": ":4095", "LANG": "ja_JP.UTF-8", "XAUTHORITY": "/nowhere"}
		bad["none"] = Display{"LANG": "ja_JP.UTF-8"}
	}
	for name, d := range bad {
		if err := d.Enter(); err == nil {
			t.Errorf("%s: it was entered", name)
		}
		if here := Here(); len(here) != 1 || here["LANG"] != "en_US.UTF-8" {
			t.Errorf("%s: then the display is %v", name, here)
		}
	}
}

func TestADisplayIsSetWhole(t *testing.T) {
	alone(t)
	was := Display{"DISPLAY": ":1", "XAUTHORITY": "/a", "LC_ALL": "C.UTF-8"}
	Display{}.set(was)
	for name, c := range map[string]struct{ next, want Display }{
		"with its language":     {Display{"DISPLAY": ":2", "LANG": "ja_JP.UTF-8"}, Display{"DISPLAY": ":2", "LANG": "ja_JP.UTF-8"}},
		"without one":           {Display{"DISPLAY": ":2"}, Display{"DISPLAY": ":2", "LC_ALL": "C.UTF-8"}},
		"with another language": {Display{"DISPLAY": ":2", "LC_ALL": "ja_JP.UTF-8"}, Display{"DISPLAY": ":2", "LC_ALL": "ja_JP.UTF-8"}},
	} {
		Here().set(was)
		was.set(c.next)
		here := Here()
		if len(here) != len(c.want) {
			t.Errorf("%s: %v", name, here)
		}
		for v := range c.want {
			if here[v] != c.want[v] {
				t.Errorf("%s: %s is %q", name, v, here[v])
			}
		}
		here.set(was)
	}
}
