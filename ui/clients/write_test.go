package clients_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/ui/clients"
)

var conn = clients.Connection{
	URL: "http://127.0.0.1:5149/mcp", Token: "t0ken", Exe: "/opt/easel/easel", Args: []string{"mcp"},
}

// client is a client by its name.
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

// put writes a file of a new directory.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A fileCase is a client's file as it may be found, and as it must be then.
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
			if got := c.Look(path, conn); got != x.state {
				t.Errorf("before: state %d, want %d", got, x.state)
			}
			backup, err := c.Write(path, conn)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(x.want, read(t, path)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := read(t, backup); got != x.before {
				t.Errorf("the backup is %q", got)
			}
			if got := c.Look(path, conn); got != clients.Same {
				t.Errorf("after: state %d", got)
			}
			again, err := c.Write(path, conn)
			if err != nil || again == backup || read(t, path) != x.want {
				t.Errorf("written again: backup %q, %v\n%s", again, err, read(t, path))
			}
			other := conn
			other.Token, other.URL, other.Exe = "another", "http://127.0.0.1:6000/mcp", "/usr/bin/easel"
			if got := c.Look(path, other); got != clients.Other {
				t.Errorf("for another Easel: state %d", got)
			}
		})
	}
}

func TestJSONKeepsAllElse(t *testing.T) {
	check(t, []fileCase{
		{"other servers", "Cursor", clients.Absent,
			"{\n    \"zoom\": 1e2,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\", \"args\": []}\n    },\n    \"a\": null\n}",
			"{\n    \"zoom\": 1e2,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\", \"args\": []},\n        \"easel\": {\n" +
				"            \"url\": \"http://127.0.0.1:5149/mcp\",\n            \"headers\": {\"Authorization\": \"Bearer t0ken\"}\n        }\n    },\n    \"a\": null\n}"},
		{"comments and last commas", "Zed", clients.Absent, `// Zed settings
{
  // the font
  "buffer_font_size": 15, /* px */
  "context_servers": {
    // my own
    "notes": { "command": "notes", "args": [], }, // keep
    // the end
  },
  "theme": "One Dark", // dark
}
`, `// Zed settings
{
  // the font
  "buffer_font_size": 15, /* px */
  "context_servers": {
    // my own
    "notes": { "command": "notes", "args": [], }, // keep
    // the end
    "easel": {
      "url": "http://127.0.0.1:5149/mcp",
      "headers": {"Authorization": "Bearer t0ken"}
    },
  },
  "theme": "One Dark", // dark
}
`},
		{"a comment after the last item", "Zed", clients.Absent,
			"{\n\t\"a\": 1 // one\n}\n",
			"{\n\t\"a\": 1, // one\n\t\"context_servers\": {\n\t\t\"easel\": {\n\t\t\t\"url\": \"http://127.0.0.1:5149/mcp\",\n" +
				"\t\t\t\"headers\": {\"Authorization\": \"Bearer t0ken\"}\n\t\t}\n\t}\n}\n"},
		{"CRLF and a byte order mark", "Cursor", clients.Absent,
			"\ufeff{\r\n  \"mcpServers\": {}\r\n}\r\n",
			"\ufeff{\r\n  \"mcpServers\": {\r\n    \"easel\": {\r\n      \"url\": \"http://127.0.0.1:5149/mcp\",\r\n" +
				"      \"headers\": {\"Authorization\": \"Bearer t0ken\"}\r\n    }\r\n  }\r\n}\r\n"},
		{"one line", "Claude Desktop", clients.Absent, `{"mcpServers": {"a": {"command": "x"}}}`,
			"{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n  \"easel\": {\n    \"command\": \"/opt/easel/easel\",\n    \"args\": [\"mcp\"]\n  }\n}}"},
		{"empty", "LM Studio", clients.Absent, "\n",
			"{\n  \"mcpServers\": {\n    \"easel\": {\n      \"url\": \"http://127.0.0.1:5149/mcp\",\n      \"headers\": {\"Authorization\": \"Bearer t0ken\"}\n    }\n  }\n}\n"},
		{"an older token: what the user approved stays", "Cline", clients.Other, `{
  "mcpServers": {
    "easel": {
      "type": "streamableHttp",
      "url": "http://127.0.0.1:5149/mcp",
      "headers": {"Authorization": "Bearer old"}, // from Easel
      "timeout": 60,
      "autoApprove": ["session_create"]
    }
  }
}
`, `{
  "mcpServers": {
    "easel": {
      "type": "streamableHttp",
      "url": "http://127.0.0.1:5149/mcp",
      "headers": {"Authorization": "Bearer t0ken"}, // from Easel
      "timeout": 60,
      "autoApprove": ["session_create"]
    }
  }
}
`},
		{"another transport", "Gemini CLI", clients.Other, `{
  "mcpServers": {
    "easel": { "command": "/old/easel", "args": ["mcp"], "trust": true }
  },
  "theme": "Dark"
}`, `{
  "mcpServers": {
    "easel": {
      "httpUrl": "http://127.0.0.1:5149/mcp",
      "headers": {"Authorization": "Bearer t0ken"},
      "timeout": 3600000,
      "trust": true
    }
  },
  "theme": "Dark"
}`},
		{"a schema and another server", "opencode", clients.Absent,
			"{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"] }\n  }\n}\n",
			"{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"] },\n    \"easel\": {\n" +
				"      \"type\": \"remote\",\n      \"url\": \"http://127.0.0.1:5149/mcp\",\n      \"headers\": {\"Authorization\": \"Bearer t0ken\"},\n" +
				"      \"enabled\": true,\n      \"timeout\": 3600000\n    }\n  }\n}\n"},
	})
}

