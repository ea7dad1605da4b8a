package window

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/command"
	"easel/ui/core/redraw"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// redrawing serves the window's requests to draw plots again, with refusals by reason.
type redrawing struct {
	asked  chan command.RedrawImageIn // without those for sharper pictures, which come after a while, on a slow machine before the next step
	reason string
	by     string // what draws
}

func (w *world) redraws(reason string) *redrawing {
	r := &redrawing{asked: make(chan command.RedrawImageIn, 100), reason: reason}
	command.RedrawImage.Handle(w.bus, func(_ context.Context, in command.RedrawImageIn) (command.RedrawImageOut, error) {
		if !in.Looking || in.Roomy {
			r.asked <- in
		}
		if r.reason != "" {
			return command.RedrawImageOut{Refused: r.reason}, nil
		}
		out := command.RedrawImageOut{Width: 640, Height: 480, Inches: [2]float64{6.4, 4.8}, MIMEType: "image/png", Path: in.To, By: r.by}
		var im draw.Image = image.NewNRGBA(image.Rect(0, 0, 64, 48))
		draw.Draw(im, im.Bounds(), image.White, image.Point{}, draw.Src)
		im.Set(20, 20, color.Black)
		if in.Within > 0 {
			im = uitest.Plot(1, int(math.Round(in.Width*in.DPI)), int(math.Round(in.Height*in.DPI)))
		}
		var b bytes.Buffer
		if err := png.Encode(&b, im); err != nil {
			return out, err
		}
		out.Data = b.Bytes()
		return out, nil
	}, nil)
	return r
}

// exporting opens the dialog for the first plot, and waits until it shows its first preview.
func (w *world) exporting(line string) {
	w.t.Helper()
	const id = "img00001"
	w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{id}, id })
	w.settled()
	w.app.shortcut(ctrlShift(fyne.KeyE))
	w.shows(line)
}

// shows waits until a dialog has a paragraph with a text.
func (w *world) shows(line string) {
	w.t.Helper()
	w.q.Until(w.t, "the dialog to show "+line, func() bool {
		_, is := seek(w, func(p *kit.Para) bool { return bytes.Contains([]byte(p.Text()), []byte(line)) })
		return is
	})
}

func TestTheExportDialog(t *testing.T) {
	for name, c := range map[string]struct {
		size         fyne.Size
		lang, theme  string
		reason, line string
	}{
		"export":                     {wide, "en", "light", "", "1920 × 1440 px"},
		"export_dark_ja_narrow":      {narrowed, "ja", "dark", "", "1920 × 1440 px"},
		"export_gone":                {wide, "en", "light", "gone", "it was restarted"},
		"export_busy_dark_ja_narrow": {narrowed, "ja", "dark", "busy", "実行中"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 4), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
			})
			w.redraws(c.reason)
			w.exporting(c.line)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
			save := find(w, func(b *kit.Button) bool { return b.Text() == w.app.shell.k.T("redraw.save") })
			if save.Enabled() != (c.reason == "") {
				t.Errorf("the button is enabled: %v", save.Enabled())
			}
		})
	}
}

// TestTheExportDialogSaysWhatDraws covers the ways to draw a plot again, also one whose kernel has ended.
func TestTheExportDialogSaysWhatDraws(t *testing.T) {
	for by, line := range map[string]string{
		command.ByKernel: "by its kernel", command.ByFigure: "from its stored figure", command.ByData: "from its data",
	} {
		w := newWorld(t, wide, galleryOf(t, 4), busy)
		w.redraws("").by = by
		w.exporting(line)
	}
}

func TestWhatTheExportDialogAsksFor(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) { s.Settings.SaveDir = dir })
	r := w.redraws("")
	w.exporting("1920 × 1440 px")
	if first := <-r.asked; first.Format != "png" || first.Width != 0 || first.DPI != 0 || first.To != "" {
		t.Errorf("the first preview: %+v", first)
	}
	w.press("mm")
	w.typeInto("162.6", "80") // the height follows
	w.press("PDF")
	w.press("Dark")
	w.shows("80 × 60 mm")
	for last := (command.RedrawImageIn{}); last.Theme != "dark"; { // previews in between are left out
		last = <-r.asked
		if last.Theme == "dark" && (last.Format != "png" || last.Width*25.4 < 79.9 || last.Width*25.4 > 80.1) {
			t.Errorf("the preview: %+v", last)
		}
	}
	w.press("Export…")
	w.q.Until(t, "the folder", func() bool {
		_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
		return is
	})
	w.press("Save")
	w.said("Saved Sine.pdf")
	in := <-r.asked
	if in.To != filepath.Join(dir, "Sine.pdf") || in.Format != "pdf" || in.DPI != 300 || in.Theme != "dark" {
		t.Errorf("asked for %+v", in)
	}
}

