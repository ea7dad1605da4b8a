package roster

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"easel/internal/require"
	"easel/mcphost/tool"
	"easel/ui/core/clients"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// TestTokens checks that each client has a token that is known, and that it ends when the user takes it back or Easel has another.
func TestTokens(t *testing.T) {
	easel := "the-first-token-of-easel"
	store := state.NewStore(state.Snapshot{})
	x := Tokens{Store: store, Easel: func() string { return easel }}
	seen := make(map[string]bool)
	for _, c := range clients.All {
		id := ID(c)
		if id == "" {
			continue
		}
		token := x.Of(id)
		if got, ok := x.Find(token); !ok || got != id || seen[token] || !strings.HasPrefix(token, tool.AssistantToken) {
			t.Errorf("%s: %q is of %q, %v", c.Name, token, got, ok)
		}
		seen[token] = true
	}
	old := x.Of("cursor")
	for _, wrong := range []string{"", easel, tool.AssistantToken, old + "x", old[:len(old)-1], strings.ToUpper(old)} {
		if id, ok := x.Find(wrong); ok {
			t.Errorf("%q is of %q", wrong, id)
		}
	}
	store.Update(func(s *state.Snapshot) { s.Forget("cursor") })
	if _, ok := x.Find(old); ok {
		t.Error("a token that was taken back is valid")
	}
	if id, ok := x.Find(x.Of("cursor")); !ok || id != "cursor" {
		t.Error("the new token is not valid")
	}
	old, easel = x.Of("cline"), "the-second-token-of-easel"
	if _, ok := x.Find(old); ok {
		t.Error("a token of the former token of Easel is valid")
	}
}

// TestWhatTheUserAllowsIsKept checks that a decision is saved at once, use after a while and at the end, and that all is read again.
func TestWhatTheUserAllowsIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, store := t.TempDir(), state.NewStore(state.Snapshot{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		keep := Keep(store, dir, slog.New(slog.DiscardHandler))
		go func() { defer close(ended); keep(ctx) }()
		check := func(what string, calls int) {
			t.Helper()
			synctest.Wait()
			all, err := Load(dir)
			require.NoError(t, err)
			if len(all) != 1 || all[0].Calls != calls || all[0].Rights.To(rights.Network) != rights.Deny {
				t.Errorf("%s: %+v", what, all)
			}
		}
		edit := func(f func(*state.Assistant)) {
			store.Update(func(s *state.Snapshot) { s.EditAssistant("cursor", f) })
		}
		edit(func(a *state.Assistant) { a.Rights = rights.Named(rights.All).With(rights.Network, rights.Deny) })
		check("decided", 0)
		edit(func(a *state.Assistant) { a.Calls = 1 })
		check("used", 0)
		time.Sleep(pace)
		check("a while later", 1)
		edit(func(a *state.Assistant) { a.Calls = 2 })
		stop()
		<-ended
		check("at the end", 2)
		all, err := Load(dir)
		require.NoError(t, err)
		if !reflect.DeepEqual(all, store.Snapshot().Assistants) {
			t.Errorf("read %+v, want %+v", all, store.Snapshot().Assistants)
		}
	})
}

// TestAFileThatCannotBeUsed checks that the caller learns of it, and that a copy is kept.
func TestAFileThatCannotBeUsed(t *testing.T) {
	for name, text := range map[string]string{
		"damaged": `{"assistants": [`, "an unknown right": `{"assistants":[{"id":"cursor","rights":{"code":"alow"}}]}`,
		"twice": `{"assistants":[{"id":"a"},{"id":"a"}]}`, "no id": `{"assistants":[{}]}`, "a misspelt field": `{"assistants":[{"id":"a","right":{}}]}`,
		"a negative limit": `{"assistants":[{"id":"a","limits":{"calls":-1}}]}`,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600))
		all, err := Load(dir)
		kept, _ := filepath.Glob(filepath.Join(dir, fileName+".broken-*"))
		if err == nil || len(all) > 0 || len(kept) != 1 {
			t.Errorf("%s: %+v, %v, kept %q", name, all, err, kept)
		}
	}
}
