package gallery

import (
	"context"
	"sync/atomic"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A growingLibrary is a directory that is being listed: its images are those of a library.
type growingLibrary struct {
	*uitest.Library
	listing atomic.Bool
}

func (l *growingLibrary) Listing() bool { return l.listing.Load() }

func (l *growingLibrary) List(ctx context.Context, q library.Query) ([]library.ListEntry, error) {
	q.URIPrefix = ""
	return l.Library.List(ctx, q)
}

// TestEndOfAFolderThatIsBeingListed checks that End shows the last file of all, although it is pressed before that is
// listed, and that the user can still go elsewhere.
func TestEndOfAFolderThatIsBeingListed(t *testing.T) {
	uitest.App(t).Settings().SetTheme(theme.New("light"))
	lib := &growingLibrary{Library: uitest.NewLibrary(t)}
	lib.listing.Store(true)
	lib.AddSession(0, "s", "c")
	q, picked := uitest.NewQueue(), ""
	g := NewGrid(&kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: q.Do}, lib, 176, Actions{
		Select: func(_ []string, cursor string) { picked = cursor },
	})
	defer g.Close()
	w := test.NewWindow(g)
	defer w.Close()
	w.Resize(fyne.NewSize(640, 480))
	more := func() (last string) {
		t.Helper()
		for range 30 {
			last = lib.Add(0, "", "")
		}
		g.Ask(library.Query{Rating: -1, Asc: true, URIPrefix: "file:/pictures"})
		q.Until(t, "the list", func() bool { return g.list.has(last) && !g.Busy() })
		return last
	}
	at := func(id string) bool { return g.Shows(id) && picked == id && g.Cursor() == id }

	more()
	g.Key(fyne.KeyEnd, 0)
	if last := more(); !at(last) {
		t.Errorf("End shows %s, not the last file %s", picked, last)
	}
	last := more()
	if !at(last) {
		t.Errorf("after more files it shows %s, not the last file %s", picked, last)
	}
	g.Key(fyne.KeyUp, 0)
	before := picked
	if more(); !at(before) {
		t.Errorf("the user went up to %s, and is taken to %s", before, picked)
	}
	g.Key(fyne.KeyEnd, 0)
	g.scroll.To(0)
	if more(); g.scroll.Offset.Y != 0 {
		t.Error("the user scrolled up, and is taken down again")
	}
	g.Key(fyne.KeyEnd, 0)
	lib.listing.Store(false)
	if last = more(); !at(last) {
		t.Errorf("End shows %s, not the last file %s", picked, last)
	}
	if more(); !at(last) {
		t.Errorf("a file that is new when all are listed takes the user from %s to %s", last, picked)
	}
}
