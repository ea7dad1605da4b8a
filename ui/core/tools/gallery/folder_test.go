package gallery

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/eventbus"
	"easel/internal/require"
	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/prompts"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/export"
)

// A collectionOf is a gallery with a real library and directories on disk.
type collectionOf struct {
	bus      *eventbus.Bus
	store    *state.Store
	c        *collection.Collection
	pictures *announce.Pictures
	own      string // Easel's data directory
	root     string // contains pics/ with a.png, b.png, sd.png, text.png and sub/, all different
}

func picOf(t *testing.T, n int) []byte {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, 20+n, 10))
	im.Set(n, 1, color.NRGBA{9, 9, uint8(n), 255})
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, im))
	return b.Bytes()
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	// Rename a complete file, so that a watcher of the directory never sees a partial one.
	temp := filepath.Join(t.TempDir(), "new")
	require.NoError(t, os.WriteFile(temp, data, 0o600))
	require.NoError(t, os.Rename(temp, path))
}

func aCollection(t *testing.T) *collectionOf {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	lib := coretest.Open(t)
	d := &collectionOf{bus: eventbus.New(), root: t.TempDir(), own: t.TempDir(), store: state.NewStore(state.Snapshot{
		Folder: state.Folder{Kind: state.AllSessions}, Query: state.Query{Rating: -1, SortBy: "name", Asc: true}, Mode: state.Grid,
		Settings: state.DefaultSettings(), Window: state.WindowShown,
	})}
	d.c = collection.New(lib, log)
	d.pictures = announce.NewPictures(d.bus, d.store, d.c, log)
	var announcing sync.WaitGroup
	announcing.Go(func() { d.pictures.Run(t.Context()) })
	Register(&chain.Chain{Bus: d.bus, Store: d.store}, Deps{Store: d.store, Library: d.c, Kept: lib, Pictures: d.pictures, Directories: d.c, RootDir: d.root, Private: private.New(d.own, d.root)})
	export.Register(&chain.Chain{Bus: d.bus, Store: d.store}, export.Deps{Library: d.c, Private: private.New(d.own, d.root)})
	t.Cleanup(func() {
		announcing.Wait()
		if err := d.bus.Close(context.Background()); err != nil {
			t.Error(err)
		}
		d.c.Close()
	})
	sd, err := prompts.Embed(picOf(t, 3), prompts.Provenance{Code: "plt.plot(x)", Title: "t", Kernel: "python3", Client: "claude"})
	require.NoError(t, err)
	put(t, filepath.Join(d.root, "pics", "a.png"), picOf(t, 1))
	put(t, filepath.Join(d.root, "pics", "b.png"), picOf(t, 2))
	put(t, filepath.Join(d.root, "pics", "sd.png"), sd)
	put(t, filepath.Join(d.root, "pics", "text.png"), []byte("hello"))
	put(t, filepath.Join(d.root, "pics", "notes.txt"), []byte("hello"))
	put(t, filepath.Join(d.root, "pics", "sub", "c.png"), picOf(t, 4))
	require.NoError(t, os.Chtimes(filepath.Join(d.root, "pics", "b.png"), time.Now(), time.Now().Add(time.Hour)))
	require.NoError(t, lib.Sessions.Put(t.Context(), library.Session{ID: "5ab0", KernelID: "5ab0", KernelName: "python3", CreatedAt: time.Now()}))
	return d
}

// addPlot adds a plot to the library and returns its id.
func (d *collectionOf) addPlot(t *testing.T, n int, title string) string {
	t.Helper()
	require.NoError(t, d.c.Library.Executions.Put(t.Context(), library.Execution{ID: "run1", SessionID: "5ab0", Code: "plot(1)", Status: catalog.StatusOK, CreatedAt: time.Now()}))
	im, err := d.c.Library.Images.Add(t.Context(), library.NewImage{
		SessionID: "5ab0", ExecutionID: "run1", Title: title, Client: "claude", CreatedAt: time.Now(),
		Forms: []library.Form{{MIME: "image/png", Data: picOf(t, n)}, {MIME: "image/svg+xml", Data: []byte(`<svg width="3" height="3"/>`)}},
	})
	require.NoError(t, err)
	return im.ImageID
}

