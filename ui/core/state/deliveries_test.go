package state_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"easel/ui/core/state"
)

func TestDeliveriesAreKeptByName(t *testing.T) {
	var d state.Deliveries
	d = d.With("Codex-MCP-Client", "link").With("zed", "inline").With("zed", "link").With("cursor", "none").With("cursor", "")
	raw, err := json.Marshal(d)
	if err != nil || string(raw) != `{"codex-mcp-client":"link","zed":"link"}` {
		t.Errorf("got %s, %v", raw, err)
	}
	var again state.Deliveries
	if err := json.Unmarshal(raw, &again); err != nil || again != d {
		t.Errorf("read again: %v, %v", again, err)
	}
	if d.Of(" codex-mcp-client ") != "link" || d.Of("cursor") != "" {
		t.Errorf("got %q, %q", d.Of("codex-mcp-client"), d.Of("cursor"))
	}
	if d.With("zed", "").With("codex-mcp-client", "") != (state.Deliveries{}) {
		t.Error("without decisions it is not the zero value")
	}
}

func TestDeliveriesRefuseWhatCannotBe(t *testing.T) {
	var d state.Deliveries
	for _, x := range [][2]string{{"", "link"}, {"a", "loud"}, {"a\tb", "link"}, {strings.Repeat("a", 201), "link"}} {
		if d.With(x[0], x[1]) != d {
			t.Errorf("%q was taken", x)
		}
	}
	if err := json.Unmarshal([]byte(`{"a": "link", "b": "loud", "c": 3, "d\nx": "link"}`), &d); err != nil || d != (state.Deliveries{}).With("a", "link") {
		t.Errorf("got %v, %v", d, err)
	}
	if json.Unmarshal([]byte(`"link"`), &d) == nil {
		t.Error("a text was taken for an object")
	}
	many := state.Deliveries{}
	for i := range 150 {
		many = many.With(fmt.Sprintf("client-%03d", i), "link")
	}
	if raw, err := json.Marshal(many); err != nil || strings.Count(string(raw), "link") != 100 {
		t.Errorf("of 150, it keeps %d, %v", strings.Count(string(raw), "link"), err)
	}
}
