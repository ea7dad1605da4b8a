package projects

import (
	"context"
	"sync"

	"easel/mcphost/tool"
)

// callers remembers the project that each caller has worked in last, and what it was told. Its zero value has none.
type callers struct {
	mu     sync.Mutex
	latest map[string]string // roots by the callers' processes
	told   map[string]bool   // those that know why they do not work in their directory
}

// mostCallers is the largest number of callers whose projects are remembered.
const mostCallers = 256

// works remembers the project that the caller works in from now on, by its root.
func (c *callers) works(ctx context.Context, root string) {
	id := tool.CallerFrom(ctx).Process()
	if id == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.latest == nil || len(c.latest) >= mostCallers {
		c.latest = make(map[string]string)
	}
	c.latest[id] = root
}

// root returns the root of the project that the caller has worked in last, or "".
func (c *callers) root(ctx context.Context) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest[tool.CallerFrom(ctx).Process()]
}

// tellFirst reports whether the caller is to be told now why it does not work in its own directory, which it is once.
func (c *callers) tellFirst(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := tool.CallerFrom(ctx).Process()
	if c.told[id] {
		return false
	}
	if c.told == nil || len(c.told) >= mostCallers {
		c.told = make(map[string]bool)
	}
	c.told[id] = id != ""
	return true
}
