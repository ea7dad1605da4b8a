package gallery

import (
	"slices"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// drawFigure adds an image, or an update of one, and announces it.
func (d *collectionOf) drawFigure(t *testing.T, w int, replaces string) library.Image {
	t.Helper()
	im, err := d.c.Library.Images.Add(t.Context(), library.NewImage{
		SessionID: "5ab0", Replaces: replaces, Forms: []library.Form{{MIME: "image/png", Data: picOf(t, w)}},
	})
	require.NoError(t, err)
	d.pictures.Announce()
	return im
}

func TestAnUpdateTakesThePlaceOfWhatItReplaces(t *testing.T) {
	d := aCollection(t)
	d.store.Update(func(s *state.Snapshot) {
		s.Query = state.Query{Rating: -1}
		s.Sessions = []state.Session{{Session: catalog.Session{SessionID: "5ab0"}}}
	})
	changes := catalog.Changes.Watch(t.Context(), d.bus, 100)
	old, other := d.drawFigure(t, 3, ""), d.drawFigure(t, 4, "")
	ctx := t.Context()
	if _, err := catalog.SelectFile.Ask(ctx, d.bus, catalog.SelectFileIn{Paths: []string{other.ImageID, old.ImageID}}); err != nil {
		t.Fatal(err)
	}
	page, err := catalog.GetFilesInView.Ask(ctx, d.bus, catalog.GetFilesInViewIn{Limit: 1})
	if err != nil || len(page.Files) != 1 || page.Files[0].ImageID != other.ImageID {
		t.Fatal(page, err)
	}
	unseen := d.store.Snapshot().Unseen
	newer := d.drawFigure(t, 5, old.ImageID)
	newest := d.drawFigure(t, 6, newer.ImageID)
	s := d.store.Snapshot()
	if !slices.Equal(s.Selection, []string{other.ImageID, newest.ImageID}) || s.Current != newest.ImageID || s.Newest != other.ImageID || s.Unseen != unseen || s.Sessions[0].Images != 2 {
		t.Errorf("selection %v, current %s, newest %s, %d unseen (%d before), %d of the session; updates are %s and %s",
			s.Selection, s.Current, s.Newest, s.Unseen, unseen, s.Sessions[0].Images, newer.ImageID, newest.ImageID)
	}
	var told []catalog.ChangeName
	for c, err := range changes {
		require.NoError(t, err)
		im, ok := c.Object.(catalog.Image)
		if !ok {
			continue
		}
		if told = append(told, c.Name); len(told) == 4 {
			if im.ImageID != newest.ImageID || im.Replaces != newer.ResourceURI || im.Versions != 3 {
				t.Errorf("the last change tells of %+v", im)
			}
			break
		}
	}
	if want := []catalog.ChangeName{catalog.ImageAdded, catalog.ImageAdded, catalog.ImageChanged, catalog.ImageChanged}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	t.Run("in all lists", func(t *testing.T) {
		rest, err := catalog.GetFilesInView.Ask(ctx, d.bus, catalog.GetFilesInViewIn{Limit: 9})
		if err != nil || rest.Total != 2 || len(rest.Files) != 2 || rest.Files[1].ImageID != newest.ImageID || rest.Files[1].Versions != 3 {
			t.Errorf("the view has %+v, %v", rest, err)
		}
		if _, err := catalog.SelectFile.Ask(ctx, d.bus, catalog.SelectFileIn{Path: old.ResourceURI}); err != nil {
			t.Fatal(err)
		}
		if got := d.store.Snapshot().Selection; !slices.Equal(got, []string{newest.ImageID}) {
			t.Errorf("selected by an older version's address: %v", got)
		}
	})
	t.Run("a cursor holds when its file is updated", func(t *testing.T) {
		d.drawFigure(t, 7, other.ImageID)
		rest, err := catalog.GetFilesInView.Ask(ctx, d.bus, catalog.GetFilesInViewIn{Cursor: page.NextCursor})
		if err != nil || len(rest.Files) != 1 || rest.Files[0].ImageID != newest.ImageID {
			t.Errorf("got %+v, %v", rest.Files, err)
		}
	})
	t.Run("stars by an older version's ID are the figure's", func(t *testing.T) {
		out, err := catalog.SetRating.Ask(ctx, d.bus, catalog.SetRatingIn{Path: old.ResourceURI, Rating: 4})
		if err != nil || out.Files[0].Rating != 4 || out.Files[0].ReplacedBy != newest.ResourceURI {
			t.Errorf("got %+v, %v", out, err)
		}
		if now, err := d.c.Image(ctx, newest.ImageID); err != nil || now.Rating != 4 {
			t.Errorf("the newest: %+v, %v", now, err)
		}
	})
	t.Run("deleted by an older version's ID", func(t *testing.T) {
		if _, err := command.Dispose.Ask(ctx, d.bus, command.DisposeIn{Fate: command.FateTrash, IDs: []string{newer.ImageID}}); err != nil {
			t.Fatal(err)
		}
		if s := d.store.Snapshot(); slices.ContainsFunc(s.Selection, func(id string) bool { return id == newer.ImageID || id == newest.ImageID }) {
			t.Errorf("still selected: %v", s.Selection)
		}
	})
}
