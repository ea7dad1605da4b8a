package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"easel/internal/require"
)

// withToken adds the token to each request.
type withToken struct{ http.RoundTripper }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testToken)
	return w.RoundTripper.RoundTrip(r)
}

// TestTheGoSDKOutlivesACancelledCall covers the SDK's client, which reports a cancelled
// call in a notification without _meta and stops working permanently if that is
// rejected.
func TestTheGoSDKOutlivesACancelledCall(t *testing.T) {
	for name, version := range map[string]string{"stateless": "2026-07-28", "sessions": "2025-06-18"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			client := sdk.NewClient(&sdk.Implementation{Name: "gopher", Version: "1"}, nil)
			s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
				Endpoint: r.URL() + "/mcp", HTTPClient: &http.Client{Transport: withToken{transport}},
			}, &sdk.ClientSessionOptions{ProtocolVersion: version})
			require.NoError(t, err)
			defer s.Close()
			if v := s.InitializeResult().ProtocolVersion; v != version {
				t.Errorf("they speak %s, want %s", v, version)
			}
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "execute_code", Arguments: map[string]any{"session_id": "s", "code": "hold"}})
				failed <- err
			}()
			caller := r.caller(t)
			cancel()
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled call: %v", err)
			}
			isClosed(t, caller.Cancelled, true, "the SDK's cancel")
			for range 3 {
				res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "execute_code", Arguments: map[string]any{"session_id": "s", "code": "1"}})
				if err != nil || res.IsError {
					t.Fatalf("after a cancelled call: %v, %v", res, err)
				}
			}
			list, err := s.ListTools(t.Context(), nil)
			require.NoError(t, err)
			for _, x := range list.Tools {
				if raw, err := json.Marshal(x.InputSchema); err != nil || len(raw) < 20 {
					t.Errorf("%s: %s, %v", x.Name, raw, err)
				}
			}
		})
	}
}
