package state

import (
	"encoding/json"
	"testing"
)

func TestALayoutThatCannotBeIsThatOfANewUser(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		want Layout
	}{
		"what was kept": {
			`{"width":1000,"height":700,"side_width":240,"dock":"hidden","dock_tab":2}`,
			Layout{Width: 1000, Height: 700, SideWidth: 240, Dock: Hidden, DockTab: 2},
		},
		"another type":           {`{"width":"wide","side_width":240}`, Layout{}},
		"no object":              {`"tall"`, Layout{}},
		"null":                   {`null`, Layout{}},
		"too small or too large": {`{"width":3,"height":700,"side_width":9000,"props_width":-4,"dock_height":300}`, Layout{DockHeight: 300}},
		"an unknown choice":      {`{"side":"perhaps","strip":"hidden"}`, Layout{Strip: Hidden}},
	} {
		s := DefaultSettings()
		if err := json.Unmarshal([]byte(`{"theme":"dark","layout":`+c.raw+`}`), &s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s.Layout != c.want || s.Theme != "dark" {
			t.Errorf("%s: got %+v and theme %s, want %+v", name, s.Layout, s.Theme, c.want)
		}
	}
}
