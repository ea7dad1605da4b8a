package bridge

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/tool"
)

// rootsPatience is how long messages wait for the client's roots, once. A client that knows them
// answers in milliseconds.
const rootsPatience = time.Second

// roots ask the client in which folders it works, with MCP's roots/list, and decide what the
// bridge's workspace is.
//
// A root that the client names counts more than the working directory of the bridge: some clients
// start their servers in their own folder. A working directory in one of the roots is more exact
// than the root, so it stays. A directory from a variable (tool.Here) stays too.
//
// Only the goroutine of pump uses it, except for current.
type roots struct {
	first    tool.Workspace // before the client was asked
	fixed    bool           // a variable named its directory
	patience time.Duration
	prefix   string // of the ids of requests; random, so that no id of the client begins with it

	announced bool   // the client has roots
	asked     int    // number of requests
	pending   string // id of the request that messages wait for; "" if none
	late      <-chan time.Time

	mu  sync.Mutex
	now tool.Workspace
}

// current returns the workspace that is sent with requests.
func (r *roots) current() tool.Workspace {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// announce reads from a client's initialize whether it has roots. Since protocol 2026-07-28 there
// is no initialize, and servers cannot ask.
func (r *roots) announce(initialize message) {
	var p struct {
		Capabilities struct {
			Roots json.RawMessage `json:"roots"`
		} `json:"capabilities"`
	}
	r.announced = json.Unmarshal(initialize.Params, &p) == nil && len(p.Capabilities.Roots) > 0 && !r.fixed
}

// request returns the request to send after a notification of the client, or nil. From then on,
// later messages wait.
func (r *roots) request(method string) []byte {
	if !r.announced || method != "notifications/initialized" && method != mcp.MethodNotificationRootsListChanged {
		return nil
	}
	r.asked++
	r.pending = r.prefix + strconv.Itoa(r.asked)
	r.late = time.After(r.patience)
	return []byte(`{"jsonrpc":"2.0","id":"` + r.pending + `","method":"roots/list"}`)
}

// proceed lets messages go on without an answer. An answer that comes later still counts.
func (r *roots) proceed() { r.pending, r.late = "", nil }

// take reports whether a line is the answer to a request of request, which is not forwarded, and
// changes the workspace to what the latest one says.
func (r *roots) take(line []byte) bool {
	if r.asked == 0 || !bytes.Contains(line, []byte(r.prefix)) {
		return false
	}
	var m struct {
		ID     string `json:"id"`
		Method string `json:"method"`
		Result *struct {
			Roots []struct {
				URI string `json:"uri"`
			} `json:"roots"`
		} `json:"result"`
	}
	if json.Unmarshal(line, &m) != nil || m.Method != "" || !strings.HasPrefix(m.ID, r.prefix) {
		return false
	}
	if m.ID != r.prefix+strconv.Itoa(r.asked) {
		return true // the roots have changed since
	}
	r.proceed()
	if m.Result == nil {
		return true // an error
	}
	var dirs []string
	for _, root := range m.Result.Roots {
		if dir := directoryOf(root.URI); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	w := r.first
	if len(dirs) > 0 && !slices.ContainsFunc(dirs, func(dir string) bool { return contains(dir, w.Directory) }) {
		w.Directory = dirs[0]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = w
	return true
}

// directoryOf returns the directory that a file URI names, or "" if there is none.
func directoryOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/") // of /C:/Users
	}
	path = filepath.Clean(filepath.FromSlash(path))
	if info, err := os.Stat(path); err != nil || !info.IsDir() || !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// contains reports whether a path is a directory or in it.
func contains(dir, path string) bool {
	for _, p := range []*string{&dir, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(dir, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}
