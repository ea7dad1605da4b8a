package activity

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/catalog"
	"easel/ui/window/uitest"
)

func TestVariablesAreNarrowedSortedAndOpened(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), busy)
	catalog.GetVariables.Handle(w.bus, func(context.Context, catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
		return catalog.GetVariablesOut{Variables: []catalog.Variable{
			{Name: "beta", Type: "int", Value: 3, MemoryBytes: 28},
			{Name: "Alpha", Type: "str", Value: "a\nb", MemoryBytes: 60},
			{Name: "frame", Type: "DataFrame", Size: "200 rows × 14 cols", MemoryBytes: 9000},
		}}, nil
	}, nil)
	asked := catalog.GetDataFrameInfoIn{}
	catalog.GetDataFrameInfo.Handle(w.bus, func(_ context.Context, in catalog.GetDataFrameInfoIn) (catalog.GetDataFrameInfoOut, error) {
		asked = in
		out := catalog.GetDataFrameInfoOut{Name: in.VariableName, Shape: []int64{200, 14}, Dtypes: map[string]string{"sold": "int64", "day": "object"}}
		out.Columns = append([]string{"sold", "day"}, strings.Split("cdefghijklmn", "")...)
		out.Head = []json.RawMessage{json.RawMessage(`{"sold": 42, "day": "月曜"}`), json.RawMessage(`{"sold": null, "day": "火曜"}`)}
		return out, nil
	}, nil)
	w.dock.Open(1)
	tab := w.dock.tabs[1].(*variablesTab)
	names := func() (names []string) {
		for _, v := range tab.shown {
			names = append(names, v.Name)
		}
		return names
	}
	w.q.Until(t, "the variables", func() bool { return len(tab.shown) == 3 })
	for _, c := range []struct {
		column int
		want   string
	}{{4, "frame Alpha beta"}, {4, "beta Alpha frame"}, {3, "beta Alpha frame"}, {1, "frame beta Alpha"}, {0, "Alpha beta frame"}, {0, "frame beta Alpha"}} {
		tab.choose(c.column)
		if got := strings.Join(names(), " "); got != c.want {
			t.Errorf("by column %d: %s, want %s", c.column, got, c.want)
		}
	}
	tab.field.SetText("DATA")
	if got := names(); !slices.Equal(got, []string{"frame"}) {
		t.Fatalf("narrowed to %v", got)
	}
	tab.detail(0)
	says := func(word string) bool {
		_, is := seek(w, func(x *canvas.Text) bool { return strings.Contains(x.Text, word) })
		return is
	}
	w.q.Until(t, "the table", func() bool { return says("月曜") && says("42") && says("–") })
	if asked.SessionID != uitest.SessionID(0) || asked.VariableName != "frame" || !asked.IncludeHead {
		t.Errorf("asked for %+v", asked)
	}
	if !says("showing the first 2 × 12") {
		t.Error("it does not tell that there is more")
	}
}
