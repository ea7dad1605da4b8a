//go:build clients

package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/clients"
)

// A program is a real client, and a command that shows what it reads in its file.
type program struct {
	client, bin string
	args        []string
	env         []string
	before      string   // the user's file; empty: none
	after       []string // what the output must contain
	connects    bool     // it must reach the server with the token
}

var programs = []program{
	{
		client: "Codex", bin: "codex", args: []string{"mcp", "get", "easel"}, before: codexBefore,
		after: []string{"transport: stdio", "args: mcp URL", "tool_timeout_sec: 3600"},
	},
	{
		client: "GitHub Copilot CLI", bin: "copilot", args: []string{"mcp", "get", "easel"},
		before: "{\n  // mine\n  \"mcpServers\": {}\n}\n", after: []string{"URL", "Tools: * (all)", "Status: Enabled"},
	},
	{
		client: "Gemini CLI", bin: "gemini", args: []string{"mcp", "list"}, env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		before: "{\n  // mine\n  \"security\": {\"folderTrust\": {\"enabled\": false}}\n}\n", after: []string{"easel: BRIDGE (stdio) - Connected"}, connects: true,
	},
	{
		client: "Qwen Code", bin: "qwen", args: []string{"mcp", "list"},
		before: "{\n  // mine\n  \"ui\": {}\n}\n", after: []string{"easel: URL (http) - Connected"}, connects: true,
	},
	{
		client: "opencode", bin: "opencode", args: []string{"mcp", "list"},
		before: "{ // mine\n  \"mcp\": {\"other\": {\"type\": \"local\", \"command\": [\"true\"], \"enabled\": false}},\n}", after: []string{"easel", "connected", "BRIDGE"}, connects: true,
	},
	{
		client: "Continue", bin: "cn", args: []string{"-p", "hi"}, env: []string{"OPENAI_API_KEY=none"},
		before: "name: Mine\nversion: 1.0.0\nmodels:\n  - {name: m, provider: openai, model: m, apiKey: none, apiBase: \"http://127.0.0.1:1/v1\"}\n", connects: true,
	},
	{client: "Claude Code", bin: "claude", args: []string{"mcp", "list"}, after: []string{"easel: BRIDGE - ✔ Connected"}, connects: true},
	{client: "Cline CLI", bin: "cline", args: []string{"-P", "openai", "-k", "none", "--json", "say hi"}, connects: true},
}

// fakeServer starts an MCP server without tools that requires the token. reached is closed at
// the first request that has it.
func fakeServer(t *testing.T) (url string, reached <-chan struct{}) {
	t.Helper()
	first := make(chan struct{})
	var once atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+conn.Token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if once.CompareAndSwap(false, true) {
			close(first)
		}
		answer := reply(json.NewDecoder(r.Body))
		if answer == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp", first
}

// reply reads a message of a client and returns the answer of a server without tools; "" for a
// notification.
func reply(in *json.Decoder) string {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ ProtocolVersion string }
	}
	_ = in.Decode(&m)
	result := `{}`
	switch {
	case m.ID == nil:
		return ""
	case m.Method == "initialize":
		result = fmt.Sprintf(`{"protocolVersion": %q, "capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}}`, m.Params.ProtocolVersion)
	case m.Method == "tools/list":
		result = `{"tools": []}`
	case m.Method == "server/discover": // of 2026-07-28
		return fmt.Sprintf(`{"jsonrpc": "2.0", "id": %s, "error": {"code": -32601, "message": "no such method"}}`, m.ID)
	}
	return fmt.Sprintf(`{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, result)
}

// TestMain makes this program a server over stdio too, for clients that start one: with the
// argument mcp and the URL of the fake server, to which it sends a message with the token.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != "mcp" {
		os.Exit(m.Run())
	}
	req, err := http.NewRequest(http.MethodPost, os.Args[2], strings.NewReader(`{"method": "started"}`))
	if err == nil {
		req.Header.Set("Authorization", "Bearer "+conn.Token)
		_, err = http.DefaultClient.Do(req)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	in := json.NewDecoder(os.Stdin)
	for in.More() {
		if answer := reply(in); answer != "" {
			fmt.Println(answer)
		}
	}
}

// TestRealProgramsReadWhatEaselWrites runs real clients with their own home directories.
// EASEL_TEST_CLIENTS is a list of directories that contain them, like PATH. Missing programs
// are skipped. The build tag excludes the test from runs without such programs.
// e2e/clients/test_files.py installs the programs and runs the test.
func TestRealProgramsReadWhatEaselWrites(t *testing.T) {
	path := os.Getenv("EASEL_TEST_CLIENTS")
	if path == "" {
		t.Skip("EASEL_TEST_CLIENTS is not set")
	}
	for _, p := range programs {
		t.Run(p.bin, func(t *testing.T) { p.read(t, path) })
	}
}

func (p program) read(t *testing.T, path string) {
	t.Helper()
	bin := ""
	for _, dir := range filepath.SplitList(path) {
		if _, err := os.Stat(filepath.Join(dir, p.bin)); err == nil {
			bin = filepath.Join(dir, p.bin)
		}
	}
	if bin == "" {
		t.Skipf("there is no %s in %s", p.bin, path)
	}
	home := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME", "CONTINUE_GLOBAL_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
	c, file := client(t, p.client), client(t, p.client).File()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	if p.before != "" {
		require.NoError(t, os.WriteFile(file, []byte(p.before), 0o600))
	}
	url, reached := fakeServer(t)
	it := clients.Connection{URL: url, Token: conn.Token, Exe: os.Args[0], Args: []string{"mcp", url}}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	if c.Writable() {
		if _, err := c.Write(file, it); err != nil {
			t.Fatal(err)
		}
	} else {
		add := exec.CommandContext(ctx, "sh", "-c", c.Snippet(it))
		add.Env = []string{"HOME=" + home, "PATH=" + filepath.Dir(bin) + ":" + os.Getenv("PATH")}
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if got := c.Check(file, it); got != clients.Same {
		t.Errorf("Easel takes its file for %d", got)
	}
	cmd := exec.CommandContext(ctx, bin, p.args...)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "NO_COLOR=1"}, p.env...)
	if len(p.after) == 0 { // it continues with a request to a model, which does not exist
		stop := context.AfterFunc(waitFor(ctx, reached), cancel)
		defer stop()
	}
	out, err := cmd.CombinedOutput()
	t.Logf("%s %v: %v\n%s", p.bin, p.args, err, out)
	for _, want := range p.after {
		if want = strings.NewReplacer("URL", url, "BRIDGE", it.Bridge()).Replace(want); !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	select {
	case <-reached:
	default:
		if p.connects {
			t.Error("it did not reach the server")
		}
	}
}

// waitFor returns a context that is done when happened is closed.
func waitFor(ctx context.Context, happened <-chan struct{}) context.Context {
	over, end := context.WithCancel(ctx)
	go func() {
		defer end()
		select {
		case <-happened:
		case <-ctx.Done():
		}
	}()
	return over
}
