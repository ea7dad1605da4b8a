package e2e

import (
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
)

// yesGround is the colour of the only filled button in the light theme.
var yesGround = color.RGBA{R: 0x3f, G: 0x51, B: 0xd8, A: 0xff}

// approveButton returns the centre and the number of pixels of the filled button in the
// lower half of the window. It is filled only while the question can be answered. If it is
// not, size is 0.
func approveButton(img image.Image) (x, y, size int) {
	b := img.Bounds()
	for py := b.Dy() / 2; py < b.Dy(); py++ {
		for px := 60; px < 400; px++ {
			r, g, bl, _ := img.At(px, py).RGBA()
			if alike(r, yesGround.R) && alike(g, yesGround.G) && alike(bl, yesGround.B) {
				x, y, size = x+px, y+py, size+1
			}
		}
	}
	if size < 800 {
		return 0, 0, 0
	}
	return x / size, y / size, size
}

func alike(a uint32, b uint8) bool {
	d := int(a>>8) - int(b)
	return -12 <= d && d <= 12
}

// TestWindowAsksBeforeCodeRuns checks that with access "ask", code waits until the user
// approves it with the mouse, edits it, or denies it, and that the assistant gets the result.
func TestWindowAsksBeforeCodeRuns(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	j := startJupyter(t)
	base := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(base, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(base, "data", "settings.json"), []byte(`{"access": "ask", "theme": "light", "language": "en"}`), 0o600))
	e := launch(t, options{base: base, jupyter: j, window: true})
	var window string
	eventually(t, "the window", func() bool {
		window = visible(t, e.Process.Pid)
		return window != ""
	})
	xdo(t, "windowfocus", "--sync", window)
	session := e.call(t, "session_create", nil)["session_id"]
	type answer struct {
		status int
		body   map[string]any
	}
	run := func(code string) <-chan answer {
		req := e.request(t, http.MethodPost, "/tools/execute_code/execute", map[string]any{"session_id": session, "code": code})
		got := make(chan answer, 1)
		go func() {
			defer close(got)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			defer res.Body.Close()
			a := answer{status: res.StatusCode}
			if json.NewDecoder(res.Body).Decode(&a.body) == nil {
				got <- a
			}
		}()
		return got
	}
	var x, y, size int
	armed := func(what string) {
		t.Helper()
		eventually(t, what, func() bool {
			x, y, size = approveButton(screen(t, "ask"))
			return size > 0
		})
	}

	got := run("print('approved')")
	said := func() answer {
		a := <-got
		a.body = e.ended(t, a.body)
		return a
	}
	armed("the question on the screen")
	xdo(t, "mousemove", strconv.Itoa(x), strconv.Itoa(y), "click", "1", "mousemove", "640", "300") // move away, because it has another colour under the pointer
	if a := said(); a.status != http.StatusOK || a.body["stdout"] != "approved\n" {
		t.Errorf("after Approve: %+v", a)
	}
	gone := func() {
		t.Helper()
		eventually(t, "the question to go", func() bool { _, _, n := approveButton(screen(t, "gone")); return n == 0 })
	}
	gone()

	got = run("print('as asked')")
	armed("the second question")
	small := size
	xdo(t, "key", "ctrl+e")
	eventually(t, "the editor", func() bool { _, _, size = approveButton(screen(t, "edit")); return size > small*3/2 })
	xdo(t, "key", "ctrl+a")
	xdo(t, "type", "--delay", "30", "print('as edited')")
	xdo(t, "key", "ctrl+Return")
	if a := said(); a.body["stdout"] != "as edited\n" || a.body["code"] != "print('as edited')" {
		t.Errorf("after an edit: %+v", a)
	}
	gone()

	got = run("print('never')")
	armed("the third question")
	xdo(t, "key", "ctrl+d")
	if a := <-got; a.status != http.StatusForbidden || a.body["code"] != "DENIED" {
		t.Errorf("after Deny: %+v", a)
	}
	quit(t, e)
}

// TestWindowAsksWhenItMatters checks that a new installation with a window begins with the mode that asks about risky code
// alone, that the question says why, and that a function of an earlier cell counts.
func TestWindowAsksWhenItMatters(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	j := startJupyter(t)
	base := t.TempDir()
	e := launch(t, options{base: base, jupyter: j, window: true})
	raw, err := os.ReadFile(filepath.Join(base, "data", "settings.json"))
	require.NoError(t, err)
	if !strings.Contains(string(raw), `"access": "ask_risky"`) {
		t.Fatalf("the settings of a new installation: %s", raw)
	}
	var window string
	eventually(t, "the window", func() bool {
		window = visible(t, e.Process.Pid)
		return window != ""
	})
	xdo(t, "windowfocus", "--sync", window)
	e.call(t, "set_theme", map[string]any{"theme": "light"})
	session := e.call(t, "session_create", nil)["session_id"]
	run := func(code string) map[string]any {
		t.Helper()
		return e.call(t, "execute_code", map[string]any{"session_id": session, "code": code, "wait": 0})
	}
	for _, code := range []string{"print(1 + 1)", "import os\ndef tidy(path):\n    os.remove(path)"} {
		if x := e.ended(t, run(code)); x["status"] != "ok" {
			t.Fatalf("%s: %v", code, x)
		}
	}
	file := filepath.Join(base, "precious.csv")
	require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
	x := run("tidy(" + strconv.Quote(file) + ")")
	if x["status"] != "awaiting_approval" {
		t.Fatalf("%v", x)
	}
	eventually(t, "the question on the screen", func() bool {
		_, _, size := approveButton(screen(t, "why"))
		return size > 0
	})
	if _, err := os.Stat(file); err != nil {
		t.Fatal("the code ran before it was approved: ", err)
	}
	xdo(t, "key", "ctrl+Return")
	if x := e.ended(t, x); x["status"] != "ok" {
		t.Errorf("after Approve: %v", x)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the approved code did not delete the file: %v", err)
	}
	quit(t, e)
}
