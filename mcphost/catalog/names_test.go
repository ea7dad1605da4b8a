package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"easel/eventbus"
	"easel/mcphost/tool"
)

// TestOneArgumentHasOneName checks the names of what several tools take, and that the other names
// are aliases everywhere.
func TestOneArgumentHasOneName(t *testing.T) {
	images := []string{"image", "image_id", "path"}
	for name, want := range map[string]struct {
		parameter string
		aliases   []string
	}{
		"get_image_resource":    {"resource_uri", images},
		"check_reproducibility": {"resource_uri", images},
		"render_image":          {"resource_uri", images[:2]}, // path is the new file
		"select_file":           {"path", []string{"resource_uri", "uri", "image", "image_id", "file"}},
		"set_rating":            {"path", []string{"resource_uri", "uri", "image", "image_id", "file"}},
		"set_tags":              {"path", []string{"resource_uri", "uri", "image", "image_id", "file"}},
		"show_image_viewer":     {"path", []string{"resource_uri", "uri", "image", "image_id", "file"}},
		"get_prompt_info":       {"path", []string{"resource_uri", "uri", "image", "image_id", "file"}},
		"open_folder":           {"path", []string{"folder", "folderPath"}},
		"session_create":        {"notebook_path", []string{"path"}},
		"session_connect":       {"notebook_path", []string{"path"}},
		"notebook_create":       {"path", []string{"notebook_path"}},
		"notebook_read":         {"path", []string{"notebook_path"}},
		"notebook_add_cell":     {"path", []string{"notebook_path"}},
		"notebook_edit_cell":    {"path", []string{"notebook_path"}},
		"notebook_move_cell":    {"path", []string{"notebook_path"}},
		"notebook_delete_cell":  {"path", []string{"notebook_path"}},
		"notebook_run_cell":     {"path", []string{"notebook_path"}},
	} {
		i := slices.IndexFunc(All(), func(x tool.Any) bool { return x.Spec().Name == name })
		s := All()[i].Spec()
		if s.In.Properties[want.parameter] == nil {
			t.Errorf("%s has no %s", name, want.parameter)
		}
		for _, alias := range want.aliases {
			if s.Aliases[alias] != want.parameter || s.In.Properties[alias] != nil {
				t.Errorf("%s: %s means %q, want %q, and is listed: %v", name, alias, s.Aliases[alias], want.parameter, s.In.Properties[alias] != nil)
			}
		}
	}
	for _, x := range All() {
		for _, other := range []string{"image", "image_id", "uri", "file", "file_path", "session", "kernel", "execution", "cell", "variable"} {
			if s := x.Spec(); s.In.Properties[other] != nil {
				t.Errorf("%s has the parameter %s, for which the other tools have another name", s.Name, other)
			}
		}
	}
}

// TestResultsSayWhatCanBeDrawnAgain checks that a list names only those that can be, and the result
// about one plot says it of any.
func TestResultsSayWhatCanBeDrawnAgain(t *testing.T) {
	for way, inList := range map[string]string{RedrawnByKernel: RedrawnByKernel, RedrawnStored: RedrawnStored, RedrawnByReplay: "", RedrawnNot: "", "": ""} {
		im := Image{ResourceURI: "jupyter://sessions/s/images/1.png", MIMEType: "image/png", Redrawable: way}
		if got := imageOf(im).Redrawable; got != inList {
			t.Errorf("%q in a list: %q, want %q", way, got, inList)
		}
		if got := dated(im).Redrawable; got != way {
			t.Errorf("%q alone: %q", way, got)
		}
	}
}

func TestAliasesReachTheBody(t *testing.T) {
	bus := eventbus.New()
	var got string
	GetImageResource.Handle(bus, func(_ context.Context, in GetImageResourceIn) (out GetImageResourceOut, _ error) {
		got = in.ResourceURI
		return out, nil
	}, nil)
	for _, name := range []string{"resource_uri", "image", "image_id", "path"} {
		if _, _, err := GetImageResource.Invoke(t.Context(), bus, json.RawMessage(fmt.Sprintf(`{%q: "by %s"}`, name, name))); err != nil || got != "by "+name {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestLongListsHaveShortIDs checks that short lists name images by URI, and long ones by the end of
// their ids, except for the first. Files on disk keep their paths.
func TestLongListsHaveShortIDs(t *testing.T) {
	image := func(n int) Image {
		id := fmt.Sprintf("01kb2v8q6dh3a9nzr5xw7c%04d", n)
		return Image{ResourceURI: "jupyter://sessions/s/images/" + id + ".png", ImageID: id, MIMEType: "image/png", Title: "T", Path: "/p/" + id}
	}
	images := func(n int) (list []Image) {
		for i := range n {
			list = append(list, image(i))
		}
		return list
	}
	entries := func(n int) (list []HistoryEntry) {
		for i := range n {
			list = append(list, HistoryEntry{SessionID: "s", Images: []Image{image(i)}})
		}
		return list
	}
	type named struct {
		ResourceURI string `json:"resource_uri"`
		ImageID     string `json:"image_id"`
		Path        string `json:"path"`
	}
	read := func(out any) (list []named) {
		var v struct {
			Images, Files []named
			Entries       []struct{ Images []named }
		}
		raw, err := json.Marshal(Of(out, nil))
		if err != nil || json.Unmarshal(raw, &v) != nil {
			t.Fatal(err, string(raw))
		}
		for _, e := range v.Entries {
			list = append(list, e.Images...)
		}
		return slices.Concat(list, v.Images, v.Files)
	}
	files := func(n int) (list []File) {
		for _, im := range images(n) {
			list = append(list, File{Image: im})
		}
		return list
	}
	for what, c := range map[string]struct {
		short, long any
		first       bool // the first has its URI
	}{
		"list_session_images": {ListSessionImagesOut{Images: images(4)}, ListSessionImagesOut{Images: images(9)}, true},
		"get_files_in_view":   {GetFilesInViewOut{Files: files(4)}, GetFilesInViewOut{Files: files(9)}, true},
		"set_rating":          {FilesOut{Files: files(4)}, FilesOut{Files: files(9)}, true},
		"search_history":      {SearchHistoryOut{Entries: entries(4)}, SearchHistoryOut{Entries: entries(9)}, false},
		"an execution":        {Execution{Images: images(4), Unlinked: true}, Execution{Images: images(9), Unlinked: true}, false},
	} {
		for i, n := range read(c.short) {
			if n.ResourceURI != image(i).ResourceURI || n.ImageID != "" {
				t.Errorf("%s: %+v in a short list", what, n)
			}
		}
		long := read(c.long)
		if len(long) != 9 {
			t.Errorf("%s: %d images", what, len(long))
		}
		for i, n := range long {
			if i == 0 && c.first {
				if n.ResourceURI != image(0).ResourceURI || n.ImageID != "" {
					t.Errorf("%s: %+v is the first", what, n)
				}
			} else if n.ResourceURI != "" || n.ImageID != fmt.Sprintf("xw7c%04d", i) {
				t.Errorf("%s: %+v in a long list", what, n)
			}
		}
	}
	disk := []File{}
	for range 6 {
		disk = append(disk, File{Image: Image{ImageID: "file:/pictures/a.png", Path: "/pictures/a.png", MIMEType: "image/png"}})
	}
	for _, n := range read(FilesOut{Files: disk}) {
		if n.Path != "/pictures/a.png" || n.ImageID != "" {
			t.Errorf("a file on disk: %+v", n)
		}
	}
}
