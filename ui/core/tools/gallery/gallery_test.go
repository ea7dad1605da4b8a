package gallery

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/coretest"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// aGallery returns a gallery with six plots of two sessions. img00002 has 4 stars. img00005
// has 2 stars and the tag keep.
func aGallery(t *testing.T, window state.WindowState) (*eventbus.Bus, *state.Store, *coretest.Library) {
	t.Helper()
	lib := coretest.NewLibrary(t)
	lib.AddSession(0, "analysis", "claude-code")
	lib.AddSession(1, "model", "Cursor")
	for i := range 6 {
		lib.Add(i%2, "", "plot()")
	}
	for id, n := range map[string]int{"img00002": 4, "img00005": 2} {
		lib.Rate(n, id)
	}
	lib.Tag([]string{"keep"}, "img00005")
	bus := eventbus.New()
	store := state.NewStore(state.Snapshot{
		Folder: state.Folder{Kind: state.AllSessions}, Query: state.Query{Rating: -1, RatingOp: ">="}, Mode: state.Grid,
		Settings: state.DefaultSettings(), Window: window,
	})
	Register(&chain.Chain{Bus: bus, Store: store}, Deps{Store: store, Library: lib, Kept: lib.Library, Pictures: announce.NewPictures(bus, store, lib, slog.New(slog.DiscardHandler))})
	t.Cleanup(func() { require.NoError(t, bus.Close(context.Background())) })
	return bus, store, lib
}

// invoke calls a tool as an assistant does. It returns the decoded result, or the code of the
// error.
func invoke(t *testing.T, bus *eventbus.Bus, name, args string) (result map[string]any, code tool.Code) {
	t.Helper()
	return invokeAs(t, bus, tool.Caller{Transport: tool.MCP, Name: "test"}, name, args)
}

func invokeAs(t *testing.T, bus *eventbus.Bus, caller tool.Caller, name, args string) (result map[string]any, code tool.Code) {
	t.Helper()
	for _, x := range catalog.All() {
		if x.Spec().Name != name {
			continue
		}
		ctx := tool.WithCaller(t.Context(), caller)
		out, _, err := x.Invoke(ctx, bus, json.RawMessage(args))
		if err != nil {
			return nil, tool.AsError(err).Code
		}
		raw, err := json.Marshal(out)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &result))
		return result, ""
	}
	t.Fatalf("no tool %s", name)
	return nil, ""
}

// at returns the value at a path of keys and indices in JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch k := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[k]
		case int:
			a, _ := v.([]any)
			if k >= len(a) {
				return nil
			}
			v = a[k]
		}
	}
	return v
}

