package clients_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/clients"
)

func TestEveryClientIsComplete(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, c := range clients.All {
		if c.Link == "" || c.Name != "" && c.Checked == "" {
			t.Errorf("%q: link %q, checked %q", c.Name, c.Link, c.Checked)
		}
		if c.Writable() && !filepath.IsAbs(c.File()) {
			t.Errorf("%q can be written, but where? %q", c.Name, c.File())
		}
		got := c.Snippet(conn)
		if !strings.Contains(got, conn.URL) && !strings.Contains(got, conn.Exe) {
			t.Errorf("%q leads nowhere:\n%s", c.Name, got)
		}
	}
}

func TestFindByTheNameThatAClientGives(t *testing.T) {
	for name, want := range map[string]string{ // names as sent by the clients for which Checked is a version
		"claude-code 2.1.330": "Claude Code", "claude-ai 0.1.0": "Claude Desktop", "local-agent-mode-easel 1.0.0": "Claude Desktop", "codex-mcp-client 0.169.0": "Codex",
		"@cline/core 0.0.0": "Cline CLI", "Cline 3.40.0": "Cline", "continue-cli-client 1.0.0": "Continue", "cursor-vscode 1.0.0": "Cursor",
		"Visual Studio Code 1.104.0": "VS Code", "qwen-cli-mcp-client-easel 0.0.1": "Qwen Code", "gemini-cli-mcp-client 0.61.0": "Gemini CLI",
		"opencode 1.18.33": "opencode", "windsurf-client 1.0.0": "Windsurf", "Zed 0.210.0": "Zed", "mcp-inspector 2.12.0": "",
	} {
		if c, ok := clients.Find(name); c.Name != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v", name, c.Name, ok)
		}
	}
}

func TestWhoIsOfferedTheViewer(t *testing.T) {
	for name, want := range map[string]bool{
		"claude-ai": false, "local-agent-mode-easel": false, "Visual Studio Code": true, "cursor-vscode": true, "goose-desktop": true, "unknown": true, "": true,
	} {
		if got := clients.ShowsViewer(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestAnotherEaselNamesItselfInTheCommand(t *testing.T) {
	c := conn
	c.Exe, c.Args = "/opt/my tools/easel", []string{"mcp", "--data-dir", "/data/it's mine"}
	if got, want := c.Bridge(), `'/opt/my tools/easel' mcp --data-dir '/data/it'\''s mine'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := client(t, "Claude Desktop").Snippet(c); !strings.Contains(got, `"args": ["mcp", "--data-dir", "/data/it's mine"]`) {
		t.Errorf("got\n%s", got)
	}
}

func TestFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CODEX_HOME", "")
	if runtime.GOOS != "linux" {
		return // the paths below are for Linux
	}
	cline := filepath.Join(".config", "VSCodium", "User", "globalStorage", "saoudrizwan.claude-dev", "settings")
	for _, dir := range []string{cline, ".codex"} {
		require.NoError(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	for name, want := range map[string]string{
		"Cline": filepath.Join("~", cline, "cline_mcp_settings.json"), "Cursor": "~/.cursor/mcp.json", "VS Code": "~/.config/Code/User/mcp.json",
		"Codex": "~/.codex/config.toml", "JetBrains": "", "": "",
	} {
		if got := clients.Tilde(client(t, name).File()); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"Cline": true, "Codex": true, "Cursor": false, "Claude Code": false, "JetBrains": false} {
		if got := client(t, name).Installed(); got != want {
			t.Errorf("%s is installed: %v", name, got)
		}
	}
	other := t.TempDir()
	t.Setenv("CODEX_HOME", other)
	if got := client(t, "Codex").File(); got != filepath.Join(other, "config.toml") {
		t.Errorf("with CODEX_HOME: %s", got)
	}
}

func TestSnippetsAreWhatTheClientsRead(t *testing.T) {
	it := clients.Connection{URL: conn.URL, Token: "T", Exe: `C:\Program Files\"Easel"\easel.exe`, Args: []string{"mcp", "--data-dir", "ö <&> #"}}
	for _, c := range clients.All {
		if c.Format == clients.Command {
			continue
		}
		path := put(t, "config", c.Snippet(it))
		if got := c.Check(path, it); got != clients.Same {
			t.Errorf("%s: state %d of\n%s", c.Name, got, c.Snippet(it))
		}
	}
}
