package sessionuse

import (
	"testing"

	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// TestASuccessorIsToldInsteadOfAClient covers clients that connect again before and after a kernel
// was replaced, several clients of one name, and versions.
func TestASuccessorIsToldInsteadOfAClient(t *testing.T) {
	client := func(name, session string) tool.Caller {
		return tool.Caller{Transport: tool.MCP, Name: name, Version: session, Session: session}
	}
	const replace = "" // by another client
	for what, steps := range map[string][]struct {
		name, session string
		told          bool
	}{
		"connects again afterwards":            {{"a", "1", false}, {replace, "", false}, {"a", "2", true}, {"a", "3", false}, {"a", "2", false}},
		"connects again before":                {{"a", "1", false}, {"a", "2", false}, {replace, "", false}, {"a", "2", true}, {"a", "3", false}},
		"the predecessor calls after all":      {{"a", "1", false}, {replace, "", false}, {"a", "2", true}, {"a", "1", true}, {"a", "1", false}, {"a", "4", false}},
		"another client":                       {{"a", "1", false}, {replace, "", false}, {"b", "2", false}, {"a", "1", true}},
		"two of one name":                      {{"a", "1", false}, {"a", "2", false}, {replace, "", false}, {"a", "1", true}, {"a", "2", true}, {"a", "3", false}},
		"replaced again":                       {{"a", "1", false}, {replace, "", false}, {"a", "2", true}, {replace, "", false}, {"a", "3", true}, {"a", "2", true}},
		"replaced twice":                       {{"a", "1", false}, {replace, "", false}, {replace, "", false}, {"a", "2", true}, {"a", "2", false}},
		"was told, then connects again":        {{"a", "1", false}, {replace, "", false}, {"a", "1", true}, {"a", "2", false}},
		"a client without an MCP session":      {{"a", "", false}, {replace, "", false}, {"a", "", true}, {"a", "", false}},
		"now with an MCP session":              {{"a", "", false}, {replace, "", false}, {"a", "7", true}},
		"nothing was replaced":                 {{"a", "1", false}, {"a", "2", false}},
		"nobody had used it":                   {{replace, "", false}, {"a", "1", false}},
		"a session that an earlier Easel kept": {{"kept", "", false}, {replace, "", false}, {"a", "2", false}, {"kept", "", true}},
	} {
		s := library.Session{Generation: 1}
		for i, step := range steps {
			if step.name == replace {
				Replace(&s, Actor{ID: "other", Name: "other 1.0"})
				continue
			}
			c := client(step.name, step.session)
			Add(&s, c)
			if step.name == "kept" {
				s.Kin = ""
			}
			if got := Tell(&s, c); got != step.told {
				t.Errorf("%s, step %d (%s %s): told %v, want %v", what, i, step.name, step.session, got, step.told)
			}
		}
	}
}
