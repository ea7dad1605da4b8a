package kernels

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
)

// A MemoryUser is a session whose kernel runs on this machine, and the memory that the kernel uses.
type MemoryUser struct {
	record.SessionView
	Bytes int64
}

// Idle reports whether the session could be ended to free memory: Easel started it, and it is idle and not pinned.
func (u MemoryUser) Idle() bool {
	return u.Owner == record.OwnerEasel && u.Status == "idle" && u.Queued == 0 && !u.Pinned
}

// MemoryUsers returns those of live sessions whose kernels run on this machine, those that use most memory first. It
// returns nil on systems other than Linux.
func MemoryUsers(live []record.SessionView) []MemoryUser {
	ids := make([]string, len(live))
	for i, v := range live {
		ids[i] = v.KernelID
	}
	memory := inspect.Memory(ids)
	var list []MemoryUser
	for _, v := range live {
		if b := memory[v.KernelID]; b > 0 && !v.Gone {
			list = append(list, MemoryUser{v, b})
		}
	}
	slices.SortFunc(list, func(a, b MemoryUser) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// Largest returns the variables of a live session that use most memory, at most most of them. It returns nil if the
// kernel cannot tell now, or the user does not allow to read them. That is no use of the session.
func Largest(ctx context.Context, m *Manager, id string, most int) []catalog.Variable {
	r := m.recorders.find(id)
	if r == nil || m.cfg.Gate.Read(ctx, r.Session.Stored().Project, false) != nil {
		return nil
	}
	all, err := inspect.Variables(ctx, r.Inquiry, "")
	if err != nil {
		return nil
	}
	all = slices.DeleteFunc(all, func(v catalog.Variable) bool { return v.MemoryBytes <= 0 })
	slices.SortFunc(all, func(a, b catalog.Variable) int {
		return cmp.Or(cmp.Compare(b.MemoryBytes, a.MemoryBytes), strings.Compare(a.Name, b.Name))
	})
	return all[:min(most, len(all))]
}
