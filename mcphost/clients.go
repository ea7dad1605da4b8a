package mcphost

import (
	"context"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// recently is for how long after a call one counts as connected who has no session
// that would tell: over REST, and over MCP's stateless protocol.
const recently = 15 * time.Minute

// maxCallers bounds how many callers without a session are remembered: each may give
// itself any name.
const maxCallers = 1_000

// callers remembers when who called that has no session. The zero value is ready.
type callers struct {
	mu   sync.Mutex
	last map[string]time.Time // by identity
}

// note remembers that somebody calls.
func (c *callers) note(who tool.Caller, now time.Time) {
	id := who.Identity()
	if id == "" || who.Session != "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = make(map[string]time.Time)
	}
	if len(c.last) >= maxCallers {
		for id, at := range c.last {
			if now.Sub(at) >= recently {
				delete(c.last, id)
			}
		}
	}
	if _, known := c.last[id]; known || len(c.last) < maxCallers {
		c.last[id] = now
	}
}

// connected answers catalog.ConnectedClients.
func (h *Host) connected(context.Context, struct{}) (map[string]catalog.Connection, error) {
	all := make(map[string]catalog.Connection)
	h.callers.mu.Lock()
	for id, at := range h.callers.last {
		all[id] = catalog.Connection{Until: at.Add(recently)}
	}
	h.callers.mu.Unlock()
	for _, c := range h.mcp.Clients() {
		id := tool.Caller{Transport: tool.MCP, Name: cut(c.Name, 200), Session: c.Session}.Identity()
		all[id] = catalog.Connection{Open: c.Open || all[id].Open, Until: c.Expires}
	}
	return all, nil
}
