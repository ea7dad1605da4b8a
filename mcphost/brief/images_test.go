package brief

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"easel/mcphost/catalog"
)

// TestResultsSayWhatCanBeDrawnAgain checks that a list names only those that can be, and the result
// about one plot says it of any.
func TestResultsSayWhatCanBeDrawnAgain(t *testing.T) {
	for way, inList := range map[string]string{catalog.RedrawnByKernel: catalog.RedrawnByKernel, catalog.RedrawnStored: catalog.RedrawnStored, catalog.RedrawnByReplay: "", catalog.RedrawnNot: "", "": ""} {
		im := catalog.Image{ResourceURI: "jupyter://sessions/s/images/1.png", MIMEType: "image/png", Redrawable: way}
		if got := imageOf(im).Redrawable; got != inList {
			t.Errorf("%q in a list: %q, want %q", way, got, inList)
		}
		if got := dated(im).Redrawable; got != way {
			t.Errorf("%q alone: %q", way, got)
		}
	}
}

// TestLongListsHaveShortIDs checks that short lists name images by URI, and long ones by the end of
// their ids, except for the first. Files on disk keep their paths.
func TestLongListsHaveShortIDs(t *testing.T) {
	image := func(n int) catalog.Image {
		id := fmt.Sprintf("01kb2v8q6dh3a9nzr5xw7c%04d", n)
		return catalog.Image{ResourceURI: "jupyter://sessions/s/images/" + id + ".png", ImageID: id, MIMEType: "image/png", Title: "T", Path: "/p/" + id}
	}
	images := func(n int) (list []catalog.Image) {
		for i := range n {
			list = append(list, image(i))
		}
		return list
	}
	entries := func(n int) (list []catalog.HistoryEntry) {
		for i := range n {
			list = append(list, catalog.HistoryEntry{SessionID: "s", Images: []catalog.Image{image(i)}})
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
	files := func(n int) (list []catalog.File) {
		for _, im := range images(n) {
			list = append(list, catalog.File{Image: im})
		}
		return list
	}
	for what, c := range map[string]struct {
		short, long any
		first       bool // the first has its URI
	}{
		"list_session_images": {catalog.ListSessionImagesOut{Images: images(4)}, catalog.ListSessionImagesOut{Images: images(9)}, true},
		"get_files_in_view":   {catalog.GetFilesInViewOut{Files: files(4)}, catalog.GetFilesInViewOut{Files: files(9)}, true},
		"set_rating":          {catalog.FilesOut{Files: files(4)}, catalog.FilesOut{Files: files(9)}, true},
		"search_history":      {catalog.SearchHistoryOut{Entries: entries(4)}, catalog.SearchHistoryOut{Entries: entries(9)}, false},
		"an execution":        {catalog.Execution{Images: images(4), Unlinked: true}, catalog.Execution{Images: images(9), Unlinked: true}, false},
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
	disk := []catalog.File{}
	for range 6 {
		disk = append(disk, catalog.File{Image: catalog.Image{ImageID: "file:/pictures/a.png", Path: "/pictures/a.png", MIMEType: "image/png"}})
	}
	for _, n := range read(catalog.FilesOut{Files: disk}) {
		if n.Path != "/pictures/a.png" || n.ImageID != "" {
			t.Errorf("a file on disk: %+v", n)
		}
	}
}
