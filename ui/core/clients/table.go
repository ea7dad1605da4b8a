package clients

import (
	"path/filepath"
	"strings"
)

// bearer returns the header that contains the token.
func bearer(c Connection) Entry { return Entry{{"Authorization", "Bearer " + c.Token}} }

// tokenVariable tells the stdio bridge the client's own token. Without it, the bridge uses Easel's, which it finds in a file.
const tokenVariable = "EASEL_TOKEN"

// stdio returns an entry with which the client starts the stdio bridge.
func stdio(c Connection) Entry {
	e := Entry{{"command", c.Exe}, {"args", c.Args}}
	if c.own() {
		e = append(e, Field{"env", Entry{{tokenVariable, c.Token}}})
	}
	return e
}

// remote returns a function for Client.Entry. The entry has url and headers, between the
// fields before and after.
func remote(before, after Entry) func(Connection) Entry {
	return func(c Connection) Entry {
		e := append(append(Entry{}, before...), Field{"url", c.URL}, Field{"headers", bearer(c)})
		return append(e, after...)
	}
}

// cline returns the entry of Cline's two programs. Their default timeout is one minute; this
// one is in seconds. It is HTTP: Cline CLI starts its servers from a daemon, which stays in the
// folder that it was started in, whichever project the user is in later.
var cline = remote(Entry{{"type", "streamableHttp"}}, Entry{{"timeout", 3600}})

// gemini returns the entry over HTTP of Gemini CLI and its forks. The timeout is in milliseconds.
func gemini(c Connection) Entry {
	return Entry{{"httpUrl", c.URL}, {"headers", bearer(c)}, {"timeout", 3_600_000}}
}

