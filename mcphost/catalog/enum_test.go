package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
)

// TestEnumsHaveEveryWord checks that the schema has every value that the code uses. A
// client that validates would reject others.
func TestEnumsHaveEveryWord(t *testing.T) {
	execution, session := ExecuteCode.Spec().Out, SessionList.Spec().Out.Properties["sessions"].Items
	for name, c := range map[string]struct {
		schema *jsonschema.Schema
		words  []string
	}{
		"the status of an execution": {execution.Properties["status"], []string{
			StatusQueued, StatusAwaiting, StatusRunning, StatusOK, StatusError, StatusInterrupted, StatusCancelled,
			StatusTimeout, StatusKernelDied, StatusLost,
		}},
		"the code of its error": {execution.Properties["error"].Properties["code"], []string{
			CodeExecution, CodeInterrupted, CodeCancelled, string(tool.Denied), string(tool.ApprovalTimeout), CodeTimeout,
			CodeKernelDied, CodeOutputLost,
		}},
		"the outcome of an interrupt": {SessionInterrupt.Spec().Out.Properties["outcome"], []string{
			Interrupted, StillRuns, EndedItself, NothingRan, Withdrawn,
		}},
		"the owner of a session": {session.Properties["owner"], []string{"easel", "other"}},
		"how images come":        {tool.SchemaOf[Settings]().Properties["delivery"], []string{"", ImagesInline, ImagesLink, ImagesNone}},
	} {
		got := make([]string, len(c.schema.Enum))
		for i, v := range c.schema.Enum {
			got[i] = v.(string)
		}
		if !slices.Equal(got, c.words) {
			t.Errorf("%s is one of %q, want %q", name, got, c.words)
		}
	}
}

// TestRulesAreStatedOnce checks that MCP clients read a rule over several parameters in
// the description, and not in the listed schema.
func TestRulesAreStatedOnce(t *testing.T) {
	ruled := make(map[string]string)
	for _, x := range All() {
		s := x.Spec()
		rule := s.Either.Sentence()
		if rule == "" {
			continue
		}
		ruled[s.Name] = rule
		if strings.Count(s.Description, rule) != 1 {
			t.Errorf("%s says %q not exactly once: %s", s.Name, rule, s.Description)
		}
		walkSchema(s.In, "#", func(p *jsonschema.Schema, at string) {
			if p.AnyOf != nil || p.OneOf != nil || p.AllOf != nil {
				t.Errorf("%s %s has a union, which some model providers refuse", s.Name, at)
			}
		})
	}
	for name, rule := range map[string]string{
		"session_connect": "Give notebook_path or kernel_id.", "select_file": "Give path or paths.", "set_tags": "Give add or remove.",
		"navigate_image": "Give either direction or index.", "notebook_edit_cell": "Give cell_id or index.",
		"notebook_move_cell": "Give cell_id or index.", "notebook_delete_cell": "Give cell_id or index.", "notebook_run_cell": "Give cell_id or index.",
	} {
		if ruled[name] != rule {
			t.Errorf("%s has the rule %q, want %q", name, ruled[name], rule)
		}
	}
}
