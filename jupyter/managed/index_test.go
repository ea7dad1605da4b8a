package managed

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"easel/internal/require"
)

// An index is a package index with a password, and a proxy to it.
type index struct {
	server, proxy *httptest.Server
	asked         atomic.Int64 // requests that came through the proxy
}

const credentials = "ann:secret"

func newIndex(t *testing.T) *index {
	t.Helper()
	x := &index{}
	files := map[string][]byte{"easel_probe-1.0-py3-none-any.whl": makeWheel(t)}
	x.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user+":"+password != credentials {
			w.Header().Set("WWW-Authenticate", `Basic realm="index"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		name := filepath.Base(r.URL.Path)
		if r.URL.Path == "/simple/easel-probe/" {
			w.Header().Set("Content-Type", "text/html")
			for f := range files {
				_, _ = fmt.Fprintf(w, `<a href="/files/%s">%[1]s</a>`, f)
			}
			return
		}
		if files[name] == nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(files[name])
	}))
	t.Cleanup(x.server.Close)
	x.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.asked.Add(1)
		to := r.Clone(r.Context())
		to.RequestURI, to.URL.Host = "", strings.TrimPrefix(x.server.URL, "http://") // whatever the name was
		got, err := http.DefaultTransport.RoundTrip(to)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer func() { _ = got.Body.Close() }()
		for name := range got.Header {
			w.Header().Set(name, got.Header.Get(name))
		}
		w.WriteHeader(got.StatusCode)
		_, _ = io.Copy(w, got.Body)
	}))
	t.Cleanup(x.proxy.Close)
	return x
}

// TestLivePrivateIndex installs a package from a private index, directly and through a
// proxy, with uv and with pip, as the usual variables and files describe it.
func TestLivePrivateIndex(t *testing.T) {
	python := os.Getenv("EASEL_TEST_PYTHON")
	if python == "" {
		t.Skip("a live test: EASEL_TEST_PYTHON is not set (make test sets it)")
	}
	x := newIndex(t)
	direct := strings.Replace(x.server.URL, "//", "//"+credentials+"@", 1) + "/simple"
	const far = "http://" + credentials + "@index.invalid/simple" // only the proxy finds it
	conf := filepath.Join(t.TempDir(), "pip.conf")
	require.NoError(t, os.WriteFile(conf, []byte("[global]\nindex-url = "+direct+"\n"), 0o600))
	tests := map[string]struct {
		env   map[string]string
		proxy bool
	}{
		"PIP_INDEX_URL":       {map[string]string{"PIP_INDEX_URL": direct}, false},
		"PIP_EXTRA_INDEX_URL": {map[string]string{"PIP_INDEX_URL": x.server.URL + "/none", "PIP_EXTRA_INDEX_URL": direct}, false},
		"pip.conf":            {map[string]string{"PIP_CONFIG_FILE": conf}, false},
		"HTTP_PROXY":          {map[string]string{"PIP_INDEX_URL": far, "HTTP_PROXY": x.proxy.URL, "PIP_TRUSTED_HOST": "index.invalid"}, true},
		"NO_PROXY":            {map[string]string{"PIP_INDEX_URL": direct, "HTTP_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}, false},
	}
	uv := filepath.Join(filepath.Dir(python), "uv")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "HTTP_PROXY" && name != "pip.conf" {
				t.Skip("for make nightly")
			}
			for _, v := range []string{"PIP_FIND_LINKS", "PIP_NO_INDEX", "http_proxy", "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY"} {
				t.Setenv(v, "")
				_ = os.Unsetenv(v)
			}
			t.Setenv("UV_CACHE_DIR", t.TempDir())
			t.Setenv("PIP_CACHE_DIR", t.TempDir())
			for k, v := range test.env {
				t.Setenv(k, v)
			}
			for _, with := range []string{uv, ""} {
				if with == "" && name == "PIP_EXTRA_INDEX_URL" {
					continue // pip asks both in turn, which is pip's business
				}
				before := x.asked.Load()
				if err := installProbe(t.Context(), t.TempDir(), python, uv, with); err != nil {
					t.Errorf("uv %q: %v", with, err)
				}
				if used := x.asked.Load() > before; used != test.proxy {
					t.Errorf("uv %q: through the proxy: %v, want %v", with, used, test.proxy)
				}
			}
		})
	}
	t.Run("without its password", func(t *testing.T) {
		t.Setenv("UV_CACHE_DIR", t.TempDir())
		t.Setenv("PIP_INDEX_URL", x.server.URL+"/simple")
		if err := installProbe(t.Context(), t.TempDir(), python, uv, uv); err == nil {
			t.Error("the package was installed")
		}
	})
}

// installProbe installs the package of the index in a new environment, with uv or, if
// with is empty, with pip.
func installProbe(ctx context.Context, dir, python, uv, with string) error {
	p, err := ask(ctx, python)
	if err != nil {
		return err
	}
	j := New(Config{DataDir: dir, RootDir: dir})
	if err := j.dir.make(); err != nil {
		return err
	}
	// An environment whose pip is the one of the tests' Python: making one takes seconds.
	cmd := exec.CommandContext(ctx, uv, "venv", "--quiet", "--system-site-packages", "--python", python, j.dir.env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	list := filepath.Join(dir, "list.txt")
	if err := os.WriteFile(list, []byte("easel-probe==1.0\n"), 0o600); err != nil {
		return err
	}
	i := &installation{Jupyter: j, py: p, uv: with, tell: func(Progress) {}}
	if err := i.installList(ctx, j.dir, list, nil); err != nil {
		return err
	}
	site, err := j.dir.sitePackages()
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(site, "easel_probe.py"))
	return err
}
