package run

import (
	"context"
	"fmt"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// TestWhatIsSentAgainIsForOneClient, is sent once, and as that client gets pictures.
func TestWhatIsSentAgainIsForOneClient(t *testing.T) {
	store := state.NewStore(state.Snapshot{})
	r := &resends{store: store, image: func(_ context.Context, ref string) (library.Image, error) {
		if ref == "gone" {
			return library.Image{}, library.ErrNotFound
		}
		return library.Image{Image: catalog.Image{ResourceURI: "jupyter://sessions/s/images/" + ref + ".png", ImageID: ref, MIMEType: "image/png", Path: "/" + ref}}, nil
	}}
	send := func(id, client string) {
		_, err := r.send(t.Context(), command.SendAgainIn{ImageID: id, Client: client})
		require.NoError(t, err)
	}
	got := func(client string, by tool.Transport) string {
		list, err := r.announce(tool.WithCaller(t.Context(), tool.Caller{Transport: by, Name: client}), struct{}{})
		require.NoError(t, err)
		said := ""
		for _, x := range list {
			said += fmt.Sprintf("%s %v %s;", catalog.ImageIDOf(x.Plot), x.Inline, x.Path)
		}
		return said
	}
	if _, err := r.send(t.Context(), command.SendAgainIn{ImageID: "gone", Client: "codex"}); err == nil {
		t.Error("a plot that is not there")
	}
	send("a", "codex")
	send("b", "codex")
	send("a", "codex") // twice
	send("a", "Cline")
	store.Update(func(s *state.Snapshot) { s.Paused = true })
	if said := got("codex", tool.MCP); said != "" {
		t.Errorf("while the AI is paused: %s", said)
	}
	store.Update(func(s *state.Snapshot) { s.Paused = false })
	for i, c := range []struct {
		client string
		by     tool.Transport
		want   string
	}{
		{"other", tool.MCP, ""},
		{"codex", tool.REST, ""},
		{"codex", tool.MCP, "b true ;a true ;"},
		{"codex", tool.MCP, ""},
		{"Cline", tool.MCP, "a false /a;"}, // its models get no pictures
	} {
		if said := got(c.client, c.by); said != c.want {
			t.Errorf("%d: %s got %q, want %q", i, c.client, said, c.want)
		}
	}
	for i := range 3 * mostResends {
		send(fmt.Sprint("p", i), "codex")
	}
	for range mostResends / catalog.MostPictures {
		if got("codex", tool.MCP) == "" {
			t.Error("too few are kept")
		}
	}
	if said := got("codex", tool.MCP); said != "" {
		t.Errorf("more than %d are kept: %s", mostResends, said)
	}
}
