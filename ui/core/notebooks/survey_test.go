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

	"easel/jupyter"
)

// pages is a Jupyter server with JupyterLab pages that answer commands.
type pages struct {
	t *testing.T

	mu      sync.Mutex
	socket  *websocket.Conn
	showing map[string]bool // by id of the page: whether it shows the notebook
	asked   []string        // ids of the pages that were asked
}

func newPages(t *testing.T) (*pages, *jupyter.Server) {
	p := &pages{t: t, showing: make(map[string]bool)}
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
			result := map[string]any{}
			if in.Data.Name == cmdInfo {
				p.asked = append(p.asked, id)
				if shows {
					result["activeCellId"] = "cell"
				}
			}
			p.send(map[string]any{"schema_id": schemaResult, "requestId": in.Data.RequestID, "success": true, "result": result})
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, err := jupyter.New(server.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	return p, client
}

// send sends an event. The caller holds p.mu.
func (p *pages) send(event map[string]any) {
	if err := p.socket.WriteJSON(event); err != nil {
		p.t.Log(err) // the client has left
	}
}

// set sets which pages are there, and which of them show the notebook.
func (p *pages) set(showing map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showing, p.asked = showing, nil
}

// TestTheTabThatShowedANotebookIsAskedFirst checks that the others are asked only if one of
// them may show the notebook, too.
func TestTheTabThatShowedANotebookIsAskedFirst(t *testing.T) {
	p, server := newPages(t)
	var tabs Tabs
	const patience = 30 * time.Second // ends when the first page answers
	open := func(sole string) string {
		t.Helper()
		tab, err := tabs.Open(t.Context(), server, "n.ipynb", patience, false, sole)
		p.mu.Lock()
		defer p.mu.Unlock()
		slices.Sort(p.asked)
		asked := strings.Join(p.asked, "")
		p.asked = nil
		if e, ok := errors.AsType[*OpenError](err); ok {
			return fmt.Sprint(asked, " ", e.Reason)
		}
		if err != nil {
			t.Fatal(err)
		}
		return asked + " " + tab.client
	}
	p.set(map[string]bool{"a": false, "b": true, "c": false})
	for i, c := range []struct{ sole, want string }{
		{"session kernel", "abc b"},
		{"session kernel", "b b"},
		{"session kernel", "b b"},
		{"", "abc b"},               // more than one client is connected to the kernel
		{"session kernel", "abc b"}, // one of them has left
		{"session kernel", "b b"},
		{"session other", "abc b"}, // the kernel is another
	} {
		if got := open(c.sole); got != c.want {
			t.Errorf("%d: got %q, want %q", i, got, c.want)
		}
	}

	// The tab no longer shows it, or a second one does.
	p.set(map[string]bool{"a": false, "b": false, "c": false})
	if got := open("session other"); got != "abbc no JupyterLab tab shows it" {
		t.Errorf("got %q", got)
	}
	p.set(map[string]bool{"a": true, "b": true, "c": false})
	if got := open(""); !strings.HasSuffix(got, "2 JupyterLab tabs show it, and each has its own copy") {
		t.Errorf("got %q", got)
	}

	// The page is gone.
	p.set(map[string]bool{"a": true, "c": false})
	if got := open("session kernel"); got != "ac a" {
		t.Errorf("got %q", got)
	}
	p.set(map[string]bool{"b": true, "c": false})
	if got := open("session kernel"); got != "bc b" {
		t.Errorf("got %q", got)
	}
}
