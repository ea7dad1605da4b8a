package window

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// seek returns the first object over the window for which ok returns true.
func seek[T fyne.CanvasObject](w *world, ok func(T) bool) (found T, is bool) {
	top := w.app.win.Canvas().Overlays().Top()
	if top == nil {
		return found, false
	}
	for _, o := range test.LaidOutObjects(top) {
		if x, like := o.(T); like && ok(x) {
			return x, true
		}
	}
	return found, false
}

func find[T fyne.CanvasObject](w *world, ok func(T) bool) T {
	w.t.Helper()
	found, is := seek(w, ok)
	if !is {
		w.t.Fatalf("there is no such %T over the window", found)
	}
	return found
}

// asks waits for a dialog with a button with that text.
func (w *world) asks(button string) {
	w.t.Helper()
	w.q.Until(w.t, "a dialog with "+button, func() bool {
		_, is := seek(w, func(b *kit.Button) bool { return b.Text() == button })
		return is
	})
}

func (w *world) press(text string) {
	w.t.Helper()
	test.Tap(find(w, func(b *kit.Button) bool { return b.Text() == text }))
}

func (w *world) typeInto(placeholderOrText, text string) {
	w.t.Helper()
	f := find(w, func(f *kit.Field) bool { return f.PlaceHolder == placeholderOrText || f.Text == placeholderOrText })
	f.SetText(text)
}

// said waits until the window shows a message.
func (w *world) said(what string) {
	w.t.Helper()
	w.q.Until(w.t, "the window to say "+what, func() bool {
		return w.saying() && strings.Contains(w.message(), what)
	})
}

func TestSaveOneAndAll(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	revealed := make(chan string, 1)
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) {
		busy(s)
		s.Settings.SaveDir = dir
		s.Selection, s.Current = []string{"img00001"}, "img00001"
	})
	w.app.cfg.Reveal = func(path string) error { revealed <- path; return nil }
	opened := func() {
		t.Helper()
		w.q.Until(t, "the folder", func() bool {
			_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
			return is
		})
	}
	w.app.shortcut(ctrl(fyne.KeyS))
	opened()
	w.typeInto("Sine.png", "mine.png")
	w.press("Save")
	w.said("Saved mine.png")
	if _, err := os.Stat(filepath.Join(dir, "mine.png")); err != nil {
		t.Error(err)
	}
	w.take()
	if got := <-revealed; got != filepath.Join(dir, "mine.png") {
		t.Errorf("showed %s", got)
	}

	// With the same name again, it asks first.
	w.app.shortcut(ctrl(fyne.KeyS))
	opened()
	w.typeInto("Sine.png", "mine.png")
	w.press("Save")
	w.asks("Replace")
	w.press("Cancel")

	saveAll(w.app) // one is selected, so this saves all in view
	opened()
	w.press("Save")
	w.said("Saved 4 plots")
}

func TestSaveAsNotebook(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	asked := make(chan command.SaveAsNotebookIn, 1)
	command.SaveAsNotebook.Handle(w.bus, func(_ context.Context, in command.SaveAsNotebookIn) (command.SaveAsNotebookOut, error) {
		asked <- in
		return command.SaveAsNotebookOut{Path: in.Path, Cells: 5, LeftOut: 1}, nil
	}, nil)
	w.app.export.SaveNotebook(uitest.SessionID(0), w.app.shell.sessionName(uitest.SessionID(0)))
	uitest.Golden(t, "save_notebook", w.app.win.Canvas())
	w.typeInto("based on the session’s name", "week 12")
	w.press("Save")
	if in := <-asked; in.Path != "week 12.ipynb" || in.SessionID != uitest.SessionID(0) || !in.Everyone || in.Failed {
		t.Errorf("asked %+v", in)
	}
	w.said("Saved week 12.ipynb: 5 cells. 1 run was left out.")
}