func TestVSCodeAsksForTheTokenOnce(t *testing.T) {
	path := put(t, "mcp.json", `{
	"inputs": [
		{"type": "promptString", "id": "key"} // of another server
	],
	"servers": {}
}
`)
	c := client(t, "VS Code")
	for range 2 {
		if _, err := c.Write(path, conn); err != nil {
			t.Fatal(err)
		}
	}
	want := `{
	"inputs": [
		{"type": "promptString", "id": "key"}, // of another server
		{
			"type": "promptString",
			"id": "easel",
			"password": true,
			"description": "Easel token"
		}
	],
	"servers": {
		"easel": {
			"type": "http",
			"url": "http://127.0.0.1:5149/mcp",
			"headers": {"Authorization": "Bearer ${input:easel}"}
		}
	}
}
`
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if strings.Contains(read(t, path), conn.Token) {
		t.Error("the file has the token")
	}
}

const codexBefore = `# my Codex
model = "gpt-5"   # fast enough
notify = ["bash", "-c", """
[mcp_servers.easel]
this is no table"""]

[mcp_servers.docs]
command = "docs" # keep
[mcp_servers.docs.env]
KEY = 'a # b'

[profiles."my one"]
model = "o3"
`

const codexTable = `[mcp_servers.easel]
url = "http://127.0.0.1:5149/mcp"
http_headers = { Authorization = "Bearer t0ken" }
tool_timeout_sec = 3600
`

func TestTOMLKeepsAllElse(t *testing.T) {
	check(t, []fileCase{
		{"no table", "Codex", clients.Absent, codexBefore, codexBefore + "\n" + codexTable},
		{"no end of the last line", "Codex", clients.Absent, "model = \"m\"", "model = \"m\"\n\n" + codexTable},
		{"only a comment", "Codex", clients.Absent, "# nothing yet\n", "# nothing yet\n\n" + codexTable},
		{"CRLF", "Codex", clients.Absent, "model = \"m\"\r\n", "model = \"m\"\r\n\r\n" + strings.ReplaceAll(codexTable, "\n", "\r\n")},
		{"its table in the middle, with subtables and what the user chose", "Codex", clients.Other, `
[mcp_servers . "easel"] # Easel
# the address
url = "http://127.0.0.1:5000/mcp"
bearer_token_env_var = "EASEL_TOKEN"
tool_timeout_sec = 60 # impatient
startup_timeout_sec = 5
[mcp_servers.easel.http_headers]
X-Old = "1"

[mcp_servers.easel.tools.execute_code]
approval_mode = "approve"

# the next one
[mcp_servers.z]
url = "http://z"
`, `
[mcp_servers . "easel"] # Easel
url = "http://127.0.0.1:5149/mcp"
http_headers = { Authorization = "Bearer t0ken" }
# the address
tool_timeout_sec = 60 # impatient
startup_timeout_sec = 5

[mcp_servers.easel.tools.execute_code]
approval_mode = "approve"

# the next one
[mcp_servers.z]
url = "http://z"
`},
		{"an inline table", "Codex", clients.Other, "[mcp_servers]\neasel = { command = \"easel\", args = [\"mcp\"] }\nb = { url = \"u\" }\n",
			"[mcp_servers]\nb = { url = \"u\" }\n\n" + codexTable},
		{"dotted keys", "Codex", clients.Other, "mcp_servers.easel.url = \"old\"\nmcp_servers.b.url = \"u\"\n\n[tui]\n",
			"mcp_servers.b.url = \"u\"\n\n[tui]\n\n" + codexTable},
		{"a header without an end of line", "Codex", clients.Other, "[mcp_servers.easel]", codexTable},
	})
}

