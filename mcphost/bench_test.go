package mcphost

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
)

// BenchmarkCall measures a call that does nothing, which is the host's overhead.
func BenchmarkCall(b *testing.B) {
	bus := eventbus.New()
	catalog.SessionList.Handle(bus, func(context.Context, catalog.SessionListIn) (catalog.SessionListOut, error) {
		return catalog.SessionListOut{Result: catalog.OK, Sessions: []catalog.Session{}}, nil
	}, nil)
	h, err := New(Config{Bus: bus, Tools: catalog.All(), Token: func() string { return testToken }, Log: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	require.NoError(b, h.Listen(b.Context()))
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			b.Error(err)
		}
	}()
	keep := &http.Client{}
	defer keep.CloseIdleConnections()
	for name, c := range map[string][2]string{
		"MCP":        {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"session_list"}}`},
		"REST":       {"/tools/session_list/execute", `{}`},
		"tools-list": {"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, h.URL()+c[0], strings.NewReader(c[1]))
				require.NoError(b, err)
				req.Header.Set("Authorization", "Bearer "+testToken)
				req.Header.Set("Content-Type", "application/json")
				res, err := keep.Do(req)
				require.NoError(b, err)
				_, _ = io.Copy(io.Discard, res.Body)
				if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
					b.Fatal(res.Status, err)
				}
			}
		})
	}
}
