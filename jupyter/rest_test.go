package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

func TestURLs(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8888":                         "http://127.0.0.1:8888/api/kernels",
		"http://127.0.0.1:8888/":                        "http://127.0.0.1:8888/api/kernels",
		" https://hub.example/user/ann/ ":               "https://hub.example/user/ann/api/kernels",
		"https://hub.example/user/a%20b%2Fc/":           "https://hub.example/user/a%20b%2Fc/api/kernels",
		"http://localhost:8888/lab?token=abc":           "http://localhost:8888/api/kernels",
		"http://localhost:8888/base/tree?token=abc#top": "http://localhost:8888/base/api/kernels",
		"http://[::1]:8888/x/?foo=1":                    "http://[::1]:8888/x/api/kernels",
	} {
		s, err := New(in, "")
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := s.at("api", "kernels").String(); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
		if printed := strings.Contains(in, "token=abc"); printed != (s.token.token == "abc") {
			t.Errorf("%s: token %q", in, s.token.token)
		}
	}
	for _, in := range []string{"", "127.0.0.1:8888", "ftp://x/", "http://", "http://ann:secret@x/", "http://x/\x00?token=secret", "://secret"} {
		if _, err := New(in, ""); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v", in, err)
		}
	}
	s, err := New("http://x/", "given")
	if err != nil || s.token.token != "given" {
		t.Errorf("got %v, %v", s.token.token, err)
	}
}

func TestHasPage(t *testing.T) {
	fake := jupytertest.NewServer(t)
	s, err := New(fake.URL, fake.Token)
	require.NoError(t, err)
	if !s.HasPage(t.Context(), "api") || s.HasPage(t.Context(), "lab") {
		t.Error("api is there, lab is not")
	}
}

