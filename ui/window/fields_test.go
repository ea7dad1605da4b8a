package window

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// TestNoKeyGoesToAFieldThatIsNotShown: the keys that go to a field leave full screen, in which
// there is none, and those of the panel mean nothing on another page.
func TestNoKeyGoesToAFieldThatIsNotShown(t *testing.T) {
	keys := map[string]func(a *App){
		"F2":     func(a *App) { a.typedKey(&fyne.KeyEvent{Name: fyne.KeyF2}) },
		"T":      func(a *App) { a.typedRune('t') },
		"Ctrl+F": func(a *App) { a.shortcut(ctrl(fyne.KeyF)) },
	}
	for name, press := range keys {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), one)
			w.app.open("img00001")
			w.app.navigate.ToggleFullscreen()
			w.settled()
			press(w.app)
			w.settled()
			o, ok := w.app.win.Canvas().Focused().(*kit.Field)
			if !ok || !slices.Contains(test.LaidOutObjects(w.app.win.Canvas().Content()), fyne.CanvasObject(o)) {
				t.Errorf("in full screen it goes to %T, which is shown: %v", w.app.win.Canvas().Focused(), ok)
			}
		})
	}
	for _, name := range []string{"F2", "T"} {
		t.Run(name+" on another page", func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), one)
			w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00003"}, "img00003" }) // the panel reads
			w.app.shell.open(pageSettings)
			keys[name](w.app)
			w.app.shell.open(pageGallery)
			w.settled()
			if f := w.app.win.Canvas().Focused(); f != nil {
				t.Errorf("it goes to %T", f)
			}
		})
	}
}

// TestATitleCanBeDiscarded also after the window was built again or hidden: until then, nothing
// of it is stored.
func TestATitleCanBeDiscarded(t *testing.T) {
	for name, meanwhile := range map[string]func(w *world){
		"another theme": func(w *world) { w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" }) },
		"hidden": func(w *world) {
			w.app.Hide()
			w.q.Until(w.t, "the window to be hidden", func() bool { return w.app.requests.Pending() == 0 })
			w.app.Show()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), one)
			was := w.first().Title
			w.key(fyne.KeyF2)
			f, ok := w.app.win.Canvas().Focused().(*kit.Field)
			if !ok {
				t.Fatal("F2 does not let the title be edited")
			}
			test.Type(f, "Half a ti")
			meanwhile(w)
			w.settled()
			if got := w.first().Title; got != was {
				t.Errorf("while it is typed, the title is %q", got)
			}
			w.app.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
			w.settled()
			if got := w.first().Title; got != was || w.store.Snapshot().Undo.Seq != 0 {
				t.Errorf("after Escape, the title is %q; to be undone: %+v", got, w.store.Snapshot().Undo)
			}
		})
	}
}

// TestTheMenuOpensNothingInTheTrash: neither in the viewer nor in a comparison, as the keys.
func TestTheMenuOpensNothingInTheTrash(t *testing.T) {
	for _, label := range []string{"Open", "Compare"} {
		t.Run(label, func(t *testing.T) {
			p := newPerson(t)
			defer p.stop()
			p.all(0)
			p.key(fyne.KeyDelete)
			p.app.navigate.OpenTrash()
			p.settled()
			p.click(0, 0)
			p.click(1, fyne.KeyModifierShortcutDefault)
			p.app.shell.imageMenu(p.selected()[0], fyne.NewPos(400, 200))
			if !p.chosen(map[string]string{"Open": "menu.open", "Compare": "menu.compare"}[label]) {
				t.Fatal("the menu does not have it")
			}
			p.shows("Plots in the trash open after you restore them.")
			if p.inViewer() || p.app.shell.gallery.comparing {
				t.Errorf("viewer: %v, comparing: %v", p.inViewer(), p.app.shell.gallery.comparing)
			}
		})
	}
}

// TestAFilterAndStarsInOneFrame: an assistant rates plots and then filters by stars. The window
// sees both at the same time, and shows the new stars.
func TestAFilterAndStarsInOneFrame(t *testing.T) {
	p := newPerson(t)
	defer p.stop()
	id := p.born[0]
	invoke(t, p.bus, "set_rating", `{"rating": 1, "path": "`+id+`"}`)
	p.settled()
	p.write(marks{id + "/rating": "1"}, false)
	invoke(t, p.bus, "set_rating", `{"rating": 4, "path": "`+id+`"}`)
	invoke(t, p.bus, "filter_by_rating", `{"rating": 1}`)
	p.write(marks{id + "/rating": "4"}, false)
	p.settled()
	if wrong := p.looks(); wrong != "" {
		t.Error(wrong)
	}
}

// TestUndoSelectsNothingThatIsHidden: undo selects again what was selected, unless a filter that
// is newer hides it.
func TestUndoSelectsNothingThatIsHidden(t *testing.T) {
	p := newPerson(t)
	defer p.stop()
	p.click(0, 0)
	p.digit(3)
	p.app.navigate.FilterRating(">=", 3)
	p.settled()
	p.click(0, 0)
	p.digit(1) // it leaves the view, and the selection
	p.app.navigate.FilterRating(">=", 5)
	p.settled()
	if p.revise(false); len(p.selected()) > 0 {
		t.Errorf("%v is selected, and %v is in view", p.selected(), p.expected())
	}
	p.app.navigate.FilterRating("", 0)
	p.settled()
	if wrong := p.looks(); wrong != "" {
		t.Error(wrong)
	}
}
