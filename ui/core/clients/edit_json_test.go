package clients_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/ui/core/clients"
)

func TestJSONKeepsAllElse(t *testing.T) {
	check(t, []fileCase{
		{
			"other servers", "Cursor", clients.Absent,
			"{\n    \"zoom\": 1e2,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\", \"args\": []}\n    },\n    \"a\": null\n}",
			"{\n    \"zoom\": 1e2,\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\", \"args\": []},\n        \"easel\": {\n" +
				"            \"url\": \"http://127.0.0.1:5149/mcp\",\n            \"headers\": {\"Authorization\": \"Bearer t0ken\"}\n        }\n    },\n    \"a\": null\n}",
		},
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
		{
			"a comment after the last item", "Zed", clients.Absent,
			"{\n\t\"a\": 1 // one\n}\n",
			"{\n\t\"a\": 1, // one\n\t\"context_servers\": {\n\t\t\"easel\": {\n\t\t\t\"url\": \"http://127.0.0.1:5149/mcp\",\n" +
				"\t\t\t\"headers\": {\"Authorization\": \"Bearer t0ken\"}\n\t\t}\n\t}\n}\n",
		},
		{
			"CRLF and a byte order mark", "Cursor", clients.Absent,
			"\ufeff{\r\n  \"mcpServers\": {}\r\n}\r\n",
			"\ufeff{\r\n  \"mcpServers\": {\r\n    \"easel\": {\r\n      \"url\": \"http://127.0.0.1:5149/mcp\",\r\n" +
				"      \"headers\": {\"Authorization\": \"Bearer t0ken\"}\r\n    }\r\n  }\r\n}\r\n",
		},
		{
			"one line", "Claude Desktop", clients.Absent, `{"mcpServers": {"a": {"command": "x"}}}`,
			"{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n  \"easel\": {\n    \"command\": \"/opt/easel/easel\",\n    \"args\": [\"mcp\"]\n  }\n}}",
		},
		{
			"empty", "LM Studio", clients.Absent, "\n",
			"{\n  \"mcpServers\": {\n    \"easel\": {\n      \"url\": \"http://127.0.0.1:5149/mcp\",\n      \"headers\": {\"Authorization\": \"Bearer t0ken\"}\n    }\n  }\n}\n",
		},
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
		{"another transport", "Qwen Code", clients.Other, `{
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
		{
			"a schema and another server", "opencode", clients.Absent,
			"{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"] }\n  }\n}\n",
			"{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"] },\n    \"easel\": {\n" +
				"      \"type\": \"local\",\n      \"command\": [\"/opt/easel/easel\", \"mcp\"],\n" +
				"      \"enabled\": true,\n      \"timeout\": 3600000\n    }\n  }\n}\n",
		},
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