func TestPaths(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "/": "", ".": "", "a.ipynb": "a.ipynb", "/a.ipynb": "a.ipynb", "x/../a.ipynb": "a.ipynb", "//x//a": "x/a",
		"./x/./a/": "x/a", "RTC:sub/a.ipynb": "sub/a.ipynb", "cafe\u0301.ipynb": "caf\u00e9.ipynb", "..a": "..a", "a b%2F": "a b%2F",
	} {
		if got, err := CleanPath(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"..", "../a", "/..", "/../a", "a/../../b", "a\x00b", "RTC:../x", "RTC:/../x", "ssh://gpu/a/../../../b", "http://x/../../b", "a/" + strings.Repeat("x", 256)} {
		if got, err := CleanPath(in); !errors.Is(err, ErrBadPath) {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

func TestNotebookPaths(t *testing.T) {
	for in, want := range map[string]string{
		"/x/a.ipynb": "x/a.ipynb", "a.ipynb/": "a.ipynb", " b.ipynb": " b.ipynb", "RTC:図.ipynb": "図.ipynb", "..a.ipynb": "..a.ipynb",
		strings.Repeat("図", 83) + ".ipynb": strings.Repeat("図", 83) + ".ipynb",
	} {
		if got, err := NotebookPath(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"": "must not be blank", " \t\n": "must not be blank", "/": "root folder", "RTC:": "root folder", "x/..": "root folder",
		"plain.txt": "ending in .ipynb", "a.ipynb ": "ending in .ipynb", "A.IPYNB": "ending in .ipynb", "folder": "ending in .ipynb", "a.ipynb/x": "ending in .ipynb",
		".ipynb": "before .ipynb", "x/ .ipynb": "before .ipynb", "a\x00.ipynb": "NUL", "../a.ipynb": "below the server's root",
		strings.Repeat("図", 293) + ".ipynb": "a name of ", strings.Repeat("x", 256) + "/a.ipynb": "at most 255",
	} {
		got, err := NotebookPath(in)
		if e, ok := errors.AsType[*PathError](err); !ok || !errors.Is(err, ErrBadPath) || !strings.Contains(e.Reason, want) {
			t.Errorf("%q: got %q, %v, want an error with %q", in, got, err, want)
		}
	}
}

func TestNamesForNewNotebooks(t *testing.T) {
	for _, p := range []string{"a.ipynb", "x/a b.ipynb", "図.ipynb", "a:b.ipynb", "10: x/a.ipynb", "100%.ipynb", "$a.ipynb", "~a.ipynb", "a$b/c~d.ipynb", "👩‍🔬.ipynb", ".x/a.ipynb"} {
		if err := CheckNewName(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for p, want := range map[string]string{
		"http:/localhost:8888/notebooks/a.ipynb": "address", "file:/a.ipynb": "address", "jupyter:/x/a.ipynb": "address", "localhost:8888/a.ipynb": "address",
		"$HOME/a.ipynb": "variable", "${HOME}/x/a.ipynb": "variable", "%USERPROFILE%/a.ipynb": "variable", "~root/a.ipynb": "user's folder",
		`x\a.ipynb`: "between folders", "sales%20report.ipynb": "percent-encoded", "a\nb.ipynb": "control characters",
		" x/a.ipynb": "a space", "x/ a.ipynb": "a space", "x /a.ipynb": "a space", "a .ipynb": "a space", "a\u200b.ipynb": "a space", "\u202ea.ipynb": "a space",
	} {
		err := CheckNewName(p)
		if e, ok := errors.AsType[*PathError](err); !ok || !strings.Contains(e.Reason, want) {
			t.Errorf("%q: got %v, want an error with %q", p, err, want)
		}
	}
}

func TestIDsThatAreNoneNeverReachTheServer(t *testing.T) {
	s := jupytertest.NewServer(t)
	c := client(t, s)
	for _, id := range []string{"", "..", "../contents", "x", strings.Repeat("a", 36), "00000000-0000-4000-8000-00000000000g", "00000000-0000-4000-8000-0000000000000", strings.Repeat("é", 2000)} {
		_, e1 := c.Kernel(t.Context(), id)
		_, e2 := c.Session(t.Context(), id)
		_, e3 := c.RestartKernel(t.Context(), id)
		_, e4 := c.CreateSession(t.Context(), CreateSessionRequest{Path: "a", KernelID: id + "/x"})
		_, e5 := c.Follow(t.Context(), id, FollowOptions{})
		_, e6 := c.SetSessionKernel(t.Context(), id, id)
		for i, err := range []error{e1, e2, e3, e4, e5, e6, c.DeleteKernel(t.Context(), id), c.InterruptKernel(t.Context(), id), c.DeleteSession(t.Context(), id)} {
			if !errors.Is(err, ErrNotFound) || len(err.Error()) > 500 {
				t.Errorf("%q: %d: got %v", id, i, err)
			}
		}
	}
	if got := s.Requests(); len(got) > 0 {
		t.Errorf("the server was asked: %q", got)
	}
}

func TestLifeOfSessionsAndKernels(t *testing.T) {
	s := jupytertest.NewServer(t, jupytertest.BaseURL("/user/ann/"))
	c, ctx := client(t, s), within(t)
	if st, err := c.Status(ctx); err != nil || st.Version != "2.21.1" || st.Started.IsZero() {
		t.Errorf("status: %+v, %v", st, err)
	}
	session, err := c.CreateSession(ctx, CreateSessionRequest{Path: "/x/../a.ipynb", KernelName: "python3"})
	if err != nil || session.Path != "a.ipynb" || session.Type != "notebook" || session.Kernel.Name != "python3" {
		t.Fatalf("got %+v, %v", session, err)
	}
	again, err := c.CreateSession(ctx, CreateSessionRequest{Path: "a.ipynb"})
	if err != nil || again.ID != session.ID {
		t.Errorf("the same path: got %+v, %v", again, err)
	}
	kernel, err := c.StartKernel(ctx, StartKernelRequest{Path: "sub"})
	require.NoError(t, err)
	kernels, err := c.Kernels(ctx)
	if err != nil || len(kernels) != 2 || kernels[1].ID != kernel.ID || kernels[1].LastActivity.IsZero() {
		t.Errorf("got %+v, %v", kernels, err)
	}
	moved, err := c.SetSessionKernel(ctx, session.ID, kernel.ID)
	if err != nil || moved.ID != session.ID || moved.Kernel.ID != kernel.ID {
		t.Errorf("got %+v, %v", moved, err)
	}
	if restarted, err := c.RestartKernel(ctx, kernel.ID); err != nil || restarted.ID != kernel.ID {
		t.Errorf("got %+v, %v", restarted, err)
	}
	for _, err := range []error{c.InterruptKernel(ctx, kernel.ID), c.DeleteSession(ctx, session.ID)} {
		if err != nil {
			t.Error(err)
		}
	}
	if sessions, err := c.Sessions(ctx); err != nil || len(sessions) != 0 {
		t.Errorf("got %+v, %v", sessions, err)
	}
	if _, err := c.Kernel(ctx, session.Kernel.ID); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestAnUnknownKernelIsToldWithWhatThereIs(t *testing.T) {
	s := jupytertest.NewServer(t)
	s.AddKernelSpec("ir", "R")
	c := client(t, s)
	_, e1 := c.StartKernel(within(t), StartKernelRequest{Name: "julia"})
	_, e2 := c.CreateSession(within(t), CreateSessionRequest{Path: "a", KernelName: "julia"})
	for _, err := range []error{e1, e2} {
		e, ok := errors.AsType[*NoSuchKernelSpecError](err)
		if !ok {
			t.Fatalf("got %v", err)
		}
		if diff := cmp.Diff(&NoSuchKernelSpecError{"julia", []string{"ir", "python3"}}, e); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAnswersThatAreErrors(t *testing.T) {
	page := "<html>log in</html>"
	for name, c := range map[string]struct {
		status   int
		kind     string
		location string
		body     string
		want     error
		says     string
	}{
		"read-only file": {403, "application/json", "", `{"message":"Permission denied: a.ipynb","reason":null}`, ErrDenied, "Permission denied: a.ipynb"},
		"read-only disk": {
			500, "application/json", "", `{"message":"Unexpected error while saving file: a.ipynb [Errno 30] Read-only file system: '/p/a.ipynb'"}`,
			ErrDenied, "Read-only file system",
		},
		"wrong token":             {403, "application/json", "", `{"message":"Forbidden","reason":null}`, ErrUnauthorized, "Forbidden"},
		"gateway's wrong token":   {401, "application/json", "", `{"message":"Unauthorized"}`, ErrUnauthorized, "401"},
		"Hub's login":             {302, "text/html", "/hub/api/oauth2/authorize?x=1", page, ErrUnauthorized, "login"},
		"login page as an answer": {200, "text/html; charset=UTF-8", "", page, ErrUnauthorized, "web page"},
		"wants https":             {301, "text/html", "https://127.0.0.1/api", page, ErrUnreachable, "https"},
		"Hub without the server":  {424, "application/json", "", `{"message":"not running"}`, ErrUnreachable, "not running"},
		"bad gateway":             {502, "text/html", "", page, ErrUnreachable, "502"},
		"unavailable":             {503, "text/html", "", page, ErrUnreachable, "503"},
		"not found":               {404, "application/json", "", `{"message":"Kernel does not exist: x","reason":"gone"}`, ErrNotFound, "Kernel does not exist: x (gone)"},
		"start fails":             {500, "application/json", "", `{"message":"FileNotFoundError: no python","reason":null,"traceback":"long"}`, ErrKernelStart, "no python"},
		"not implemented":         {501, "text/plain", "", "cannot", ErrKernelStart, "cannot"},
		"a very long message":     {500, "text/plain", "", strings.Repeat("é", 5000), ErrKernelStart, "é"},
		"another refusal":         {409, "application/json", "", `{"message":"exists"}`, nil, "exists"},
	} {
		t.Run(name, func(t *testing.T) {
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.location != "" {
					w.Header().Set("Location", c.location)
				}
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer h.Close()
			s, err := New(h.URL, "secret")
			require.NoError(t, err)
			_, err = s.StartKernel(t.Context(), StartKernelRequest{})
			e, ok := errors.AsType[*StatusError](err)
			if !ok || !errors.Is(e.Err, c.want) || e.Status != c.status || e.Path != "/api/kernels" || e.Method != "POST" {
				t.Fatalf("got %#v", err)
			}
			if !strings.Contains(err.Error(), c.says) || len(err.Error()) > 2500 || strings.Contains(err.Error(), "secret") {
				t.Errorf("it says %q", err)
			}
		})
	}
}

// TestAnEndlessAnswerIsCutOff covers answers that do not end, and one that says that it is too
// large, of which nothing is read.
func TestAnEndlessAnswerIsCutOff(t *testing.T) {
	sent := make(chan int, 1)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(r.URL.Path, "/api/contents/") {
			w.Header().Set("Content-Length", strconv.Itoa(maxContents+1))
			_, _ = w.Write([]byte("{")) // and the connection ends
			return
		}
		_, _ = w.Write([]byte(`[{"id": "`))
		n, part := 0, bytes.Repeat([]byte("x"), 1<<20)
		for {
			m, err := w.Write(part)
			if n += m; err != nil || n > 1<<30 {
				break
			}
		}
		sent <- n
	}))
	defer h.Close()
	s, err := New(h.URL, "secret")
	require.NoError(t, err)
	if _, err := s.Kernels(t.Context()); !errors.Is(err, ErrAnswerTooLarge) || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("got %v", err)
	}
	if n := <-sent; n > 4*maxAnswer { // what is on its way counts, too
		t.Errorf("it took %d bytes", n)
	}
	if _, err := s.Contents(t.Context(), "a.ipynb", ContentsQuery{Content: true}); !errors.Is(err, ErrAnswerTooLarge) || !strings.Contains(err.Error(), "256 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	s := jupytertest.NewServer(t)
	c := client(t, s)
	fake := s.AddKernel("python3")
	s.Down()
	_, e1 := c.Status(within(t))
	_, e2 := c.Follow(within(t), fake.ID, FollowOptions{})
	for _, err := range []error{e1, e2} {
		if !errors.Is(err, ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := c.Status(ctx); errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "enough") {
		t.Errorf("who gives up is not told that the server is down: %v", err)
	}
}

func TestTheTokenIsNotTakenElsewhere(t *testing.T) {
	var told []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		told = append(told, r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	h := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer h.Close()
	s, err := New(h.URL, "secret")
	require.NoError(t, err)
	if _, err := s.Status(t.Context()); !errors.Is(err, ErrUnauthorized) || len(told) > 0 {
		t.Errorf("got %v; told %q", err, told)
	}
}

func TestAGatewayWithoutStatus(t *testing.T) {
	s := jupytertest.NewServer(t)
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/status" {
			return false
		}
		jupytertest.Refuse(w, http.StatusNotFound, "Not Found")
		return true
	})
	if _, err := client(t, s).Status(within(t)); err != nil {
		t.Error(err)
	}
	wrong, err := New(s.URL, "wrong")
	require.NoError(t, err)
	if _, err := wrong.Status(within(t)); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("got %v", err)
	}
}

func TestFiles(t *testing.T) {
	s := jupytertest.NewServer(t)
	c, ctx := client(t, s), within(t)
	text := json.RawMessage(`"héllo\n"`)
	m, err := c.PutContents(ctx, "/ä dir/a%2Fb#?.txt", ContentsModel{Type: "file", Format: "text", Content: text})
	if err != nil || m.Path != "ä dir/a%2Fb#?.txt" || m.Content != nil {
		t.Fatalf("got %+v, %v", m, err)
	}
	m, err = c.Contents(ctx, m.Path, ContentsQuery{Content: true, Type: "file", Format: "text"})
	if err != nil || string(m.Content) != string(text) {
		t.Errorf("got %+v, %v", m, err)
	}
	if m, err = c.Contents(ctx, m.Path, ContentsQuery{}); err != nil || m.Content != nil {
		t.Errorf("without content: got %+v, %v", m, err)
	}
	dir, err := c.Contents(ctx, "ä dir", ContentsQuery{Content: true})
	require.NoError(t, err)
	if entries, err := dir.Entries(); err != nil || len(entries) != 1 || entries[0].Path != m.Path {
		t.Errorf("got %+v, %v", entries, err)
	}
	if _, err := c.Contents(ctx, "ä dir/none.txt", ContentsQuery{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Contents(ctx, "../x", ContentsQuery{}); !errors.Is(err, ErrBadPath) {
		t.Errorf("got %v", err)
	}
}
