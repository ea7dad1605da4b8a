package core_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
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

// A login is the token of a fake server, which can be changed while the server runs.
type login struct{ token atomic.Pointer[string] }

func logins(srv *jupytertest.Server) *login {
	l := new(login)
	l.change(srv.Token)
	srv.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "token "+*l.token.Load() {
			jupytertest.Refuse(w, http.StatusForbidden, "Forbidden")
			return true
		}
		r.Header.Set("Authorization", "token "+srv.Token)
		return false
	})
	return l
}

func (l *login) change(token string) { l.token.Store(&token) }

// open starts a core with first as its default server and mine as a server that the user
// added.
func open(t *testing.T, first, mine *jupytertest.Server) (d *core.Core, bus *eventbus.Bus, dataDir string) {
	t.Helper()
	dataDir, bus = t.TempDir(), eventbus.New()
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	require.NoError(t, settings.SaveServers(dataDir, []settings.Server{{Name: "mine", URL: mine.URL, Token: mine.Token}}))
	d, err := core.Open(t.Context(), core.Config{
		Options: settings.Options{DataDir: dataDir, JupyterURL: first.URL, JupyterToken: first.Token},
		Bus:     bus, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Window: state.WindowNone,
	})
	require.NoError(t, err)
	t.Cleanup(func() { closed(t, d) })
	d.Start(t.Context())
	awaitServers(t, d, core.ExternalServer, "mine")
	return d, bus, dataDir
}

// When a token expires while code runs, the kernel continues, and Easel continues once it has
// a new token.
func TestATokenThatExpiresInUse(t *testing.T) {
	first, mine := jupytertest.NewServer(t), jupytertest.NewServer(t)
	at := map[string]*jupytertest.Server{core.ExternalServer: first, "mine": mine}
	login := map[string]*login{core.ExternalServer: logins(first), "mine": logins(mine)}
	d, bus, dataDir := open(t, first, mine)

	byHand := func(name, token string) error {
		_, err := command.AddServer.Ask(t.Context(), bus, command.NamedServer{Name: name, URL: at[name].URL, Token: token})
		return err
	}
	inTheFile := func(name, token string) error {
		return settings.SaveServers(dataDir, []settings.Server{{Name: name, URL: at[name].URL, Token: token}})
	}
	for _, c := range []struct {
		what, server string
		renew        func(name, token string) error
	}{
		{"of the command line, by hand", core.ExternalServer, byHand},
		{"by hand", "mine", byHand},
		{"in servers.json", "mine", inTheFile},
	} {
		t.Run(c.what, func(t *testing.T) {
			sess, err := d.Kernels.Create(t.Context(), kernels.NewSession{Server: c.server, KernelName: "python3", Client: "test"})
			require.NoError(t, err)
			k := at[c.server].Kernel(sess.KernelID)
			resume := make(chan struct{})
			k.OnExecute(func(x *jupytertest.Execution) {
				x.Usual(func() {
					x.Stream("stdout", "a\n")
					select {
					case <-resume:
					case <-x.Context().Done():
					}
					x.Stream("stdout", "b\n")
				})
			})
			x, err := d.Kernels.Execute(t.Context(), record.Request{SessionID: sess.ID, Code: "1"})
			require.NoError(t, err)
			require.Eventually(t, "a", func() bool {
				v, err := x.View(t.Context(), "")
				return err == nil && v.Stdout == "a\n"
			})
			token := "new-" + sess.ID
			login[c.server].change(token)
			refused(t, "an interrupt", func() error {
				_, err := d.Kernels.InterruptSession(t.Context(), sess.ID, false)
				return err
			})
			k.Drop()
			refused(t, "more code", func() error {
				_, err := d.Kernels.Execute(t.Context(), record.Request{SessionID: sess.ID, Code: "2"})
				return err
			})
			refused(t, "a restart", func() error {
				_, err := d.Kernels.Restart(t.Context(), sess.ID, false)
				return err
			})
			refused(t, "another session", func() error {
				_, err := d.Kernels.Create(t.Context(), kernels.NewSession{Server: c.server, KernelName: "python3", Client: "test"})
				return err
			})
			require.NoError(t, c.renew(c.server, token))
			close(resume)
			select {
			case <-x.Done():
			case <-time.After(time.Minute):
				t.Fatal("what ran did not end")
			}
			if v, err := x.View(t.Context(), ""); err != nil || v.Status != catalog.StatusOK || v.Stdout != "a\nb\n" {
				t.Errorf("what ran: %+v, %v", v, err)
			}
			require.Eventually(t, "the session as it was", func() bool {
				for _, v := range d.Kernels.Live() {
					if v.ID == sess.ID {
						return v.Status == "idle" && v.Generation == 1
					}
				}
				return false
			})
			awaitServers(t, d, core.ExternalServer, "mine")
			if kept, err := settings.LoadServers(dataDir); err != nil || len(kept) != 1 || c.server == "mine" && kept[0].Token != token {
				t.Errorf("kept %v, %v", kept, err)
			}
		})
	}
	if said := fmt.Sprintf("%+v", *d.Store.Snapshot()); strings.Contains(said, "new-") {
		t.Error("the state holds a token")
	}
}

