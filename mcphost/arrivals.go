package mcphost

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/mcphttp"
)

// arrived tells the desk which client has just read the list of tools.
func (h *Host) arrived(ctx context.Context, _ any, _ *mcp.ListToolsRequest, _ *mcp.ListToolsResult) {
	call := mcphttp.CallFrom(ctx)
	if call == nil {
		return
	}
	who := call.Client()
	catalog.Arrivals.Notify(h.c.Bus, catalog.Arrival{Name: cut(who.Name, 200), Version: cut(who.Version, 100), At: time.Now().UTC()})
}
