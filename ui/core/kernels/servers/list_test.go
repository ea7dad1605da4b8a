package servers_test

import (
	"errors"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
)

// TestHostsAreServers checks that the kernels without a server do not stand in for a server.
func TestHostsAreServers(t *testing.T) {
	t.Parallel()
	l := servers.NewList(servers.Events{Changed: func(catalog.ServerHealth) {}})
	client, err := jupyter.New("http://127.0.0.1:1", "")
	require.NoError(t, err)
	l.Add("test", false)
	l.Set(client, catalog.ServerHealth{Name: "test", State: servers.StateReady})
	l.AddLocal(client)
	if hosts, err := l.Hosts(t.Context(), ""); err != nil || len(hosts) != 1 || hosts[0].Name != "test" {
		t.Errorf("got %v, %v", hosts, err)
	}
	l.Set(nil, catalog.ServerHealth{Name: "test", State: servers.StateFailed, Message: "it does not start"})
	hosts, err := l.Hosts(t.Context(), "")
	if e, ok := errors.AsType[*servers.NotReadyError](err); !ok || e.Health.State != servers.StateFailed {
		t.Errorf("got %v, %v", hosts, err)
	}
}