func TestGalleryTools(t *testing.T) {
	one := "jupyter://sessions/" + coretest.SessionID(0) + "/"
	for name, c := range map[string]struct {
		before [][2]string // tools called first
		tool   string
		args   string
		path   []any
		want   any
		code   tool.Code
	}{
		"open one session":               {nil, "open_folder", `{"path": "` + one + `"}`, []any{"view", "matching"}, 3.0, ""},
		"open by Illustra's names":       {nil, "open_folder", `{"folderPath": "jupyter://sessions/", "selectedFilePath": "latest"}`, []any{"view", "kind"}, "sessions", ""},
		"open a session that is not":     {nil, "open_folder", `{"path": "jupyter://sessions/nope/"}`, nil, nil, tool.FileNotFound},
		"open a plot: its session":       {nil, "open_folder", `{"path": "` + one + `images/img00001.png"}`, []any{"view", "matching"}, 3.0, ""},
		"open a plot: it is selected":    {nil, "open_folder", `{"path": "` + one + `images/img00001.png"}`, []any{"view", "current"}, one + "images/img00001.png", ""},
		"open a plot that is not":        {nil, "open_folder", `{"path": "` + one + `images/nope.png"}`, nil, nil, tool.ImageNotFound},
		"select the latest":              {nil, "select_file", `{"path": "latest"}`, []any{"selected", 0, "image_id"}, "img00006", ""},
		"select by path on disk":         {nil, "select_file", `{"path": "/data/library/images/img00003.png"}`, []any{"selected", 0, "image_id"}, "img00003", ""},
		"select nothing":                 {nil, "select_file", `{}`, nil, nil, tool.Validation},
		"select an unknown URI":          {nil, "select_file", `{"path": "jupyter://sessions/x/images/y.png"}`, nil, nil, tool.ImageNotFound},
		"select an unknown file":         {nil, "select_file", `{"path": "/nope.png"}`, nil, nil, tool.FileNotFound},
		"rate the selection":             {[][2]string{{"select_file", `{"path": "latest"}`}}, "set_rating", `{"rating": 5}`, []any{"files", 0, "rating"}, 5.0, ""},
		"rate with nothing selected":     {nil, "set_rating", `{"rating": 5}`, nil, nil, tool.NotExecutable},
		"rate with six stars":            {nil, "set_rating", `{"rating": 6, "path": "latest"}`, nil, nil, tool.Validation},
		"tag":                            {nil, "set_tags", `{"add": ["a", "b"], "path": "latest"}`, []any{"files", 0, "tags", 1}, "b", ""},
		"tag with nothing to do":         {nil, "set_tags", `{"path": "latest"}`, nil, nil, tool.Validation},
		"at least 2 stars":               {nil, "filter_by_rating", `{"rating": 2}`, []any{"view", "matching"}, 2.0, ""},
		"exactly 4 stars":                {nil, "filter_by_rating", `{"rating": 4, "op": "="}`, []any{"view", "matching"}, 1.0, ""},
		"at most 0 stars":                {nil, "filter_by_rating", `{"rating": 0, "op": "<="}`, []any{"view", "matching"}, 4.0, ""},
		"any stars again":                {[][2]string{{"filter_by_rating", `{"rating": 4}`}}, "clear_rating_filter", `{}`, []any{"view", "matching"}, 6.0, ""},
		"by tag":                         {nil, "filter_by_tag", `{"tags": ["keep"]}`, []any{"view", "matching"}, 1.0, ""},
		"by all of two tags":             {nil, "filter_by_tag", `{"tags": ["keep", "other"]}`, []any{"view", "matching"}, 0.0, ""},
		"by any of two tags":             {nil, "filter_by_tag", `{"tags": ["keep", "other"], "mode": "any"}`, []any{"view", "matching"}, 1.0, ""},
		"any tags again":                 {[][2]string{{"filter_by_tag", `{"tags": ["keep"]}`}}, "clear_tag_filter", `{}`, []any{"view", "matching"}, 6.0, ""},
		"sort by stars":                  {[][2]string{{"sort_thumbnails", `{"by": "rating", "order": "desc"}`}}, "get_files_in_view", `{}`, []any{"files", 0, "image_id"}, "img00002", ""},
		"sort by what there is not":      {nil, "sort_thumbnails", `{"by": "colour"}`, nil, nil, tool.Validation},
		"a page":                         {nil, "get_files_in_view", `{"limit": 2}`, []any{"next_cursor"}, "img00005", ""},
		"the next page":                  {nil, "get_files_in_view", `{"limit": 2, "cursor": "img00005"}`, []any{"files", 0, "image_id"}, "img00004", ""},
		"the last page":                  {nil, "get_files_in_view", `{"limit": 2, "cursor": "img00003"}`, []any{"next_cursor"}, nil, ""},
		"an unknown cursor":              {nil, "get_files_in_view", `{"cursor": "nope"}`, nil, nil, tool.Validation},
		"show the latest":                {nil, "show_image_viewer", `{}`, []any{"view", "mode"}, "viewer", ""},
		"show and close":                 {[][2]string{{"show_image_viewer", `{}`}}, "close_image_viewer", `{}`, []any{"view", "mode"}, "grid", ""},
		"navigate without a viewer":      {nil, "navigate_image", `{"direction": "next"}`, nil, nil, tool.NotExecutable},
		"navigate to the next":           {[][2]string{{"show_image_viewer", `{}`}}, "navigate_image", `{"direction": "next"}`, []any{"file", "image_id"}, "img00005", ""},
		"navigate before the first":      {[][2]string{{"show_image_viewer", `{}`}}, "navigate_image", `{"direction": "previous"}`, []any{"index"}, 0.0, ""},
		"navigate to an index":           {[][2]string{{"show_image_viewer", `{}`}}, "navigate_image", `{"index": 5}`, []any{"file", "image_id"}, "img00001", ""},
		"navigate beyond the last":       {[][2]string{{"show_image_viewer", `{}`}}, "navigate_image", `{"index": 6}`, nil, nil, tool.Validation},
		"navigate to two places":         {[][2]string{{"show_image_viewer", `{}`}}, "navigate_image", `{"index": 1, "direction": "next"}`, nil, nil, tool.Validation},
		"fullscreen":                     {nil, "toggle_fullscreen", `{}`, []any{"view", "fullscreen"}, true, ""},
		"panel off":                      {nil, "toggle_properties_panel", `{"on": false}`, []any{"view", "properties_panel"}, false, ""},
		"theme":                          {nil, "set_theme", `{"theme": "dark"}`, []any{"view", "theme"}, "dark", ""},
		"a theme that there is not":      {nil, "set_theme", `{"theme": "pink"}`, nil, nil, tool.Validation},
		"what the gallery shows":         {[][2]string{{"open_folder", `{"path": "` + one + `"}`}}, "get_current_folder", `{}`, []any{"folder"}, one, ""},
		"what is selected, with code":    {[][2]string{{"select_file", `{"path": "latest"}`}}, "get_selected_files", `{}`, []any{"files", 0, "code"}, "plot()", ""},
		"nothing is selected":            {nil, "get_selected_files", `{}`, []any{"files"}, []any{}, ""},
		"what made the latest":           {nil, "get_prompt_info", `{"path": "latest"}`, []any{"execution_time_ms"}, 340.0, ""},
		"what made it, in what":          {nil, "get_prompt_info", `{"path": "latest"}`, []any{"language"}, "python", ""},
		"what made what is not selected": {nil, "get_prompt_info", `{}`, nil, nil, tool.NotExecutable},
	} {
		t.Run(name, func(t *testing.T) {
			bus, _, _ := aGallery(t, state.WindowShown)
			for _, b := range c.before {
				if _, code := invoke(t, bus, b[0], b[1]); code != "" {
					t.Fatalf("%s before it: %s", b[0], code)
				}
			}
			got, code := invoke(t, bus, c.tool, c.args)
			if code != c.code {
				t.Fatalf("got code %q, want %q (%v)", code, c.code, got)
			}
			if c.code != "" {
				return
			}
			if got["success"] != true {
				t.Errorf("success is %v", got["success"])
			}
			if diff := cmp.Diff(c.want, at(got, c.path...)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.path, diff)
			}
		})
	}
}

