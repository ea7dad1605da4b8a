package announce

import (
	"encoding/json"
	"fmt"
	"slices"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/sessionname"
	"easel/ui/core/state"
)

// unused returns the function that shows in the window and in the log of calls that
// Easel ended an unused session.
func unused(bus *eventbus.Bus, store *state.Store) func(library.Session) {
	return func(s library.Session) {
		name := sessionname.Of(s.Named())
		store.Update(func(n *state.Snapshot) {
			n.Unused = append(slices.Clone(n.Unused), state.UnusedSession{
				SessionID: s.ID, Name: name, At: s.EndedAt, After: s.Held.Unused,
				Variables: s.Held.Listed(),
			})
			n.Unused = n.Unused[max(0, len(n.Unused)-maxUnused):]
		})
		catalog.Activities.Notify(bus, catalog.Activity{
			ID: uint64(s.EndedAt.UnixMicro()), Began: s.EndedAt, Ended: s.EndedAt,
			Transport: string(tool.Window), Client: "Easel", Tool: "session_delete", Status: "ok",
			Args:   jsonOf(map[string]string{"session_id": s.ID}),
			Detail: fmt.Sprintf("%s was not used for %s.", name, s.Held.UnusedFor()),
			Result: jsonOf(map[string]any{"session_id": s.ID, "status": "deleted", "unused": s.Held.UnusedFor(), "variables": s.Held.Listed()}),
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
