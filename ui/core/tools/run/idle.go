package run

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

// idleMost is the largest number of idle sessions that session_create returns.
const idleMost = 3

// idleSessions returns the idle sessions that the caller already has on the server of made,
// the last used first. They are those that the caller has used, and those that a client of
// its name created, unless another client that is still connected uses them.
func (t *sessions) idleSessions(ctx context.Context, made library.Session) []catalog.IdleSession {
	caller := tool.CallerFrom(ctx)
	id := caller.Identity()
	if id == "" {
		return nil
	}
	clients, err := t.connected()
	if err != nil {
		return nil // it is unknown which clients are connected
	}
	now := time.Now()
	others := func(users []string) bool {
		return slices.ContainsFunc(users, func(u string) bool { return u != id && clients[u].Holds(now) })
	}
	views := slices.DeleteFunc(t.kernels.Live(), func(v record.SessionView) bool {
		users := strings.Fields(v.Users)
		mine := slices.Contains(users, id) || v.Client == caller.Name && !others(users)
		return !mine || v.ID == made.ID || v.Owner != record.OwnerEasel || v.Server != made.Server || v.Gone || v.Status != "idle" || v.Queued > 0
	})
	slices.SortFunc(views, func(a, b record.SessionView) int { return cmp.Compare(b.Used.UnixNano(), a.Used.UnixNano()) })
	var list []catalog.IdleSession
	for _, v := range views[:min(len(views), idleMost)] {
		list = append(list, catalog.IdleSession{SessionID: v.ID, IdleMinutes: int(now.Sub(v.Used) / time.Minute)})
	}
	return list
}
