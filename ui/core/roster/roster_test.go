package roster

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
	of := func(name string) string {
		i := slices.IndexFunc(clients.All, func(c clients.Client) bool { return c.Name == name })
		token, ok := x.Of(clients.All[i])
		if !ok {
			t.Fatalf("%s has no token", name)
		}
		return token
	}
	for _, c := range clients.All {
		token, ok := x.Of(c)
		if ok != (c.Name != "") {
			t.Errorf("%q has a token of its own: %v", c.Name, ok)
		}
		id, known := x.Find(token)
		if program, _ := ProgramOf(id); ok && (!known || program.Name != c.Name || seen[token] || !strings.HasPrefix(token, tool.AssistantToken)) {
			t.Errorf("%s: %q is of %q, %v", c.Name, token, id, known)
		}
		seen[token] = true
	}
	old := of("Cursor")
	for _, wrong := range []string{"", easel, tool.AssistantToken, old + "x", old[:len(old)-1], strings.ToUpper(old)} {
		if id, ok := x.Find(wrong); ok {
			t.Errorf("%q is of %q", wrong, id)
		}
	}
	for n := range 2 {
		old := of("Cursor")
		id, _ := x.Find(old)
		store.Update(func(s *state.Snapshot) { s.Forget(id) })
		if _, ok := x.Find(old); ok {
			t.Errorf("a token that was taken back is valid, %d", n)
		}
		if now, ok := x.Find(of("Cursor")); !ok || now == id || NameOf(state.Assistant{ID: now}) != "Cursor" {
			t.Errorf("the new token is of %q, %v", now, ok)
		}
	}
	old, easel = of("Cline"), "the-second-token-of-easel"
	if _, ok := x.Find(old); ok {
		t.Error("a token of the former token of Easel is valid")
	}
}

// TestWhatTheUserAllowsIsKept checks that a decision is saved at once, use after a while and at the end, and that all is read again.
func TestWhatTheUserAllowsIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, store := t.TempDir(), state.NewStore(state.Snapshot{AssistantKey: "k"})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		keep := NewKeeper(store, dir).Keep(slog.New(slog.DiscardHandler))
		go func() { defer close(ended); keep(ctx) }()
		check := func(what string, calls int) {
			t.Helper()
			synctest.Wait()
			kept, err := Read(dir)
			require.NoError(t, err)
			all := kept.Assistants
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
		kept, err := Read(dir)
		require.NoError(t, err)
		if want := Of(store.Snapshot()); !reflect.DeepEqual(kept, want) {
			t.Errorf("read %+v, want %+v", kept, want)
		}
	})
}

// TestAFileThatCannotBeUsed checks that the caller learns of it, and that a copy is kept.
func TestAFileThatCannotBeUsed(t *testing.T) {
	for name, text := range map[string]string{
		"damaged": `{"assistants": [`, "an unknown kind": `{"assistants":[{"id":"cursor","rights":{"telepathy":"deny"}}]}`, "an unknown right": `{"assistants":[{"id":"cursor","rights":{"code":"alow"}}]}`,
		"twice": `{"assistants":[{"id":"a"},{"id":"a"}]}`, "no id": `{"assistants":[{}]}`, "a misspelt field": `{"assistants":[{"id":"a","right":{}}]}`,
		"a negative limit": `{"assistants":[{"id":"a","limits":{"calls":-1}}]}`,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600))
		if _, err := Read(dir); err == nil {
			t.Errorf("%s can be read", name)
		}
		begun, problem := Load(dir)
		aside, _ := filepath.Glob(filepath.Join(dir, fileName+".broken-*"))
		if problem.Reason == "" || len(begun.Assistants) > 0 || len(aside) != 1 || aside[0] != problem.Aside {
			t.Errorf("%s: %+v, %v, kept %q", name, begun, problem, aside)
		}
		if again, problem := Load(dir); problem.Reason != "" || again.Key != begun.Key || len(again.Assistants) > 0 { // the user starts anew
			t.Errorf("%s, at the next start: %+v, %+v", name, again, problem)
		}
	}
}

// TestALostFileEndsAllTokens covers a file that was deleted or damaged: what it restricted is lost, and who was forgotten.
func TestALostFileEndsAllTokens(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"deleted": os.Remove,
		"damaged": func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) },
	} {
		dir := t.TempDir()
		tokens := func() Tokens {
			kept, _ := Load(dir)
			return Tokens{
				Store: state.NewStore(state.Snapshot{Assistants: kept.Assistants, AssistantKey: kept.Key}),
				Easel: func() string { return "a-token-of-easel" },
			}
		}
		i := slices.IndexFunc(clients.All, func(c clients.Client) bool { return c.Name == "Cursor" })
		before := tokens()
		old, _ := before.Of(clients.All[i])
		if now, _ := tokens().Of(clients.All[i]); now != old {
			t.Errorf("%s: the next start has another token", name)
		}
		before.Store.Update(func(s *state.Snapshot) { s.Forget("cursor") })
		newer, _ := before.Of(clients.All[i])
		require.NoError(t, Save(dir, Of(before.Store.Snapshot())))
		if _, ok := tokens().Find(newer); !ok {
			t.Errorf("%s: the token does not survive a start", name)
		}
		require.NoError(t, lose(filepath.Join(dir, fileName)))
		for _, token := range []string{old, newer} {
			if id, ok := tokens().Find(token); ok {
				t.Errorf("%s: the token of %s is valid again", name, id)
			}
		}
	}
}