func TestWithoutAWindowOnlyWhatNeedsNoneWorks(t *testing.T) {
	bus, _, _ := aGallery(t, state.WindowNone)
	for name, args := range map[string]string{
		"show_image_viewer": `{}`, "close_image_viewer": `{}`, "navigate_image": `{"direction": "next"}`,
		"toggle_fullscreen": `{}`, "toggle_properties_panel": `{}`, "set_theme": `{"theme": "dark"}`,
	} {
		if _, code := invoke(t, bus, name, args); code != tool.NotExecutable {
			t.Errorf("%s: got code %q, want %s", name, code, tool.NotExecutable)
		}
	}
	for name, args := range map[string]string{
		"set_rating": `{"rating": 1, "path": "latest"}`, "filter_by_rating": `{"rating": 1}`, "get_files_in_view": `{}`,
		"select_file": `{"path": "latest"}`, "open_folder": `{"path": "jupyter://sessions/"}`,
	} {
		if _, code := invoke(t, bus, name, args); code != "" {
			t.Errorf("%s: got code %q", name, code)
		}
	}
}

func TestAPausedAssistantMayOnlyRead(t *testing.T) {
	bus, store, lib := aGallery(t, state.WindowShown)
	store.Update(func(s *state.Snapshot) { s.Paused = true })
	if _, code := invoke(t, bus, "set_rating", `{"rating": 1, "path": "latest"}`); code != tool.Paused {
		t.Errorf("got code %q, want %s", code, tool.Paused)
	}
	if im, _ := lib.Get(t.Context(), "img00006"); im[0].Rating != 0 {
		t.Error("it was rated all the same")
	}
	if _, code := invoke(t, bus, "get_files_in_view", `{}`); code != "" {
		t.Errorf("reading: got code %q", code)
	}
}

func TestTheWindowSaysWhatAnAssistantDid(t *testing.T) {
	bus, store, _ := aGallery(t, state.WindowShown)
	invoke(t, bus, "sort_thumbnails", `{"by": "name"}`)
	if got, want := store.Snapshot().ByAssistant, "test · Sort the gallery"; got != want {
		t.Errorf("after an assistant: %q, want %q", got, want)
	}
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	if _, err := catalog.SortThumbnails.Ask(user, bus, catalog.SortThumbnailsIn{By: "created"}); err != nil {
		t.Fatal(err)
	}
	if got := store.Snapshot().ByAssistant; got != "" {
		t.Errorf("after the user: %q", got)
	}
}