func TestTheNameOfAServerIsNotGivenToAnother(t *testing.T) {
	d, bus, _ := open(t, jupytertest.NewServer(t), jupytertest.NewServer(t))
	for _, name := range []string{"mine", core.ExternalServer} {
		in := command.NamedServer{Name: name, URL: "http://127.0.0.1:1", Token: "x"}
		if _, err := command.AddServer.Ask(t.Context(), bus, in); tool.AsError(err).Code != tool.Validation {
			t.Errorf("%s: %v", name, err)
		}
	}
	awaitServers(t, d, core.ExternalServer, "mine")
}

// refused repeats do until it fails, and checks that the server refuses the token. The first
// calls may succeed, until Easel has tried to reconnect.
func refused(t *testing.T, what string, do func() error) {
	t.Helper()
	var err error
	require.Eventually(t, what+" that is refused", func() bool {
		err = do()
		return err != nil
	})
	e, ok := errors.AsType[*servers.NotReadyError](err)
	if !ok || e.Health.State != servers.StateUnauthorized || !strings.Contains(e.Health.Message, "expired") {
		t.Errorf("%s: %v", what, err)
	}
}

// TestTheModeThatAsksWhenItMattersIsToldOnce checks that somebody who has used Easel before is told of it in one run, if
// they have a window and all code runs, and that a new installation is not.
func TestTheModeThatAsksWhenItMattersIsToldOnce(t *testing.T) {
	srv := jupytertest.NewServer(t)
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	told := func(dir string, window state.WindowState) bool {
		t.Helper()
		d, err := core.Open(t.Context(), core.Config{
			Options: settings.Options{DataDir: dir, JupyterURL: srv.URL, JupyterToken: srv.Token},
			Bus:     eventbus.New(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Window: window,
		})
		require.NoError(t, err)
		d.Start(t.Context())
		yes := slices.ContainsFunc(d.Store.Snapshot().Notices, func(n state.Notice) bool { return n.ID == state.NoticeRisky })
		closed(t, d)
		return yes
	}
	used, fresh := t.TempDir(), t.TempDir()
	require.NoError(t, settings.Save(used, state.DefaultSettings()))
	var got []bool
	for _, w := range []state.WindowState{state.WindowNone, state.WindowShown, state.WindowShown} {
		got = append(got, told(used, w))
	}
	if want := []bool{false, true, false}; !slices.Equal(got, want) {
		t.Errorf("headless, then with a window twice: told %v, want %v", got, want)
	}
	if told(fresh, state.WindowShown) {
		t.Error("a new installation is told of what it begins with")
	}
}
