//go:build unix

package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/servers"
)

// TestServerOnAnotherMachine adds and removes a server that is reached with ssh. The ssh here is
// one that no machine lets in; the tests of package tunnel use a real one.
func TestServerOnAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'Permission denied (publickey).' >&2\nexit 255\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	d, bus, dataDir := open(t, jupytertest.NewServer(t), jupytertest.NewServer(t))
	sockets, precious := filepath.Join(dataDir, "ssh"), filepath.Join(dataDir, "precious")
	require.NoError(t, os.WriteFile(precious, nil, 0o600))
	add := func(name, address string) error {
		_, err := command.AddServer.Ask(t.Context(), bus, command.NamedServer{Name: name, URL: address})
		return err
	}
	for name, address := range map[string]string{"option": "ssh://-oProxyCommand=id", "password": "ssh://ann:secret@gpu", "..": "ssh://gpu"} {
		if err := add(name, address); err == nil || tool.AsError(err).Code != tool.Validation || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", address, err)
		}
	}
	require.NoError(t, add("gpu", "ssh://gpu"))
	health := func() catalog.ServerHealth {
		for _, h := range d.Kernels.Servers.Health() {
			if h.Name == "gpu" {
				return h
			}
		}
		return catalog.ServerHealth{}
	}
	require.Eventually(t, "the problem", func() bool { return health().State == servers.StateUnreachable })
	if h := health(); h.URL != "ssh://gpu" || h.Reason != string(tunnel.Denied) || !strings.Contains(h.Message, "ssh-add") {
		t.Errorf("got %+v", h)
	}
	if err := add("gpu", "ssh://other"); err == nil {
		t.Error("another machine of the same name was added")
	}
	if _, err := command.RemoveServer.Ask(t.Context(), bus, "gpu"); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(sockets); err != nil || len(left) > 0 {
		t.Errorf("left in %s: %v, %v", sockets, left, err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}
