package sessionuse

import (
	"testing"

	"easel/mcphost/tool"
)

func TestUsersOfASession(t *testing.T) {
	var users string
	for _, id := range []string{"", "a", "b", "a", "c", "d", "e", "f", "g", "h", "i"} {
		users, _ = withUser(users, id)
	}
	if want := "b\nc\nd\ne\nf\ng\nh\ni"; users != want {
		t.Errorf("got %q, want %q", users, want)
	}
	for want, c := range map[string]tool.Caller{
		"s-1": {Transport: tool.MCP, Name: "x", Session: "s-1"}, "rest:curl/8_(x)": {Transport: tool.REST, Name: "curl/8 (x)"},
		"": {Transport: tool.Window, Name: "x"},
	} {
		if got := c.Identity(); got != want {
			t.Errorf("%+v: got %q, want %q", c, got, want)
		}
	}
}
