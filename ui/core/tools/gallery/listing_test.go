package gallery

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/state"
)

// slowDirectories are directories that are open before they are listed.
type slowDirectories struct {
	*collection.Collection
	listed  chan struct{} // closed when they are listed
	waiting atomic.Int32  // calls that wait for that
}

func (d *slowDirectories) Listing() bool {
	select {
	case <-d.listed:
		return false
	default:
		return true
	}
}

func (d *slowDirectories) WaitListed(ctx context.Context, _ func(int)) error {
	d.waiting.Add(1)
	defer d.waiting.Add(-1)
	select {
	case <-d.listed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// slowly returns the tools of a collection whose directories take as long to list as the test wants.
func (d *collectionOf) slowly() (*folderOpener, *reader, *slowDirectories) {
	slow := &slowDirectories{Collection: d.c, listed: make(chan struct{})}
	find := &Finder{Library: d.c, Store: d.store, Directories: slow, RootDir: d.root, Sessions: d.c.Library.Sessions}
	vs := &views{library: d.c, store: d.store, directories: slow}
	return &folderOpener{library: d.c, sessions: d.c.Library.Sessions, store: d.store, directories: slow, find: find, views: vs},
		&reader{library: d.c, kept: d.c.Library, store: d.store, directories: slow, find: find, views: vs}, slow
}

// TestAFolderIsShownBeforeItIsListed checks that opening a large folder shows and answers what is listed, and says that
// there will be more.
func TestAFolderIsShownBeforeItIsListed(t *testing.T) {
	d := aCollection(t)
	f, r, slow := d.slowly()
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "a"})
	out, err := f.openFolder(ctx, catalog.OpenFolderIn{Path: "pics"})
	require.NoError(t, err)
	if !out.View.Counting || out.View.Count != 4 || out.View.Folder != filepath.Join(d.root, "pics") {
		t.Errorf("%+v", out.View)
	}
	if now, err := r.currentFolder(ctx, catalog.GetCurrentFolderIn{}); err != nil || !now.View.Counting {
		t.Errorf("get_current_folder says %+v, %v", now.View, err)
	}
	close(slow.listed)
	if now, err := r.currentFolder(ctx, catalog.GetCurrentFolderIn{}); err != nil || now.View.Counting {
		t.Errorf("when it is listed, get_current_folder says %+v, %v", now.View, err)
	}
}

// TestAnAssistantGetsTheNumberOfFiles checks that open_folder waits for a folder that is soon listed, while the window
// shows it.
func TestAnAssistantGetsTheNumberOfFiles(t *testing.T) {
	d := aCollection(t)
	f, _, slow := d.slowly()
	f.patience = time.Hour
	shown := make(chan struct{}, 64)
	defer d.store.OnChange(func() {
		if d.store.Snapshot().Folder.Kind == state.Directory {
			shown <- struct{}{}
		}
	})()
	answer := make(chan catalog.ViewOut, 1)
	go func() {
		out, _ := f.openFolder(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP}), catalog.OpenFolderIn{Path: "pics"})
		answer <- out
	}()
	<-shown
	select {
	case out := <-answer:
		t.Errorf("it answered %+v before the folder was listed", out.View)
	default:
	}
	close(slow.listed)
	if out := <-answer; out.View.Counting || out.View.Count != 4 {
		t.Errorf("%+v", out.View)
	}
}

// TestCallsThatDependOnAllFilesWaitForThem checks that an assistant gets no page, file or step of a folder in an order that
// is not known yet, but that the window does.
func TestCallsThatDependOnAllFilesWaitForThem(t *testing.T) {
	for name, c := range map[string]struct {
		call func(ctx context.Context, v *viewer, r *reader) error
		user bool // the window waits, too
	}{
		"a page": {call: func(ctx context.Context, _ *viewer, r *reader) error {
			_, err := r.filesInView(ctx, catalog.GetFilesInViewIn{})
			return err
		}},
		"the latest": {call: func(ctx context.Context, _ *viewer, r *reader) error {
			_, err := r.find.Resolve(ctx, catalog.Latest)
			return err
		}},
		"a file that is not listed": {call: func(ctx context.Context, _ *viewer, r *reader) error {
			_, err := r.find.Resolve(ctx, "later.png")
			if tool.AsError(err).Code == tool.FileNotFound {
				return nil
			}
			return err
		}},
		"a step": {call: func(ctx context.Context, v *viewer, _ *reader) error {
			_, err := v.navigate(ctx, catalog.NavigateImageIn{Direction: "last"})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := aCollection(t)
			f, r, slow := d.slowly()
			v := &viewer{library: d.c, store: d.store, find: r.find, views: r.views}
			user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
			_, err := f.openFolder(user, catalog.OpenFolderIn{Path: "pics"})
			require.NoError(t, err)
			require.NoError(t, c.call(user, v, r))
			done := make(chan error, 1)
			go func() { done <- c.call(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP}), v, r) }()
			require.Eventually(t, "the call to wait", func() bool { return slow.waiting.Load() > 0 })
			close(slow.listed)
			require.NoError(t, <-done)
		})
	}
}

// TestAFileThatIsNotListedYetIsSelected checks that a folder is opened with a file of it that is listed last.
func TestAFileThatIsNotListedYetIsSelected(t *testing.T) {
	d := aCollection(t)
	f, _, slow := d.slowly()
	answer := make(chan error, 1)
	go func() {
		_, err := f.openFolder(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window}), catalog.OpenFolderIn{Path: "pics", Select: "later.png"})
		answer <- err
	}()
	require.Eventually(t, "the call to wait", func() bool { return slow.waiting.Load() > 0 })
	put(t, filepath.Join(d.root, "pics", "later.png"), picOf(t, 7))
	require.Eventually(t, "the file", func() bool {
		_, err := d.c.Image(t.Context(), filepath.Join(d.root, "pics", "later.png"))
		return err == nil
	})
	close(slow.listed)
	require.NoError(t, <-answer)
	if s := d.store.Snapshot(); len(s.Selection) != 1 {
		t.Errorf("%q is selected", s.Selection)
	}
}
