package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"easel/internal/require"
)

// Positions on the Connect page.
var (
	connectAt = image.Pt(25, 117)
	findAt    = image.Pt(170, 70)
	swaggerAt = image.Pt(145, 184) // while no client matches the search
	labAt     = image.Pt(147, 220)
)

// A browser is a headless Chromium that replaces the desktop's browser.
type browser struct {
	t   *testing.T
	dir string // records what it was asked to open, in files numbered from 1
}

// newBrowser adds the browser to the PATH of programs that the test starts, as xdg-open.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t, dir: t.TempDir()}
	script := fmt.Sprintf(`#!/bin/sh
cd %q || exit
n=$(($(ls -d profile.* 2>/dev/null | wc -l) + 1))
mkdir profile.$n
stat -c %%a "$1" >mode.$n
printf %%s "$1" >asked.$n.new && mv asked.$n.new asked.$n
echo $$ >pid.$n
exec /usr/bin/chromium --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-dev-shm-usage \
	--disable-component-update --disable-sync --disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup --window-size=1200,900 --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' \
	--user-data-dir=%q/profile.$n --remote-debugging-port=0 "$1" >browser.$n.log 2>&1
`, b.dir, b.dir)
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Cleanup(b.end)
	return b
}

// end ends all browsers that were started and waits for their end.
func (b *browser) end() {
	files, _ := filepath.Glob(filepath.Join(b.dir, "pid.*"))
	for _, f := range files {
		raw, _ := os.ReadFile(f)
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			continue
		}
		_ = syscall.Kill(pid, syscall.SIGTERM)
		eventually(b.t, "the browser's end", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

func (b *browser) read(name string, n int) string {
	raw, _ := os.ReadFile(filepath.Join(b.dir, fmt.Sprint(name, ".", n)))
	return strings.TrimSpace(string(raw))
}

// A page is an open page in the browser.
type page struct {
	t  *testing.T
	ws *websocket.Conn
	n  int
}

// opened waits for the page of the n-th browser. It also checks that the browser was asked to
// open a file that only this user can read, and that the arguments do not contain the secret.
func (b *browser) opened(n int, secret string) *page {
	t := b.t
	t.Helper()
	var target string
	eventually(t, "a page in the browser", func() bool {
		raw, _ := os.ReadFile(filepath.Join(b.dir, fmt.Sprint("profile.", n), "DevToolsActivePort"))
		port, _, ok := strings.Cut(string(raw), "\n")
		if !ok {
			return false
		}
		res, err := http.Get("http://127.0.0.1:" + port + "/json/list") //nolint:noctx // bounded by eventually
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var targets []struct {
			Type, URL string
			WS        string `json:"webSocketDebuggerUrl"`
		}
		if json.NewDecoder(res.Body).Decode(&targets) != nil {
			return false
		}
		for _, x := range targets {
			if x.Type == "page" {
				target = x.WS
			}
		}
		return target != ""
	})
	asked := b.read("asked", n)
	if strings.Contains(asked, secret) || !strings.HasSuffix(asked, ".html") || b.read("mode", n) != "600" {
		t.Errorf("the desktop was asked for %q, mode %s", asked, b.read("mode", n))
	}
	ws, res, err := websocket.DefaultDialer.DialContext(t.Context(), target, nil)
	require.NoError(t, err)
	_ = res.Body.Close()
	t.Cleanup(func() { _ = ws.Close() })
	return &page{t: t, ws: ws}
}

// eval returns the value of an expression in the page as a string. It is empty while the page
// changes.
func (p *page) eval(expression string) string {
	p.t.Helper()
	p.n++
	_ = p.ws.SetReadDeadline(time.Now().Add(patience))
	err := p.ws.WriteJSON(map[string]any{"id": p.n, "method": "Runtime.evaluate", "params": map[string]any{
		"expression": "String(" + expression + ")", "returnByValue": true,
	}})
	for err == nil {
		var m struct {
			ID     int
			Result struct{ Result struct{ Value any } }
		}
		if err = p.ws.ReadJSON(&m); err == nil && m.ID == p.n {
			s, _ := m.Result.Result.Value.(string)
			return s
		}
	}
	p.t.Fatalf("the browser: %v", err)
	return ""
}

func (p *page) until(what string, ok func() bool) {
	p.t.Helper()
	eventually(p.t, what+" in the browser", ok)
}

// TestWindowOpensTheBrowserAuthorised checks that a click in the window opens the API, ready
// to try out, and JupyterLab with the assistant's kernel in the user's browser. The tokens
// must not appear in arguments of processes or remain in an address.
func TestWindowOpensTheBrowserAuthorised(t *testing.T) {
	j := startJupyter(t, "--lab")
	b := newBrowser(t) // created after Jupyter, and so ended before it
	e, _ := launchWindow(t, j)
	h := newHand(t, e)
	session := e.call(t, "session_create", nil)["session_id"]
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": "from_the_assistant = 41 + 1"})
	h.click(connectAt)
	h.steady(h.screen(image.Rect(50, 60, 1200, 700)))
	h.click(findAt)
	h.keys("q", "q", "q") // no client has this name, so that what is below the list moves up
	h.steady(h.screen(image.Rect(50, 90, 290, 700)))
	screen(t, "browser-connect")

	h.click(swaggerAt)
	p := b.opened(1, e.Token)
	const tried = "#operations-gallery-get_current_folder"
	p.until("the list of tools", func() bool {
		n, _ := strconv.Atoi(p.eval("document.querySelectorAll('.opblock').length"))
		return n >= 40
	})
	if at := p.eval("location.href"); strings.TrimSuffix(at, "/") != e.URL+"/api/swagger" || strings.Contains(at, e.Token) {
		t.Errorf("the browser is at %s", at)
	}
	p.eval("document.querySelector('" + tried + " .opblock-summary-control').click()")
	p.until("the button that tries it", func() bool { return p.eval("!!document.querySelector('"+tried+" .btn.execute')") == "true" })
	p.eval("document.querySelector('" + tried + " .btn.execute').click()")
	p.until("an answer that only the token gets", func() bool {
		return strings.HasPrefix(p.eval("document.querySelector('"+tried+" .live-responses-table .response .response-col_status')?.innerText"), "200")
	})

	h.click(labAt)
	lab := b.opened(2, j.token)
	lab.until("JupyterLab", func() bool {
		return lab.eval("!!document.querySelector('#jp-main-dock-panel, .jp-LabShell')") == "true"
	})
	lab.until("the assistant's kernel", func() bool {
		return strings.Contains(lab.eval("document.querySelector('.jp-NotebookPanel .jp-Toolbar')?.innerText"), "Python 3") ||
			strings.Contains(lab.eval("document.querySelector('.jp-NotebookPanel-toolbar')?.innerText"), "Python 3")
	})
	if at := lab.eval("location.href"); !strings.HasPrefix(at, j.url+"/lab/tree/easel-") || strings.Contains(at, j.token) {
		t.Errorf("the browser is at %s", at)
	}
	quit(t, e)
	if left, _ := filepath.Glob(filepath.Join(e.data, "open-*.html")); len(left) > 0 {
		t.Errorf("what led the browser on is still there: %v", left)
	}
}
