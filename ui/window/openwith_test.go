package window

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/desktop/programs"
	"easel/ui/window/external"
	"easel/ui/window/gallery"
	"easel/ui/window/uitest"
)

// programsOf are the programs of a desktop in which only the names matter.
type programsOf struct {
	names  []string // of the type image/png, the default first
	all    []string
	opened chan string // what was opened with what
}

func (p *programsOf) named(names []string) (all []programs.Program) {
	for _, n := range names {
		all = append(all, programs.Program{ID: n, Name: n})
	}
	return all
}

func (p *programsOf) For(mime, _ string) []programs.Program {
	if mime != "image/png" {
		return nil
	}
	all := p.named(p.names)
	if len(all) > 0 {
		all[0].Default = true
	}
	return all
}

func (p *programsOf) All(string) []programs.Program { return p.named(p.all) }

func (p *programsOf) Open(with programs.Program, file string) error {
	p.opened <- with.Name + " " + file
	return nil
}

func (p *programsOf) Choose(file string) error {
	p.opened <- "chosen " + file
	return nil
}

// withPrograms makes a window of a desktop with programs, and selects an image.
func withPrograms(t *testing.T, size fyne.Size, p *programsOf, edit func(*state.Snapshot)) *world {
	t.Helper()
	p.opened = make(chan string, 1)
	w := newWorld(t, size, galleryOf(3), edit)
	dir := t.TempDir()
	w.app.cfg.Programs = p
	w.app.cfg.HandOut = func(name string, data []byte) (string, error) {
		path := filepath.Join(dir, name)
		return path, os.WriteFile(path, data, 0o600)
	}
	w.app.external = external.New(w.app.externalPort())
	w.call(t, "select_file", `{"path":"img00002"}`)
	return w
}

// offers waits until a menu or a list has exactly these lines.
func (w *world) offers(lines ...string) {
	w.t.Helper()
	w.q.Until(w.t, "the lines "+strings.Join(lines, ", "), func() bool {
		all := uitest.Texts(w.app.win.Canvas())
		i := slices.Index(all, "----")
		return i >= 0 && slices.Equal(all[i+1:], lines)
	})
}

// tapLine taps the line of a menu or a list that has exactly this text.
func (w *world) tapLine(text string) {
	w.t.Helper()
	var line fyne.Tappable // the last one that contains the text: earlier ones contain it
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		tapped, ok := o.(fyne.Tappable)
		if ok && slices.ContainsFunc(test.LaidOutObjects(o), func(x fyne.CanvasObject) bool {
			t, ok := x.(*canvas.Text)
			return ok && t.Text == text
		}) {
			line = tapped
		}
	}
	if line == nil {
		w.t.Fatalf("there is no line %q", text)
	}
	line.Tapped(&fyne.PointEvent{})
}

func TestOpenWith(t *testing.T) {
	p := &programsOf{names: []string{"GIMP", "Image Viewer"}, all: []string{"Files", "GIMP", "Inkscape"}}
	w := withPrograms(t, wide, p, nil)
	want, im, err := w.lib.Read(t.Context(), "img00002")
	if err != nil {
		t.Fatal(err)
	}
	opened := func(with string) {
		t.Helper()
		got := <-p.opened
		file, ok := strings.CutPrefix(got, with+" ")
		if !ok || filepath.Base(file) != gallery.Title(w.app.kit(), im)+".png" || file == im.Path {
			t.Fatalf("opened %q", got)
		}
		if data, err := os.ReadFile(file); err != nil || !bytes.Equal(data, want) {
			t.Errorf("the copy has %d bytes, want %d; %v", len(data), len(want), err)
		}
		w.settled()
	}
	menu := []string{"GIMP (default)", "Image Viewer", "Other program…"}
	w.app.typedRune('o')
	w.offers(menu...)
	uitest.Golden(t, "open_with", w.app.win.Canvas())
	w.tapLine("GIMP (default)")
	opened("GIMP")
	w.app.typedRune('o')
	w.offers(menu...)
	w.tapLine("Other program…")
	w.offers("Open with", "Files", "GIMP", "Inkscape")
	w.tapLine("Inkscape")
	opened("Inkscape")
	if w.app.win.Canvas().Overlays().Top() != nil {
		t.Error("the list of programs is still shown")
	}
}

func TestOpenWithTheSystemsDialog(t *testing.T) {
	p := &programsOf{}
	w := withPrograms(t, wide, p, nil)
	w.app.typedRune('o')
	w.q.Until(t, "the system's dialog", func() bool { return len(p.opened) > 0 })
	if got := <-p.opened; !strings.HasPrefix(got, "chosen ") {
		t.Errorf("opened %q", got)
	}
}

func TestOpenWithInJapanese(t *testing.T) {
	p := &programsOf{all: []string{"GIMP", "Inkscape", "画像ビューアー"}}
	w := withPrograms(t, narrowed, p, func(s *state.Snapshot) { s.Settings.Language, s.Settings.Theme = "ja", "dark" })
	w.app.typedRune('o')
	w.offers("その他のプログラム…")
	w.tapLine("その他のプログラム…")
	w.offers("プログラムから開く", "GIMP", "Inkscape", "画像ビューアー")
	uitest.Golden(t, "open_with_dark_ja_narrow", w.app.win.Canvas())
}

func TestTheMenuHasNoProgramsWithoutADesktop(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), nil)
	w.app.typedRune('o') // does nothing
	w.app.shell.imageMenu("img00000", fyne.NewPos(100, 100))
	if all := uitest.Texts(w.app.win.Canvas()); slices.Contains(all, "Open with…") || !slices.Contains(all, "Copy image") {
		t.Errorf("the menu has %q", all)
	}
}
