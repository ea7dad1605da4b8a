package clients_test

import (
	"strings"
	"testing"

	"easel/ui/core/clients"
)

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
		{
			"other servers", "Continue", clients.Absent,
			"name: Mine\nversion: 1.0.0\nmcpServers:\n  # docs\n  - name: docs\n    command: docs\nrules:\n  - be brief\n",
			"name: Mine\nversion: 1.0.0\nmcpServers:\n  # docs\n  - name: docs\n    command: docs\n" + item + "rules:\n  - be brief\n",
		},
		{
			"items that are not indented", "Continue", clients.Absent, "mcpServers:\n- name: docs\n  command: docs\nrules: []\n",
			"mcpServers:\n- name: docs\n  command: docs\n" + strings.ReplaceAll(strings.TrimPrefix(item, "  "), "\n  ", "\n") + "rules: []\n",
		},
		{
			"an older token", "Continue", clients.Other,
			"mcpServers:\n  - name: easel\n    type: streamable-http\n    url: http://127.0.0.1:5149/mcp\n    requestOptions:\n      headers:\n        Authorization: Bearer old\n  - name: z\n    command: z\n",
			"mcpServers:\n  - name: easel\n    type: streamable-http\n    url: http://127.0.0.1:5149/mcp\n    requestOptions:\n      headers:\n        Authorization: \"Bearer t0ken\"\n  - name: z\n    command: z\n",
		},
		{"CRLF", "Goose", clients.Absent, "a: 1\r\n", "a: 1\r\n" + strings.ReplaceAll("extensions:\n"+goose, "\n", "\r\n")},
	})
}
