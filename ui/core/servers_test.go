package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// runtimeFile writes a runtime file that announces s as a Jupyter server of this process. It
// returns the path and the name that Easel gives the server.
func runtimeFile(t *testing.T, dir string, s *jupytertest.Server) (path, name string) {
	t.Helper()
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	port, _ := strconv.Atoi(u.Port())
	raw, err := json.Marshal(map[string]any{"hostname": "127.0.0.1", "port": port, "base_url": "/", "token": s.Token, "pid": os.Getpid()})
	require.NoError(t, err)
	path = filepath.Join(dir, "jpserver-1.json")
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	return path, "local-" + u.Port()
}

// closed closes the core and waits for its goroutines. After the end of the test, they must
// not write to its log and its directories.
func closed(t *testing.T, d *core.Core) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.Close(ctx); err != nil {
		t.Error(err)
	}
}

// awaitServers waits until exactly these servers of the core are ready.
func awaitServers(t *testing.T, d *core.Core, names ...string) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		var ready []string
		for _, s := range d.Store.Snapshot().Servers {
			if s.State == servers.StateReady {
				ready = append(ready, s.Name)
			}
		}
		slices.Sort(ready)
		if len(ready) == len(names) && fmt.Sprint(ready) == fmt.Sprint(names) {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("got %+v, want %q", d.Store.Snapshot().Servers, names)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestSeveralServers(t *testing.T) {
	first, mine, local := jupytertest.NewServer(t), jupytertest.NewServer(t), jupytertest.NewServer(t)
	runtimeDir, dataDir := t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_RUNTIME_DIR", runtimeDir)
	path, name := runtimeFile(t, runtimeDir, local)
	require.NoError(t, settings.SaveServers(dataDir, []settings.Server{
		{Name: "mine", URL: mine.URL, Token: mine.Token}, {Name: core.ExternalServer, URL: mine.URL}, {Name: "odd", URL: "ftp://odd"},
	}))
	bus := eventbus.New()
	d, err := core.Open(t.Context(), core.Config{
		Options: settings.Options{DataDir: dataDir, JupyterURL: first.URL, JupyterToken: first.Token},
		Bus:     bus, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Window: state.WindowNone,
	})
	require.NoError(t, err)
	t.Cleanup(func() { closed(t, d) })
	if n := len(d.Store.Snapshot().Notices); n != 2 {
		t.Errorf("got %d notices, want one for each server that cannot be used", n)
	}
	d.Start(t.Context())
	await := func(names ...string) { t.Helper(); awaitServers(t, d, names...) }
	require.Eventually(t, "the local server is found", func() bool { return len(d.Kernels.Servers.Health()) >= 3 })
	k := local.AddKernel("python3")
	id := local.AddSession("theirs.ipynb", k)
	mine.AddKernel("python3")

	t.Run("their kernels are listed and can be connected to", func(t *testing.T) {
		for _, s := range d.Kernels.Servers.Health() { // kernels of other servers are not listed
			waitReady(t, d, s.Name)
		}
		list, err := d.Kernels.List(t.Context())
		if err != nil || len(list) != 2 {
			t.Fatalf("got %+v, %v", list, err)
		}
		v, err := d.Kernels.Connect(t.Context(), kernels.RunningKernel{Notebook: "/theirs.ipynb", Client: "test"})
		if err != nil || v.ID != id || v.Server != name || v.Owner != record.OwnerOther {
			t.Errorf("got %+v, %v", v, err)
		}
		s, err := d.Kernels.Create(t.Context(), kernels.NewSession{Server: "mine", KernelName: "python3", Client: "test"})
		if err != nil || mine.Kernel(s.KernelID) == nil {
			t.Errorf("got %+v, %v", s, err)
		}
		if s, err = d.Kernels.Create(t.Context(), kernels.NewSession{KernelName: "python3", Client: "test"}); err != nil || first.Kernel(s.KernelID) == nil {
			t.Errorf("without a name: got %+v, %v", s, err)
		}
	})
	t.Run("a notebook that is open on several is joined on one that is named or can be meant", func(t *testing.T) {
		second := mine.AddSession("theirs.ipynb", mine.AddKernel("python3"))
		q := kernels.RunningKernel{Notebook: "theirs.ipynb", Client: "test"}
		q.Reaches = func(server string) bool { return server != name }
		if v, err := d.Kernels.Connect(t.Context(), q); err != nil || v.ID != second {
			t.Errorf("where only one can be meant: %+v, %v", v, err)
		}
		q.Server = name
		if v, err := d.Kernels.Connect(t.Context(), q); err != nil || v.ID != id {
			t.Errorf("by name: %+v, %v", v, err)
		}
		q.Server, q.Reaches = "", func(string) bool { return false }
		if _, err := d.Kernels.Connect(t.Context(), q); !errors.Is(err, kernels.ErrSessionNotFound) {
			t.Errorf("where none can be meant: %v", err)
		}
	})
	t.Run("one that has ended is left", func(t *testing.T) {
		local.Down()
		require.NoError(t, os.Remove(path))
		await(core.ExternalServer, "mine")
		// The server leaves the list first. Its kernels follow one by one, after they have
		// ended their executions.
		require.Eventually(t, "their kernels leave the list", func() bool {
			return !slices.ContainsFunc(d.Kernels.Live(), func(v record.SessionView) bool { return v.Server == name })
		})
	})
	t.Run("one is added, preferred and removed", func(t *testing.T) {
		added := jupytertest.NewServer(t)
		in := command.NamedServer{Name: "added", URL: added.URL, Token: added.Token}
		for _, bad := range []command.NamedServer{{Name: "mine", URL: added.URL, Token: "x"}, {Name: "two words", URL: added.URL}, {Name: "odd", URL: "ftp://odd"}} {
			if _, err := command.AddServer.Ask(t.Context(), bus, bad); tool.AsError(err).Code != tool.Validation {
				t.Errorf("%+v: got %v", bad, err)
			}
		}
		if _, err := command.AddServer.Ask(t.Context(), bus, in); err != nil {
			t.Fatal(err)
		}
		await("added", core.ExternalServer, "mine")
		if _, err := command.PreferServer.Ask(t.Context(), bus, "added"); err != nil {
			t.Fatal(err)
		}
		s, err := d.Kernels.Create(t.Context(), kernels.NewSession{KernelName: "python3", Client: "test"})
		if err != nil || added.Kernel(s.KernelID) == nil {
			t.Errorf("without a name: got %+v, %v", s, err)
		}
		kept, err := settings.LoadServers(dataDir)
		if err != nil || len(kept) != 4 || kept[3].Token != added.Token || d.Store.Snapshot().Settings.DefaultServer != "added" {
			t.Errorf("kept %v, %v, default %q", kept, err, d.Store.Snapshot().Settings.DefaultServer)
		}
		if _, err := command.RemoveServer.Ask(t.Context(), bus, "added"); err != nil {
			t.Fatal(err)
		}
		await(core.ExternalServer, "mine")
		if kept, err = settings.LoadServers(dataDir); err != nil || len(kept) != 3 || slices.Contains(d.Store.Snapshot().OwnServers, "added") {
			t.Errorf("after removing: kept %v, %v, own %v", kept, err, d.Store.Snapshot().OwnServers)
		}
		if _, err := command.RemoveServer.Ask(t.Context(), bus, core.ExternalServer); tool.AsError(err).Code != tool.ServerNotFound {
			t.Errorf("Easel's own: got %v", err)
		}
	})
	t.Run("nothing tells a token", func(t *testing.T) {
		said := fmt.Sprintf("%+v", *d.Store.Snapshot())
		for _, s := range []*jupytertest.Server{first, mine, local} {
			if strings.Contains(said, s.Token) {
				t.Error("the state holds a token")
			}
		}
	})
}

// waitReady waits until a server is ready.
func waitReady(t *testing.T, d *core.Core, name string) {
	t.Helper()
	require.Eventually(t, name+" is ready", func() bool {
		return slices.ContainsFunc(d.Kernels.Servers.Health(), func(s catalog.ServerHealth) bool { return s.Name == name && s.State == servers.StateReady })
	})
}
