package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"easel/assets"
	"easel/eventbus"
	"easel/internal/mask"
	"easel/mcphost"
	"easel/mcphost/catalog"
	"easel/mcphost/instance"
	"easel/ui/core/clients"
	"easel/ui/core/roster"
	"easel/ui/core/secrets"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// A host is the embedded host with its token.
type host struct {
	*mcphost.Host
	token atomic.Pointer[string]
}

// Token returns the token that callers must send.
func (h *host) Token() string { return *h.token.Load() }

// tokens returns the tokens of assistants.
func (e *easel) tokens(h *host) roster.Tokens { return roster.Tokens{Store: e.Store, Easel: h.Token} }

// tokenOf returns the token for a program; see clients.Connection.
func (e *easel) tokenOf(program clients.Client) string {
	token, ok := e.tokens(e.host).Of(program)
	if !ok {
		return e.host.Token()
	}
	e.mask.Add(mask.Client, token)
	return token
}

// rotateToken creates a new token. Clients with the old one are refused, and their
// streams end.
func (e *easel) rotateToken() error {
	token, err := instance.RotateToken(e.options.DataDir)
	if err != nil {
		return err
	}
	e.mask.Set(mask.Easel, token)
	e.host.token.Store(&token)
	e.host.EndStreams()
	return e.publish()
}

// publish writes the runtime file, so that other programs can find this one.
func (e *easel) publish() error {
	return e.mine.Publish(instance.Runtime{
		URL: e.host.URL(), Port: e.host.Port(), PID: os.Getpid(), Token: e.host.Token(), Version: version, Started: e.started,
		Handover: e.handover,
	})
}

// secretsOf returns a mask of the tokens that were given to this program, and of what is secret in
// its environment.
func secretsOf(o settings.Options) *mask.Mask {
	m := mask.New()
	m.Set(mask.Easel, o.Token)
	m.Add(mask.Jupyter, o.JupyterToken)
	m.Know(secrets.Environment(os.Environ()))
	return m
}

// reportMask is secretsOf for a report that others will read: it also knows the .env files here.
func reportMask(o settings.Options) *mask.Mask {
	m := secretsOf(o)
	here, err := os.Getwd()
	if err != nil {
		return m
	}
	secrets.New(secrets.Config{Mask: m, Store: state.NewStore(state.Snapshot{}), WorkDir: here, Environ: os.Environ()})
	return m
}

func (e *easel) openHost(ctx context.Context) (*host, error) {
	o, token := e.options, e.options.Token
	if token == "" {
		var err error
		if token, err = instance.Token(o.DataDir); err != nil {
			return nil, err
		}
	}
	e.mask.Set(mask.Easel, token)
	port := o.Port
	if port == 0 {
		port = e.Store.Snapshot().Settings.Port
	}
	h := &host{}
	h.token.Store(&token)
	var err error
	assistant := func(token string) (string, bool) {
		id, ok := e.tokens(h).Find(token)
		if ok {
			e.mask.Add(mask.Client, token)
		}
		return id, ok
	}
	h.Host, err = mcphost.New(mcphost.Config{
		Assistant: assistant, Viewer: clients.ShowsViewer,
		Bus: e.bus, Tools: catalog.All(), Name: "easel", Version: version, Instructions: assets.Instructions,
		Token: h.Token, Mask: e.mask, Port: port, PortFixed: o.Port != 0, Log: e.log, SessionsFile: filepath.Join(o.DataDir, "mcp-sessions.json"),
	})
	if err != nil {
		return nil, err
	}
	if err := h.Listen(ctx); err != nil {
		if o.Port != 0 {
			err = fmt.Errorf("%w; give another with --port or EASEL_PORT, or none to use the next free one", err)
		}
		return nil, err
	}
	e.Store.Update(func(s *state.Snapshot) { s.URL, s.PortNote = h.URL(), h.PortNote() })
	return h, nil
}

// connected returns the clients that are connected to the host.
func (e *easel) connected() (map[string]catalog.Connection, error) {
	if h := e.clients.Load(); h != nil {
		return h.Connected()
	}
	return nil, eventbus.ErrNoHandler
}
