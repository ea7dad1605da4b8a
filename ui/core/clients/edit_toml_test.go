package clients_test

import (
	"strings"
	"testing"

	"easel/ui/core/clients"
)

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
command = "/opt/easel/easel"
args = ["mcp"]
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
command = "/opt/easel/easel"
args = ["mcp"]
# the address
tool_timeout_sec = 60 # impatient
startup_timeout_sec = 5

[mcp_servers.easel.tools.execute_code]
approval_mode = "approve"

# the next one
[mcp_servers.z]
url = "http://z"
`},
		{
			"an inline table", "Codex", clients.Other, "[mcp_servers]\neasel = { url = \"old\" }\nb = { url = \"u\" }\n",
			"[mcp_servers]\nb = { url = \"u\" }\n\n" + codexTable,
		},
		{
			"dotted keys", "Codex", clients.Other, "mcp_servers.easel.url = \"old\"\nmcp_servers.b.url = \"u\"\n\n[tui]\n",
			"mcp_servers.b.url = \"u\"\n\n[tui]\n\n" + codexTable,
		},
		{"a header without an end of line", "Codex", clients.Other, "[mcp_servers.easel]", codexTable},
	})
}
