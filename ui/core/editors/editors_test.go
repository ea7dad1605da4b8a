package editors

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/local"
	"easel/mcphost/catalog"
)

// A testLink is the connection of an extension that only says things.
type testLink struct {
	out  chan []byte
	done chan struct{} // closed when the hub no longer serves it
}

func (l *testLink) Receive() ([]byte, error) {
	m, ok := <-l.out
	if !ok {
		return nil, io.EOF
	}
	return m, nil
}

func (l *testLink) Send([]byte) error { return nil }

// say sends messages, and waits until the hub has handled them.
func (l *testLink) say(t *testing.T, all ...map[string]any) {
	t.Helper()
	for _, m := range append(all, map[string]any{"type": "alive"}, map[string]any{"type": "alive"}) {
		raw, err := json.Marshal(m)
		require.NoError(t, err)
		l.out <- raw
	}
}

func (l *testLink) close() {
	close(l.out)
	<-l.done
}

func open(uri, path, kernel string) map[string]any {
	notebook := map[string]any{"uri": uri, "path": path, "language": "python", "kernel": kernel}
	return map[string]any{"type": "notebooks", "notebooks": []any{notebook}}
}

func newHub(t *testing.T) *Hub {
	t.Helper()
	gateway := local.NewGateway(local.NewFinder(nil, nil, ""), slog.New(slog.DiscardHandler))
	h := &Hub{
		Kernels: gateway, Watch: func(func()) func() { return func() {} },
		Shown: func(context.Context) catalog.ShownToEditor { return catalog.ShownToEditor{} },
	}
	t.Cleanup(func() {
		h.Close()
		require.NoError(t, gateway.Close())
	})
	return h
}

func (h *Hub) connect(t *testing.T, all ...map[string]any) *testLink {
	t.Helper()
	l := &testLink{out: make(chan []byte), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		_, _ = h.Serve(t.Context(), l)
	}()
	l.say(t, all...)
	return l
}

func TestANotebookIsFoundThroughALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real.ipynb"), filepath.Join(dir, "other name.ipynb")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	require.NoError(t, os.Link(file, link)) // which every system makes
	h := newHub(t)
	l := h.connect(t, open("file:link", link, "python3"))
	if d, err := h.Open(file); err != nil || d == nil {
		t.Errorf("found %v, %v", d, err)
	}
	if d, err := h.Open(filepath.Join(dir, "none.ipynb")); err != nil || d != nil {
		t.Errorf("another: %v, %v", d, err)
	}
	l.close()
	if _, err := h.Open(file); err == nil {
		t.Error("a notebook whose editor was cut off is written as a file")
	}
}

// A window that is reloaded comes back soon, but it may be closed with edits that are not saved.
func TestHowLongANotebookIsRemembered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ipynb")
	bye := map[string]any{"type": "bye"}
	for name, c := range map[string]struct {
		last []map[string]any
		want time.Duration
	}{
		"cut":                {nil, disconnectedTime},
		"closed":             {[]map[string]any{bye}, reloadTime},
		"closed and unsaved": {[]map[string]any{{"type": "bye", "unsaved": []string{"file:a"}}}, disconnectedTime},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t)
			l := h.connect(t, open("file:a", path, "python3"))
			l.say(t, c.last...)
			l.close()
			if left := time.Until(h.disconnected[path].until); left > c.want || left < c.want-time.Minute || left < 0 {
				t.Errorf("remembered for %v", left)
			}
		})
	}
}

// The connection of a reloaded window may end after its next one has begun.
func TestALateEndOfAConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ipynb")
	h := newHub(t)
	first := h.connect(t, open("file:a", path, "python3"))
	second := h.connect(t, open("file:a", path, "python3"))
	first.close()
	second.say(t, map[string]any{"type": "notebooks", "notebooks": []any{}}) // its user closes the notebook
	if d, err := h.Open(path); d != nil || err != nil {
		t.Errorf("the closed notebook: %v, %v", d, err)
	}
	second.close()
}

func TestAnotherKernelIsAnotherGuest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ipynb")
	h := newHub(t)
	l := h.connect(t, open("file:a", path, "python3"))
	defer l.close()
	kernel := func() string {
		d, err := h.Open(path)
		require.NoError(t, err)
		return h.Kernel(d)
	}
	first := kernel()
	if again := kernel(); again != first {
		t.Errorf("the same kernel: %s and %s", first, again)
	}
	l.say(t, open("file:a", path, "ir"))
	if other := kernel(); other == first || h.guests[path].guest.Name != "ir" {
		t.Errorf("another kernel: %s, %+v", other, h.guests[path].guest)
	}
}
