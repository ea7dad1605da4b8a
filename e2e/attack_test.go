package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
)

// nobody is a user without files.
const nobody = 65534

// as runs a program as another user, which requires root.
func as(t *testing.T, user uint32, name string, args ...string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	cmd.Dir = "/"
	return cmd.Run()
}

// TestWhatIsKeptIsKeptFromOthers attacks an Easel that has stored a plot and output.
func TestWhatIsKeptIsKeptFromOthers(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{base, filepath.Dir(base)} { // only Easel's own directory must keep others out
		require.NoError(t, os.Chmod(dir, 0o755))
	}
	j := startJupyter(t)
	e := launch(t, options{base: base, jupyter: j})
	session := e.call(t, "session_create", nil)["session_id"].(string)
	ran := e.call(t, "execute_code", map[string]any{"session_id": session, "code": "import matplotlib.pyplot as plt\nplt.plot([1]); plt.show()\nprint('x' * 100_000)"})
	image, _ := ran["images"].([]any)[0].(map[string]any)
	t.Run("from another user", func(t *testing.T) { anotherUser(t, e, base) })
	t.Run("at every address", func(t *testing.T) { everyAddress(t, e, session, image["path"].(string)) })
	t.Run("through a link in the root", func(t *testing.T) { throughTheRoot(t, e, j.root) })
	t.Run("in what it says", func(t *testing.T) { saysNoToken(t, e, j, session) })
	t.Run("behind a link", func(t *testing.T) { behindALink(t, e, image["resource_uri"].(string), image["path"].(string)) })
}

// anotherUser checks that another user of this machine can read neither Easel's files nor,
// in the process list, its token.
func anotherUser(t *testing.T, e *easel, base string) {
	files := 0
	err := filepath.WalkDir(e.data, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // SQLite's files come and go
			return nil
		}
		if err != nil {
			return err
		}
		i, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it no longer exists
		}
		if i.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, i.Mode())
		}
		if !d.IsDir() {
			files++
		}
		return nil
	})
	if err != nil || files < 5 {
		t.Fatalf("%d files: %v", files, err)
	}
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", e.PID))
	if err != nil || bytes.Contains(cmdline, []byte(e.Token)) {
		t.Errorf("the process list shows %q, %v", cmdline, err)
	}
	if os.Getuid() != 0 { // only root can become another user
		return
	}
	if err := as(t, nobody, "/bin/ls", base); err != nil {
		t.Fatalf("the probe itself: %v", err)
	}
	for _, path := range []string{e.data, filepath.Join(e.data, "easel.json"), fmt.Sprintf("/proc/%d/environ", e.PID), fmt.Sprintf("/proc/%d/fd", e.PID)} {
		if as(t, nobody, "/bin/ls", path+"/.") == nil || as(t, nobody, "/bin/cat", path) == nil {
			t.Errorf("another user reads %s", path)
		}
	}
}

// rpc posts an MCP request without a session.
func (e *easel) rpc(t *testing.T, method string, params any) string {
	t.Helper()
	req := e.request(t, http.MethodPost, "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	req.Header.Set("Accept", "application/json, text/event-stream")
	_, raw := do(t, req)
	return string(raw)
}

// everyAddress checks that no spelling of an address leads out of the library.
func everyAddress(t *testing.T, e *easel, session, path string) {
	home := "/api/resources/sessions/" + session + "/images/"
	for _, address := range []string{
		home + "../../../../easel.json", home + "..%2f..%2f..%2f..%2feasel.json", home + "%2e%2e/%2e%2e/easel.json",
		home + "..\\..\\easel.json", home + "%00.png", home + ".", home + "..", "/api/resources/../easel.json",
		"/api/resources/sessions/..%2f..%2f/images/easel.json", "/api/resources/token", "/api/resources/easel.json", home + filepath.Base(path),
	} {
		r, raw := do(t, e.request(t, http.MethodGet, address, nil))
		if r.StatusCode != http.StatusNotFound && r.StatusCode != http.StatusBadRequest || bytes.Contains(raw, []byte(e.Token)) {
			t.Errorf("GET %s: %s %.200s", address, r.Status, raw)
		}
	}
	for _, bad := range []string{
		"file:///etc/passwd", "jupyter://sessions/../../easel.json", "jupyter://sessions/" + session + "/images/../../../easel.json",
		"easel://token", "easel://../easel.json", "/etc/passwd", filepath.Join(e.data, "easel.json"), path, "", "jupyter://",
	} {
		if got := e.rpc(t, "resources/read", map[string]any{"uri": bad}); !strings.Contains(got, `"error"`) || strings.Contains(got, "root:") {
			t.Errorf("resources/read of %q: %.200s", bad, got)
		}
		r, raw := do(t, e.request(t, http.MethodPost, "/tools/get_image_resource/execute", map[string]any{"resource_uri": bad}))
		if r.StatusCode == http.StatusOK && bad != path { // the plot's own path is allowed
			t.Errorf("get_image_resource of %q: %.200s", bad, raw)
		}
	}
	for tool, args := range map[string]map[string]any{
		"file_read":       {"path": "../../../../etc/passwd"},
		"file_list":       {"path": "../.."},
		"notebook_read":   {"path": "a/../../x.ipynb"},
		"notebook_create": {"path": "../x.ipynb"},
		"session_create":  {"notebook_path": "../x.ipynb"},
	} {
		if r, raw := do(t, e.request(t, http.MethodPost, "/tools/"+tool+"/execute", args)); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s of %v: %s %s", tool, args, r.Status, raw)
		}
	}
}

