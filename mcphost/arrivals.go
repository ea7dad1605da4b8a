package mcphost

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/mcphost/catalog"
	"easel/mcphost/mcphttp"
)

// announceArrivals reports on the bus which client has connected. It watches the first
// request in each era of the protocol, and the list of tools, which a session that
// outlives Easel reads again.
func (h *Host) announceArrivals(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, m *mcp.InitializeRequest, _ *mcp.InitializeResult) {
		h.arrived(ctx, m.Params.ClientInfo)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, _ *mcp.DiscoverResult) { h.arrivedBy(ctx) })
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, _ *mcp.ListToolsResult) { h.arrivedBy(ctx) })
}

func (h *Host) arrivedBy(ctx context.Context) {
	if call := mcphttp.CallFrom(ctx); call != nil {
		h.arrived(ctx, call.Client())
	}
}

func (h *Host) arrived(ctx context.Context, who mcp.Implementation) {
	if who.Name == "" {
		return
	}
	catalog.Arrivals.Notify(h.c.Bus, catalog.Arrival{
		Name: cut(who.Name, 200), Version: cut(who.Version, 100), Assistant: assistantOf(ctx), At: time.Now().UTC(),
	})
}