func TestYAMLKeepsAllElse(t *testing.T) {
	const goose = `  easel:
    type: streamable_http
    name: easel
    enabled: true
    uri: "http://127.0.0.1:5149/mcp"
    headers:
      Authorization: "Bearer t0ken"
    timeout: 3600
`
	const item = `  - name: easel
    type: streamable-http
    url: "http://127.0.0.1:5149/mcp"
    requestOptions:
      headers:
        Authorization: "Bearer t0ken"
`
	check(t, []fileCase{
		{"other extensions", "Goose", clients.Absent, `# mine
GOOSE_MODE: "smart_approve"
extensions:
  developer: # built in
    enabled: true
    type: builtin

# the end
GOOSE_TOOLSHIM: true
`, `# mine
GOOSE_MODE: "smart_approve"
extensions:
  developer: # built in
    enabled: true
    type: builtin
` + goose + `
# the end
GOOSE_TOOLSHIM: true
`},
		{"no extensions, no end of the last line", "Goose", clients.Absent, "a: 1", "a: 1\nextensions:\n" + goose},
		{"an empty section", "Goose", clients.Absent, "extensions: # none\nb: 2\n", "extensions: # none\n" + goose + "b: 2\n"},
		{"an empty flow", "Goose", clients.Absent, "extensions: {} # none\nb: 2\n", "extensions: # none\n" + goose + "b: 2\n"},
		{"an older address, disabled by the user", "Goose", clients.Other, `extensions:
  easel:
    name: easel
    enabled: false # for now
    type: streamable_http
    uri: http://127.0.0.1:1/mcp
    headers:
      Authorization: Bearer old
    timeout: 10
  z:
    type: builtin
`, `extensions:
  easel:
    name: easel
    enabled: false # for now
    type: streamable_http
    timeout: 10
    uri: "http://127.0.0.1:5149/mcp"
    headers:
      Authorization: "Bearer t0ken"
  z:
    type: builtin
`},
		{"other servers", "Continue", clients.Absent,
			"name: Mine\nversion: 1.0.0\nmcpServers:\n  # docs\n  - name: docs\n    command: docs\nrules:\n  - be brief\n",
			"name: Mine\nversion: 1.0.0\nmcpServers:\n  # docs\n  - name: docs\n    command: docs\n" + item + "rules:\n  - be brief\n"},
		{"items that are not indented", "Continue", clients.Absent, "mcpServers:\n- name: docs\n  command: docs\nrules: []\n",
			"mcpServers:\n- name: docs\n  command: docs\n" + strings.ReplaceAll(strings.TrimPrefix(item, "  "), "\n  ", "\n") + "rules: []\n"},
		{"an older token", "Continue", clients.Other,
			"mcpServers:\n  - name: easel\n    type: streamable-http\n    url: http://127.0.0.1:5149/mcp\n    requestOptions:\n      headers:\n        Authorization: Bearer old\n  - name: z\n    command: z\n",
			"mcpServers:\n  - name: easel\n    type: streamable-http\n    url: http://127.0.0.1:5149/mcp\n    requestOptions:\n      headers:\n        Authorization: \"Bearer t0ken\"\n  - name: z\n    command: z\n"},
		{"CRLF", "Goose", clients.Absent, "a: 1\r\n", "a: 1\r\n" + strings.ReplaceAll("extensions:\n"+goose, "\n", "\r\n")},
	})
}

func TestANewFileIsComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.yaml")
	c := client(t, "Continue")
	backup, err := c.Write(path, conn)
	if err != nil || backup != "" || c.Look(path, conn) != clients.Same {
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
		if got := c.Look(path, conn); got != clients.NotPlain {
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
			if err := os.WriteFile(real, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(name, link); err != nil {
			t.Fatal(err)
		}
		c := client(t, "Cursor")
		if _, err := c.Write(link, conn); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(link)
		if err != nil || info.Mode()&os.ModeSymlink == 0 || c.Look(real, conn) != clients.Same {
			t.Errorf("%s: the link is %v, %v", name, info.Mode(), err)
		}
		if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: it holds a token, and its mode is %v, %v", name, info.Mode(), err)
		}
	}
}
