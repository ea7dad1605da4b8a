package gallery

import (
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// openDirectory is a directory that is shown, with its last modified file.
type openDirectory struct {
	Directories
	file string
}

func (d openDirectory) LatestFile() string { return d.file }
func (openDirectory) Listing() bool        { return false }

// TestLatestIsTheClientsOwn checks that a client gets the newest plot of the sessions that it uses, and that the others
// and the user get that of all.
func TestLatestIsTheClientsOwn(t *testing.T) {
	t.Parallel()
	lib := coretest.NewLibrary(t)
	for n, users := range []string{"mcp:a mcp:both", "mcp:b mcp:both", "mcp:empty"} {
		lib.AddSession(n, "s", "")
		s, err := lib.Library.Sessions.Get(t.Context(), coretest.SessionID(n))
		require.NoError(t, err)
		s.Users = users
		require.NoError(t, lib.Library.Sessions.Put(t.Context(), s))
	}
	older, newer := lib.Add(0, "", ""), lib.Add(1, "", "")
	store := state.NewStore(state.Snapshot{Folder: state.Folder{Kind: state.AllSessions}})
	g := &Finder{Library: lib, Store: store, Sessions: lib.Library.Sessions}
	latest := func(found []library.Image, err error) string {
		t.Helper()
		if err != nil {
			return string(tool.AsError(err).Code)
		}
		return found[0].ImageID
	}
	for _, c := range []struct {
		by     tool.Caller
		folder string // the last modified file of the open directory; "": it has none; "-": none is open
		own    string // latest for what is about plots
		shown  string // latest for what is about the folder
	}{
		{tool.Caller{Transport: tool.MCP, Name: "a"}, "-", older, older},
		{tool.Caller{Transport: tool.MCP, Name: "b"}, "-", newer, newer},
		{tool.Caller{Transport: tool.MCP, Name: "both"}, "-", newer, newer},
		{tool.Caller{Transport: tool.MCP, Name: "empty"}, "-", newer, newer},
		{tool.Caller{Transport: tool.REST, Name: "a"}, "-", newer, newer},
		{tool.Caller{Transport: tool.Window, Name: "a"}, "-", newer, newer},
		{tool.Caller{Transport: tool.MCP, Name: "a"}, "", older, string(tool.FileNotFound)},
		{tool.Caller{Transport: tool.MCP, Name: "new"}, "", newer, string(tool.FileNotFound)},
		{tool.Caller{Transport: tool.MCP, Name: "a"}, newer, older, newer}, // any image stands for the file
		{tool.Caller{Transport: tool.MCP, Name: "new"}, older, older, older},
	} {
		folder := state.Folder{Kind: state.AllSessions}
		if c.folder != "-" {
			folder, g.Directories = state.Folder{Kind: state.Directory, ID: "/pics"}, openDirectory{file: c.folder}
		}
		store.Update(func(s *state.Snapshot) { s.Folder = folder })
		ctx := tool.WithCaller(t.Context(), c.by)
		if got := latest(g.Latest(ctx)); got != c.own {
			t.Errorf("%+v: got %s, want %s", c, got, c.own)
		}
		if got := latest(g.Resolve(ctx, catalog.Latest)); got != c.shown {
			t.Errorf("%+v: the folder's is %s, want %s", c, got, c.shown)
		}
	}
}
