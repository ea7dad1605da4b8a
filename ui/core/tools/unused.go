package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// endedUnused returns the error for a session that Easel ended because it was unused. It
// lists the variables that were lost.
func endedUnused(c tool.Code, e *kernels.UnusedError) *tool.Error {
	s := e.Session
	var b strings.Builder
	fmt.Fprintf(&b, "Easel ended this session at %s because nobody had used it for %s.", s.EndedAt.UTC().Format(time.RFC3339), hours(s.Held.Unused))
	switch h := s.Held; {
	case h.Unknown:
		b.WriteString(" Its variables are lost.")
	case len(h.Variables) == 0:
		b.WriteString(" It had no variables.")
	default:
		fmt.Fprintf(&b, " Its variables are lost: %s.", strings.Join(heldVariables(h), ", "))
	}
	if s.Images > 0 {
		fmt.Fprintf(&b, " Easel keeps its %s.", plural(s.Images, "image"))
	}
	hint := "session_create starts a new session; run the code for the variables that you need again."
	if s.Images > 0 {
		hint += " list_session_images still lists the images."
	}
	return &tool.Error{Code: c, Detail: b.String(), Hint: hint, Err: e}
}

func heldVariables(h *library.Held) []string {
	var list []string
	for _, v := range h.Variables {
		list = append(list, v.Name+" ("+strings.Join(slices.DeleteFunc([]string{v.Type, v.Size}, func(s string) bool { return s == "" }), ", ")+")")
	}
	if h.More > 0 {
		list = append(list, fmt.Sprintf("and %d more", h.More))
	}
	return list
}

// hours returns a duration in hours, minutes or seconds, rounded, for example "4 hours".
func hours(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return plural(int(d.Round(time.Hour)/time.Hour), "hour")
	case d >= time.Minute:
		return plural(int(d.Round(time.Minute)/time.Minute), "minute")
	default:
		return plural(int(d.Round(time.Second)/time.Second), "second")
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// idleMost is the largest number of idle sessions that session_create returns.
const idleMost = 3

// idleSessions returns the idle sessions that the caller already has on the server of made,
// the last used first. They are those that the caller has used, and those that a client of
// its name created, unless another client that is still connected uses them.
func (b *bodies) idleSessions(ctx context.Context, made library.Session) []catalog.IdleSession {
	caller := tool.CallerFrom(ctx)
	id := caller.Identity()
	if id == "" {
		return nil
	}
	clients, err := catalog.ConnectedClients.Ask(ctx, b.Bus, struct{}{})
	if err != nil {
		return nil // it is unknown which clients are connected
	}
	now := time.Now()
	others := func(users []string) bool {
		return slices.ContainsFunc(users, func(u string) bool { return u != id && clients[u].Holds(now) })
	}
	views := slices.DeleteFunc(b.Kernels.Live(), func(v kernels.SessionView) bool {
		users := strings.Fields(v.Users)
		mine := slices.Contains(users, id) || v.Client == caller.Name && !others(users)
		return !mine || v.ID == made.ID || v.Owner != kernels.OwnerEasel || v.Server != made.Server || v.Gone || v.Status != "idle" || v.Queued > 0
	})
	slices.SortFunc(views, func(a, b kernels.SessionView) int { return cmp.Compare(b.Used.UnixNano(), a.Used.UnixNano()) })
	var list []catalog.IdleSession
	for _, v := range views[:min(len(views), idleMost)] {
		list = append(list, catalog.IdleSession{SessionID: v.ID, IdleMinutes: int(now.Sub(v.Used) / time.Minute)})
	}
	return list
}

// pinSession sets whether a session is exempt from being ended when unused. The window
// calls it.
func (b *bodies) pinSession(ctx context.Context, in catalog.PinSessionIn) (struct{}, error) {
	return struct{}{}, b.Kernels.Pin(ctx, in.SessionID, in.Pinned)
}

// publishUnused returns the function that shows in the window and in the log of calls that
// Easel ended an unused session.
func publishUnused(bus *eventbus.Bus, store *state.Store) func(library.Session) {
	return func(s library.Session) {
		name := sessionName(kernels.SessionView{Session: s})
		store.Update(func(n *state.Snapshot) {
			n.Unused = append(slices.Clone(n.Unused), state.UnusedSession{SessionID: s.ID, Name: name, At: s.EndedAt, After: s.Held.Unused, Variables: heldVariables(s.Held)})
			n.Unused = n.Unused[max(0, len(n.Unused)-maxUnused):]
		})
		catalog.Activities.Notify(bus, catalog.Activity{
			ID: uint64(s.EndedAt.UnixMicro()), Began: s.EndedAt, Ended: s.EndedAt,
			Transport: string(tool.Window), Client: "Easel", Tool: "session_delete", Status: "ok",
			Args:   jsonOf(map[string]string{"session_id": s.ID}),
			Detail: fmt.Sprintf("%s was not used for %s.", name, hours(s.Held.Unused)),
			Result: jsonOf(map[string]any{"session_id": s.ID, "status": "deleted", "unused": hours(s.Held.Unused), "variables": heldVariables(s.Held)}),
		})
	}
}

func jsonOf(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // strings can always be marshalled
		return nil
	}
	return raw
}

// maxUnused is the largest number of ended unused sessions in the state.
const maxUnused = 20
