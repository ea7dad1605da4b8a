package e2e

import (
	"debug/elf"
	"os"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
)

// headless returns the program with the tag headless.
func headless(t *testing.T) string {
	t.Helper()
	program := os.Getenv("EASEL_TEST_HEADLESS")
	if program == "" {
		t.Skip("EASEL_TEST_HEADLESS names no program; make test sets it")
	}
	return program
}

// TestTheProgramWithoutAWindow checks the build with the tag headless: it needs no shared
// library, and does everything except show a window, even on a desktop.
func TestTheProgramWithoutAWindow(t *testing.T) {
	program := headless(t)
	if runtime.GOOS == "linux" {
		f, err := elf.Open(program)
		require.NoError(t, err)
		defer f.Close()
		if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
			t.Errorf("it loads %v, %v", libraries, err)
		}
	}
	o := options{program: program, jupyter: startJupyter(t), window: true}
	o.fill(t)
	e := launch(t, o)
	s := e.call(t, "session_create", nil)
	x := e.call(t, "execute_code", map[string]any{
		"session_id": s["session_id"], "code": "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()",
	})
	if images, _ := x["images"].([]any); x["status"] != "ok" || len(images) != 1 {
		t.Errorf("a plot: %v", x)
	}
	view, _ := e.call(t, "get_current_folder", nil)["view"].(map[string]any)
	if view["window"] != "none" {
		t.Errorf("its window is %v, want none", view["window"])
	}
	full := start(t, o.env(t), binary(t))
	if code := full.end(t); code == 0 || !strings.Contains(full.out.String(), "has no window") {
		t.Errorf("the program with the window, started beside it, ended with %d:\n%s", code, full.out.String())
	}
	if code := e.stop(t); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, e.out.String())
	}
}
