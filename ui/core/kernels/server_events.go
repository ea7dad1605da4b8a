package kernels

import (
	"context"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
)

// serverEvents returns what the manager does when something happens to a server.
func (m *Manager) serverEvents() servers.Events {
	end := func(what func(*record.Recorder), of func(*record.Recorder) bool) {
		for _, r := range m.recorders.all() {
			if of(r) {
				m.tasks.Go(func() { what(r) })
			}
		}
	}
	return servers.Events{
		Changed: func(h catalog.ServerHealth) {
			if m.cfg.On.Server != nil {
				m.cfg.On.Server(h)
			}
		},
		Ready: func(ctx context.Context, name string) {
			if err := m.Restore(ctx, name); err != nil {
				m.cfg.Log.WarnContext(ctx, "reconnecting to kernels", "server", name, "err", err)
			}
		},
		Replaced: func(former *jupyter.Server) {
			end(func(r *record.Recorder) { r.KernelGone("the Jupyter server was restarted") },
				func(r *record.Recorder) bool { return r.Link.Client == former })
		},
		// Easel leaves the kernels of a server that is removed, and their executions end as lost.
		Removed: func(name string) {
			end(func(r *record.Recorder) { r.Leave("Easel no longer knows its Jupyter server") },
				func(r *record.Recorder) bool { return r.Link.Server == name })
			if m.cfg.On.ServerRemoved != nil {
				m.cfg.On.ServerRemoved(name)
			}
		},
	}
}