// TestTheStoredPictureCanAlwaysBeSaved: when the figure is gone, the picture is still there.
func TestTheStoredPictureCanAlwaysBeSaved(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) { s.Settings.SaveDir = dir })
	w.redraws("gone")
	w.exporting("it was restarted")
	w.press("Save stored picture…")
	w.asks("Save")
	w.q.Until(t, "the folder", func() bool {
		_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
		return is
	})
	w.press("Save")
	w.said("Saved Sine.png")
	if _, err := os.Stat(filepath.Join(dir, "Sine.png")); err != nil {
		t.Error(err)
	}
}

// TestThePlotInTheViewerIsLaidOutForTheWindow: also after the window was built again in other
// colours, and until it is turned off.
func TestThePlotInTheViewerIsLaidOutForTheWindow(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) {
		busy(s)
		s.Sessions[0].Status = "idle"
	})
	r := w.redraws("")
	w.app.typedRune('d') // in the gallery, it does nothing
	w.app.navigate.Open("img00001")
	w.settled()
	w.app.typedRune('d')
	w.settled()
	stage := func() (width, height float64) {
		large, _ := w.app.shell.gallery.view.Sights()
		s := large[0].Clip.Size()
		return float64(s.Width), float64(s.Height)
	}
	laid := func(what string) {
		t.Helper()
		width, height := stage()
		in := <-r.asked
		want := command.RedrawImageIn{Image: "img00001", Format: "png", Width: (width - 40) / 100, Height: (height - 40) / 100, DPI: 100, Within: layoutWithin, Roomy: true, Looking: true}
		if in != want {
			t.Errorf("%s, asked for %+v, want %+v", what, in, want)
		}
		if _, ok := w.app.shell.gallery.view.LaidOut(); !ok || len(r.asked) != 0 {
			t.Errorf("%s, it is laid out: %v; %d more requests", what, ok, len(r.asked))
		}
	}
	laid("turned on")
	uitest.Golden(t, "viewer_laid_out", w.app.win.Canvas())
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme, s.Settings.Language = "dark", "ja" })
	w.settled()
	if _, ok := w.app.shell.gallery.view.LaidOut(); !ok || len(r.asked) != 0 {
		t.Errorf("in Japanese, it is laid out: %v; %d more requests", ok, len(r.asked))
	}
	w.app.win.Resize(fyne.NewSize(1200, 800))
	w.settled()
	laid("in a smaller window")
	w.app.typedRune('d')
	w.settled()
	if _, ok := w.app.shell.gallery.view.LaidOut(); ok || len(r.asked) != 0 {
		t.Error("turned off, it is laid out")
	}
}

// TestTheThemeChangesWhileAPlotIsLaidOut: the request of the former window is given up, and only
// the picture for the new one is shown.
func TestTheThemeChangesWhileAPlotIsLaidOut(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) {
		busy(s)
		s.Sessions[0].Status = "idle"
	})
	asked, answers, given := make(chan command.RedrawImageIn, 10), make(chan *image.RGBA), make(chan error, 10)
	command.RedrawImage.Handle(w.bus, func(ctx context.Context, in command.RedrawImageIn) (out command.RedrawImageOut, err error) {
		if !in.Roomy { // on a slow machine, a sharper picture is asked for before the key
			return out, nil
		}
		asked <- in
		select {
		case <-ctx.Done():
			given <- ctx.Err()
			return out, ctx.Err()
		case m := <-answers:
			var b bytes.Buffer
			err = png.Encode(&b, m)
			out.Data = b.Bytes()
			return out, err
		}
	}, nil)
	w.app.navigate.Open("img00001")
	w.settled()
	w.app.typedRune('d')
	w.q.Until(t, "the first request", func() bool { return len(asked) == 1 })
	before := w.app.shell.gallery.view
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.q.Until(t, "the request of the new window", func() bool { return len(asked) == 2 })
	if w.app.shell.gallery.view == before || !errors.Is(<-given, context.Canceled) {
		t.Error("the request of the former window is not given up")
	}
	if _, ok := w.app.shell.gallery.view.LaidOut(); ok {
		t.Error("something is laid out before it is drawn")
	}
	answers <- uitest.Plot(1, 650, 300)
	w.settled()
	over := false
	time.AfterFunc(600*time.Millisecond, func() { w.q.Do(func() { over = true }) })
	w.q.Until(t, "a zoom to have been drawn, if one is", func() bool { return over })
	if size, _ := w.app.shell.gallery.view.LaidOut(); size != image.Pt(650, 300) || len(asked) != 2 {
		t.Errorf("a picture of %v is shown, after %d requests", size, len(asked))
	}
}

