package window

import (
	"context"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// strike presses a key as the user does: what has the focus gets it.
func (w *world) strike(names ...fyne.KeyName) {
	for _, n := range names {
		if f := w.app.win.Canvas().Focused(); f != nil {
			f.TypedKey(&fyne.KeyEvent{Name: n})
		} else {
			w.app.typedKey(&fyne.KeyEvent{Name: n})
		}
		w.settled()
	}
}

// focused returns the button that has the focus.
func (w *world) focused() *kit.Button {
	b, _ := w.app.win.Canvas().Focused().(*kit.Button)
	return b
}

// A destructive question, how it comes up, and the button that destroys.
type destructive struct {
	ask func(w *world)
	yes string
}

// TestEnterDestroysNothing goes over every question before something is lost. The focus is on
// Cancel, so that Enter, Space and Escape cancel; Enter without a focus does nothing.
func TestEnterDestroysNothing(t *testing.T) {
	inTrash := func(w *world) {
		w.store.Update(func(s *state.Snapshot) { s.Folder = state.Folder{Kind: state.Trash} })
		w.settled()
	}
	for name, q := range map[string]destructive{
		"restart":           {func(w *world) { w.app.sessions.ConfirmRestart(uitest.SessionID(0)) }, "Restart"},
		"end":               {func(w *world) { w.app.sessions.ConfirmEnd(uitest.SessionID(0)) }, "End session"},
		"quit":              {func(w *world) { w.app.quitRequested() }, "Quit"},
		"close":             {func(w *world) { w.app.CloseRequested() }, "Quit"},
		"delete":            {func(w *world) { w.app.edits.DeletePermanently([]string{"img00001"}) }, "Delete permanently"},
		"delete from trash": {func(w *world) { inTrash(w); w.app.edits.Trash([]string{"img00001"}) }, "Delete permanently"},
		"empty the trash":   {func(w *world) { inTrash(w); w.app.edits.EmptyTrash() }, "Empty trash"},
		"remove a server": {func(w *world) {
			w.app.shell.open(pageSettings)
			tapIn(w, w.app.shell.prefs.Object(), "Remove")
		}, "Remove"},
		"new token": {func(w *world) {
			w.app.shell.open(pageSettings)
			tapIn(w, w.app.shell.prefs.Object(), "New token")
		}, "New token"},
	} {
		t.Run(name, func(t *testing.T) {
			destroyed := 0
			w := newWorld(t, wide, galleryOf(t, 3), func(s *state.Snapshot) {
				busy(s)
				s.OwnServers = []string{"lab"}
				s.Servers = []state.Server{{ServerHealth: catalog.ServerHealth{Name: "lab", URL: "http://h:1", State: "ready"}}}
			})
			w.app.cfg.Quit = func() { destroyed++ }
			counts(w, catalog.SessionRestart, &destroyed)
			counts(w, catalog.SessionDelete, &destroyed)
			counts(w, command.RemoveServer, &destroyed)
			w.app.cfg.RotateToken = func() error { destroyed++; return nil }
			w.app.rebuild(w.store.Snapshot())
			w.app.shell.render(w.store.Snapshot())
			w.settled()
			for _, strike := range []func(){
				func() { w.strike(fyne.KeyReturn) },
				func() { w.strike(fyne.KeyEnter) },
				func() { w.strike(fyne.KeySpace) },
				func() { w.strike(fyne.KeyEscape) },
				func() { // a click beside the buttons takes the focus
					w.app.win.Canvas().Unfocus()
					w.strike(fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace)
					if _, open := seek(w, func(b *kit.Button) bool { return b.Text() == q.yes }); !open {
						t.Error("without a focus, Enter answers")
					}
					w.strike(fyne.KeyEscape)
				},
			} {
				q.ask(w)
				w.asks(q.yes)
				if b := w.focused(); b == nil || b.Text() != "Cancel" {
					t.Errorf("the focus is not on Cancel: %v", b)
				}
				strike()
				w.q.Drain()
				if w.app.win.Canvas().Overlays().Top() != nil {
					t.Fatal("the question is still open")
				}
			}
			images, err := w.lib.Get(t.Context(), "img00001", "img00002", "img00003")
			if destroyed != 0 || err != nil || len(images) != 3 {
				t.Errorf("destroyed %d times, %d plots left (%v)", destroyed, len(images), err)
			}
		})
	}
}

// tapIn taps the button with a text.
func tapIn(w *world, in fyne.CanvasObject, text string) {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(in) {
		if b, is := o.(*kit.Button); is && b.Text() == text {
			test.Tap(b)
			return
		}
	}
	w.t.Fatalf("there is no %s", text)
}

// counts registers a handler that counts its calls.
func counts[In, Out any](w *world, topic interface {
	Handle(b *eventbus.Bus, do func(context.Context, In) (Out, error), can func(context.Context, In) error) func()
}, n *int,
) {
	topic.Handle(w.bus, func(context.Context, In) (out Out, err error) { *n++; return out, nil }, nil)
}

// A question that loses nothing has the focus on its visible answer, so Enter gives it.
func TestEnterAnswersWhatLosesNothing(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	did := ""
	w.app.shell.dialogs.Ask("Connect?", "It loses nothing.", "Connect", func() { did = "connected" })
	if b := w.focused(); b == nil || b.Text() != "Connect" {
		t.Errorf("the focus is on %v", b)
	}
	w.strike(fyne.KeyReturn)
	if did != "connected" {
		t.Error("Enter does not connect")
	}
	w.app.shell.dialogs.Choose("Which?", "", dialogs.Choice{Text: "A", Do: func() { did = "A" }, Safe: true}, dialogs.Choice{Text: "B", Do: func() { did = "B" }, Safe: true})
	w.strike(fyne.KeyReturn)
	if did != "connected" {
		t.Errorf("of two answers, Enter gives %s", did)
	}
}
