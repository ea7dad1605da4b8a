package gallery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/tool"
	"easel/ui/core/command"
)

// TestSubfoldersAreIncludedWhereTheUserSaysSo, and Easel's own folder never is.
func TestSubfoldersAreIncludedWhereTheUserSaysSo(t *testing.T) {
	d := aCollection(t)
	pics := filepath.Join(d.root, "pics")
	put(t, filepath.Join(pics, "sub", "deeper", "x.png"), picOf(t, 77))
	put(t, filepath.Join(d.own, "plot.png"), picOf(t, 78))
	require.NoError(t, os.Rename(d.own, filepath.Join(pics, "own")))
	require.Link(t, filepath.Join(pics, "own"), d.own)
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	shallow, err := command.IncludeSubfolders.Ask(ctx, d.bus, command.IncludeSubfoldersIn{Path: pics})
	require.NoError(t, err)
	deep, err := command.IncludeSubfolders.Ask(ctx, d.bus, command.IncludeSubfoldersIn{Path: pics, On: true})
	require.NoError(t, err)
	if deep.View.Count <= shallow.View.Count {
		t.Errorf("%d pictures with subfolders, %d without", deep.View.Count, shallow.View.Count)
	}
	out, code := invoke(t, d.bus, "get_files_in_view", `{"limit": 100}`)
	text := fmt.Sprint(out)
	if code != "" || !strings.Contains(text, filepath.Join("sub", "deeper", "x.png")) || strings.Contains(text, "plot.png") {
		t.Errorf("%s %s", code, text)
	}
	if _, err := command.ListFolder.Ask(ctx, d.bus, command.ListFolderIn{Path: pics}); err != nil {
		t.Error(err)
	}
	if _, err := command.ListFolder.Ask(ctx, d.bus, command.ListFolderIn{Path: d.root}); err == nil {
		t.Error("it waits for another folder")
	}
	if !d.store.Snapshot().Settings.Folders.Deep(pics) {
		t.Error("it is not remembered")
	}
	if _, err := command.IncludeSubfolders.Ask(ctx, d.bus, command.IncludeSubfoldersIn{Path: filepath.Join(pics, "none"), On: true}); err == nil ||
		d.store.Snapshot().Settings.Folders.Deep(filepath.Join(pics, "none")) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}
