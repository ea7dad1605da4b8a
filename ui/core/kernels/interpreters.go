package kernels

import "easel/ui/core/kernels/inspect"

// Interpreters returns the programs that run the kernels on this machine, as absolute paths,
// each once. It returns nil on systems other than Linux.
func (m *Manager) Interpreters() []string {
	views := m.Live()
	ids := make([]string, len(views))
	for i, v := range views {
		ids[i] = v.KernelID
	}
	return inspect.Interpreters(ids)
}