// shellWord quotes a word for a shell if that is necessary.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+=,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Bridge returns the shell command that starts the stdio bridge to this Easel.
func (c Connection) Bridge() string {
	words := []string{shellWord(c.Exe)}
	for _, a := range c.Args {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// All lists the clients in the order in which they are shown. The last one stands for any
// other client.
//
// A client that starts its servers in the project's folder, or says its roots, gets the stdio
// bridge: HTTP does not tell Easel where the client works. This applies only to clients whose
// stdio was run (docs/clients.md).
//
// If Checked is a version, that version read the file that Easel writes, and connected or
// listed Easel, unless a comment says otherwise. If it is "docs", the entry follows the
// client's documentation.
var All = []Client{
	{
		Name: "Claude Code", match: []string{"claude-code", "claude code"}, Format: Command, Section: []string{"mcpServers"},
		Entry:  func(c Connection) Entry { return append(Entry{{"type", "stdio"}}, stdio(c)...) },
		Former: remote(Entry{{"type", "http"}}, nil), files: func(p places) []string {
			return []string{p.in("CLAUDE_CONFIG_DIR", "", ".claude.json"), ".mcp.json"}
		},
		text: func(c Connection) string {
			if c.own() {
				return "claude mcp add easel --scope user --env " + tokenVariable + "=" + c.Token + " -- " + c.Bridge()
			}
			return "claude mcp add --scope user easel -- " + c.Bridge()
		},
		After: "connect.after_command", Link: "https://code.claude.com/docs/en/mcp", Checked: "2.1.330",
	},
	{
		Name: "Claude Desktop", match: []string{"claude-ai", "claude desktop", "local-agent-mode"},
		Format: JSON, Section: []string{"mcpServers"}, Entry: stdio,
		files: func(p places) []string {
			return []string{filepath.Join(p.apps, "Claude", "claude_desktop_config.json")}
		},
		After: "connect.after_restart", Link: "https://modelcontextprotocol.io/docs/develop/connect-local-servers", Checked: "docs",
		NoViewer: "shows an empty frame to local servers, and tells the model that the user has seen the plot", // claude-ai-mcp#165
	},
	{
		Name: "Cline", match: []string{"cline"}, Format: JSON, Section: []string{"mcpServers"}, Entry: cline, files: extension,
		After: "connect.after_cline", Link: "https://docs.cline.bot/mcp/configuring-mcp-servers", Checked: "docs",
	},
	{
		Name: "Cline CLI", match: []string{"@cline/core"}, Format: JSON, Section: []string{"mcpServers"}, Entry: cline,
		files: homeFile(".cline", "data", "settings", "cline_mcp_settings.json"),
		After: "connect.after_session", Link: "https://docs.cline.bot/cline-cli", Checked: "3.0.65",
	},
	{
		Name: "Codex", match: []string{"codex"}, Format: TOML, Section: []string{"mcp_servers"},
		Entry: func(c Connection) Entry { return append(stdio(c), Field{"tool_timeout_sec", 3600}) },
		Former: func(c Connection) Entry {
			return Entry{{"url", c.URL}, {"http_headers", bearer(c)}, {"tool_timeout_sec", 3600}}
		},
		files: func(p places) []string { return []string{p.in("CODEX_HOME", ".codex", "config.toml")} },
		After: "connect.after_session", Link: "https://developers.openai.com/codex/mcp", Checked: "0.169.0",
	},
	{
		Name: "Continue", match: []string{"continue"}, Format: YAML, Section: []string{"mcpServers"}, Named: true,
		head: "name: Local Config\nversion: 1.0.0\nschema: v1\n", // all three are required
		Entry: func(c Connection) Entry {
			return Entry{{"type", "streamable-http"}, {"url", c.URL}, {"requestOptions", Entry{{"headers", bearer(c)}}}}
		},
		files: func(p places) []string { return []string{p.in("CONTINUE_GLOBAL_DIR", ".continue", "config.yaml")} },
		After: "connect.after_continue", Link: "https://docs.continue.dev/customize/deep-dives/mcp", Checked: "1.5.47",
	},
	{
		Name: "Cursor", match: []string{"cursor"}, Format: JSON, Section: []string{"mcpServers"}, Entry: remote(nil, nil),
		files: homeFile(".cursor", "mcp.json"),
		After: "connect.after_restart", Link: "https://cursor.com/docs/context/mcp", Checked: "docs",
	},
	{
		Name: "Gemini CLI", match: []string{"gemini"}, Format: JSON, Section: []string{"mcpServers"},
		Entry:  func(c Connection) Entry { return append(stdio(c), Field{"timeout", 3_600_000}) },
		Former: gemini, files: homeFile(".gemini", "settings.json"),
		After: "connect.after_session", Note: "connect.note_gemini", Link: "https://geminicli.com/docs/tools/mcp-server/", Checked: "0.61.0",
	},
	{
		Name: "GitHub Copilot CLI", match: []string{"copilot"}, Format: JSON, Section: []string{"mcpServers"},
		Entry: remote(Entry{{"type", "http"}}, Entry{{"tools", []string{"*"}}}), // without this field, it offers no tools
		files: func(p places) []string { return []string{p.in("COPILOT_HOME", ".copilot", "mcp-config.json")} },
		After: "connect.after_session", Link: "https://docs.github.com/copilot/how-tos/copilot-cli", Checked: "1.0.102",
	},
	{
		Name: "Goose", match: []string{"goose"}, Format: YAML, Section: []string{"extensions"}, Entry: func(c Connection) Entry {
			return Entry{
				{"type", "streamable_http"}, {"name", serverName}, {"enabled", true}, {"uri", c.URL}, {"headers", bearer(c)}, {"timeout", 3600},
			}
		},
		files: func(p places) []string {
			return []string{filepath.Join(p.config, "goose", "config.yaml"), filepath.Join(p.apps, "Block", "goose", "config", "config.yaml")}
		},
		After: "connect.after_session", Link: "https://goose-docs.ai/docs/guides/config-files", Checked: "docs",
	},
	{
		// Its settings dialog accepts the JSON of other clients. It does not document a
		// file. Every version supports stdio, which needs no token.
		Name: "JetBrains", match: []string{"jetbrains", "intellij", "junie"}, Format: Dialog, Section: []string{"mcpServers"}, Entry: stdio,
		After: "connect.after_jetbrains", Link: "https://www.jetbrains.com/help/ai-assistant/mcp.html", Checked: "docs",
	},
	{
		Name: "LM Studio", match: []string{"lm studio", "lmstudio", "lm-studio"}, Format: JSON, Section: []string{"mcpServers"},
		Entry: remote(nil, nil), files: homeFile(".lmstudio", "mcp.json"), // since 0.3.17
		After: "connect.after_lmstudio", Link: "https://lmstudio.ai/docs/app/mcp", Checked: "docs",
	},
	{
		Name: "opencode", match: []string{"opencode"}, Format: JSON, Section: []string{"mcp"},
		Entry: func(c Connection) Entry {
			e := Entry{{"type", "local"}, {"command", append([]string{c.Exe}, c.Args...)}}
			if c.own() {
				e = append(e, Field{"environment", Entry{{tokenVariable, c.Token}}})
			}
			return append(e, Entry{{"enabled", true}, {"timeout", 3_600_000}}...)
		},
		Former: remote(Entry{{"type", "remote"}}, Entry{{"enabled", true}, {"timeout", 3_600_000}}),
		files: func(p places) []string {
			dir := filepath.Join(p.config, "opencode")
			return []string{filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"), "opencode.json"}
		},
		After: "connect.after_session", Link: "https://opencode.ai/docs/mcp-servers", Checked: "1.18.33",
	},
	{
		Name: "Qwen Code", match: []string{"qwen"}, Format: JSON, Section: []string{"mcpServers"}, Entry: gemini,
		files: homeFile(".qwen", "settings.json"),
		After: "connect.after_session", Link: "https://qwenlm.github.io/qwen-code-docs/", Checked: "0.15.10",
	},
	{
		Name: "VS Code", match: []string{"visual studio code", "vscode"}, Format: JSON, Section: []string{"servers"},
		Entry: func(c Connection) Entry {
			return Entry{{"type", "http"}, {"url", c.URL}, {"headers", Entry{{"Authorization", "Bearer ${input:easel}"}}}}
		},
		Inputs: "inputs", Input: Entry{{"type", "promptString"}, {"id", serverName}, {"password", true}, {"description", "Easel token"}},
		files: func(p places) []string {
			return []string{filepath.Join(p.apps, "Code", "User", "mcp.json"), filepath.Join(".vscode", "mcp.json")}
		},
		After: "connect.after_vscode", Link: "https://code.visualstudio.com/docs/copilot/chat/mcp-servers", Checked: "docs",
	},
	{
		Name: "Warp", match: []string{"warp"}, Format: JSON, Section: []string{"mcpServers"}, Entry: remote(nil, nil),
		files: homeFile(".warp", ".mcp.json"),
		After: "connect.after_warp", Link: "https://docs.warp.dev/agent-platform/capabilities/mcp", Checked: "docs",
	},
	{
		Name: "Windsurf", match: []string{"windsurf"}, Format: JSON, Section: []string{"mcpServers"}, Entry: func(c Connection) Entry {
			return Entry{{"serverUrl", c.URL}, {"headers", bearer(c)}} // the field url would select SSE
		},
		files: homeFile(".codeium", "windsurf", "mcp_config.json"),
		After: "connect.after_windsurf", Link: "https://docs.windsurf.com/windsurf/cascade/mcp", Checked: "docs",
	},
	{
		Name: "Zed", match: []string{"zed"}, Format: JSON, Section: []string{"context_servers"}, Entry: remote(nil, nil),
		files: func(p places) []string {
			// the second is for Windows
			return []string{filepath.Join(p.config, "zed", "settings.json"), filepath.Join(p.apps, "Zed", "settings.json")}
		},
		After: "connect.after_zed", Link: "https://zed.dev/docs/ai/mcp", Checked: "docs",
	},
	{
		Format: Command, text: func(c Connection) string {
			command := c.Bridge()
			if c.own() {
				command = tokenVariable + "=" + c.Token + " " + command
			}
			return "# Streamable HTTP\n" + c.URL + "\nAuthorization: Bearer " + c.Token + "\n\n# or stdio\n" + command
		},
		After: "connect.after_other", Link: "https://modelcontextprotocol.io/clients",
	},
}

// extension returns the paths of the file of Cline's extension in the editors that it
// supports.
func extension(p places) []string {
	var all []string
	for _, editor := range []string{"Code", "VSCodium", "Cursor", "Windsurf"} {
		all = append(all, filepath.Join(p.apps, editor, "User", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"))
	}
	return all
}
