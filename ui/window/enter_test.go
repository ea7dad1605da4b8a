package window

import (
	"context"
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// A signed dialog: how it comes up, and the button that says that Enter presses it.
type signed struct {
	open func(w *world)
	says string
	ctrl bool   // with Ctrl
	text string // what is typed before
}

// signedDialogs are the dialogs with buttons, at least one of each function that shows some.
var signedDialogs = map[string]signed{
	"loses nothing":           {open: func(w *world) { w.app.shell.dialogs.Ask("Go?", "It loses nothing.", "Go", func() {}) }, says: "Go"},
	"loses something":         {open: func(w *world) { w.app.sessions.ConfirmEnd(uitest.SessionID(0)) }, says: "Cancel"},
	"quit":                    {open: func(w *world) { w.app.CloseRequested() }, says: "Cancel"},
	"an environment":          {open: func(w *world) { w.app.projects.Lacks(lacking()) }, says: "Cancel"},
	"edit and run":            {open: func(w *world) { w.app.sessions.EditAndRun(uitest.SessionID(0), sineCode) }, says: "Run", ctrl: true},
	"a question about a part": {open: askAboutAPart, says: "Ask", ctrl: true, text: "why?"},
	"a question about a cell": {open: askAboutACell, says: "Ask", ctrl: true, text: "why?"},
	"export again":            {open: func(w *world) { w.exporting("1920 × 1440 px") }, says: "Export…"},
	"export again, a field": {open: func(w *world) {
		w.exporting("1920 × 1440 px")
		w.app.focus(find(w, func(*kit.Field) bool { return true }))
	}, says: "Export…"},
	"the result of a check": {open: func(w *world) {
		results(w)
		w.app.checks.Show(checkedPlot)
		w.shows("Stored, new")
	}, says: "Close"},
	"export plots":      {open: func(w *world) { w.app.export.Plots([]string{"img00001"}, "Sine"); w.asks("Choose place…") }, says: "Choose place…"},
	"save as":           {open: func(w *world) { w.app.export.SaveAs([]string{"img00001"}); w.asks("Save") }, says: "Save"},
	"save a notebook":   {open: func(w *world) { w.app.export.SaveNotebook(uitest.SessionID(0), "analysis"); w.asks("Save") }, says: "Save"},
	"rename a session":  {open: func(w *world) { w.app.sessions.Rename(uitest.SessionID(0)) }, says: "Rename"},
	"a new notebook":    {open: func(w *world) { w.app.projects.NewNotebook("/home/ann/sales") }, says: "Create", text: "x"},
	"save a search":     {open: func(w *world) { w.app.shell.top.searcher.name("find.save_title", "", func(string) {}) }, says: "Save"},
	"packages of files": {open: func(w *world) { w.app.install.chooseSavedPackages() }, says: "Install", text: "/x"},
	"texts": {open: func(w *world) {
		w.app.shell.dialogs.Texts("Filter", "Apply", []*kit.Field{w.app.shell.k.Field("")}, []string{"data.text"}, func() {})
	}, says: "Apply"},
}

func lacking() command.Project {
	return command.Project{
		Root: "/home/ann/sales", Command: "uv sync", Missing: catalog.Reason{Text: "There is none", Kind: "not_made", Detail: "uv.lock"},
	}
}

func askAboutACell(w *world) {
	place := catalog.TablePlace{SessionID: uitest.SessionID(0), Variable: "sales", Row: &catalog.TableRow{}}
	w.app.questions.askAboutTable(place, "sales · 3 · price = -1", "the value is -1")
}

func askAboutAPart(w *world) {
	w.app.questions.ask("img00001", catalog.Mark{Rect: image.Rect(1, 2, 30, 40)})
}

// TestDialogsSayWhatEnterDoes: one button has the sign of Enter, no other one is filled, and Enter presses it. While
// another button has the focus, there is no sign.
func TestDialogsSayWhatEnterDoes(t *testing.T) {
	for name, c := range signedDialogs {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 4), busy)
			w.checks()
			w.redraws("")
			catalog.ExecuteCode.Handle(w.bus, func(context.Context, catalog.ExecuteCodeIn) (x catalog.Execution, err error) { return x, nil }, nil)
			c.open(w)
			dialog, focused := w.app.shell.dialogs.Last(), w.app.win.Canvas().Focused()
			if dialog == nil || !dialog.Visible() || focused == nil {
				t.Fatal("there is no dialog, or nothing has the focus")
			}
			for _, r := range c.text {
				focused.TypedRune(r)
			}
			w.signs(c)
			other := find(w, func(b *kit.Button) bool { says, _ := b.SaysEnter(); return !says })
			w.app.focus(other)
			if b, some := seek(w, func(b *kit.Button) bool { says, _ := b.SaysEnter(); return says }); some {
				t.Errorf("with the focus on %s, Enter seems to press %s", other.Text(), b.Text())
			}
			w.app.focus(focused)
			if field, is := focused.(*kit.Field); is && c.ctrl {
				field.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierControl})
			} else {
				focused.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			}
			w.q.Until(t, "the answer", func() bool { return !dialog.Visible() || w.app.shell.dialogs.Last() != dialog })
		})
	}
}

// signs checks which buttons of a dialog say that Enter presses them, and that a filled button does.
func (w *world) signs(c signed) {
	w.t.Helper()
	var signs []string
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		b, is := o.(*kit.Button)
		if !is {
			continue
		}
		says, ctrl := b.SaysEnter()
		if says {
			signs = append(signs, b.Text())
		}
		if says && ctrl != c.ctrl || b.Filled() && !says {
			w.t.Errorf("%s: filled %v, Enter %v, with Ctrl %v", b.Text(), b.Filled(), says, ctrl)
		}
	}
	if len(signs) != 1 || signs[0] != c.says {
		w.t.Errorf("Enter seems to press %q, want %q", signs, c.says)
	}
}
