package mcphost

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
)

// Bounds of MCP's notifications.
const (
	announceDepth = 4096
	// announcePause is the least time between two rounds of notifications: a
	// client that reads the list after each must not be asked to do so for each of
	// fifty plots.
	announcePause = 200 * time.Millisecond
)

// news is what clients have not been told yet.
type news struct {
	mu   sync.Mutex
	list bool                // resources/list changed
	uris map[string]struct{} // resources that changed
	wake chan struct{}       // one slot
}

// announce tells MCP clients what changes, until ctx ends.
func (h *Host) announce(ctx context.Context, wg *sync.WaitGroup) {
	n := &news{uris: make(map[string]struct{}), wake: make(chan struct{}, 1)}
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

// add notes what a change, or a gap in them, means to MCP clients.
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
		// A figure that was updated has another URI in the list than before.
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
	case catalog.ExecutionOutput: // far too often, and get_execution has it
		return
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *news) take() (list bool, uris map[string]struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, uris = n.list, n.uris
	n.list, n.uris = false, make(map[string]struct{})
	return list, uris
}

// urisOf are the URIs of an image, in whatever type it comes, and of the version that it
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
		_ = json.Unmarshal(b, &im) // no image: no URI
	}
	return im.URI, im.Replaces
}
