package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// TestWindowJoinsTheUsersConsole plays a user at a real jupyter console in a terminal: an
// assistant finds its kernel and wants to connect, the user approves it with the mouse and
// draws in the console, and the plot appears on the screen. Easel never ends the kernel.
func TestWindowJoinsTheUsersConsole(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	base := t.TempDir()
	e := launch(t, options{base: base, window: true, bright: true})
	h := newHand(t, e)
	console := startConsole(t, base)
	var kernel map[string]any
	eventually(t, "the console's kernel", func() bool {
		for _, x := range e.call(t, "session_list", nil)["sessions"].([]any) {
			if x := x.(map[string]any); x["server"] == "this-machine" {
				kernel = x
			}
		}
		return kernel != nil
	})
	process, _ := kernel["process"].(map[string]any)
	if process["program"] != "jupyter-console" || process["directory"] != console.Dir || kernel["owner"] != "other" {
		t.Errorf("got %v", kernel)
	}

	connected := make(chan string, 1)
	go func() {
		res, err := http.DefaultClient.Do(e.request(t, http.MethodPost, "/tools/session_connect/execute", map[string]any{"kernel_id": kernel["kernel_id"]}))
		if err != nil {
			connected <- err.Error()
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		connected <- string(body)
	}()
	var x, y, size int
	eventually(t, "the question", func() bool {
		x, y, size = approveButton(screen(t, "console-question"))
		return size > 0
	})
	xdo(t, "mousemove", strconv.Itoa(x), strconv.Itoa(y), "click", "1", "mousemove", "640", "300")
	var out map[string]any
	if said := <-connected; json.Unmarshal([]byte(said), &out) != nil || out["connected"] != true {
		t.Fatalf("session_connect answered %s", said)
	}

	console.say(t, "exec("+pythonString(colouredPlot)+")")
	h.until("the user's plot on the screen", func() bool { return h.fb.count(h.screen(centre), magenta) > 500 })
	if file := h.files()[0]; file["session_id"] != kernel["session_id"] {
		t.Errorf("the plot is %v", file)
	}
	ran := e.call(t, "execute_code", map[string]any{"session_id": kernel["session_id"], "code": "print(len(In), fig is not None)"})
	if ran["status"] != "ok" || ran["stdout"] != "3 True\n" {
		t.Errorf("got %v", ran)
	}
	for tool, args := range map[string]map[string]any{
		"session_restart": {"session_id": kernel["session_id"], "force": true},
		"session_delete":  {"session_id": kernel["session_id"], "force": true},
	} {
		if r, body := do(t, e.request(t, http.MethodPost, "/tools/"+tool+"/execute", args)); r.StatusCode != http.StatusNotImplemented {
			t.Errorf("%s answered %s: %s", tool, r.Status, body)
		}
	}
	quit(t, e)
	done := filepath.Join(base, "done")
	console.say(t, "open("+pythonString(done)+", 'w').write(str(fig))")
	eventually(t, "the kernel at work after Easel's end", func() bool {
		_, err := os.Stat(done)
		return err == nil
	})
	console.say(t, "exit")
	console.end(t)
	pid, _ := process["pid"].(float64)
	eventually(t, "the kernel's end", func() bool { return pid > 0 && syscall.Kill(int(pid), 0) != nil })
}

// A console is a jupyter console in a terminal.
type console struct {
	*process
	in io.Writer
}

// startConsole starts a jupyter console, by script(1), which has a terminal.
func startConsole(t *testing.T, home string) *console {
	t.Helper()
	python := jupytertest.Python(t)
	keys, in, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = keys.Close()
		_ = in.Close()
	})
	p := prepare(append(cleanEnv(home, false), "TERM=dumb", "IPYTHONDIR="+t.TempDir(), "MPLCONFIGDIR="+jupytertest.Fonts(python)), "script", "-qfec",
		filepath.Join(filepath.Dir(python), "jupyter-console")+" --simple-prompt", filepath.Join(t.TempDir(), "typescript"))
	p.Dir, p.Stdin = t.TempDir(), keys
	p.begin(t)
	return &console{p, in}
}

// say types a line.
func (c *console) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// pythonString returns a Python literal, which is also one of JSON.
func pythonString(s string) string {
	text, _ := json.Marshal(s) // cannot fail for a string
	return string(text)
}
