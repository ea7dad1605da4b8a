package kernels

// Interpreters are the programs that the kernels of this machine run in, where the system
// tells: absolute paths, each once.
func (m *Manager) Interpreters() []string {
	views := m.Live()
	ids := make([]string, len(views))
	for i, v := range views {
		ids[i] = v.KernelID
	}
	return interpretersOf(ids)
}
