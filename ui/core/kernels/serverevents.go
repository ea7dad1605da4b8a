package kernels

import (
	"context"

	"easel/jupyter"
	"easel/mcphost/catalog"
)

func (m *Manager) serverChanged(h catalog.ServerHealth) {
	if m.cfg.On.Server != nil {
		m.cfg.On.Server(h)
	}
}

// serverReady joins again the kernels of a server that Easel does not run.
func (m *Manager) serverReady(ctx context.Context, name string) {
	if err := m.Restore(ctx, name); err != nil {
		m.cfg.Log.WarnContext(ctx, "reconnecting to kernels", "server", name, "err", err)
	}
}

// serverRemoved leaves the kernels of a server. Their executions end as lost.
func (m *Manager) serverRemoved(name string) {
	for _, r := range m.recorders.all() {
		if r.server == name {
			m.tasks.Go(func() { r.post(func() { r.parted("Easel no longer knows its Jupyter server") }) })
		}
	}
	if m.cfg.On.ServerRemoved != nil {
		m.cfg.On.ServerRemoved(name)
	}
}

// serverReplaced ends the recorders of a server that was restarted, so that its former kernels
// are gone.
func (m *Manager) serverReplaced(former *jupyter.Server) {
	for _, r := range m.recorders.all() {
		if r.client == former {
			m.tasks.Go(func() { r.post(func() { r.gone("the Jupyter server was restarted") }) })
		}
	}
}