func TestEveryGalleryToolWorksInADirectory(t *testing.T) {
	pics := [2]string{"open_folder", `{"path": "pics"}`}
	sel := func(name string) [2]string { return [2]string{"select_file", `{"path": "` + name + `"}`} }
	for name, c := range map[string]struct {
		before [][2]string
		tool   string
		args   string // ROOT stands for the root directory
		path   []any
		want   any
		code   tool.Code
	}{
		"open":                       {nil, "open_folder", `{"path": "ROOT/pics"}`, []any{"view", "matching"}, 4.0, ""},
		"open, its kind":             {nil, "open_folder", `{"path": "ROOT/pics/"}`, []any{"view", "kind"}, "directory", ""},
		"open a relative path":       {nil, "open_folder", `{"path": "./pics/sub"}`, []any{"view", "folder"}, "ROOT/pics/sub", ""},
		"open a file:// URL":         {nil, "open_folder", `{"path": "file://ROOT/pics"}`, []any{"view", "count"}, 4.0, ""},
		"open and select":            {nil, "open_folder", `{"folderPath": "pics", "selectedFilePath": "b.png"}`, []any{"view", "current"}, "ROOT/pics/b.png", ""},
		"open an image: its folder":  {nil, "open_folder", `{"path": "pics/a.png"}`, []any{"view", "folder"}, "ROOT/pics", ""},
		"open an image: selected":    {nil, "open_folder", `{"path": "pics/a.png"}`, []any{"view", "current"}, "ROOT/pics/a.png", ""},
		"open an image: in the grid": {nil, "open_folder", `{"path": "pics/a.png"}`, []any{"view", "mode"}, "grid", ""},
		"open a file that is none":   {nil, "open_folder", `{"path": "pics/notes.txt"}`, nil, nil, tool.FileNotFound},
		"open what is not there":     {nil, "open_folder", `{"path": "ROOT/nope"}`, nil, nil, tool.FileNotFound},
		"open and select what isn't": {nil, "open_folder", `{"path": "pics", "select": "nope.png"}`, nil, nil, tool.FileNotFound},
		"open above the root":        {nil, "open_folder", `{"path": "../x"}`, nil, nil, tool.Validation},
		"open another scheme":        {nil, "open_folder", `{"path": "http://x/"}`, nil, nil, tool.FileNotFound},
		"open a hostile path":        {nil, "open_folder", `{"path": "/a\u0000b"}`, nil, nil, tool.FileNotFound},
		"back to the plots":          {[][2]string{pics}, "open_folder", `{"path": "jupyter://sessions/"}`, []any{"view", "matching"}, 0.0, ""},
		"select by name":             {[][2]string{pics}, "select_file", `{"path": "a.png"}`, []any{"selected", 0, "path"}, "ROOT/pics/a.png", ""},
		"select by path":             {[][2]string{pics}, "select_file", `{"path": "ROOT/pics/a.png"}`, []any{"selected", 0, "name"}, "a.png", ""},
		"select by relative path":    {[][2]string{pics}, "select_file", `{"path": "pics/a.png"}`, []any{"selected", 0, "name"}, "a.png", ""},
		"select the latest":          {[][2]string{pics}, "select_file", `{"path": "latest"}`, []any{"selected", 0, "name"}, "b.png", ""},
		"select several":             {[][2]string{pics}, "select_file", `{"paths": ["a.png", "b.png"]}`, []any{"selected", 1, "name"}, "b.png", ""},
		"select outside":             {[][2]string{pics}, "select_file", `{"path": "../pics/sub/c.png"}`, nil, nil, tool.FileNotFound},
		"select below":               {[][2]string{pics}, "select_file", `{"path": "sub/c.png"}`, nil, nil, tool.FileNotFound},
		"rate":                       {[][2]string{pics}, "set_rating", `{"rating": 5, "path": "a.png"}`, []any{"files", 0, "rating"}, 5.0, ""},
		"rate the selection":         {[][2]string{pics, sel("a.png")}, "set_rating", `{"rating": 4}`, []any{"files", 0, "rating"}, 4.0, ""},
		"tag":                        {[][2]string{pics}, "set_tags", `{"add": ["keep"], "path": "a.png"}`, []any{"files", 0, "tags", 0}, "keep", ""},
		"filter by stars":            {[][2]string{pics, {"set_rating", `{"rating": 4, "path": "a.png"}`}}, "filter_by_rating", `{"rating": 3}`, []any{"view", "matching"}, 1.0, ""},
		"filter by tag":              {[][2]string{pics, {"set_tags", `{"add": ["keep"], "path": "a.png"}`}}, "filter_by_tag", `{"tag": "KEEP"}`, []any{"view", "matching"}, 1.0, ""},
		"sort":                       {[][2]string{pics, {"sort_thumbnails", `{"by": "name", "order": "desc"}`}}, "get_files_in_view", `{}`, []any{"files", 0, "name"}, "text.png", ""},
		"a page":                     {[][2]string{pics}, "get_files_in_view", `{"limit": 2}`, []any{"files", 1, "name"}, "b.png", ""},
		"what is wrong with a file":  {[][2]string{pics}, "get_files_in_view", `{}`, []any{"files", 3, "description"}, "no picture, although its name says so", ""},
		"a file has no session":      {[][2]string{pics}, "get_files_in_view", `{}`, []any{"files", 0, "session_id"}, nil, ""},
		"view":                       {[][2]string{pics, sel("a.png")}, "show_image_viewer", `{}`, []any{"view", "current"}, "ROOT/pics/a.png", ""},
		"navigate":                   {[][2]string{pics, {"show_image_viewer", `{"path": "a.png"}`}}, "navigate_image", `{"direction": "next"}`, []any{"file", "name"}, "b.png", ""},
		"what is shown":              {[][2]string{pics}, "get_current_folder", `{}`, []any{"folder"}, "ROOT/pics", ""},
		"what is selected":           {[][2]string{pics, sel("a.png")}, "get_selected_files", `{"include_images": true}`, []any{"files", 0, "name"}, "a.png", ""},
		"what made a file":           {[][2]string{pics, sel("sd.png")}, "get_prompt_info", `{}`, []any{"code"}, "plt.plot(x)", ""},
		"what made it, its client":   {[][2]string{pics}, "get_prompt_info", `{"path": "sd.png"}`, []any{"client"}, "claude", ""},
		"what made a plain file":     {[][2]string{pics}, "get_prompt_info", `{"path": "a.png"}`, []any{"file", "width"}, 21.0, ""},
		"what made no picture":       {[][2]string{pics}, "get_prompt_info", `{"path": "text.png"}`, []any{"prompt"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "open a hostile path" {
				t.Skip("it is a relative one on Windows")
			}
			d := aCollection(t)
			for _, b := range c.before {
				if _, code := invoke(t, d.bus, b[0], b[1]); code != "" {
					t.Fatalf("%s before it: %s", b[0], code)
				}
			}
			before := d.store.Snapshot()
			root, err := json.Marshal(d.root)
			require.NoError(t, err)
			args := strings.NewReplacer("file://ROOT", system.FileURL(d.root).String(), "ROOT", string(root[1:len(root)-1])).Replace(c.args)
			got, code := invoke(t, d.bus, c.tool, args)
			if code != c.code {
				t.Fatalf("got code %q, want %q (%v)", code, c.code, got)
			}
			if c.code != "" {
				if s := d.store.Snapshot(); s.Folder != before.Folder || s.ByAssistant != before.ByAssistant {
					t.Errorf("it changed %v to %v", before.Folder, s.Folder)
				}
				return
			}
			want := c.want
			if s, ok := want.(string); ok && strings.HasPrefix(s, "ROOT") {
				want = filepath.Join(d.root, strings.TrimPrefix(s, "ROOT"))
			}
			if diff := cmp.Diff(want, at(got, c.path...)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.path, diff)
			}
		})
	}
}

