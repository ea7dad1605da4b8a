package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// magentaPNG displays a picture without any package: the project's Python has none.
const magentaPNG = `
import struct, zlib
from IPython.display import Image, display
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + b"\xd8\x10\xb4" * 300 for _ in range(200))
display(Image(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 300, 200, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")))
import sys; print(sys.prefix)
`

// A bridgedClient is an assistant that has started easel mcp in a directory.
type bridgedClient struct {
	t    *testing.T
	in   *json.Encoder
	out  *bufio.Reader
	last int
}

// newBridgedClient starts a bridge in a directory, with an active environment.
func newBridgedClient(t *testing.T, o options, dir, active string) *bridgedClient {
	t.Helper()
	bridge := exec.CommandContext(t.Context(), binary(t), "mcp")
	bridge.Dir, bridge.Env, bridge.Stderr = dir, append(o.env(t), "VIRTUAL_ENV="+active), t.Output()
	in, err := bridge.StdinPipe()
	require.NoError(t, err)
	out, err := bridge.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, bridge.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = bridge.Wait() // its context may have killed it
	})
	c := &bridgedClient{t: t, in: json.NewEncoder(in), out: bufio.NewReader(out)}
	info := map[string]any{"name": "claude-code", "version": "2.1.0"}
	c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": info})()
	require.NoError(t, c.in.Encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}))
	return c
}

// request sends a request. answer waits for its result.
func (c *bridgedClient) request(method string, params any) (answer func() map[string]any) {
	c.t.Helper()
	c.last++
	id := c.last
	require.NoError(c.t, c.in.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
	return func() map[string]any {
		c.t.Helper()
		for {
			line, err := c.out.ReadString('\n')
			require.NoError(c.t, err)
			var got struct {
				ID     any
				Result map[string]any
			}
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				c.t.Fatalf("%v: %s", err, line)
			}
			if got.Result != nil && fmt.Sprint(got.ID) == fmt.Sprint(id) {
				return got.Result
			}
		}
	}
}

// tool calls a tool. answer waits for the text of its result.
func (c *bridgedClient) tool(name string, args map[string]any) (answer func() map[string]any) {
	c.t.Helper()
	wait := c.request("tools/call", map[string]any{"name": name, "arguments": args})
	return func() map[string]any {
		c.t.Helper()
		content, _ := wait()["content"].([]any)
		if len(content) == 0 {
			c.t.Fatalf("%s has no content", name)
		}
		text, _ := content[0].(map[string]any)["text"].(string)
		return decode(c.t, []byte(text))
	}
}

// Positions of a project's rows, if it is the only one, in a window of 1280×800.
var (
	projectName    = image.Pt(86, 304)
	newSessionHere = image.Pt(216, 304)
	projectPython  = image.Pt(150, 335)
	thirdPython    = image.Pt(180, 435)              // of its menu, after Automatic and the first that was found
	sessionBar     = image.Rect(62, 363, 74, 379)    // around the coloured bar of its first session
	secondBar      = sessionBar.Add(image.Pt(0, 45)) // of its second one
)

// coloured reports whether a part of the window has a coloured bar, as a session's row does.
func (h *hand) coloured(r image.Rectangle) bool {
	r = h.screen(r)
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if c := h.fb.at(x, y); max(c.R, c.G, c.B)-min(c.R, c.G, c.B) > 60 {
				n++
			}
		}
	}
	return n > r.Dy()
}

// TestWindowShowsAProject plays a user whose assistant was started in a project: they allow it,
// see it in the sidebar with its plot, start a session of their own there, and choose another
// Python, which the assistant's next session has.
func TestWindowShowsAProject(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	root := filepath.Join(t.TempDir(), "売上 2026")
	for _, name := range []string{".venv", "other"} {
		if out, err := exec.CommandContext(t.Context(), os.Getenv("EASEL_TEST_PYTHON"), "-m", "venv", "--without-pip", filepath.Join(root, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	o := options{window: true, bright: true, managed: true}
	o.fill(t)
	e := launch(t, o)
	h := newHand(t, e)
	ready := func() bool {
		_, health := do(t, e.request(t, http.MethodGet, "/api/health", nil))
		return strings.Contains(string(health), `"state":"ready"`)
	}
	for range 5 { // on a loaded machine, the installation takes minutes
		if h.within(ready) {
			break
		}
	}
	client := newBridgedClient(t, o, root, filepath.Join(root, ".venv"))

	created := client.tool("session_create", nil)
	h.until("the question", func() bool { _, _, size := approveButton(screen(t, "project-question")); return size > 0 })
	x, y, _ := approveButton(screen(t, "project-question"))
	h.click(image.Pt(x, y).Sub(h.at))
	first := created()
	if env, _ := first["environment"].(string); !strings.HasPrefix(env, "売上 2026/.venv, Python 3.") || first["directory"] != root {
		t.Fatalf("the session is %v", first)
	}
	if ran := client.tool("execute_code", map[string]any{"session_id": first["session_id"], "code": magentaPNG})(); ran["status"] != "ok" || !strings.Contains(fmt.Sprint(ran), filepath.Join(root, ".venv")) {
		t.Fatal(ran)
	}
	h.until("the plot on the screen", func() bool { return h.fb.count(h.screen(centre), magenta) > 500 })
	h.until("the project in the sidebar", func() bool {
		return h.drawn(image.Rect(-10, -8, 40, 8).Add(projectName)) && h.coloured(sessionBar) && !h.coloured(secondBar)
	})
	screen(t, "project-group")

	h.click(newSessionHere)
	h.until("the user's session, in the same place", func() bool {
		sessions := e.call(t, "session_list", nil)["sessions"].([]any)
		return len(sessions) == 2 && !slices.ContainsFunc(sessions, func(s any) bool {
			x := s.(map[string]any)
			return x["directory"] != root || x["environment"] != first["environment"]
		})
	})
	h.until("both sessions in the sidebar", func() bool { return h.coloured(sessionBar) && h.coloured(secondBar) })

	h.click(projectPython)
	menu := h.screen(image.Rect(110, 358, 300, 483))
	h.until("the menu of its Pythons", func() bool { return h.fb.count(menu, white) > 10_000 })
	h.steady(menu)
	screen(t, "project-pythons")
	h.click(thirdPython)
	var settings []byte
	h.until("the choice", func() bool {
		settings, _ = os.ReadFile(filepath.Join(e.data, "settings.json"))
		return strings.Contains(string(settings), filepath.Join(root, "other", "bin", "python"))
	})
	second := client.tool("session_create", nil)()
	if env, _ := second["environment"].(string); !strings.HasPrefix(env, "売上 2026/other, Python 3.") {
		t.Errorf("after the choice, the session is %v", second)
	}
	screen(t, "project-chosen")
	quit(t, e)
}
