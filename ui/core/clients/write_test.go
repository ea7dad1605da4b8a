package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/clients"
)

var conn = clients.Connection{
	URL: "http://127.0.0.1:5149/mcp", Token: "t0ken", Exe: "/opt/easel/easel", Args: []string{"mcp"},
}

// client returns a client by its name.
func client(t *testing.T, name string) clients.Client {
	t.Helper()
	for _, c := range clients.All {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no client %q", name)
	return clients.Client{}
}

// put writes a file in a new directory and returns its path.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(raw)
}

// A fileCase is a client's file before and after Easel was added.
type fileCase struct {
	name, client string
	state        clients.State
	before, want string
}

func check(t *testing.T, cases []fileCase) {
	t.Helper()
	for _, x := range cases {
		t.Run(x.client+"/"+x.name, func(t *testing.T) {
			c := client(t, x.client)
			path := put(t, "config", x.before)
			if got := c.Check(path, conn); got != x.state {
				t.Errorf("before: state %d, want %d", got, x.state)
			}
			backup, err := c.Write(path, conn)
			require.NoError(t, err)
			if diff := cmp.Diff(x.want, read(t, path)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := read(t, backup); got != x.before {
				t.Errorf("the backup is %q", got)
			}
			if got := c.Check(path, conn); got != clients.Same {
				t.Errorf("after: state %d", got)
			}
			again, err := c.Write(path, conn)
			if err != nil || again == backup || read(t, path) != x.want {
				t.Errorf("written again: backup %q, %v\n%s", again, err, read(t, path))
			}
			other := conn
			other.Token, other.URL, other.Exe = "another", "http://127.0.0.1:6000/mcp", "/usr/bin/easel"
			if got := c.Check(path, other); got != clients.Other {
				t.Errorf("for another Easel: state %d", got)
			}
		})
	}
}

// TestAFormerEntryWorks: the entries over HTTP that Easel wrote before still work. Writing makes
// them what Easel writes today, and keeps what the user has set in them.
func TestAFormerEntryWorks(t *testing.T) {
	for name, entry := range map[string]string{
		"Codex":       "[mcp_servers.easel]\nurl = \"URL\"\nhttp_headers = { Authorization = \"Bearer t0ken\" }\ntool_timeout_sec = 3600\n",
		"Claude Code": `{"mcpServers": {"easel": {"type": "http", "url": "URL", "headers": {"Authorization": "Bearer t0ken"}}}}`,
		"Gemini CLI":  `{"mcpServers": {"easel": {"httpUrl": "URL", "headers": {"Authorization": "Bearer t0ken"}, "timeout": 5, "trust": true}}}`,
		"opencode":    `{"mcp": {"easel": {"type": "remote", "url": "URL", "headers": {"Authorization": "Bearer t0ken"}, "enabled": true, "timeout": 5}}}`,
	} {
		c, path := client(t, name), put(t, "config", strings.Replace(entry, "URL", conn.URL, 1))
		other := conn
		other.Token = "another"
		if got, elsewhere := c.Check(path, conn), c.Check(path, other); got != clients.Working || elsewhere != clients.Other {
			t.Errorf("%s: state %d, and %d for another Easel", name, got, elsewhere)
		}
		if _, err := c.Write(path, conn); err != nil {
			t.Fatal(err)
		}
		got := read(t, path)
		if c.Check(path, conn) != clients.Same || strings.Contains(got, conn.URL) || strings.Contains(got, conn.Token) ||
			strings.Contains(entry, `"timeout"`) && !strings.Contains(got, `"timeout": 5`) {
			t.Errorf("%s: written as %s", name, got)
		}
	}
	path := put(t, "config", `{"mcpServers": {"easel": {"type": "stdio", "command": "/opt/easel/easel", "args": ["mcp"], "env": {}}}}`)
	if got := client(t, "Claude Code").Check(path, conn); got != clients.Same {
		t.Errorf("what \"claude mcp add\" writes: state %d", got)
	}
}

func TestANewFileIsComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.yaml")
	c := client(t, "Continue")
	backup, err := c.Write(path, conn)
	if err != nil || backup != "" || c.Check(path, conn) != clients.Same {
		t.Fatalf("backup %q, %v", backup, err)
	}
	if got := read(t, path); !strings.HasPrefix(got, "name: Local Config\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: easel\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestWhatCannotBeEditedSafelyIsLeftAlone(t *testing.T) {
	for name, x := range map[string]struct{ client, text string }{
		"damaged JSON":        {"Cursor", "{\"mcpServers\": {"},
		"a JSON list":         {"Cursor", "[]"},
		"two JSON values":     {"Cursor", "{} {}"},
		"another kind":        {"Cursor", "{\"mcpServers\": []}"},
		"a name twice":        {"Cursor", "{\"mcpServers\": {}, \"mcpServers\": {}}"},
		"inputs of a kind":    {"VS Code", "{\"inputs\": {}}"},
		"damaged TOML":        {"Codex", "model = \n"},
		"TOML twice":          {"Codex", "[a]\nb = 1\n[a]\nc = 2\n"},
		"all servers inline":  {"Codex", "mcp_servers = { docs = { command = \"x\" } }\n"},
		"a user's in inline":  {"Codex", "[mcp_servers]\neasel = { url = \"u\", enabled = false }\n"},
		"a user's in dotted":  {"Codex", "[mcp_servers]\neasel.url = \"u\"\neasel.enabled = false\n"},
		"an array of tables":  {"Codex", "[[mcp_servers.easel]]\nurl = \"u\"\n"},
		"damaged YAML":        {"Goose", "a: [\n"},
		"YAML flow":           {"Goose", "extensions: {a: {type: builtin}}\n"},
		"two YAML documents":  {"Goose", "a: 1\n---\nb: 2\n"},
		"a map for a list":    {"Continue", "mcpServers:\n  a:\n    command: x\n"},
		"YAML after a marker": {"Goose", "a: 1\n...\n"},
	} {
		path := put(t, "config", x.text)
		c := client(t, x.client)
		if got := c.Check(path, conn); got != clients.NotPlain {
			t.Errorf("%s: state %d", name, got)
		}
		if _, err := c.Write(path, conn); !errors.Is(err, clients.ErrNotPlain) {
			t.Errorf("%s: got %v", name, err)
		}
		all, err := os.ReadDir(filepath.Dir(path))
		if now := read(t, path); err != nil || now != x.text || len(all) != 1 {
			t.Errorf("%s: the file is now %q, beside %d others", name, now, len(all)-1)
		}
	}
}

func TestALinkedFileStaysWhereItIs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"there.json", "not-yet.json"} {
		real, link := filepath.Join(dir, name), filepath.Join(dir, "link-"+name)
		if name == "there.json" {
			require.NoError(t, os.WriteFile(real, []byte("{}"), 0o600))
		}
		require.Link(t, name, link)
		c := client(t, "Cursor")
		if _, err := c.Write(link, conn); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(link)
		if err != nil || info.Mode()&os.ModeSymlink == 0 || c.Check(real, conn) != clients.Same {
			t.Errorf("%s: the link is %v, %v", name, info.Mode(), err)
		}
		if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: it holds a token, and its mode is %v, %v", name, info.Mode(), err)
		}
	}
}