func TestTheOldDirectoryStaysWhenAnotherCannotBeShown(t *testing.T) {
	d := aCollection(t)
	invoke(t, d.bus, "open_folder", `{"path": "pics"}`)
	if _, code := invoke(t, d.bus, "open_folder", `{"path": "pics/sub", "select": "nope.png"}`); code != tool.FileNotFound {
		t.Fatalf("got code %q", code)
	}
	got, _ := invoke(t, d.bus, "get_files_in_view", `{}`)
	if got["total"] != 4.0 {
		t.Errorf("%v files are left of 4", got["total"])
	}
}

func TestAnOpenDirectoryIsLive(t *testing.T) {
	d := aCollection(t)
	events := make(chan catalog.Change, 64)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	watching := catalog.Changes.Watch(ctx, d.bus, 64)
	go func() {
		for c, err := range watching {
			if err == nil {
				events <- c
			}
		}
	}()
	invoke(t, d.bus, "open_folder", `{"path": "pics"}`)
	before := d.store.Snapshot().Revision
	put(t, filepath.Join(d.root, "pics", "new.png"), picOf(t, 9))
	for {
		select {
		case c := <-events:
			if im, ok := c.Object.(catalog.Image); c.Name == catalog.ImageAdded && ok && im.Width == 29 {
				if d.store.Snapshot().Revision <= before {
					t.Error("the views were not told")
				}
				return
			}
		case <-ctx.Done():
			t.Fatal("nobody was told of a new file")
		}
	}
}

