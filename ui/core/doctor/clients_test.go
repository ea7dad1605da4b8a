package doctor

import (
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

func TestClients(t *testing.T) {
	const here = "http://127.0.0.1:5149/mcp"
	tests := map[string]struct{ file, text, want string }{
		"Claude Code": {
			".claude.json", `{"mcpServers": {"easel": {"type": "http", "url": "` + here + `", "headers": {"Authorization": "Bearer the-kept-token"}}}}`,
			"✓ Claude Code    connects to Easel at " + here,
		},
		"Claude Code in a project": {
			".claude.json", `{"projects": {"/p": {"mcpServers": {"easel": {"type": "http", "url": "` + here + `"}}}}}`,
			"✓ Claude Code    connects to Easel at ",
		},
		"Claude Code without a type": {
			".claude.json", `{"mcpServers": {"easel": {"url": "` + here + `"}}}`,
			"! Claude Code    connects to Easel at " + here + ", but without \"type\"",
		},
		"an old token": {
			".cursor/mcp.json", `{"mcpServers": {"easel": {"url": "` + here + `", "headers": {"Authorization": "Bearer some-other-token"}}}}`,
			"! Cursor         connects to Easel at " + here + ", but with another token",
		},
		"another port": {
			".gemini/settings.json", `{"mcpServers": {"easel": {"httpUrl": "http://localhost:5150/mcp"}}}`,
			"! Gemini CLI     names port 5150, Easel's is 5149",
		},
		"the bridge in a list": {
			".config/opencode/opencode.json", `{"mcp": {"easel": {"type": "local", "command": ["/opt/easel/bin/easel", "mcp"], "enabled": true}}}`,
			"✓ opencode       starts easel mcp",
		},
		"the bridge": {
			".config/Claude/claude_desktop_config.json", `{"mcpServers": {"easel": {"command": "/opt/easel/bin/easel", "args": ["mcp"]}}}`,
			"✓ Claude Desktop starts easel mcp",
		},
		"TOML": {
			".codex/config.toml", "[mcp_servers.easel]\nurl = \"" + here + "\"\nbearer_token_env_var = \"EASEL_TOKEN\"\n",
			"✓ Codex          connects to Easel at",
		},
		"JSON with comments": {
			".config/Code/User/mcp.json", "{\n// mine\n\"servers\": {\"easel\": {\"type\": \"http\", \"url\": \"" + here + "\"},},}",
			"✓ VS Code        connects to Easel at",
		},
		"without Easel": {
			".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", `{"mcpServers": {"other": {"command": "weasel", "args": ["mcp"]}}}`,
			"! Cline          has no entry for Easel",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := machine(t)
			cfg.Port = DefaultPort
			home := os.Getenv("HOME")
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			put(t, filepath.Join(cfg.DataDir, "token"), "the-kept-token\n")
			file := test.file
			if goruntime.GOOS == "windows" && !strings.Contains(file, "opencode") { // APPDATA is home
				file = strings.TrimPrefix(file, ".config/")
			}
			put(t, filepath.Join(home, filepath.FromSlash(file)), test.text)
			var b strings.Builder
			for _, f := range checkClients(t.Context(), &patient{Config: cfg}) {
				write(&b, f)
			}
			wantLines(t, b.String(), test.want)
			if strings.Contains(b.String(), "-token") {
				t.Errorf("a token is shown:\n%s", b.String())
			}
		})
	}
}