// throughTheRoot checks that links in the root of a server, whose place on the disk Easel does
// not know, do not lead to Easel's token.
func throughTheRoot(t *testing.T, e *easel, root string) {
	for _, name := range []string{"token", "easel.json"} {
		require.NoError(t, os.Symlink(filepath.Join(e.data, name), filepath.Join(root, name+".txt")))
		r, raw := do(t, e.request(t, http.MethodPost, "/tools/file_read/execute", map[string]any{"path": name + ".txt"}))
		if r.StatusCode != http.StatusBadRequest || bytes.Contains(raw, []byte(e.Token)) {
			t.Errorf("file_read of a link to %s: %s %s", name, r.Status, raw)
		}
	}
}

// behindALink checks that a symbolic link in place of a plot is not followed.
func behindALink(t *testing.T, e *easel, uri, path string) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("very secret"), 0o600))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(secret, path))
	href := "/api/resources/" + strings.TrimPrefix(uri, "jupyter://")
	if r, raw := do(t, e.request(t, http.MethodGet, href, nil)); r.StatusCode == http.StatusOK || bytes.Contains(raw, []byte("secret")) {
		t.Errorf("a link in the library: %s %s", r.Status, raw)
	}
	if got := e.rpc(t, "resources/read", map[string]any{"uri": uri}); strings.Contains(got, `"blob"`) {
		t.Errorf("a link in the library: %.200s", got)
	}
}

// TestTenThousandBadRequests sends invalid requests of every kind, eight at a time. They
// must leak nothing, and a valid request must still work.
func TestTenThousandBadRequests(t *testing.T) {
	e := launch(t, options{})
	bad := []func() *http.Request{
		func() *http.Request { return e.badRequest(t, "POST", "/mcp", "{", "Authorization", "Bearer wrong") },
		func() *http.Request { return e.badRequest(t, "POST", "/mcp", "{", "Accept", "*/*") },
		func() *http.Request {
			return e.badRequest(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, "Accept", "*/*")
		},
		func() *http.Request {
			return e.badRequest(t, "POST", "/mcp", "{}", "Mcp-Session-Id", "easel-00000000000000000000000000000000")
		},
		func() *http.Request {
			return e.badRequest(t, "POST", "/api/execute/execute_code", `{"code":1}`, "Accept", "*/*")
		},
		func() *http.Request { return e.badRequest(t, "GET", "/api/info/nothing", "", "Origin", "null") },
		func() *http.Request {
			return e.badRequest(t, "GET", "/api/nothing", "", "X-API-Key", strings.Repeat("x", 4000))
		},
		func() *http.Request { return e.badRequest(t, "DELETE", "/mcp", "", "Mcp-Session-Id", "../../x") },
	}
	before := descriptors(t, e.PID)
	work := make(chan *http.Request)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c := http.Client{Transport: &http.Transport{}}
			defer c.CloseIdleConnections()
			for req := range work {
				r, err := c.Do(req)
				if err != nil {
					t.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, r.Body)
				_ = r.Body.Close()
				if r.StatusCode >= 500 {
					t.Errorf("%s %s: %s", req.Method, req.URL.Path, r.Status)
				}
			}
		})
	}
	for i := range 10_000 {
		work <- bad[i%len(bad)]()
	}
	close(work)
	wg.Wait()
	eventually(t, "the end of what they opened", func() bool { return descriptors(t, e.PID) <= before+8 })
	if r, _ := do(t, e.request(t, http.MethodGet, "/tools", nil)); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
	var size int64
	logs, err := filepath.Glob(filepath.Join(e.data, "logs", "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	for _, path := range logs {
		if i, err := os.Stat(path); err == nil {
			size += i.Size()
		}
	}
	if size > 4<<20 {
		t.Errorf("the log has grown to %d bytes", size)
	}
}

func (e *easel) badRequest(t *testing.T, method, path, body, header, value string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, e.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+e.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(header, value)
	return req
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	require.NoError(t, err)
	return len(fds)
}

// TestSlowCallersBlockNobody checks that hundreds of connections with incomplete headers or
// bodies do not block other requests, and that one whose headers remain incomplete is closed.
func TestSlowCallersBlockNobody(t *testing.T) {
	e := launch(t, options{})
	var first net.Conn
	for i := range 300 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(e.Port)))
		require.NoError(t, err)
		defer conn.Close()
		begin := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
		if i%2 == 1 { // complete headers, incomplete body
			begin = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nAuthorization: Bearer " + e.Token + "\r\n\r\n{"
		}
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = conn
		}
	}
	r, raw := do(t, e.request(t, http.MethodGet, "/api/info/session_list", nil))
	var list map[string]any
	if err := json.Unmarshal(raw, &list); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%s %s", r.Status, raw)
	}
	require.NoError(t, first.SetReadDeadline(time.Now().Add(patience)))
	line, err := bufio.NewReader(first).ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(line, "200") {
		t.Errorf("a connection without a whole head is left open: %q, %v", line, err)
	}
}
