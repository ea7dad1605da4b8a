package kernels_test

import (
	"errors"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
)

// TestHostsAreServers checks that the kernels without a server do not stand in for a server.
func TestHostsAreServers(t *testing.T) {
	t.Parallel()
	d, _ := newFake(t)
	d.AddLocal(d.otherClient())
	if hosts, err := d.Hosts(d.context(), ""); err != nil || len(hosts) != 1 || hosts[0].Name != "test" {
		t.Errorf("got %v, %v", hosts, err)
	}
	d.SetServer(nil, catalog.ServerHealth{Name: "test", State: kernels.ServerFailed, Message: "it does not start"})
	hosts, err := d.Hosts(d.context(), "")
	if e, ok := errors.AsType[*kernels.NotReadyError](err); !ok || e.Health.State != kernels.ServerFailed {
		t.Errorf("got %v, %v", hosts, err)
	}
}
