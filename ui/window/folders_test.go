package window

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// A shelf is a library whose plots are also the pictures of the open folder, so that its path is the
// same everywhere.
type shelf struct {
	*uitest.Library
	empty bool
	subs  []folders.Subfolder
}

func (s shelf) Subfolders() []folders.Subfolder { return s.subs }

func (s shelf) IDs(ctx context.Context, q library.Query) ([]string, error) {
	if q.URIPrefix != "" && s.empty {
		return nil, nil
	}
	q.URIPrefix = ""
	return s.Library.IDs(ctx, q)
}

func (s shelf) Count(ctx context.Context, q library.Query) (total, matching int, err error) {
	if q.URIPrefix != "" && s.empty {
		return 0, 0, nil
	}
	q.URIPrefix = ""
	return s.Library.Count(ctx, q)
}

// inPhotos opens a folder with some that were opened before.
func inPhotos(s *state.Snapshot) {
	s.Folder = state.Folder{Kind: state.Directory, ID: "/home/ann/写真/2026"}
	known := state.Folders{}
	for _, path := range []string{"/srv/renders", "/home/ann/out/charts", "/home/ann/work/charts", "/home/ann/写真"} {
		known = known.Opened(path)
	}
	s.Settings.Folders = known.Pin("/srv/renders", true)
}

