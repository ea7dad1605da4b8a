package window

import (
	"context"
	"strings"
	"sync"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// A runner is a session that records which code was sent to it.
type runner struct {
	mu     sync.Mutex
	ran    []catalog.ExecuteCodeIn
	refuse error
}

func (r *runner) execute(_ context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran = append(r.ran, in)
	return catalog.Execution{}, r.refuse
}

func (r *runner) last() (n int, in catalog.ExecuteCodeIn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n = len(r.ran); n > 0 {
		in = r.ran[n-1]
	}
	return n, in
}

func (r *runner) refuses(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = err
}

// TestTheCodeOfAPlotIsEditedAndRun in the user's own name, and what is not run is not lost.
func TestTheCodeOfAPlotIsEditedAndRun(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	r := &runner{}
	catalog.ExecuteCode.Handle(w.bus, func(ctx context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
		if c := tool.CallerFrom(ctx); c.Transport != tool.Window {
			t.Errorf("the code runs for %+v", c)
		}
		return r.execute(ctx, in)
	}, nil)
	editor := func() *kit.Field {
		t.Helper()
		w.app.sessions.EditAndRun(uitest.SessionID(0), sineCode)
		f, ok := w.app.win.Canvas().Focused().(*kit.Field)
		if !ok {
			t.Fatalf("%T has the focus", w.app.win.Canvas().Focused())
		}
		return f
	}
	shown := func() bool { return w.app.shell.dialogs.Last().Visible() }
	enter := &desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierControl}

	f := editor()
	f.SetText("print(1)")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if n, _ := r.last(); n > 0 || shown() {
		t.Fatalf("Escape ran the code: %d; the editor stays: %v", n, shown())
	}
	f = editor()
	if f.Text != "print(1)" {
		t.Errorf("the editor begins with %q; what was typed is lost", f.Text)
	}
	r.refuses(&tool.Error{Code: tool.NotExecutable, Detail: "The kernel is gone."})
	f.TypedShortcut(enter)
	w.q.Until(t, "the error", func() bool { text, _ := w.app.shell.messages.Newest(); return text != "" })
	if !shown() {
		t.Fatal("the code did not run, and the editor is gone")
	}
	r.refuses(nil)
	f.TypedShortcut(enter)
	w.q.Until(t, "the code to run", func() bool { return !shown() })
	if n, in := r.last(); n != 2 || in.Code != "print(1)" || in.SessionID != uitest.SessionID(0) {
		t.Errorf("%d runs, the last of %+v", n, in)
	}
	if f = editor(); f.Text != strings.TrimRight(sineCode, "\n") {
		t.Errorf("after the code was run, the editor begins with %q", f.Text)
	}
}

func TestTheEditorLooksRight(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 3), busy)
	w.app.sessions.EditAndRun(uitest.SessionID(0), sineCode)
	w.settled()
	uitest.Golden(t, "edit_and_run_narrow", w.app.win.Canvas())
}

// TestThePropertiesAreAsWideAsCodeNeeds, and at most a part of the window.
func TestThePropertiesAreAsWideAsCodeNeeds(t *testing.T) {
	lib := uitest.NewLibrary(t)
	lib.AddSession(0, "analysis", "claude-code 2.1.0")
	lib.Add(0, "Wide", "result = frame.groupby('region').agg(total=('value', 'sum'), mean=('value', 'mean'))\n")
	lib.Add(0, "Wider", strings.Repeat("a = b + ", 60)+"1\n")
	w := newWorld(t, wide, lib, nil)
	s := w.app.shell
	s.toggleSide()
	width := func() float32 { return s.props.Object().Size().Width }
	w.click("img00001", 0)
	s.dividers[1].DoubleTapped(nil)
	if got, want := width(), s.props.CodeWidth(); got != want || got <= propsW {
		t.Errorf("after a double click, the properties have %v, want %v", got, want)
	}
	if got := float32(w.store.Snapshot().Settings.Layout.PropsWidth); got < width()-1 {
		t.Errorf("%v is kept", got)
	}
	s.dividers[1].DoubleTapped(nil)
	if got := width(); got != propsW {
		t.Errorf("after another double click, the properties have %v, want %v", got, propsW)
	}
	w.click("img00002", 0)
	s.dividers[1].DoubleTapped(nil)
	if got, want := width(), (wide.Width-railW)*mostProps; got != want {
		t.Errorf("for a long line, the properties have %v, want %v", got, want)
	}
	s.toggleSide()
	if got := s.gallery.root.Size().Width; got < leastGalleryW-1 {
		t.Errorf("beside the sidebar and the properties, the gallery has %v", got)
	}
	s.toggleSide()
	s.dividers[1].Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(-500, 0)})
	s.dividers[1].Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(20, 0)})
	if got, want := width(), (wide.Width-railW)*mostProps-20; got != want {
		t.Errorf("after a drag beyond the limit and back, the properties have %v, want %v", got, want)
	}
}
