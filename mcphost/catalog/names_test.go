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
