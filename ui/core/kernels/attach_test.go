package kernels_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/oversight"
)

// A JupyterHub proxies its users' servers. It requests a login by a redirect, and responds
// itself for a server that is not running.
func TestBelowAJupyterHub(t *testing.T) {
	t.Parallel()
	srv := jupytertest.NewServer(t, jupytertest.BaseURL("/user/ann/"))
	d := openFixture(t, srv.URL, srv.Token, 10)
	s := d.session()
	expect(t, d.run(s, "1"), catalog.StatusOK, "")

	for name, c := range map[string]struct {
		answer  func(w http.ResponseWriter, r *http.Request)
		state   string
		message string
	}{
		"the login has expired": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/hub/api/oauth2/authorize?client_id=x", http.StatusFound)
		}, servers.StateUnauthorized, "login"},
		"the token is refused": {func(w http.ResponseWriter, _ *http.Request) {
			jupytertest.Refuse(w, http.StatusForbidden, "Forbidden")
		}, servers.StateUnauthorized, "token"},
		"the login page itself": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>Sign in</html>"))
		}, servers.StateUnauthorized, "login"},
		"the server is stopped, and the Hub's own page is": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/hub"+r.URL.Path, http.StatusFound)
		}, servers.StateUnreachable, "start it there"},
		"the server is stopped": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}, servers.StateUnreachable, "503"},
		"the server is stopped, newer Hubs": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusFailedDependency)
		}, servers.StateUnreachable, "424"},
	} {
		t.Run(name, func(t *testing.T) {
			srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				c.answer(w, r)
				return true
			})
			defer srv.Intercept(nil)
			client, err := jupyter.New(srv.URL, srv.Token)
			require.NoError(t, err)
			m := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t), Gate: oversight.NewGate(d.state)})
			m.Servers.Add("hub", false)
			ctx, cancel := context.WithCancel(t.Context())
			left := make(chan struct{})
			go func() { defer close(left); m.Servers.Attach(ctx, "hub", client) }()
			defer func() { cancel(); <-left; _ = m.Close(context.Background()) }()
			require.Eventually(t, "something is told of it", func() bool { return m.Servers.Health()[0].State != servers.StateStarting })
			if h := m.Servers.Health()[0]; h.State != c.state || !strings.Contains(h.Message, c.message) || strings.Contains(h.Message, srv.Token) {
				t.Errorf("got %+v", h)
			}
			e := new(servers.NotReadyError)
			if _, err := m.Create(t.Context(), kernels.NewSession{KernelName: "python3"}); !errors.As(err, &e) {
				t.Errorf("create: %v", err)
			}
			srv.Intercept(nil)
			if _, err := m.Create(d.context(), kernels.NewSession{KernelName: "python3"}); err != nil {
				t.Errorf("create, when it is well again: %v", err)
			}
		})
	}
	t.Run("the login expires while code runs, and no new one comes", func(t *testing.T) {
		client, err := jupyter.New(srv.URL, srv.Token)
		require.NoError(t, err)
		far := openFixture(t, srv.URL, srv.Token, 50)
		far.Servers.Add("hub", false)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan struct{})
		go func() { defer close(left); far.Servers.Attach(ctx, "hub", client) }()
		defer func() { cancel(); <-left }()
		s, err := far.Create(far.context(), kernels.NewSession{Server: "hub", KernelName: "python3"})
		require.NoError(t, err)
		k := srv.Kernel(s.KernelID)
		k.OnExecute(hold)
		x, waiting := far.start(s, "1"), far.start(s, "2")
		far.until(x, hasStdout)
		srv.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			jupytertest.Refuse(w, http.StatusForbidden, "Forbidden")
			return true
		})
		defer srv.Intercept(nil)
		far.Servers.Recheck(far.context(), "hub") // Attach does this by itself, but less often
		k.Drop()
		v, w := far.wait(x), far.wait(waiting)
		expect(t, v, catalog.StatusLost, "begun\n")
		expect(t, w, catalog.StatusLost, "")
		for _, e := range []*catalog.ExecutionError{v.Error, w.Error} {
			if e != nil && (!strings.Contains(e.Message, "refused Easel's login") || !strings.Contains(e.Message, "expired")) {
				t.Errorf("it is not said why: %s", e.Message)
			}
		}
	})
	t.Run("the server is stopped while code runs", func(t *testing.T) {
		k := srv.Kernel(s.KernelID)
		k.OnExecute(hold)
		x := d.start(s, "1")
		d.until(x, hasStdout)
		srv.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
		k.Drop()
		expect(t, d.wait(x), catalog.StatusLost, "begun\n")
	})
}
