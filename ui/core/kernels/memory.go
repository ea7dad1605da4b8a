package kernels

import (
	"slices"

	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
)

// An IdleSession is an idle session and the memory that its kernel uses.
type IdleSession struct {
	record.SessionView
	Bytes int64
}

// Idle returns the idle ones of live sessions that could be ended to free memory, those that use most
// first: sessions that Easel started on this machine and that are not pinned. It returns
// nil on systems other than Linux.
func Idle(live []record.SessionView) []IdleSession {
	views := slices.DeleteFunc(live, func(v record.SessionView) bool {
		return v.Owner != record.OwnerEasel || v.Status != "idle" || v.Queued > 0 || v.Gone || v.Pinned
	})
	ids := make([]string, len(views))
	for i, v := range views {
		ids[i] = v.KernelID
	}
	memory := inspect.Memory(ids)
	var list []IdleSession
	for _, v := range views {
		if b := memory[v.KernelID]; b > 0 {
			list = append(list, IdleSession{v, b})
		}
	}
	slices.SortFunc(list, func(a, b IdleSession) int { return int(b.Bytes - a.Bytes) })
	return list
}
