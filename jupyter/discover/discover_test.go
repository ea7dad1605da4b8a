package discover_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/internal/system"
	"easel/jupyter/discover"
	"easel/jupyter/jupytertest"
)

func TestDirs(t *testing.T) {
	for name, c := range map[string]struct {
		goos string
		env  map[string]string
		want []string
	}{
		"Linux":                 {"linux", nil, []string{"/home/a/.local/share/jupyter/runtime"}},
		"Linux with XDG":        {"linux", map[string]string{"XDG_DATA_HOME": "/x"}, []string{"/x/jupyter/runtime", "/home/a/.local/share/jupyter/runtime"}},
		"macOS":                 {"darwin", nil, []string{"/home/a/Library/Jupyter/runtime", "/home/a/Library/Application Support/Jupyter/runtime"}},
		"Windows":               {"windows", map[string]string{"APPDATA": "/app"}, []string{"/app/jupyter/runtime"}},
		"told the data":         {"linux", map[string]string{"JUPYTER_DATA_DIR": "/d"}, []string{"/d/runtime", "/home/a/.local/share/jupyter/runtime"}},
		"told the runtime only": {"linux", map[string]string{"JUPYTER_RUNTIME_DIR": "/r", "JUPYTER_DATA_DIR": "/d"}, []string{"/r"}},
	} {
		got := discover.Dirs(c.goos, "/home/a", func(k string) string { return c.env[k] })
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// write writes the runtime file of a server at serverURL.
func write(t *testing.T, dir, serverURL, token string, change map[string]any) string {
	t.Helper()
	u, err := url.Parse(serverURL)
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(u.Host)
	n, _ := strconv.Atoi(port)
	told := map[string]any{
		"url": serverURL + "/", "hostname": "127.0.0.1", "port": n, "base_url": u.Path + "/", "token": token,
		"pid": os.Getpid(), "secure": false, "sock": "", "root_dir": "/r", "password": false, "version": "2.21.1",
	}
	maps.Copy(told, change)
	data, err := json.Marshal(told)
	require.NoError(t, err)
	path := filepath.Join(dir, fmt.Sprintf("jpserver-%d.json", len(glob(dir))))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func glob(dir string) []string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*"))
	return paths
}

func none(string) bool { return false }

func TestFind(t *testing.T) {
	s := jupytertest.NewServer(t, jupytertest.BaseURL("/base"))
	port := s.URL[strings.LastIndex(s.URL, ":")+1 : strings.LastIndex(s.URL, "/")]
	t.Run("a server that lives", func(t *testing.T) {
		dir := t.TempDir()
		path := write(t, dir, s.URL, s.Token, nil)
		write(t, dir, s.URL, s.Token, map[string]any{"hostname": "0.0.0.0"}) // the same server again
		got := discover.Find(t.Context(), []string{filepath.Join(dir, "none"), dir}, none)
		want := discover.Server{Name: "local-" + port, URL: s.URL, Token: s.Token, RootDir: "/r", PID: os.Getpid(), File: path}
		if len(got) != 1 || got[0] != want {
			t.Errorf("got %v", got)
		}
		if said := fmt.Sprintf("%v %+v %s %#v", got, got, got[0], got); strings.Contains(said, s.Token) {
			t.Errorf("the token is told: %s", said)
		}
		if got := discover.Find(t.Context(), []string{dir}, func(u string) bool { return u == s.URL }); len(got) != 0 {
			t.Errorf("a known one is found: %v", got)
		}
	})
	for name, change := range map[string]map[string]any{
		"of a dead process":    {"pid": 1 << 22},
		"with a wrong token":   {"token": "wrong"},
		"on a socket":          {"sock": "/s"},
		"on a port that is no": {"port": 0},
		"that nobody serves":   {"port": jupytertest.FreePort(t)},
	} {
		t.Run("not one "+name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, s.URL, s.Token, change)
			if got := discover.Find(t.Context(), []string{dir}, none); len(got) != 0 {
				t.Errorf("got %v", got)
			}
		})
	}
	t.Run("not one that others could have written", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("the rights of a file are others there")
		}
		path := write(t, t.TempDir(), s.URL, s.Token, nil)
		require.NoError(t, os.Chmod(path, 0o666))
		if _, err := discover.Read(path); !errors.Is(err, system.ErrNotPrivate) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("not what is no file of a server", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "jpserver-1.json"), []byte("{"), 0o600))
		if got := discover.Find(t.Context(), []string{dir}, none); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})
}

func TestLiveServerIsFoundUntilItIsKilled(t *testing.T) {
	for name, base := range map[string]string{"at the root": "/", "below a path": "/user/ann/"} {
		t.Run(name, func(t *testing.T) {
			r := jupytertest.Start(t, jupytertest.WithBaseURL(base))
			dirs := []string{filepath.Join(r.Dir, "runtime")}
			got := discover.Find(t.Context(), dirs, none)
			if len(got) != 1 || got[0].URL != r.URL || got[0].Token != r.Token || got[0].RootDir != r.Root {
				t.Errorf("got %v, want %s", got, r.URL)
			}
			r.Kill()
			if got := discover.Find(t.Context(), dirs, none); len(got) != 0 || len(glob(dirs[0])) == 0 {
				t.Errorf("after the kill: %v, files %q", got, glob(dirs[0]))
			}
		})
	}
}

func TestRootOfAServerByItsURL(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "http://127.0.0.1:18881", "t", map[string]any{"root_dir": "/data/a"})
	write(t, dir, "http://127.0.0.1:18882", "t", map[string]any{"root_dir": "/data/b"})
	for address, want := range map[string]string{
		"http://localhost:18882/lab": "/data/b", "http://[::1]:18881": "/data/a", "http://127.0.0.1:18883": "", "http://example.org:18881": "", "%": "",
	} {
		if got := discover.Root([]string{t.TempDir(), dir}, address); got != want {
			t.Errorf("%s serves %q, want %q", address, got, want)
		}
	}
}