// TestFullScreenSaysThatAPlotIsLaidOut, in a message that goes by itself.
func TestFullScreenSaysThatAPlotIsLaidOut(t *testing.T) {
	for name, c := range map[string]struct {
		size        fyne.Size
		lang, theme string
		reason      string
	}{
		"full_laid_out":                    {wide, "en", "light", ""},
		"full_not_laid_out_dark_ja_narrow": {narrowed, "ja", "dark", "plain"},
	} {
		w := newWorld(t, c.size, galleryOf(t, 4), func(s *state.Snapshot) {
			busy(s)
			s.Sessions[0].Status = "idle"
			s.Settings.Language, s.Settings.Theme = c.lang, c.theme
		})
		w.redraws(c.reason)
		w.app.navigate.Open("img00001")
		w.settled()
		w.app.typedRune('d')
		w.settled()
		if w.saying() {
			t.Errorf("%s: in the window, there is a message beside the caption", name)
		}
		w.app.navigate.ToggleFullscreen()
		w.settled()
		if !w.app.shell.full || !w.saying() {
			t.Errorf("%s: full screen says nothing", name)
		}
		uitest.Golden(t, name, w.app.win.Canvas())
	}
}

// TestAPlotIsLaidOutWhenItsKernelIsIdle: until then, the viewer says so.
func TestAPlotIsLaidOutWhenItsKernelIsIdle(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 4), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Language, s.Settings.Theme = "ja", "dark"
	})
	r := w.redraws("")
	w.app.navigate.Open("img00001")
	w.settled()
	w.app.typedRune('d')
	w.q.Until(t, "the caption", func() bool {
		return strings.Contains(w.app.shell.gallery.view.Caption(), "カーネルは実行中です")
	})
	w.settled()
	uitest.Golden(t, "viewer_not_laid_out_dark_ja_narrow", w.app.win.Canvas())
	if len(r.asked) != 0 {
		t.Fatal("a busy kernel is asked")
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions[0].Status, s.Sessions[0].Running = "idle", nil
	})
	w.q.Until(t, "the plot to be laid out", func() bool { _, ok := w.app.shell.gallery.view.LaidOut(); return ok })
}

// TestEveryReasonHasAText: the window can tell each reason why a plot is not drawn again.
func TestEveryReasonHasAText(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	for _, r := range redraw.Reasons() {
		for _, key := range []string{"redraw.why." + string(r), "viewer.layout.why." + string(r)} {
			if !w.app.shell.k.Tr.Has(key) {
				t.Errorf("%s has no text", key)
			}
		}
	}
}

func TestAClosedExportDialogDrawsNothing(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), nil)
	r := w.redraws("")
	w.exporting("1920 × 1440 px")
	<-r.asked
	w.press("SVG")
	test.Tap(find(w, func(b *kit.Button) bool { return b.Text() == "Cancel" }))
	w.app.shortcut(ctrlShift(fyne.KeyE))
	w.shows("1920 × 1440 px")
	if in := <-r.asked; in.Width != 0 {
		t.Errorf("the closed dialog has asked for %+v", in)
	}
}

func ctrlShift(k fyne.KeyName) fyne.Shortcut { return withCtrlShift(k) }

// TestAKernelThatIsNotIdleIsNotAsked: not even again and again. A dead one says why at once.
func TestAKernelThatIsNotIdleIsNotAsked(t *testing.T) {
	for status, caption := range map[string]string{"restarting": "busy", "dead": "ended"} {
		w := newWorld(t, wide, galleryOf(t, 4), func(s *state.Snapshot) {
			busy(s)
			for i := range s.Sessions {
				s.Sessions[i].Status = status
			}
		})
		r := w.redraws("busy")
		w.store.Update(func(s *state.Snapshot) {
			s.Mode, s.Selection, s.Current = state.Viewer, []string{"img00001"}, "img00001"
		})
		w.settled()
		view := w.app.shell.gallery.view
		view.SetLayout(true)
		w.q.Until(t, "the reason", func() bool { return strings.Contains(view.Caption(), caption) })
		over := false
		time.AfterFunc(1500*time.Millisecond, func() { w.q.Do(func() { over = true }) })
		w.q.Until(t, "time to pass", func() bool { return over })
		if len(r.asked) > 0 {
			t.Errorf("a kernel that is %s was asked %d times", status, len(r.asked))
		}
	}
}
