package core

import (
	"fmt"
	"path/filepath"
	"sync/atomic"

	"easel/internal/mask"
	"easel/jupyter"
	"easel/jupyter/tunnel"
)

// socketsDir is the directory in the data directory for the sockets of tunnels.
const socketsDir = "ssh"

// client returns a client of the server with that name at an address, which may be on
// another machine. The way there is opened by the first request. Close the client.
func (c *Core) client(name, address, token string) (*jupyter.Server, error) {
	if !tunnel.IsAddress(address) {
		return jupyter.New(address, token, append(c.clientOptions(), jupyter.WithRoot(rootOf(address)))...)
	}
	there, err := tunnel.Parse(address)
	if err == nil && there.Path != "" {
		err = fmt.Errorf("%w: %s is a project there, which assistants open with session_create(directory=%[2]q)", tunnel.ErrAddress, there)
	}
	if err != nil {
		return nil, err
	}
	var checking atomic.Bool
	return tunnel.New(tunnel.Config{
		Address: there, Dir: filepath.Join(c.cfg.Options.DataDir, socketsDir), Log: c.cfg.Log,
		Changed: func() {
			if c.life.Err() == nil && !checking.Swap(true) {
				c.tasks.Go(func() {
					checking.Store(false)
					c.Kernels.Servers.Recheck(c.life, name)
				})
			}
		},
	}).Client(token, c.clientOptions()...), nil
}

// clientOptions returns the options of every client but those of the managed server and of
// this machine's kernels.
func (c *Core) clientOptions() []jupyter.Option {
	return []jupyter.Option{jupyter.WithLogger(c.cfg.Log), jupyter.WithGuard(c.guard), jupyter.WithTokenUse(c.useToken)}
}

// guard says why Jupyter must not be asked for a path, or returns "". It would write a token to
// its log, of which Easel keeps that of its own server.
func (c *Core) guard(path string) string {
	if c.cfg.Mask.Holds(path) {
		return "contains a token, which Jupyter would write to its log"
	}
	return c.private.Why(path)
}

// useToken keeps the token of a Jupyter server out of results and logs.
func (c *Core) useToken(token string) { c.cfg.Mask.Add(mask.Jupyter, token) }
