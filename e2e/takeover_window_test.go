package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"easel/internal/require"
	"easel/ui/window/desktop"
)

// window returns the state of the window, according to /api/health.
func (e *easel) window(t *testing.T) any {
	t.Helper()
	_, raw := do(t, e.request(t, "GET", "/api/health", nil))
	return decode(t, raw)["window"]
}

// TestWindowTakesOverAHeadlessEasel checks that starting Easel with a display opens the window
// of the running headless Easel, which keeps its session and variables.
func TestWindowTakesOverAHeadlessEasel(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	base := t.TempDir()
	first := launch(t, options{base: base, jupyter: startJupyter(t), bright: true})
	session := first.call(t, "session_create", nil)["session_id"]
	execute := func(code string) map[string]any {
		return first.call(t, "execute_code", map[string]any{"session_id": session, "code": code})
	}
	execute("kept = 42")
	o := options{base: base, window: true, port: first.Port}
	again := func(display string, args ...string) (code int, said string) {
		env := o.env(t)
		if display != os.Getenv("DISPLAY") {
			env = append(env, "DISPLAY="+display)
		}
		p := start(t, env, binary(t), args...)
		code = p.end(t)
		return code, p.out.String()
	}
	for _, display := range []string{"", ":4095", "nowhere.invalid:0"} {
		if code, said := again(display); code == 0 || !strings.Contains(said, "window") {
			t.Errorf("display %q: exit code %d:\n%s", display, code, said)
		}
		if got := first.window(t); got != "none" {
			t.Errorf("display %q: the window is %v", display, got)
		}
	}
	// Whoever has only the token cannot do that, and so cannot approve its own code there.
	for _, path := range []string{"/api/window/show", "/window/show", "/api/execute/show_window", "/tools/show_window/execute"} {
		a, raw := do(t, first.request(t, "POST", path, map[string]any{"env": desktop.Here(), "display": os.Getenv("DISPLAY")}))
		if a.StatusCode != http.StatusNotFound || first.window(t) != "none" {
			t.Errorf("%s: %s %s, and the window is %v", path, a.Status, raw, first.window(t))
		}
	}
	if code, said := again(os.Getenv("DISPLAY")); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	h := newHand(t, first) // the window belongs to the first process
	if x := execute("kept"); x["result"] != "42" {
		t.Errorf("after that, %v", x)
	}
	execute("import matplotlib.pyplot as plt\nplt.figure(facecolor='magenta')\nplt.axes([0, 0, 1, 1], facecolor='magenta')\nplt.show()")
	h.until("the plot on the screen", func() bool {
		c := h.fb.at(h.at.X+firstCell.X, h.at.Y+firstCell.Y)
		return c.R > 200 && c.G < 60 && c.B > 200
	})
	screen(t, "takeover")
	if code, said := again(os.Getenv("DISPLAY")); code != 0 || !first.alive() {
		t.Errorf("once more: exit code %d:\n%s", code, said)
	}
	first.call(t, "session_delete", map[string]any{"session_id": session})
	quit(t, first)
}

// TestWindowOpensForABridge checks that an Easel started by a bridge has its window even if the
// client removes DISPLAY from the bridge's environment.
func TestWindowOpensForABridge(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	for name, want := range map[string]string{"": "shown", "EASEL_HEADLESS=1": "none"} {
		t.Run(want, func(t *testing.T) {
			o := options{window: true}
			o.fill(t)
			var env []string
			for _, kv := range append(o.env(t), name) {
				if name, _, _ := strings.Cut(kv, "="); name != "DISPLAY" && name != "" {
					env = append(env, kv)
				}
			}
			bridge := exec.CommandContext(t.Context(), binary(t), "mcp")
			bridge.Env, bridge.Stderr = env, t.Output()
			in, err := bridge.StdinPipe()
			require.NoError(t, err)
			out, err := bridge.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, bridge.Start())
			hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
			if _, err := in.Write([]byte(hello)); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.Contains(line, `"serverInfo"`) {
				t.Fatalf("got %s, %v", line, err)
			}
			e := &easel{data: filepath.Join(o.base, "data")}
			raw, err := os.ReadFile(filepath.Join(e.data, "easel.json"))
			if err != nil || json.Unmarshal(raw, &e.runtimeFile) != nil {
				t.Fatalf("%s, %v", raw, err)
			}
			e.URL = strings.TrimSuffix(e.URL, "/")
			eventually(t, "its window", func() bool { return e.window(t) == want })
			if err := in.Close(); err != nil {
				t.Error(err)
			}
			if err := bridge.Wait(); err != nil {
				t.Error(err)
			}
			if err := syscall.Kill(e.PID, syscall.SIGTERM); err != nil { // it outlives the bridge
				t.Error(err)
			}
			eventually(t, "its end", func() bool {
				_, err := os.Stat("/proc/" + strconv.Itoa(e.PID))
				return err != nil
			})
		})
	}
}
