//go:build unix

package tunnel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
)

// address is the address of the other machine.
const address = "ssh://" + jupytertest.SSHHost

// open returns a tunnel to an address on the other machine.
func open(t *testing.T, d *jupytertest.SSHD, address string, change func(*Config)) *Tunnel {
	t.Helper()
	a, err := Parse(address)
	require.NoError(t, err)
	cfg := Config{Address: a, program: d.SSH, tuning: defaultTuning(), Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	cfg.tuning.seek, cfg.tuning.again, cfg.tuning.lasting = 50*time.Millisecond, time.Millisecond, time.Millisecond
	cfg.tuning.backoff, cfg.tuning.longest, cfg.tuning.rest = 10*time.Millisecond, 100*time.Millisecond, 10*time.Millisecond
	cfg.tuning.doubt = 3 * time.Second
	if change != nil {
		change(&cfg)
	}
	tunnel := New(cfg)
	t.Cleanup(func() { _ = tunnel.Close() })
	return tunnel
}

// run makes the other machine run a server, with a runtime file as Jupyter writes it. The
// returned function ends it.
func run(t *testing.T, d *jupytertest.SSHD, s *jupytertest.Server) (end func()) {
	t.Helper()
	port, _ := strconv.Atoi(port(t, s))
	u, _ := url.Parse(s.URL)
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	process := exec.CommandContext(context.WithoutCancel(t.Context()), sleep, "1000")
	process.Args[0] = "jupyter-server"
	require.NoError(t, process.Start())
	data, err := json.Marshal(map[string]any{
		"hostname": "127.0.0.1", "port": port, "base_url": u.Path + "/", "token": s.Token, "pid": process.Process.Pid,
		"secure": false, "sock": "", "root_dir": "/there",
	})
	require.NoError(t, err)
	dir := filepath.Join(d.Home, "runtime")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	file := filepath.Join(dir, fmt.Sprintf("jpserver-%d.json", process.Process.Pid))
	require.NoError(t, os.WriteFile(file, data, 0o600))
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = process.Process.Kill()
			_ = process.Wait()
			_ = os.Remove(file)
		}
	}
	t.Cleanup(end)
	return end
}

// until waits until the server can be used.
func until(t *testing.T, client *jupyter.Server) {
	t.Helper()
	require.Eventually(t, "the server answers", func() bool { _, err := client.KernelSpecs(t.Context()); return err == nil })
}

// problem uses the server and returns why that is not possible.
func problem(t *testing.T, client *jupyter.Server) *Error {
	t.Helper()
	_, err := client.KernelSpecs(t.Context())
	e, ok := errors.AsType[*Error](err)
	if !ok || !errors.Is(err, jupyter.ErrUnreachable) {
		t.Fatalf("got %v", err)
	}
	return e
}

// tells reports whether using the server fails with a problem.
func tells(t *testing.T, client *jupyter.Server, p Problem) bool {
	t.Helper()
	_, err := client.KernelSpecs(t.Context())
	e, ok := errors.AsType[*Error](err)
	return ok && e.Problem == p
}

// port returns the port of a server.
func port(t *testing.T, s *jupytertest.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	return u.Port()
}

// pid returns the id of the ssh process.
func (t *Tunnel) pid() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.session == nil {
		return 0
	}
	return t.now.session.cmd.Process.Pid
}

