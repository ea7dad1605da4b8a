package mcphost

import (
	"sync"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// recently is how long after a call a client without a session counts as connected: over
// REST and over MCP's stateless protocol.
const recently = 15 * time.Minute

// maxCallers limits how many callers without a session are remembered, because a caller
// may use any name.
const maxCallers = 1_000

// callers remembers when callers without a session last called. The zero value is ready
// to use.
type callers struct {
	mu   sync.Mutex
	last map[string]time.Time // by identity
}

// note records a call.
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

// Connected returns which clients are connected, by tool.Caller.Identity. Whoever ends something
// that belongs to a client must ask first. After Shutdown, that is not known.
func (h *Host) Connected() (map[string]catalog.Connection, error) {
	if h.guard.closing.Load() {
		return nil, eventbus.ErrClosed
	}
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
