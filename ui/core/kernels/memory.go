package kernels

import "slices"

// A Holding is what an idle session's kernel holds in memory.
type Holding struct {
	SessionView
	Bytes int64
}

// Idle lists the idle sessions that Easel started on this machine and that could be
// ended, by the memory that this would free, most first.
func (m *Manager) Idle() []Holding {
	views := slices.DeleteFunc(m.Live(), func(v SessionView) bool {
		return v.Owner != OwnerEasel || v.Status != "idle" || v.Queued > 0 || v.Gone || v.Pinned
	})
	ids := make([]string, len(views))
	for i, v := range views {
		ids[i] = v.KernelID
	}
	memory := memoryOf(ids)
	var list []Holding
	for _, v := range views {
		if b := memory[v.KernelID]; b > 0 {
			list = append(list, Holding{v, b})
		}
	}
	slices.SortFunc(list, func(a, b Holding) int { return int(b.Bytes - a.Bytes) })
	return list
}
