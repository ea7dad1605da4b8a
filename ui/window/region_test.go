package window

import (
	"bytes"
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/export"
	"easel/ui/window/uitest"
)

// pointed opens the viewer of the first plot.
func pointed(t *testing.T, size fyne.Size, edit ...func(*state.Snapshot)) (w *world, id string) {
	t.Helper()
	w = newWorld(t, size, galleryOf(t, 5), func(s *state.Snapshot) {
		busy(s)
		for _, f := range edit {
			f(s)
		}
	})
	id = "img00001"
	w.app.navigate.Open(id)
	w.settled()
	return w, id
}

// drag presses the mouse at a position of the picture, moves it and releases it. Positions are
// fractions of the picture.
func (w *world) drag(x0, y0, x1, y1 float32, shift bool) {
	w.t.Helper()
	large, _ := w.app.shell.gallery.view.Sights()
	s := large[0]
	at := func(x, y float32) fyne.Position { return s.At.AddXY(x*s.Size.Width, y*s.Size.Height) }
	stage, ok := s.Of.(interface {
		desktop.Mouseable
		fyne.Draggable
	})
	if !ok {
		w.t.Fatalf("%T", s.Of)
	}
	e := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary}
	if e.Position = at(x0, y0); shift {
		e.Modifier = fyne.KeyModifierShift
	}
	stage.MouseDown(e)
	const steps = 8
	for i := 1; i <= steps; i++ {
		d := &fyne.DragEvent{Dragged: fyne.NewDelta((x1-x0)*s.Size.Width/steps, (y1-y0)*s.Size.Height/steps)}
		d.Position = at(x0+(x1-x0)*float32(i)/steps, y0+(y1-y0)*float32(i)/steps)
		stage.Dragged(d)
	}
	stage.MouseUp(e)
	stage.DragEnd()
}

// selects waits until the state has a region of an image.
func (w *world) selects(id string, want bool) image.Rectangle {
	w.t.Helper()
	w.q.Until(w.t, "the state to have the region", func() bool { return w.store.Snapshot().RegionOf(id).Empty() != want })
	w.settled()
	return w.store.Snapshot().RegionOf(id)
}

func TestShiftAndDragSelectAPartOfThePlot(t *testing.T) {
	w, id := pointed(t, wide)
	im := w.app.shell.gallery.view.Image()
	w.drag(0.25, 0.25, 0.75, 0.5, false)
	w.settled()
	if !w.store.Snapshot().RegionOf(id).Empty() {
		t.Error("a drag without Shift selects")
	}
	w.drag(0.75, 0.5, 0.25, 0.25, true)
	got := w.selects(id, true)
	want := image.Rect(im.Width/4, im.Height/4, im.Width*3/4, im.Height/2)
	for _, d := range []int{got.Min.X - want.Min.X, got.Min.Y - want.Min.Y, got.Max.X - want.Max.X, got.Max.Y - want.Max.Y} {
		if max(d, -d) > 1 {
			t.Fatalf("selected %v, want %v", got, want)
		}
	}
	out, err := catalog.GetSelectedFiles.Ask(t.Context(), w.bus, catalog.GetSelectedFilesIn{IncludeImages: true})
	if err != nil || len(out.Files) != 1 || out.Files[0].Region == nil || out.Files[0].Region.Rect() != got {
		t.Fatalf("%+v %v", out, err)
	}
	if out.Inline[len(out.Inline)-1] != catalog.CropURI(out.Files[0].ResourceURI, got) {
		t.Errorf("the pictures are %q", out.Inline)
	}
	w.key(fyne.KeyLeft, fyne.KeyRight)
	if w.app.shell.gallery.view.Region() != got {
		t.Error("another image was shown, and the region is gone")
	}
	w.key(fyne.KeyEscape)
	w.selects(id, false)
	if w.store.Snapshot().Mode != state.Viewer {
		t.Error("Escape closed the viewer")
	}
	w.key(fyne.KeyEscape)
	if w.store.Snapshot().Mode == state.Viewer {
		t.Error("a second Escape did not close the viewer")
	}
}

func TestTheKeyRMakesTheNextDragSelect(t *testing.T) {
	w, id := pointed(t, wide)
	w.app.typedRune('r')
	w.drag(0.1, 0.1, 0.101, 0.1, false) // a click
	w.settled()
	if !w.store.Snapshot().RegionOf(id).Empty() {
		t.Error("a click selects")
	}
	w.app.typedRune('r')
	w.drag(-0.2, 0.5, 0.5, 1.5, false)
	im := w.app.shell.gallery.view.Image()
	if got := w.selects(id, true); got.Min.X != 0 || got.Max.Y != im.Height {
		t.Errorf("selected %v of %d × %d", got, im.Width, im.Height)
	}
}