func TestLiveTunnel(t *testing.T) {
	t.Parallel()
	top := t // of servers that outlive a subtest
	d := jupytertest.StartSSHD(t, t.TempDir())
	s := jupytertest.NewServer(t, jupytertest.BaseURL("/base"))
	end := run(t, d, s)
	for name, tcp := range map[string]bool{"a socket": false, "a port": true} {
		t.Run("it reaches the server by "+name, func(t *testing.T) {
			tunnel := open(t, d, address, func(c *Config) { c.tcp = tcp })
			client := tunnel.Client("")
			if st, err := client.Status(t.Context()); err != nil || st.Version == "" {
				t.Fatalf("got %+v, %v", st, err)
			}
			if got := fmt.Sprintf("%s %v %+v", client, client, tunnel.Note()); strings.Contains(got, s.Token) || !strings.HasPrefix(got, address+" ") {
				t.Errorf("it calls itself %q", got)
			}
			pid := tunnel.pid()
			if err := client.Close(); err != nil || syscall.Kill(pid, 0) == nil {
				t.Errorf("after Close: %v; ssh %d", err, pid)
			}
			if _, err := client.Status(t.Context()); !errors.Is(err, ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
	t.Run("it reaches the server behind a jump host", func(t *testing.T) {
		client := open(t, d, "ssh://"+jupytertest.SSHBehind, nil).Client("")
		if _, err := client.Status(t.Context()); err != nil {
			t.Error(err)
		}
	})
	tunnel := open(t, d, address, nil)
	client := tunnel.Client("")
	t.Run("a browser reaches it, by a port", func(t *testing.T) {
		u, err := client.BrowserURL(t.Context(), "api", "kernelspecs")
		if err != nil || u.Hostname() != "127.0.0.1" || u.Path != "/base/api/kernelspecs" || u.Query().Get("token") != s.Token {
			t.Fatalf("got %v, %v", u, err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.String(), nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "token "+s.Token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("got %+v, %v", resp, err)
		}
		_ = resp.Body.Close()
		again, err := client.BrowserURL(t.Context())
		if err != nil || again.Host != u.Host {
			t.Errorf("another port: %v, %v", again, err)
		}
	})
	t.Run("it is opened again after ssh was killed", func(t *testing.T) {
		pid := tunnel.pid()
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		until(t, client)
		require.Eventually(t, "another ssh", func() bool { return tunnel.pid() != pid && tunnel.pid() != 0 })
	})
	t.Run("it is opened again after sshd was away", func(t *testing.T) {
		d.Stop()
		require.Eventually(t, "it is refused", func() bool { return tells(t, client, Refused) })
		d.Up()
		until(t, client)
	})
	t.Run("it is opened again after the network was away", func(t *testing.T) {
		former := tunnel.pid()
		thaw := d.Freeze()
		tunnel.Doubt() // a kernel's connection is lost
		require.Eventually(t, "the former ssh ends", func() bool { return syscall.Kill(former, 0) != nil })
		thaw()
		until(t, client)
	})
	t.Run("it follows the server to another port and token", func(t *testing.T) {
		end()
		s.Close()
		require.Eventually(t, "there is no server", func() bool { return tells(t, client, NoServer) })
		now := jupytertest.NewServer(top)
		end = run(top, d, now)
		until(t, client)
		if place, err := tunnel.Reach(t.Context()); err != nil || place.Token != now.Token || place.URL.String() != now.URL {
			t.Errorf("got %v, %v", place.URL, err)
		}
		s = now
	})
	t.Run("several servers", func(t *testing.T) {
		other := jupytertest.NewServer(t)
		defer run(t, d, other)()
		until(t, client)
		if place, err := tunnel.Reach(t.Context()); err != nil || place.URL.String() != s.URL {
			t.Errorf("it changes to a newer one: %v, %v", place.URL, err)
		}
		newest := open(t, d, address, nil)
		former := port(t, s)
		if place, err := newest.Reach(t.Context()); err != nil || place.URL.String() != other.URL {
			t.Errorf("not the newest: %v, %v", place.URL, err)
		}
		if got := newest.Note(); !strings.Contains(got, port(t, other)) || !strings.Contains(got, address+"/?port="+former) {
			t.Errorf("it says %q", got)
		}
		chosen := open(t, d, address+"/?port="+former, nil)
		if place, err := chosen.Reach(t.Context()); err != nil || place.URL.String() != s.URL {
			t.Errorf("not the chosen one: %v, %v", place.URL, err)
		}
	})
	t.Run("a stale file", func(t *testing.T) {
		silent := jupytertest.NewServer(t)
		defer run(t, d, silent)()
		silent.Close()
		if place, err := open(t, d, address, nil).Reach(t.Context()); err != nil || place.URL.String() != s.URL {
			t.Errorf("got %v, %v", place.URL, err)
		}
	})
}

func TestLiveProblems(t *testing.T) {
	t.Parallel()
	d := jupytertest.StartSSHD(t, t.TempDir())
	nobody := fmt.Sprintf("ssh://127.0.0.1:%d", jupytertest.FreePort(t))
	for name, c := range map[string]struct {
		address, key string
		unknown      bool
		program      string
		want         Problem
		says         string
	}{
		"no ssh":           {address, "user", false, "no-such-ssh", NoSSH, "install"},
		"no such host":     {"ssh://no-such-host.invalid", "user", false, "", UnknownHost, "no-such-host.invalid"},
		"a key of another": {address, "stranger", false, "", Denied, "ssh-add"},
		"an unknown host key": {
			address, "user", true, "", UnknownHostKey, "ssh " + jupytertest.SSHHost,
		},
		"nobody there": {nobody, "user", false, "", Refused, "sshd"},
		"no server":    {address, "user", false, "", NoServer, "jupyter lab --no-browser"},
	} {
		t.Run(name, func(t *testing.T) {
			d.Configure(c.key, !c.unknown)
			tunnel := open(t, d, c.address, func(cfg *Config) {
				if c.program != "" {
					cfg.program = c.program
				}
			})
			got := problem(t, tunnel.Client(""))
			if got.Problem != c.want || !strings.Contains(got.Error(), c.says) {
				t.Errorf("got %s: %v (%s)", got.Problem, got, got.Said)
			}
			if c.want == UnknownHostKey {
				if text, err := os.ReadFile(d.KnownHosts()); err != nil || len(text) > 0 {
					t.Errorf("the key was accepted: %s, %v", text, err)
				}
			}
		})
	}
	t.Run("a changed host key", func(t *testing.T) {
		d.Configure("user", true)
		d.Stop()
		d.ChangeHostKey()
		d.Up()
		if got := problem(t, open(t, d, address, nil).Client("")); got.Problem != ChangedHostKey {
			t.Errorf("got %s: %v (%s)", got.Problem, got, got.Said)
		}
	})
}
