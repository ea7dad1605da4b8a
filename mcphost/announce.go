package mcphost

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/internal/wake"
	"easel/mcphost/catalog"
)

// Limits of MCP's notifications.
const (
	announceDepth = 4096
	// announcePause is the minimum time between two rounds of notifications. A client
	// may read the list after each one, and must not do so for each of fifty plots.
	announcePause = 200 * time.Millisecond
)

// news is what clients have not been notified of yet.
type news struct {
	mu   sync.Mutex
	list bool                // resources/list changed
	uris map[string]struct{} // resources that changed
	wake wake.Signal         // one slot
}

// announce notifies MCP clients of changes until ctx ends.
func (h *Host) announce(ctx context.Context, wg *sync.WaitGroup) {
	n := &news{uris: make(map[string]struct{}), wake: wake.New()}
	changes := catalog.Changes.Watch(ctx, h.c.Bus, announceDepth)
	wg.Go(func() {
		for c, err := range changes {
			n.add(c, err != nil)
		}
	})
	wg.Go(func() {
		pause := time.NewTimer(0)
		defer pause.Stop()
		for {
			select {
			case <-n.wake:
			case <-ctx.Done():
				return
			}
			list, uris := n.take()
			if list {
				h.mcp.Broadcast(mcp.MethodNotificationResourcesListChanged)
			}
			for u := range uris {
				h.mcp.Updated(u)
			}
			pause.Reset(announcePause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// add records what a change, or a gap in the changes, means for MCP clients.
func (n *news) add(c catalog.Change, gap bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	doc := func(ds ...catalog.Document) {
		for _, d := range ds {
			n.uris[documentScheme+string(d)] = struct{}{}
		}
	}
	if gap {
		n.list = true
		doc(catalog.DocState, catalog.DocHistory, catalog.DocSettings)
	}
	switch c.Name {
	case catalog.ImageAdded, catalog.ImageRemoved, catalog.ImageChanged:
		uri, replaces := urisOf(c.Object)
		// An updated figure has a new URI in the list.
		n.list = n.list || c.Name != catalog.ImageChanged || replaces != ""
		for _, u := range []string{uri, replaces} {
			if u != "" {
				n.uris[u] = struct{}{}
			}
		}
		doc(catalog.DocState)
	case catalog.ExecutionStarted, catalog.ExecutionEnded:
		doc(catalog.DocHistory, catalog.DocState)
	case catalog.SessionChanged, catalog.SelectionChanged, catalog.ViewChanged, catalog.ApprovalRequested, catalog.ApprovalAnswered:
		doc(catalog.DocState)
	case catalog.SettingsChanged:
		doc(catalog.DocSettings)
	case catalog.ExecutionOutput: // too frequent, and get_execution returns it
		return
	}
	n.wake.Notify()
}

func (n *news) take() (list bool, uris map[string]struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, uris = n.list, n.uris
	n.list, n.uris = false, make(map[string]struct{})
	return list, uris
}

// urisOf returns the URIs of an image, whatever its type, and of the version that it
// replaced.
func urisOf(object any) (uri, replaces string) {
	switch o := object.(type) {
	case catalog.Image:
		return o.ResourceURI, o.Replaces
	case *catalog.Image:
		return o.ResourceURI, o.Replaces
	}
	var im struct {
		URI      string `json:"resource_uri"`
		Replaces string `json:"replaces"`
	}
	if b, err := json.Marshal(object); err == nil {
		_ = json.Unmarshal(b, &im) // anything but an image has no URI
	}
	return im.URI, im.Replaces
}
