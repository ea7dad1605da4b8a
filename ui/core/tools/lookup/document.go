package lookup

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// The number of executions in the history document, newest first. An MCP client may give all
// of it to a model, which gets each in short; search_history finds earlier ones.
const (
	historyLength      = 200
	historyLengthModel = 20
)

func (l *lookup) readDocument(ctx context.Context, d catalog.Document) (json.RawMessage, error) {
	s := l.Store.Snapshot()
	switch d {
	case catalog.DocSettings:
		return marshal(s.Settings.Settings)
	case catalog.DocHistory:
		return l.history(ctx)
	case catalog.DocState:
		return marshal(stateDocument(s))
	default:
		return nil, tool.Errorf(tool.FileNotFound, "there is no document %q; there are settings, history and state", d)
	}
}

func (l *lookup) history(ctx context.Context) (json.RawMessage, error) {
	brief, length := tool.CallerFrom(ctx).Transport == tool.MCP, historyLength
	if brief {
		length = historyLengthModel
	}
	xs, err := l.Library.Executions.List(ctx, library.ExecutionQuery{Limit: length})
	if err != nil {
		return nil, err
	}
	entries := make([]catalog.PastExecution, len(xs))
	for i, x := range xs {
		entries[i] = pastExecution(x)
		if brief {
			entries[i] = inShort(entries[i])
		}
	}
	return marshal(catalog.History{Executions: entries})
}

func pastExecution(x library.Execution) catalog.PastExecution {
	e := catalog.PastExecution{
		ExecutionID: x.ID, SessionID: x.SessionID, Client: x.Client, Status: x.Status,
		Code: x.Code, CreatedAt: x.CreatedAt.UTC(), Error: x.Error,
	}
	if !x.StartedAt.IsZero() && !x.EndedAt.IsZero() {
		e.TimeMS = float64(x.EndedAt.Sub(x.StartedAt).Microseconds()) / 1000
	}
	return e
}

// inShort returns the execution with the first lines of its code and error, and without
// fractions of a second.
func inShort(e catalog.PastExecution) catalog.PastExecution {
	e.Code, e.CreatedAt, e.TimeMS = truncate.Line(e.Code, mostLine), e.CreatedAt.Truncate(time.Second), math.Round(e.TimeMS)
	if e.Error != nil {
		e.Error = &catalog.ExecutionError{Code: e.Error.Code, Type: e.Error.Type, Message: truncate.Line(e.Error.Message, mostLine)}
	}
	return e
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
