package paths

import (
	"context"
	"slices"
	"sync"

	"easel/jupyter"
	"easel/mcphost/tool"
)

// A choice is the server on which a caller works with a notebook.
type choice struct{ caller, path, server string }

// Choices are the choices of all callers, the latest last. The zero value is ready to use.
type Choices struct {
	mu   sync.Mutex
	made []choice
}

// maxChoices is the largest number of choices that are remembered.
const maxChoices = 256

// Add records that the caller has chosen a server for the notebook at path, if that is not
// "". An empty server removes the caller's choice.
func (c *Choices) Add(ctx context.Context, path, server string) {
	clean, err := jupyter.CleanPath(path)
	if err != nil || clean == "" {
		return
	}
	new := choice{tool.CallerFrom(ctx).Process(), clean, server}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = slices.DeleteFunc(c.made, func(o choice) bool { return o.caller == new.caller && o.path == new.path })
	if server != "" {
		c.made = append(c.made, new)
	}
	c.made = c.made[max(0, len(c.made)-maxChoices):]
}

// Of returns the server that the caller has chosen for the notebook at path; "" if none, or if
// path is "".
// renamed returns the present path of a notebook that was renamed since.
func (c *Choices) Of(ctx context.Context, path string, renamed func(server, path string) string) string {
	who := tool.CallerFrom(ctx).Process()
	if path == "" { // not the name of what was not renamed
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range slices.Backward(c.made) {
		if o.caller == who && (o.path == path || renamed(o.server, o.path) == path) {
			return o.server
		}
	}
	return ""
}