func TestFoldersInTheWindow(t *testing.T) {
	subs := []folders.Subfolder{
		{Name: "01 – 初詣", Pictures: 12, Counted: true}, {Name: "02", Counted: true}, {Name: "03 – a trip that has a long name", Pictures: 2000, More: true, Counted: true},
	}
	for name, x := range map[string]struct {
		size fyne.Size
		lib  shelf
		edit func(*state.Snapshot)
	}{
		"folders": {wide, shelf{galleryOf(t, 6), false, subs}, func(s *state.Snapshot) {}},
		"folders_empty_ja": {narrowed, shelf{galleryOf(t, 0), true, subs}, func(s *state.Snapshot) {
			s.Settings.Language, s.Settings.Theme, s.Settings.Layout.Side = "ja", "dark", state.Shown
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, x.size, x.lib.Library, x.lib, func(s *state.Snapshot) {
				busy(s)
				inPhotos(s)
				x.edit(s)
			})
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// someFolders returns a directory with pictures, in which others are.
func someFolders(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	png, err := picture.EncodeThumb(coretest.Plot(1, 40, 30))
	require.NoError(t, err)
	for _, name := range []string{"a.png", "b.png", "Inside/c.png", "inner/deep/d.png", "none/notes.txt"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		data := png
		if filepath.Ext(name) == ".txt" {
			data = []byte("notes")
		}
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	return root
}

// opensFolder waits until the gallery shows a directory.
func (w *world) opensFolder(dir string) {
	w.t.Helper()
	w.q.Until(w.t, "the folder "+dir, func() bool {
		return w.app.snap != nil && w.app.snap.Folder == state.Folder{Kind: state.Directory, ID: dir}
	})
	w.settled()
}

func alt(k fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: k, Modifier: fyne.KeyModifierAlt}
}

// TestAFolderIsOpenedByKeys opens the folder that is typed into the dialog of Ctrl+O, with Tab, and goes on
// by keys: into a subfolder in the sidebar, to the parent, and back.
func TestAFolderIsOpenedByKeys(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	root := someFolders(t)
	w.app.shell.open(pageSettings)
	w.app.shortcut(ctrl(fyne.KeyO))
	w.q.Until(t, "the dialog", func() bool {
		f, ok := w.app.win.Canvas().Focused().(*kit.Field)
		return ok && f.Text != ""
	})
	f := w.app.win.Canvas().Focused().(*kit.Field)
	listed := func(want ...string) {
		t.Helper()
		w.q.Until(t, strings.Join(want, " "), func() bool {
			texts := uitest.Texts(w.app.win.Canvas())
			return !slices.ContainsFunc(want, func(name string) bool { return !slices.Contains(texts, name+"/") })
		})
	}
	tab := func(want string) {
		t.Helper()
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
		if f.Text != want {
			t.Errorf("Tab completes to %q, want %q", f.Text, want)
		}
	}
	f.SetText(filepath.Join(root, "IN"))
	listed("Inside", "inner")
	f.SetText(filepath.Join(root, "INN"))
	listed("inner")
	tab(filepath.Join(root, "inner") + string(filepath.Separator))
	listed("deep")
	tab(filepath.Join(root, "inner", "deep") + string(filepath.Separator))
	f.SetText(root + string(filepath.Separator))
	listed("Inside", "inner", "none")
	for _, want := range []string{"Inside", "inner", "none", "Inside"} {
		f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		if f.Text != filepath.Join(root, want) {
			t.Errorf("the arrow down chooses %q, want %q", f.Text, want)
		}
	}
	f.SetText(root)
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.opensFolder(root)
	if w.app.shell.page != pageGallery || len(w.app.shell.gallery.ids) != 2 {
		t.Errorf("page %v with %d pictures", w.app.shell.page, len(w.app.shell.gallery.ids))
	}

	w.q.Until(t, "the subfolders to be counted", func() bool {
		return slices.ContainsFunc(w.lib.Subfolders(), func(x folders.Subfolder) bool { return x.Name == "Inside" && x.Pictures == 1 })
	})
	w.sideRow("Inside").TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.opensFolder(filepath.Join(root, "Inside"))
	w.app.shortcut(alt(fyne.KeyUp))
	w.opensFolder(root)
	w.sideRow("none").TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.opensFolder(filepath.Join(root, "none"))
	w.key(fyne.KeyBackspace)
	w.opensFolder(root)
	for _, want := range []string{"none", "", "Inside", ""} {
		w.app.shortcut(alt(fyne.KeyLeft))
		w.opensFolder(filepath.Join(root, want))
	}
	w.app.shortcut(alt(fyne.KeyLeft))
	w.q.Until(t, "all plots", func() bool { return w.app.snap.Folder.Kind == state.AllSessions })
	w.settled()
	w.app.shortcut(alt(fyne.KeyRight))
	w.opensFolder(root)
	// What was opened is remembered, and the steps from there are not.
	if got := w.store.Snapshot().Settings.Folders.Recent(); got[0] != root || slices.Contains(got, filepath.Join(root, "none")) {
		t.Errorf("remembered %q", got)
	}
}

func TestAFolderIsDropped(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	root := someFolders(t)
	project := make(chan string, 1)
	command.OpenProject.Handle(w.bus, func(_ context.Context, dir string) (command.OpenProjectOut, error) {
		project <- dir
		return command.OpenProjectOut{Project: command.Project{Root: dir}, Refused: catalog.Reason{Text: "is not one", Kind: "home"}}, nil
	}, nil)
	drop := func(path string) { w.app.folders.Dropped(fyne.Position{}, []fyne.URI{storage.NewFileURI(path)}) }
	drop(filepath.Join(root, "Inside", "c.png"))
	w.opensFolder(filepath.Join(root, "Inside"))
	if got, err := w.lib.Get(t.Context(), w.selection()...); err != nil || len(got) != 1 || got[0].Title != "c.png" {
		t.Errorf("selected %v, %v", got, err)
	}
	drop(filepath.Join(root, "none", "notes.txt"))
	w.says("Drop a folder or a picture")
	drop(root)
	w.opensFolder(root)
	w.says("These are the pictures in " + filepath.Base(root))
	test.Tap(w.button("Open as a project"))
	if got := <-project; got != root {
		t.Errorf("opened the project %q", got)
	}
	w.asks("Cancel")
	w.press("Cancel")
	drop("/data/opened/plot.png") // a copy of a plot, which the user has dragged
	w.settled()
	if got := w.store.Snapshot().Folder.ID; got != root {
		t.Errorf("a drag of Easel's own opened %q", got)
	}
}

// TestAFolderThatCannotBeOpened says why, and leaves what is shown.
func TestAFolderThatCannotBeOpened(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	root := someFolders(t)
	w.app.OpenPath(filepath.Join(root, "nowhere"))
	w.says("cannot be opened: it does not exist")
	w.app.OpenPath(filepath.Join(root, "none", "notes.txt"))
	w.says("notes.txt is not a picture. Open a folder")
	if runtimeLocks(t, filepath.Join(root, "inner")) {
		w.app.OpenPath(filepath.Join(root, "inner"))
		w.says("cannot be opened: permission denied")
	}
	if w.app.snap.Folder.Kind != state.AllSessions || w.store.Snapshot().Settings.Folders != (state.Folders{}) {
		t.Errorf("shows %v, remembers %v", w.app.snap.Folder, w.store.Snapshot().Settings.Folders)
	}
}

// runtimeLocks makes a directory unreadable and reports whether that has an effect: for root and on Windows it
// has none.
func runtimeLocks(t *testing.T, dir string) bool {
	t.Helper()
	require.NoError(t, os.Chmod(dir, 0))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	_, err := os.ReadDir(dir)
	return err != nil
}

// TestAFolderWithoutPicturesOffersThoseInside, with the one that has most of them first.
func TestAFolderWithoutPicturesOffersThoseInside(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	root := someFolders(t)
	for _, name := range []string{"a.png", "b.png"} {
		require.NoError(t, os.Rename(filepath.Join(root, name), filepath.Join(root, "none", name)))
	}
	w.app.OpenPath(root)
	w.opensFolder(root)
	w.reads("3 pictures are in folders inside it.")
	test.Tap(w.button("none · 2"))
	w.opensFolder(filepath.Join(root, "none"))
}

// TestSubfoldersAreIncluded by the row in the sidebar, by the action and in an empty folder; that is remembered.
func TestSubfoldersAreIncluded(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	root := someFolders(t)
	shows := func(n int) {
		t.Helper()
		w.q.Until(t, fmt.Sprint(n, " pictures"), func() bool { return len(w.app.shell.gallery.ids) == n })
		w.settled()
		if w.app.snap.Folder != (state.Folder{Kind: state.Directory, ID: root}) {
			t.Errorf("it shows %v", w.app.snap.Folder)
		}
	}
	w.app.OpenPath(root)
	w.opensFolder(root)
	shows(2)
	w.sideRow("Include subfolders").TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	shows(4)
	w.app.OpenPath(filepath.Join(root, "Inside"))
	w.opensFolder(filepath.Join(root, "Inside"))
	w.app.OpenPath(root)
	w.opensFolder(root)
	shows(4)
	w.app.folders.ToggleDeep()
	shows(2)
	for _, name := range []string{"a.png", "b.png"} {
		require.NoError(t, os.Remove(filepath.Join(root, name)))
	}
	w.reads("Show them all together")
	test.Tap(w.button("Show them all together"))
	shows(2)
	if !w.store.Snapshot().Settings.Folders.Deep(root) {
		t.Error("it is not remembered")
	}
}

// TestFoldersAreKept pins a folder and takes another from the list.
func TestFoldersAreKept(t *testing.T) {
	lib := shelf{galleryOf(t, 1), false, nil}
	w := newWorldWith(t, wide, lib.Library, lib, inPhotos)
	choose := func(name, item string) {
		t.Helper()
		w.sideRow(name).TappedSecondary(&fyne.PointEvent{})
		w.item(item)
		w.settled()
	}
	choose(filepath.FromSlash("out/charts"), "Remove from the list")
	choose("charts", "Keep in the sidebar")
	choose("renders", "Do not keep in the sidebar")
	got := w.store.Snapshot().Settings.Folders
	if want := []string{"/srv/renders", "/home/ann/写真"}; !slices.Equal(got.Recent(), want) || !slices.Equal(got.AllPinned(), []string{"/home/ann/work/charts"}) {
		t.Errorf("recent %q, pinned %q", got.Recent(), got.AllPinned())
	}
}

// TestStarsAreSavedBesideThePictures from the menu of the open folder.
func TestStarsAreSavedBesideThePictures(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), nil)
	root := someFolders(t)
	w.app.OpenPath(filepath.Join(root, "a.png"))
	w.opensFolder(root)
	w.app.typedRune('4')
	w.settled()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.png.xmp"), []byte("<x:xmpmeta/>"), 0o600))
	w.sideRow(filepath.Base(root)).TappedSecondary(&fyne.PointEvent{})
	w.item("Save stars and tags")
	// The bytes of both pictures are the same, and stars belong to the bytes.
	w.said("Saved stars and tags of one picture in an .xmp file. 1 picture has an .xmp file that they cannot be written into; it stays as it is: a.png")
	if _, err := os.Stat(filepath.Join(root, "b.png.xmp")); err != nil {
		t.Error(err)
	}
}
