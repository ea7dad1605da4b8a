package jupyter

import (
	"os"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	jupytertest.StopReused()
	os.Exit(code)
}

// overWebsocket returns a real server, which passes the kernels' messages on.
func overWebsocket(t *testing.T) (*jupytertest.Real, *Server) {
	t.Helper()
	real := jupytertest.Reuse(t, jupytertest.WithBaseURL("/user/ann/"), jupytertest.WithArgs(
		"--ZMQChannelsWebsocketConnection.limit_rate=False", "--KernelManager.shutdown_wait_time=1"))
	return real, realClient(t, real)
}

// overSockets returns a real server that lets clients use the kernels' own sockets.
func overSockets(t *testing.T) (*jupytertest.Real, *Server) {
	t.Helper()
	real := jupytertest.Reuse(t, jupytertest.WithSockets(), jupytertest.WithArgs("--KernelManager.shutdown_wait_time=1"))
	return real, realClient(t, real)
}

func realClient(t *testing.T, r *jupytertest.Real) *Server {
	t.Helper()
	s, err := New(r.URL, r.Token, WithRuntimeDir(r.Runtime))
	require.NoError(t, err)
	return s
}

// overBoth runs a test over the websocket, and over the kernel's own sockets.
func overBoth(t *testing.T, test func(*testing.T, *Server)) {
	t.Helper()
	for name, over := range map[string]func(*testing.T) (*jupytertest.Real, *Server){"websocket": overWebsocket, "sockets": overSockets} {
		t.Run(name, func(t *testing.T) {
			_, s := over(t)
			test(t, s)
		})
	}
}
