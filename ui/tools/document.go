package tools

import (
	"bytes"
	"context"
	"encoding/json"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/library"
	"easel/ui/state"
)

// historyLength is how many executions the history document holds, newest first.
const historyLength = 200

func (b *bodies) readDocument(ctx context.Context, d catalog.Document) (json.RawMessage, error) {
	s := b.Store.Snapshot()
	switch d {
	case catalog.DocSettings:
		return marshal(s.Settings)
	case catalog.DocHistory:
		return b.history(ctx)
	case catalog.DocState:
		return marshal(stateDocument(s))
	default:
		return nil, tool.Errorf(tool.FileNotFound, "there is no document %q; there are settings, history and state", d)
	}
}

// historyEntry is an execution without its output.
type historyEntry struct {
	ExecutionID string                  `json:"execution_id"`
	SessionID   string                  `json:"session_id"`
	Client      string                  `json:"client"`
	Status      string                  `json:"status"`
	Code        string                  `json:"code"`
	CreatedAt   any                     `json:"created_at"`
	TimeMS      float64                 `json:"execution_time_ms,omitempty"`
	Error       *catalog.ExecutionError `json:"error,omitempty"`
}

func (b *bodies) history(ctx context.Context) (json.RawMessage, error) {
	xs, err := b.Library.Executions(ctx, library.ExecutionQuery{Limit: historyLength})
	if err != nil {
		return nil, err
	}
	entries := make([]historyEntry, len(xs))
	for i, x := range xs {
		e := historyEntry{
			ExecutionID: x.ID, SessionID: x.SessionID, Client: x.Client, Status: x.Status,
			Code: x.Code, CreatedAt: x.CreatedAt.UTC(), Error: x.Error,
		}
		if !x.StartedAt.IsZero() && !x.EndedAt.IsZero() {
			e.TimeMS = float64(x.EndedAt.Sub(x.StartedAt).Microseconds()) / 1000
		}
		entries[i] = e
	}
	return marshal(map[string]any{"executions": entries})
}

// marshal is v as JSON for a model, which pays for each < that is written as \u003c.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// stateDocument is what the window shows now.
func stateDocument(s *state.Snapshot) map[string]any {
	sessions := make([]map[string]any, len(s.Sessions))
	for i, v := range s.Sessions {
		entry := map[string]any{"session": v.Session, "name": v.Name, "client": v.Client, "queued": v.Queued}
		if v.Running != nil {
			entry["running"] = map[string]any{
				"execution_id": v.Running.ExecutionID, "client": v.Running.Client,
				"since": v.Running.Since.UTC(), "code": v.Running.Code,
			}
		}
		sessions[i] = entry
	}
	return map[string]any{
		"url": s.URL, "window": s.Window, "paused": s.Paused, "hold": s.Hold(), "sessions": sessions,
		"folder": map[string]any{"kind": s.Folder.Kind, "id": s.Folder.ID},
		"mode":   s.Mode, "current": s.Current, "selection": append([]string{}, s.Selection...),
		"total": s.Total, "matching": s.Matching,
	}
}