func TestExportsExplainThemselves(t *testing.T) {
	d := aCollection(t)
	ids := []string{d.addPlot(t, 1, "Growth: a/b"), d.addPlot(t, 2, "Growth: a/b"), d.addPlot(t, 3, "")}
	to := t.TempDir()
	ask := func(in command.ExportImagesIn) []command.ExportedImage {
		t.Helper()
		out, err := command.ExportImages.Ask(t.Context(), d.bus, in)
		require.NoError(t, err)
		return out.Files
	}
	got := ask(command.ExportImagesIn{IDs: ids, To: to, WithCode: true})
	want := []command.ExportedImage{
		{ID: ids[0], Path: filepath.Join(to, "Growth- a-b.png"), WithCode: true},
		{ID: ids[1], Path: filepath.Join(to, "Growth- a-b (2).png"), WithCode: true},
		{ID: ids[2], Path: filepath.Join(to, "plot 3.png"), WithCode: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, code := invoke(t, d.bus, "open_folder", `{"path": "`+filepath.ToSlash(to)+`", "select": "plot 3.png"}`); code != "" {
		t.Fatal(code)
	}
	info, _ := invoke(t, d.bus, "get_prompt_info", `{}`)
	if info["code"] != "plot(1)" || info["client"] != "claude" || info["kernel"] != "python3" || info["language"] != "python" || info["execution_id"] != "run1" {
		t.Errorf("read back: %v", info)
	}
	plain := ask(command.ExportImagesIn{IDs: ids[:1], To: filepath.Join(to, "mine.png")})
	data, err := os.ReadFile(plain[0].Path)
	if err != nil || !bytes.Equal(data, picOf(t, 1)) {
		t.Errorf("a plain copy: %d bytes, %v", len(data), err)
	}
	for name, wantName := range map[string]string{"x.svg": "x.svg", "x": "x.png", "x.jpg": "x.jpg.png", "mine.png": "mine.png"} {
		got := ask(command.ExportImagesIn{IDs: ids[:1], To: filepath.Join(to, name), WithCode: true})
		if got[0].Path != filepath.Join(to, wantName) || got[0].WithCode == (name == "x.svg") {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	for name, in := range map[string]command.ExportImagesIn{
		"several into a file": {IDs: ids, To: filepath.Join(to, "mine.png")}, "no folder": {IDs: ids[:1], To: filepath.Join(to, "no", "x.png")},
		"an unknown image": {IDs: []string{"nope"}, To: to},
	} {
		if _, err := command.ExportImages.Ask(t.Context(), d.bus, in); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestEaselsOwnDirectoryIsNeitherOpenedNorWritten(t *testing.T) {
	d := aCollection(t)
	put(t, filepath.Join(d.own, "library", "a.png"), picOf(t, 1))
	refuses := func(paths ...string) {
		t.Helper()
		for _, path := range paths {
			_, err := catalog.OpenFolder.Ask(t.Context(), d.bus, catalog.OpenFolderIn{Path: path})
			if e := tool.AsError(err); e.Code != tool.Validation || !strings.Contains(e.Detail, "Easel's own data directory") {
				t.Errorf("open_folder %s: %v", path, err)
			}
		}
	}
	refuses(d.own, system.FileURL(d.own).String())
	link := require.Link(t, d.own, filepath.Join(d.root, "own"))
	refuses("own/library", filepath.Join(link, "library", "a.png"))
	if _, err := command.Export.Ask(t.Context(), d.bus, command.ExportIn{Kind: command.ExportFolder, To: filepath.Join(link, "new")}); tool.AsError(err).Code != tool.Validation {
		t.Errorf("an export there: %v", err)
	}
	if _, err := command.ExportImages.Ask(t.Context(), d.bus, command.ExportImagesIn{IDs: []string{"x"}, To: link}); tool.AsError(err).Code != tool.Validation {
		t.Errorf("saving a plot there: %v", err)
	}
	if entries, err := os.ReadDir(d.own); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
