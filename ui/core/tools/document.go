package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// historyLength is the number of executions in the history document, newest first.
const historyLength = 200

func (b *bodies) readDocument(ctx context.Context, d catalog.Document) (json.RawMessage, error) {
	s := b.Store.Snapshot()
	switch d {
	case catalog.DocSettings:
		return marshal(s.Settings.Settings)
	case catalog.DocHistory:
		return b.history(ctx)
	case catalog.DocState:
		return marshal(stateDocument(s))
	default:
		return nil, tool.Errorf(tool.FileNotFound, "there is no document %q; there are settings, history and state", d)
	}
}

func (b *bodies) history(ctx context.Context) (json.RawMessage, error) {
	xs, err := b.Library.Executions(ctx, library.ExecutionQuery{Limit: historyLength})
	if err != nil {
		return nil, err
	}
	entries := make([]catalog.PastExecution, len(xs))
	for i, x := range xs {
		e := catalog.PastExecution{
			ExecutionID: x.ID, SessionID: x.SessionID, Client: x.Client, Status: x.Status,
			Code: x.Code, CreatedAt: x.CreatedAt.UTC(), Error: x.Error,
		}
		if !x.StartedAt.IsZero() && !x.EndedAt.IsZero() {
			e.TimeMS = float64(x.EndedAt.Sub(x.StartedAt).Microseconds()) / 1000
		}
		entries[i] = e
	}
	return marshal(catalog.History{Executions: entries})
}

// marshal returns v as JSON. It does not write < as \u003c, which costs a model tokens.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// stateDocument returns the document easel://state.
func stateDocument(s *state.Snapshot) catalog.State {
	doc := catalog.State{
		URL: s.URL, Window: string(s.Window), Paused: s.Paused, Hold: string(s.Hold()),
		Sessions: make([]catalog.StateSession, len(s.Sessions)),
		Folder:   catalog.StateFolder{Kind: string(cmp.Or(s.Folder.Kind, state.AllSessions)), ID: s.Folder.ID},
		Mode:     string(cmp.Or(s.Mode, state.Grid)), Current: s.Current, Selection: append([]string{}, s.Selection...),
		Total: s.Total, Matching: s.Matching,
	}
	for i, v := range s.Sessions {
		doc.Sessions[i] = catalog.StateSession{Session: v.Session, Name: v.Name, Client: v.Client, Queued: v.Queued}
		if r := v.Running; r != nil {
			doc.Sessions[i].Running = &catalog.StateRunning{ExecutionID: r.ExecutionID, Client: r.Client, Since: r.Since.UTC(), Code: r.Code}
		}
	}
	return doc
}
