package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/tool"
)

type pickIn struct {
	Name   string   `json:"name,omitempty"`
	Names  []string `json:"names,omitempty"`
	Number *int     `json:"number,omitempty"`
}

var (
	pick = tool.Define[pickIn, paintOut](tool.Spec{
		Name: "pick", Description: "Pick something.", Either: tool.Either{Of: []string{"name", "names", "number"}},
	})
	pickOne = tool.Define[pickIn, paintOut](tool.Spec{
		Name: "pick_one", Description: "Pick one.", Either: tool.Either{Of: []string{"name", "number"}, Only: true},
	})
)

// TestEitherIsEnforced checks that arguments that satisfy the rule reach the body (here
// there is none) and that others are rejected before.
func TestEitherIsEnforced(t *testing.T) {
	const missing, both = "Invalid parameters: name or names or number is required.", "Invalid parameters: number must not be given together with name."
	for args, want := range map[string]struct{ any, one string }{
		`{}`:                            {missing, "Invalid parameters: name or number is required."},
		`{"name":null,"names":null}`:    {missing, "Invalid parameters: name or number is required."},
		`{"name":"","names":[]}`:        {missing, "Invalid parameters: name or number is required."},
		`{"name":"a"}`:                  {},
		`{"number":0}`:                  {},
		`{"name":"","number":0}`:        {},
		`{"name":"a","number":0}`:       {"", both},
		`{"names":["a"],"name":"b"}`:    {},
		`{"names":["a"],"number":null}`: {"", "Invalid parameters: name or number is required."},
	} {
		for tl, detail := range map[tool.Any]string{pick: want.any, pickOne: want.one} {
			e := tool.AsError(invoke(t, tl, args))
			if detail == "" && e.Code != tool.Internal || detail != "" && (e.Code != tool.Validation || e.Detail != detail) {
				t.Errorf("%s %s: %v, want %q", tl.Spec().Name, args, e, detail)
			}
		}
	}
}

func invoke(t *testing.T, tl tool.Any, args string) error {
	t.Helper()
	_, _, err := tl.Invoke(t.Context(), eventbus.New(), json.RawMessage(args))
	return err
}

// TestAMisspeltOneIsNotMissing checks that the message gives the right name only once.
func TestAMisspeltOneIsNotMissing(t *testing.T) {
	for args, want := range map[string]string{
		`{"nam":"a"}`:  "Invalid parameters: nam is not a parameter here; there are: name, names, number; did you mean `name`?",
		`{"colour":1}`: "Invalid parameters: colour is not a parameter here; there are: name, names, number; name or names or number is required.",
	} {
		if e := tool.AsError(invoke(t, pick, args)); e.Code != tool.Validation || e.Detail != want {
			t.Errorf("got  %v\nwant %s", e, want)
		}
	}
}

func TestEitherIsStated(t *testing.T) {
	if got := pick.Spec().Description; got != "Pick something. Give name or names or number." {
		t.Error(got)
	}
	if got := pickOne.Spec().Description; got != "Pick one. Give either name or number." {
		t.Error(got)
	}
	raw, err := json.Marshal(pick.Spec().Either.Branches(pick.Spec().In))
	require.NoError(t, err)
	for _, want := range []string{
		`{"type":"object","properties":{"name":{"type":"string","minLength":1}},"required":["name"]}`,
		`"names":{"type":"array","items":true,"minItems":1}`,
		`"number":{"type":"integer"}`,
	} {
		if !strings.Contains(strings.ReplaceAll(string(raw), " ", ""), want) {
			t.Errorf("%s does not have %s", raw, want)
		}
	}
}

func TestEitherOverNothingIsRefused(t *testing.T) {
	for name, of := range map[string][]string{"one name": {"name"}, "no such parameter": {"name", "nom"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was taken", name)
				}
			}()
			tool.Define[pickIn, paintOut](tool.Spec{Name: "pick", Either: tool.Either{Of: of}})
		}()
	}
}
