package bridge_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/bridge"
	"easel/mcphost/tool"
)

// initializeWithRoots does a handshake as a client that has roots.
func (k *client) initializeWithRoots() {
	k.t.Helper()
	k.send("%s", strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"roots":{"listChanged":true}}`, 1))
	k.answer(0)
	k.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// asked waits for a request for the client's roots and returns its id.
func (k *client) asked() string {
	k.t.Helper()
	id, _ := k.until("roots/list", func(m map[string]any) bool { return m["method"] == "roots/list" })["id"].(string)
	return id
}

// tell answers a request for the client's roots.
func (k *client) tell(id string, uris ...string) {
	k.t.Helper()
	roots := make([]string, len(uris))
	for i, u := range uris {
		roots[i] = fmt.Sprintf(`{"uri":%q,"name":"x"}`, u)
	}
	k.send(`{"jsonrpc":"2.0","id":%q,"result":{"roots":[%s]}}`, id, strings.Join(roots, ","))
}

// directory returns the directory that the host sees with a call.
func (k *client) directory(a *app, id int) string {
	k.t.Helper()
	k.send("%s", call(id, "1", ""))
	k.answer(id)
	return a.caller(k.t).Workspace.Directory
}

// fileURI returns the URI of a directory.
func fileURI(dir string) string {
	path := filepath.ToSlash(dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// folder makes a folder in dir.
func folder(t *testing.T, dir string, path ...string) string {
	t.Helper()
	made := filepath.Join(append([]string{dir}, path...)...)
	require.NoError(t, os.MkdirAll(made, 0o700))
	return made
}

func TestTheClientsRootsAreItsWorkspace(t *testing.T) {
	t.Parallel()
	dir, base := t.TempDir(), t.TempDir()
	home, first, second := folder(t, base, "programs"), folder(t, base, "売上 2026"), folder(t, base, "second")
	file := filepath.Join(base, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	a := startApp(t, dir)
	env := filepath.Join(base, "v")
	k := startBridge(t, bridge.Config{DataDir: dir, Patience: patience, Workspace: tool.Workspace{Directory: home, VirtualEnv: env}})
	k.initializeWithRoots()
	before := k.asked()
	// A call that follows at once waits for the answer.
	k.send("%s", call(1, "1", ""))
	k.tell(before, "https://example.com/x", fileURI(filepath.Join(base, "none")), fileURI(file), fileURI(first), fileURI(second))
	k.answer(1)
	if w := a.caller(t).Workspace; w.Directory != first || w.VirtualEnv != env {
		t.Errorf("the workspace is %+v, want %s", w, first)
	}
	k.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	id := k.asked()
	k.tell(before, fileURI(first)) // an answer to the request before is too late
	k.tell(id, fileURI(second))
	if got := k.directory(a, 2); got != second {
		t.Errorf("after the roots have changed: %s", got)
	}
	k.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	k.send(`{"jsonrpc":"2.0","id":%q,"error":{"code":-32601,"message":"no"}}`, k.asked())
	if got := k.directory(a, 3); got != second {
		t.Errorf("after an error: %s", got)
	}
	k.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	k.tell(k.asked())
	if got := k.directory(a, 4); got != home {
		t.Errorf("without a root: %s", got)
	}
}

func TestAWorkingDirectoryInARootStays(t *testing.T) {
	t.Parallel()
	dir, root := t.TempDir(), t.TempDir()
	data, other := folder(t, root, "data"), folder(t, t.TempDir(), "other")
	a := startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir, Patience: patience, Workspace: tool.Workspace{Directory: data}})
	k.initializeWithRoots()
	k.tell(k.asked(), fileURI(other), fileURI(root))
	if got := k.directory(a, 1); got != data {
		t.Errorf("the workspace is %s, want %s", got, data)
	}
}

func TestAClientWithoutAnAnswerIsNotHeldUp(t *testing.T) {
	t.Parallel()
	dir, home, root := t.TempDir(), t.TempDir(), t.TempDir()
	a := startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir, Patience: time.Millisecond, Workspace: tool.Workspace{Directory: home}})
	k.initializeWithRoots()
	id := k.asked()
	if got := k.directory(a, 1); got != home {
		t.Errorf("without an answer: %s", got)
	}
	k.tell(id, fileURI(root))
	if got := k.directory(a, 2); got != root {
		t.Errorf("after a late answer: %s", got)
	}
}

func TestTheEndOfTheInputEndsTheWait(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := startApp(t, dir)
	k := startBridge(t, bridge.Config{DataDir: dir, Patience: time.Hour})
	k.initializeWithRoots()
	k.asked()
	k.send("%s", call(1, "1", ""))
	_ = k.in.Close()
	k.answer(1)
	a.caller(t)
	if err := <-k.done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestWhoIsNotAskedForRoots checks clients that announce no roots, that name their directory in a
// variable, or that use the protocol without a handshake.
func TestWhoIsNotAskedForRoots(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	a := startApp(t, dir)
	const stateless = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}`
	for name, begin := range map[string]func(*client){
		"none": (*client).initialize, "named": (*client).initializeWithRoots, "stateless": func(*client) {},
	} {
		k := startBridge(t, bridge.Config{DataDir: dir, Workspace: tool.Workspace{Directory: home}, Named: name == "named"})
		begin(k)
		meta := ""
		if name == "stateless" {
			meta = stateless
		}
		k.send("%s", call(1, "1", meta))
		k.until("answer", func(m map[string]any) bool {
			if m["method"] == "roots/list" {
				t.Errorf("%s: the client was asked", name)
			}
			return m["id"] == float64(1)
		})
		if got := a.caller(t).Workspace.Directory; got != home {
			t.Errorf("%s: %s", name, got)
		}
	}
}
