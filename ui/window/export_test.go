package window

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/internal/system"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// figurePages makes pages of figures. If hold is not nil, it waits until hold is closed.
type figurePages struct{ hold chan struct{} }

func (f *figurePages) Live(_ string, data []byte) ([]byte, []string, error) {
	if f.hold != nil {
		<-f.hold
	}
	return append([]byte("<p>figure</p>"), data...), nil, nil
}

func TestExportReport(t *testing.T) {
	dir := t.TempDir()
	opened := make(chan string, 1)
	w := newWorld(t, wide, figuresOf(t), func(s *state.Snapshot) {
		busy(s)
		s.Settings.SaveDir = dir
	})
	w.app.cfg.Open = func(address string) error { opened <- address; return nil }
	w.app.export.SessionPlots(uitest.SessionID(0), "analysis")
	w.asks("Choose place…")
	w.settled()
	uitest.Golden(t, "export_dialog", w.app.win.Canvas())
	w.typeInto("analysis", "Sales & more")
	w.press("Choose place…")
	w.q.Until(t, "the folder", func() bool {
		_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
		return is
	})
	w.press("Save")
	w.said("Saved Sales & more.html: 5 plots")
	text, err := os.ReadFile(filepath.Join(dir, "Sales & more.html"))
	require.NoError(t, err)
	if n := strings.Count(string(text), "<article"); n != 5 || !strings.Contains(string(text), "<title>Sales &amp; more</title>") || !strings.Contains(string(text), "<details>") {
		t.Errorf("the report has %d plots, or lacks its title or the code", n)
	}
	w.take()
	if got, want := <-opened, system.FileURL(filepath.Join(dir, "Sales & more.html")).String(); got != want {
		t.Errorf("opened %s, want %s", got, want)
	}
}

func TestExportIsCancelled(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, narrowed, figuresOf(t), func(s *state.Snapshot) {
		busy(s)
		s.Settings.SaveDir, s.Settings.Language = dir, "ja"
	})
	w.figures.hold = make(chan struct{})
	w.app.export.Plots([]string{plotlyFigure, "img00002", "img00003"}, "図")
	w.asks("保存先を選択…")
	w.settled()
	uitest.Golden(t, "export_dialog_ja_narrow", w.app.win.Canvas())
	w.press("保存先を選択…")
	w.asks("保存")
	w.q.Until(t, "the folder", func() bool {
		_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
		return is
	})
	w.press("保存")
	w.q.Until(t, "the progress", func() bool { return slices.Contains(uitest.Texts(w.app.win.Canvas()), "0 / 3 件") })
	uitest.Golden(t, "export_progress_ja_narrow", w.app.win.Canvas())
	w.press("キャンセル")
	w.said("エクスポートを中止しました。")
	close(w.figures.hold)
	w.q.Until(t, "the end of the report", func() bool {
		left, err := os.ReadDir(dir)
		return err == nil && len(left) == 0
	})
}

// TestExportFolder chooses a folder, the plots in view and no code. The next dialog has the
// same choices, except those that this window cannot do.
func TestExportFolder(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, wide, figuresOf(t), func(s *state.Snapshot) {
		busy(s)
		s.Settings.SaveDir, s.Settings.Theme = dir, "dark"
	})
	w.app.export.Plots([]string{"img00002", "img00003"}, "Two")
	w.asks("Choose place…")
	w.settled()
	w.press("Folder")
	check(w, "Code")
	uitest.Golden(t, "export_dialog_folder_dark", w.app.win.Canvas())
	w.press("Choose place…")
	w.q.Until(t, "the folder", func() bool {
		_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
		return is
	})
	w.press("Save")
	w.said("Saved Two: 2 plots")
	if _, err := os.Stat(filepath.Join(dir, "Two", "manifest.json")); err != nil {
		t.Error(err)
	}
	if code, err := filepath.Glob(filepath.Join(dir, "Two", "*.py")); err != nil || len(code) != 0 {
		t.Errorf("code that was not wanted: %v, %v", code, err)
	}
	if got := w.store.Snapshot().Settings.Export; got.Kind != "folder" || !got.NoCode || got.NoNotes {
		t.Errorf("remembered %+v", got)
	}
	w.store.Update(func(s *state.Snapshot) { s.Settings.Export.Kind = "pdf" })
	w.app.export.Plots([]string{"img00002"}, "One")
	w.asks("Choose place…")
	w.q.Until(t, "the reason", func() bool {
		return slices.Contains(uitest.Texts(w.app.win.Canvas()), "To export a PDF, install Chrome, Edge or Chromium.")
	})
	if b, ok := seek(w, func(b *kit.Button) bool { return b.Text() == "Choose place…" }); !ok || b.Enabled() {
		t.Error("a PDF can be exported without a browser")
	}
}

// check presses a checkbox.
func check(w *world, label string) {
	w.t.Helper()
	box, ok := seek(w, func(c *kit.Check) bool { return c.Text() == label })
	if !ok {
		w.t.Fatalf("there is no checkbox %q", label)
	}
	box.Tapped(nil)
}