func TestAQuestionIsKeptAndShown(t *testing.T) {
	w, id := pointed(t, wide)
	w.drag(0.25, 0.25, 0.75, 0.5, true)
	w.selects(id, true)
	w.app.typedRune('q')
	field := w.app.win.Canvas().Focused()
	if field == nil {
		t.Fatal("no field has the focus")
	}
	test.Type(field, "Why is there a dip?")
	field.(fyne.Shortcutable).TypedShortcut(withCtrl(fyne.KeyReturn))
	w.q.Until(t, "the question to be stored", func() bool { q, _ := w.lib.Questions(t.Context(), id); return len(q) == 1 })
	w.q.Until(t, "the dialog to close", func() bool { return w.app.win.Canvas().Overlays().Top() == nil })
	w.q.Until(t, "the properties to show it", func() bool {
		return strings.Contains(strings.Join(uitest.Texts(w.app.win.Canvas()), "\n"), "Why is there a dip?")
	})
	q, _ := w.lib.Questions(t.Context(), id)
	if q[0].Rect != w.store.Snapshot().RegionOf(id) || q[0].Image != id {
		t.Errorf("%+v", q[0])
	}
	marked := func(want ...int) {
		t.Helper()
		w.q.Until(t, "the number on the plot", func() bool { return slices.Equal(w.app.shell.gallery.view.Notes(), want) })
	}
	marked(1)
	w.app.questions.advance(q[0].ID, catalog.QuestionDone)
	w.q.Until(t, "the question to be done", func() bool { q, _ := w.lib.Questions(t.Context(), id); return q[0].State == catalog.QuestionDone })
	w.settled()
	marked(1)
	w.app.typedRune('m')
	marked()
	w.app.typedRune('m')
	marked(1)
	var copies [][]byte
	w.app.cfg.CopyImage = func(_ context.Context, d []byte, file string) error {
		copies = append(copies, bytes.Clone(d))
		if file != "" {
			t.Errorf("the file %s, which has no marks, is copied, too", file)
		}
		return nil
	}
	w.app.export = export.New(w.app.exportPort())
	w.app.shell.imageMenu(id, fyne.NewPos(9, 9))
	w.item("Copy image with marks")
	w.said("Copied: Image")
	if stored, _, err := w.lib.Read(t.Context(), id); err != nil || len(copies) != 1 || bytes.Equal(stored, copies[0]) {
		t.Errorf("%d copies, %v; the marks are on it: %v", len(copies), err, len(copies) > 0 && !bytes.Equal(stored, copies[0]))
	}
	w.app.questions.drop(q[0].ID)
	w.q.Until(t, "the question to be deleted", func() bool { q, _ := w.lib.Questions(t.Context(), id); return len(q) == 0 })
	w.settled()
	w.app.export.CopyMarked(id)
	w.said("There are no marks on this plot.")
}

// TestALongQuestionSaysSo: the dialog says why the question cannot be sent.
func TestALongQuestionSaysSo(t *testing.T) {
	w, id := pointed(t, wide)
	w.drag(0.25, 0.25, 0.75, 0.5, true)
	w.selects(id, true)
	w.app.typedRune('q')
	field, ok := w.app.win.Canvas().Focused().(interface{ SetText(string) })
	if !ok {
		t.Fatal("no field has the focus")
	}
	const said = "At most 4000 characters; these are 4001."
	shown := func() bool { return strings.Contains(strings.Join(uitest.Texts(w.app.win.Canvas()), "\n"), said) }
	field.SetText(strings.Repeat("x", 4001))
	w.q.Until(t, "the dialog to say so", shown)
	field.SetText(strings.Repeat("x", 4000))
	w.q.Until(t, "the dialog to say that no longer", func() bool { return !shown() })
}

func TestRegionGoldens(t *testing.T) {
	dark := func(s *state.Snapshot) { s.Settings.Theme = "dark" }
	japanese := func(s *state.Snapshot) { s.Settings.Language = "ja" }
	for name, c := range map[string]struct {
		size fyne.Size
		edit []func(*state.Snapshot)
	}{
		"region":                {wide, nil},
		"region_dark_ja_narrow": {narrowed, []func(*state.Snapshot){dark, japanese}},
	} {
		t.Run(name, func(t *testing.T) {
			w, id := pointed(t, c.size, c.edit...)
			w.drag(0.25, 0.25, 0.75, 0.5, true)
			w.selects(id, true)
			uitest.Golden(t, name, w.app.win.Canvas())
			w.app.typedRune('q')
			uitest.Golden(t, strings.Replace(name, "region", "question", 1), w.app.win.Canvas())
		})
	}
}
