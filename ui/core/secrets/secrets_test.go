package secrets

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/mask"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	// Two files that are written within one tick of the clock would look the same.
	later := time.Now().Add(time.Duration(len(text)) * time.Second)
	require.NoError(t, os.Chtimes(path, later, later))
}

func TestLook(t *testing.T) {
	work, root := t.TempDir(), t.TempDir()
	sub := filepath.Join(root, "a", "b")
	put(t, filepath.Join(work, ".env"), "WORK_TOKEN=work-0123")
	put(t, filepath.Join(root, ".env"), "DB_PASSWORD='first-0123'\nDEBUG_TOKEN=true\nPORT=8080")
	put(t, filepath.Join(sub, ".env.local"), "SUB_SECRET=sub-01234")
	put(t, filepath.Join(t.TempDir(), ".env"), "OTHER_SECRET=other-0123")
	require.NoError(t, os.Mkdir(filepath.Join(root, ".envrc"), 0o700)) // no file
	m := mask.New()
	store := state.NewStore(state.Snapshot{})
	s := New(Config{Mask: m, Store: store, WorkDir: work, Environ: []string{"MY_API_KEY=env-012345678", "HOME=/root", "=x"}})
	if got := m.Names(); !slices.Equal(got, []string{"MY_API_KEY", "WORK_TOKEN"}) {
		t.Errorf("at the start: %v", got)
	}
	store.Update(func(n *state.Snapshot) {
		n.Projects = []command.Project{{Root: root}, {Root: "ssh://host/x"}}
		n.Sessions = []state.Session{{Session: catalog.Session{SessionID: "s", Directory: sub}, Project: root}}
	})
	s.Look()
	if got := m.Names(); !slices.Equal(got, []string{"DB_PASSWORD", "MY_API_KEY", "SUB_SECRET", "WORK_TOKEN"}) {
		t.Errorf("with a session: %v", got)
	}
	put(t, filepath.Join(root, ".env"), "DB_PASSWORD=second-0123")
	s.Look()
	if got := m.String("first-0123 second-0123 other-0123"); got != "[masked: DB_PASSWORD] [masked: DB_PASSWORD] other-0123" {
		t.Errorf("after a change: %s", got)
	}
	s.Typed("typed-0123")
	s.Typed("yes") // too short to be told from other words
	if got := m.String("typed-0123 yes"); got != "[masked: typed_password] yes" {
		t.Errorf("after it was typed: %s", got)
	}
	require.NoError(t, os.Remove(filepath.Join(root, ".env")))
	s.Look()
	if got := m.String("first-0123 second-0123 true 8080"); got != "[masked: DB_PASSWORD] [masked: DB_PASSWORD] true 8080" {
		t.Errorf("after its end: %s", got)
	}
}

func TestOpen(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	store := state.NewStore(state.Snapshot{Sessions: []state.Session{
		{Session: catalog.Session{SessionID: "s1", KernelID: "k1"}, Project: one}, {Session: catalog.Session{SessionID: "s2"}, Project: two}, {Session: catalog.Session{SessionID: "s3"}},
	}})
	m := mask.New()
	s := New(Config{
		Mask: m, Store: store, WorkDir: "/work",
		Server: func(server string) string { return map[string]string{"one": one, "two": two}[server] },
		Ended:  func(session string) string { return map[string]string{"ended": one, "other": two}[session] },
	})
	open := func() (all []string) {
		for _, x := range []string{"s1", "k1", "s2", "s3", "gone", "", "ended", "other"} {
			if s.Open(x, "") {
				all = append(all, x)
			}
		}
		for _, x := range []string{"one", "two", "managed"} {
			if s.Open("", x) {
				all = append(all, x)
			}
		}
		return all
	}
	if got := open(); got != nil {
		t.Errorf("by default: %v", got)
	}
	store.Update(func(n *state.Snapshot) {
		n.Settings.SecretsShown = n.Settings.SecretsShown.With(state.Project{Root: one})
	})
	if got := open(); !slices.Equal(got, []string{"s1", "k1", "ended", "one"}) {
		t.Errorf("of a project: %v", got)
	}
	if s.Open("s2", "one") { // the session counts
		t.Error("another project's server opens a session")
	}
	if s.Of("s1") != nil || s.Of("s2") != m {
		t.Error("the mask of a session")
	}
	store.Update(func(n *state.Snapshot) { n.Settings.ShowSecrets = true })
	if got := open(); len(got) != 11 {
		t.Errorf("all: %v", got)
	}
}
