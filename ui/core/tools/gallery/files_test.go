package gallery

import (
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

func TestASelectionTellsWhoMadeIt(t *testing.T) {
	bus, store, _ := aGallery(t, state.WindowShown)
	user, assistant := tool.Caller{Transport: tool.Window}, tool.Caller{Transport: tool.MCP, Name: "test"}
	selectedBy := func() any {
		out, _ := invokeAs(t, bus, assistant, "get_selected_files", `{}`)
		return out["selected_by"]
	}
	if got := selectedBy(); got != nil {
		t.Errorf("nothing is selected, by %v", got)
	}
	for _, c := range []struct {
		caller     tool.Caller
		tool, args string
		want       string
	}{
		{user, "select_file", `{"path": "latest"}`, catalog.ByUser},
		{assistant, "select_file", `{"path": "latest"}`, catalog.ByAssistant},
		{user, "show_image_viewer", `{"path": "latest"}`, catalog.ByUser},
		{assistant, "navigate_image", `{"direction": "next"}`, catalog.ByAssistant},
		{user, "navigate_image", `{"direction": "previous"}`, catalog.ByUser},
		{assistant, "show_image_viewer", `{"path": "latest"}`, catalog.ByAssistant},
		{user, "open_folder", `{"path": "jupyter://sessions/", "select": "latest"}`, catalog.ByUser},
	} {
		if _, code := invokeAs(t, bus, c.caller, c.tool, c.args); code != "" {
			t.Fatalf("%s: %s", c.tool, code)
		}
		if got := selectedBy(); got != c.want {
			t.Errorf("%s by %s: selected by %v, want %s", c.tool, c.caller.Transport, got, c.want)
		}
	}
	ask := tool.WithCaller(t.Context(), user)
	follow := func() {
		t.Helper()
		if _, err := catalog.SelectFile.Ask(ask, bus, catalog.SelectFileIn{Path: catalog.Latest, Follow: true}); err != nil {
			t.Fatal(err)
		}
	}
	if follow(); selectedBy() != catalog.ByUser {
		t.Errorf("the window moved what the user chose: selected by %v", selectedBy())
	}
	store.Update(func(s *state.Snapshot) { s.Selection, s.FollowLatest, s.Query.Text = nil, true, "nothing has this" })
	if follow(); len(store.Snapshot().Selection) > 0 {
		t.Errorf("the window selected what a search hides: %v", store.Snapshot().Selection)
	}
	store.Update(func(s *state.Snapshot) { s.Query.Text = "" })
	if follow(); selectedBy() != catalog.ByFollow {
		t.Errorf("the window moved by itself: selected by %v", selectedBy())
	}
	inViewer := catalog.ShowImageViewerIn{Path: catalog.Latest, Follow: true}
	if _, err := catalog.ShowImageViewer.Ask(ask, bus, inViewer); err != nil || store.Snapshot().Mode == state.Viewer {
		t.Errorf("the window opened the viewer by itself, %v", err)
	}
	store.Update(func(s *state.Snapshot) { s.Mode = state.Viewer })
	if _, err := catalog.ShowImageViewer.Ask(ask, bus, inViewer); err != nil || selectedBy() != catalog.ByFollow {
		t.Errorf("the viewer moved by itself: selected by %v, %v", selectedBy(), err)
	}
	store.Update(func(s *state.Snapshot) { s.Mode = state.Grid })
	if _, code := invokeAs(t, bus, assistant, "select_file", `{"path": "/data/library/images/img00003.png"}`); code != "" {
		t.Fatal(code)
	}
	if _, err := command.UndoAssistant.Ask(t.Context(), bus, command.UndoAssistantIn{}); err != nil || store.Snapshot().SelectedBy != catalog.ByFollow {
		t.Errorf("undone: selected by %q, %v", store.Snapshot().SelectedBy, err)
	}
}
