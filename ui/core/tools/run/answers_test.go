package run

import (
	"testing"

	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

func TestWhoIsToldAQuestion(t *testing.T) {
	caller := func(name string) tool.Caller { return tool.Caller{Transport: tool.MCP, Name: name} }
	session := func(client, users string) []record.SessionView {
		return []record.SessionView{{Session: library.Session{ID: "s", Client: client, Users: users}}}
	}
	for name, c := range map[string]struct {
		live      []record.SessionView
		connected string
		want      bool
	}{
		"it has used the session":                   {session("other", "mcp:other\nmcp:me"), "mcp:other", true},
		"it has created the session":                {session("me", "mcp:other"), "mcp:other", true},
		"another client uses it":                    {session("other", "mcp:other"), "mcp:other", false},
		"another client has used it and left":       {session("other", "mcp:other"), "", true},
		"the session has ended, or there is none":   {nil, "mcp:other", true},
		"nobody has used the session through Easel": {session("", ""), "mcp:other", true},
	} {
		got := concerns(caller("me"), "s", c.live, func(user string) bool { return user == c.connected })
		if got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
