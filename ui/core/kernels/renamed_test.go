package kernels_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/oversight"
)

// rename gives a session another path, as JupyterLab does when the user renames a notebook.
func rename(d *fixture, srv *jupytertest.Server, session, path string) {
	d.t.Helper()
	body := fmt.Sprintf(`{"path": %q, "name": %q}`, path, path)
	req, err := http.NewRequestWithContext(d.context(), http.MethodPatch, srv.URL+"/api/sessions/"+session, bytes.NewBufferString(body))
	require.NoError(d.t, err)
	req.Header.Set("Authorization", "token "+srv.Token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(d.t, err)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		d.t.Fatalf("renaming: %s", resp.Status)
	}
}

func TestRenamedNotebooks(t *testing.T) {
	t.Parallel()
	d, srv := newFake(t)
	joined, other := srv.AddSession("a.ipynb", srv.AddKernel("python3")), srv.AddSession("other/a.ipynb", srv.AddKernel("python3"))
	if _, err := d.Connect(d.context(), kernels.RunningKernel{Server: "test", Notebook: "a.ipynb", Client: "test"}); err != nil {
		t.Fatal(err)
	}
	paths := func() map[string]string {
		t.Helper()
		list, err := d.List(d.context())
		require.NoError(t, err)
		got := make(map[string]string)
		for _, s := range list {
			got[s.SessionID] = s.NotebookPath
		}
		return got
	}
	if got := paths(); got[joined] != "a.ipynb" || got[other] != "other/a.ipynb" {
		t.Fatalf("listed %v", got)
	}
	rename(d, srv, joined, "b.ipynb")
	rename(d, srv, other, "other/b.ipynb")

	// The window looks for them by itself.
	d.NoticeRenames(d.context())
	if s, err := d.lib.Sessions.Get(t.Context(), joined); err != nil || s.NotebookPath != "b.ipynb" || d.Live()[0].NotebookPath != "b.ipynb" {
		t.Errorf("the library has %q, %v; joined is %q", s.NotebookPath, err, d.Live()[0].NotebookPath)
	}
	if got := paths(); got[joined] != "b.ipynb" || got[other] != "other/b.ipynb" {
		t.Errorf("listed %v", got)
	}
	for from, want := range map[string]string{"a.ipynb": "b.ipynb", "other/a.ipynb": "other/b.ipynb", "b.ipynb": "", "c.ipynb": ""} {
		if got := d.Renames.Now("test", from); got != want {
			t.Errorf("%s is now %q, want %q", from, got, want)
		}
	}
	if got := d.Renames.Now("elsewhere", "a.ipynb"); got != "" {
		t.Errorf("on another server: %q", got)
	}

	// Again, and back.
	rename(d, srv, joined, "c.ipynb")
	paths()
	if a, b := d.Renames.Now("test", "a.ipynb"), d.Renames.Now("test", "b.ipynb"); a != "c.ipynb" || b != "c.ipynb" {
		t.Errorf("renamed again: %q, %q", a, b)
	}
	rename(d, srv, joined, "a.ipynb")
	paths()
	if a, b := d.Renames.Now("test", "a.ipynb"), d.Renames.Now("test", "c.ipynb"); a != "" || b != "a.ipynb" {
		t.Errorf("renamed back: %q, %q", a, b)
	}

	// While Easel did not run.
	require.NoError(t, d.Close(d.context()))
	rename(d, srv, joined, "d.ipynb")
	d.Manager = kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t), Gate: oversight.NewGate(d.state)})
	d.Servers.Add("test", false)
	d.Servers.Set(d.client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	require.NoError(t, d.Restore(d.context(), "test"))
	if now := d.Renames.Now("test", "a.ipynb"); now != "d.ipynb" || d.Live()[0].NotebookPath != "d.ipynb" {
		t.Errorf("after a restart: %q", now)
	}
}
