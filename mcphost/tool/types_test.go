package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/tool"
)

type wheel struct {
	Kind string `json:"kind" enum:"front,back"`
}

type carriage struct {
	wheel
	Colour string           `json:"colour,omitempty" enum:",red"`
	Wheels []wheel          `json:"wheels"`
	Spare  *wheel           `json:"spare,omitempty"`
	ByName map[string]wheel `json:"by_name"`
	Tags   []string         `json:"tags" enum:"old,new"`
	hidden int              //nolint:unused // must not be in the schema
}

func TestSchemasKnowWhatTheTypesSay(t *testing.T) {
	s := tool.SchemaOf[carriage]()
	if s.Title != "carriage" || s.Properties["wheels"].Items.Title != "wheel" {
		t.Errorf("titles are %q and %q", s.Title, s.Properties["wheels"].Items.Title)
	}
	ends := []any{"front", "back"}
	for name, c := range map[string]struct{ got, want []any }{
		"of an embedded struct": {s.Properties["kind"].Enum, ends},
		"with an empty word":    {s.Properties["colour"].Enum, []any{"", "red"}},
		"in a list":             {s.Properties["wheels"].Items.Properties["kind"].Enum, ends},
		"behind a pointer":      {s.Properties["spare"].Properties["kind"].Enum, ends},
		"in a map":              {s.Properties["by_name"].AdditionalProperties.Properties["kind"].Enum, ends},
		"of the items":          {s.Properties["tags"].Items.Enum, []any{"old", "new"}},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if s.AdditionalProperties != nil || s.Properties["spare"].AdditionalProperties != nil {
		t.Error("it is closed: a later field would break clients that validate")
	}
}

func TestEnumOfWhatIsNoTextIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	tool.SchemaOf[struct {
		N int `json:"n" enum:"1,2"`
	}]()
}
