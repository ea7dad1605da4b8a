package gallery

import (
	"image"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
)

// TestARegionOutlivesItsVersion checks that a region is still reported after an update of the
// plot on which it was drawn, until one is drawn on the newest version.
func TestARegionOutlivesItsVersion(t *testing.T) {
	d := aCollection(t)
	ctx := t.Context()
	draw := func(id string, r image.Rectangle) {
		t.Helper()
		if _, err := command.SetRegion.Ask(ctx, d.bus, command.SetRegionIn{ID: id, Rect: r}); err != nil {
			t.Fatal(err)
		}
	}
	region := func() *catalog.Region {
		t.Helper()
		out, err := catalog.GetSelectedFiles.Ask(ctx, d.bus, catalog.GetSelectedFilesIn{})
		if err != nil || len(out.Files) != 1 {
			t.Fatalf("%+v, %v", out, err)
		}
		return out.Files[0].Region
	}
	other, old := d.drawFigure(t, 8, ""), d.drawFigure(t, 9, "")
	if _, err := catalog.SelectFile.Ask(ctx, d.bus, catalog.SelectFileIn{Path: old.ImageID}); err != nil {
		t.Fatal(err)
	}
	draw(other.ImageID, image.Rect(0, 0, 1, 1))
	if r := region(); r != nil {
		t.Errorf("the region of another plot: %+v", r)
	}
	draw(old.ImageID, image.Rect(0, 0, 2, 1))
	if r := region(); r == nil || r.Width != 2 || strings.Contains(r.Text, "older") {
		t.Errorf("the region on the plot: %+v", r)
	}
	newest := d.drawFigure(t, 9, old.ImageID)
	if r := region(); r == nil || r.Width != 2 || !strings.HasPrefix(r.Text, "on an older version of the figure: ") || !strings.Contains(r.Crop, old.ResourceURI) {
		t.Errorf("the region after an update: %+v", r)
	}
	draw(newest.ImageID, image.Rect(0, 0, 3, 1))
	draw(old.ImageID, image.Rect(0, 0, 4, 1))
	if r := region(); r == nil || r.Width != 3 || !strings.Contains(r.Crop, newest.ResourceURI) {
		t.Errorf("the region on the newest version: %+v", r)
	}
}
