package gallery

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/edits"
	"easel/ui/core/state"
)

func TestWhatAnAssistantDidCanBeUndone(t *testing.T) {
	for name, c := range map[string]struct {
		before [][2]string // tools that the user calls first
		tool   string
		args   string
	}{
		"folder":                  {nil, "open_folder", `{"path": "pics"}`},
		"from one folder":         {[][2]string{{"open_folder", `{"path": "pics"}`}}, "open_folder", `{"path": "pics/sub"}`},
		"from a folder to plots":  {[][2]string{{"open_folder", `{"path": "pics"}`}}, "open_folder", `{"path": "jupyter://sessions/"}`},
		"selection":               {[][2]string{{"open_folder", `{"path": "pics", "select": "a.png"}`}}, "select_file", `{"path": "b.png"}`},
		"stars of a file":         {[][2]string{{"open_folder", `{"path": "pics"}`}, {"set_rating", `{"rating": 2, "path": "a.png"}`}}, "set_rating", `{"rating": 5, "paths": ["a.png", "b.png"]}`},
		"tags of a file":          {[][2]string{{"open_folder", `{"path": "pics"}`}, {"set_tags", `{"add": ["x"], "path": "a.png"}`}}, "set_tags", `{"add": ["y"], "remove": ["x"], "path": "a.png"}`},
		"filter by stars":         {[][2]string{{"filter_by_rating", `{"rating": 2}`}}, "filter_by_rating", `{"rating": 4}`},
		"the end of such filters": {[][2]string{{"filter_by_rating", `{"rating": 2}`}}, "clear_rating_filter", `{}`},
		"filter by tag":           {nil, "filter_by_tag", `{"tags": ["x"]}`},
		"order":                   {nil, "sort_thumbnails", `{"by": "size", "order": "desc"}`},
		"viewer":                  {[][2]string{{"open_folder", `{"path": "pics"}`}}, "show_image_viewer", `{"path": "a.png"}`},
		"fullscreen":              {nil, "toggle_fullscreen", `{}`},
		"panel":                   {nil, "toggle_properties_panel", `{}`},
		"theme":                   {nil, "set_theme", `{"theme": "dark"}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := aCollection(t)
			for _, b := range c.before {
				if _, code := invokeAs(t, d.bus, tool.Caller{Transport: tool.Window}, b[0], b[1]); code != "" {
					t.Fatalf("%s: %s", b[0], code)
				}
			}
			if s := d.store.Snapshot(); s.Undoable != 0 || s.ByAssistant != "" {
				t.Fatalf("the user's doing is called %q", s.ByAssistant)
			}
			before := d.view(t)
			if _, code := invoke(t, d.bus, c.tool, c.args); code != "" {
				t.Fatalf("%s: %s", c.tool, code)
			}
			if cmp.Equal(before, d.view(t)) {
				t.Fatal("it changed nothing")
			}
			line := d.store.Snapshot().ByAssistant
			if s := d.store.Snapshot(); s.Undoable != 1 || line == "" {
				t.Fatalf("%d can be undone; %q", s.Undoable, line)
			}
			out, err := command.UndoAssistant.Ask(t.Context(), d.bus, command.UndoAssistantIn{})
			if err != nil || !cmp.Equal(out, command.UndoAssistantOut{Undone: []string{line}}) {
				t.Errorf("got %+v, %v", out, err)
			}
			if diff := cmp.Diff(before, d.view(t)); diff != "" {
				t.Error(diff)
			}
			if s := d.store.Snapshot(); s.ByAssistant != "" || s.Undoable != 0 {
				t.Errorf("afterwards: %q, %d", s.ByAssistant, s.Undoable)
			}
			if _, err := command.UndoAssistant.Ask(t.Context(), d.bus, command.UndoAssistantIn{}); tool.AsError(err).Code != tool.NotExecutable {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

// view returns what the gallery shows, according to the tools.
func (d *collectionOf) view(t *testing.T) map[string]any {
	t.Helper()
	out, code := invoke(t, d.bus, "get_files_in_view", `{}`)
	if code != "" {
		t.Fatal(code)
	}
	files, _ := out["files"].([]any)
	for _, f := range files {
		delete(f.(map[string]any), "created_at")
	}
	out["selection"] = append([]string{}, d.store.Snapshot().Selection...)
	return out
}

func TestTheUsersChangesSurviveAnUndo(t *testing.T) {
	d := aCollection(t)
	id := d.addPlot(t, 1, "one")
	user := tool.Caller{Transport: tool.Window}
	invoke(t, d.bus, "set_rating", `{"rating": 5, "path": "latest"}`)
	invoke(t, d.bus, "set_tags", `{"add": ["theirs"], "path": "latest"}`)
	invoke(t, d.bus, "sort_thumbnails", `{"by": "size"}`)
	invoke(t, d.bus, "set_theme", `{"theme": "dark"}`)
	invokeAs(t, d.bus, user, "set_rating", `{"rating": 1, "path": "latest"}`)
	invokeAs(t, d.bus, user, "set_tags", `{"add": ["mine"], "path": "latest"}`)
	invokeAs(t, d.bus, user, "sort_thumbnails", `{"by": "rating"}`)
	out, err := command.UndoAssistant.Ask(t.Context(), d.bus, command.UndoAssistantIn{Count: 10})
	if err != nil || len(out.Undone) != 4 || out.Remaining != 0 {
		t.Fatalf("got %+v, %v", out, err)
	}
	images, err := d.c.Get(t.Context(), id)
	if err != nil || images[0].Rating != 1 || !cmp.Equal(images[0].Tags, []string{"mine"}) {
		t.Errorf("got %+v, %v", images, err)
	}
	if s := d.store.Snapshot(); s.Query.SortBy != "rating" || s.Settings.Theme != "system" {
		t.Errorf("sorted by %s, theme %s", s.Query.SortBy, s.Settings.Theme)
	}
}

// TestARatingIsOneUpdate checks that the state has a rating and what can be undone at the same time,
// so that the window draws once.
func TestARatingIsOneUpdate(t *testing.T) {
	for _, by := range []tool.Transport{tool.Window, tool.MCP} {
		d := aCollection(t)
		id := d.addPlot(t, 1, "one")
		d.pictures.Announce()
		revision, updates := d.store.Snapshot().Revision, 0
		defer d.store.OnChange(func() {
			if s := d.store.Snapshot(); (s.Revision > revision) != (s.Undo.Tool == "set_rating") {
				t.Errorf("%s: revision %d, undo %+v", by, s.Revision, s.Undo)
			}
			updates++
		})()
		invokeAs(t, d.bus, tool.Caller{Transport: by}, "set_rating", fmt.Sprintf(`{"rating": 3, "path": %q}`, id))
		if updates != 1 {
			t.Errorf("%s: %d updates", by, updates)
		}
	}
}

// TestARequestThatFailedIsNoAction: what an assistant did before it is still the last to be undone.
func TestARequestThatFailedIsNoAction(t *testing.T) {
	d := aCollection(t)
	d.addPlot(t, 1, "one")
	invokeAs(t, d.bus, tool.Caller{Transport: tool.Window}, "set_rating", `{"rating": 1, "path": "latest"}`)
	invoke(t, d.bus, "sort_thumbnails", `{"by": "size"}`)
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	if _, err := command.SetTitle.Ask(user, d.bus, command.SetTextIn{ID: "gone", Text: "x"}); err == nil {
		t.Fatal("a plot that does not exist has a title")
	}
	if _, err := command.Dispose.Ask(user, d.bus, command.DisposeIn{Fate: command.FateTrash, IDs: []string{"gone"}}); err == nil {
		t.Fatal("a plot that does not exist is in the trash")
	}
	if out, err := command.Undo.Ask(user, d.bus, command.UndoIn{}); err != nil || out.Edit.Tool != "sort_thumbnails" {
		t.Errorf("undid %+v, %v", out.Edit, err)
	}
}

// TestTheViewerIsNotOpenedAgainWithoutItsImage: the user has gone elsewhere since.
func TestTheViewerIsNotOpenedAgainWithoutItsImage(t *testing.T) {
	d := aCollection(t)
	one := d.addPlot(t, 1, "one")
	d.addPlot(t, 2, "two")
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	invoke(t, d.bus, "select_file", `{"path": "latest"}`)
	invoke(t, d.bus, "show_image_viewer", fmt.Sprintf(`{"path": %q}`, one))
	if _, err := command.Undo.Ask(user, d.bus, command.UndoIn{}); err != nil {
		t.Fatal(err)
	}
	d.store.Update(func(s *state.Snapshot) { s.Current, s.Selection = "", nil })
	if _, err := command.Redo.Ask(user, d.bus, command.UndoIn{}); err != nil {
		t.Fatal(err)
	}
	if s := d.store.Snapshot(); s.Mode == state.Viewer && s.Current == "" {
		t.Error("the viewer shows nothing")
	}
}

func TestStarsOfAFileAreUndoneWhenItsFolderIsClosed(t *testing.T) {
	d := aCollection(t)
	user := tool.Caller{Transport: tool.Window}
	invokeAs(t, d.bus, user, "open_folder", `{"path": "pics"}`)
	invoke(t, d.bus, "set_rating", `{"rating": 5, "path": "a.png"}`)
	invokeAs(t, d.bus, user, "open_folder", `{"path": "jupyter://sessions/"}`)
	if _, err := command.UndoAssistant.Ask(t.Context(), d.bus, command.UndoAssistantIn{}); err != nil {
		t.Fatal(err)
	}
	invokeAs(t, d.bus, user, "open_folder", `{"path": "pics"}`)
	got, _ := invoke(t, d.bus, "select_file", `{"path": "a.png"}`)
	if at(got, "selected", 0, "rating") != 0.0 {
		t.Errorf("it still has %v stars", at(got, "selected", 0, "rating"))
	}
}

func TestOnlySoMuchIsKeptToBeUndone(t *testing.T) {
	d := aCollection(t)
	for range edits.MostViews + 10 {
		invoke(t, d.bus, "toggle_properties_panel", `{}`)
	}
	invoke(t, d.bus, "set_theme", `{"theme": "system"}`) // unchanged, so there is nothing to undo
	if got := d.store.Snapshot().Undoable; got != edits.MostViews {
		t.Errorf("got %d, want %d", got, edits.MostViews)
	}
	if got := d.store.Snapshot().ByAssistant; got != "test · Set the theme" {
		t.Errorf("got %q", got)
	}
}
