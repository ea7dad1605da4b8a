package notebooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"easel/internal/require"
	"easel/jupyter"
)

// pages is a Jupyter server with JupyterLab pages that answer commands.
type pages struct {
	t *testing.T

	mu      sync.Mutex
	socket  *websocket.Conn
	showing map[string]showing // by id of the page
	asked   []string           // ids of the pages that were asked for the notebook, which costs something
}

// A showing is how a page shows the notebook.
type showing int

const (
	not    showing = iota
	behind         // another notebook of the page
	front          // the page's current notebook
)

func newPages(t *testing.T) (*pages, *jupyter.Server) {
	p := &pages{t: t, showing: make(map[string]showing)}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/events/subscribe", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock() // a command that the client sends at once waits until its socket is known
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		p.socket = ws
		p.mu.Unlock()
		if err != nil {
			t.Error(err)
			return
		}
		for err == nil { // until the client leaves
			_, _, err = ws.NextReader()
		}
	})
	mux.HandleFunc("POST /api/events", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Data struct {
				Name      string `json:"name"`
				RequestID string `json:"requestId"`
				ClientID  string `json:"client_id"`
				Args      struct {
					Path string `json:"notebookPath"`
				} `json:"args"`
			} `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusNoContent)
		p.mu.Lock()
		defer p.mu.Unlock()
		for id, shows := range p.showing {
			if in.Data.ClientID != "" && in.Data.ClientID != id {
				continue
			}
			p.send(map[string]any{"schema_id": schemaAck, "requestId": in.Data.RequestID, "client_id": id})
			result, success := map[string]any{}, true
			if in.Data.Name == cmdInfo {
				result["notebookPath"] = "n.ipynb"
				if in.Data.Args.Path != "" {
					p.asked = append(p.asked, id)
				} else if success = shows != not; shows == behind {
					result["notebookPath"], result["activeCellId"] = "other.ipynb", "cell"
				}
				if shows == front || shows == behind && in.Data.Args.Path != "" {
					result["activeCellId"] = "cell"
				}
			}
			p.send(map[string]any{"schema_id": schemaResult, "requestId": in.Data.RequestID, "success": success, "result": result})
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, err := jupyter.New(server.URL, "token")
	require.NoError(t, err)
	return p, client
}

// send sends an event. The caller holds p.mu.
func (p *pages) send(event map[string]any) {
	if err := p.socket.WriteJSON(event); err != nil {
		p.t.Log(err) // the client has left
	}
}

// set sets which pages are there, and which of them show the notebook.
func (p *pages) set(all map[string]showing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showing, p.asked = all, nil
}

// TestTabs checks that pages are asked for the notebook only if they may show it: the question
// makes those that do not read the notebook and connect to its kernel.
func TestTabs(t *testing.T) {
	p, server := newPages(t)
	var tabs Tabs
	const patience = 30 * time.Second // ends when the first page answers
	open := func(expected bool, sole string) string {
		t.Helper()
		tab, err := tabs.Open(t.Context(), server, "n.ipynb", patience, expected, sole)
		p.mu.Lock()
		defer p.mu.Unlock()
		slices.Sort(p.asked)
		asked := strings.Join(p.asked, "")
		p.asked = nil
		if e, ok := errors.AsType[*OpenError](err); ok {
			return fmt.Sprint(asked, " ", e.Reason)
		}
		require.NoError(t, err)
		return asked + " " + tab.client
	}
	const nowhere, twice = "no JupyterLab tab shows it", "2 JupyterLab tabs show it, and each has its own copy"
	for i, c := range []struct {
		pages    map[string]showing // nil: as before
		expected bool
		sole     string
		want     string
	}{
		{map[string]showing{"a": not, "b": front, "c": behind}, true, "session kernel", " b"}, // nobody else is connected
		{nil, true, "session kernel", "b b"},
		{nil, true, "", "abc " + twice}, // more than one client is connected
		{map[string]showing{"a": not, "b": front, "c": not}, true, "", "abc b"},
		{nil, true, "session kernel", " b"}, // one of them has left
		{nil, true, "session kernel", "b b"},
		{nil, true, "session other", " b"}, // the kernel is another
		{map[string]showing{"a": not, "b": behind}, true, "session kernel", "ab b"},
		{nil, true, "session kernel", "b b"},
		{map[string]showing{"a": not, "b": not}, true, "session kernel", "aabbb " + nowhere}, // it was closed; asked twice
		{nil, false, "", " " + nowhere},
		{map[string]showing{"a": not, "b": front}, false, "", "ab b"},
		{map[string]showing{"b": front}, false, "", " b"},
		{map[string]showing{"a": front, "c": not}, true, "session kernel", " a"}, // another page
	} {
		if c.pages != nil {
			p.set(c.pages)
		}
		if got := open(c.expected, c.sole); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}
}
