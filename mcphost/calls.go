package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"easel/eventbus"
	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// activityLimit limits the parameters and the result in an activity, in bytes.
const activityLimit = 64 << 10

// A record follows one call from start to end, for the log and for the window's activity
// list.
type record struct {
	h     *Host
	a     catalog.Activity // used by the goroutine that serves the call
	begun catalog.Activity // as notified first; it never changes

	mu        sync.Mutex // guards the fields below and orders the notifications
	execution string
	ended     bool
}

// begin records the start of a call.
func (h *Host) begin(ctx context.Context, name string, args json.RawMessage) *record {
	caller := tool.CallerFrom(ctx)
	h.callers.note(caller, time.Now())
	a := catalog.Activity{
		ID: h.calls.Add(1), Began: time.Now().UTC(),
		Transport: string(caller.Transport), Client: caller.String(), Name: caller.Name, Version: caller.Version,
		Assistant: caller.Assistant,
		Tool:      name, Args: bounded(args), Status: catalog.StatusRunning,
	}
	catalog.Activities.Notify(h.c.Bus, a)
	return &record{h: h, a: a, begun: a}
}

// watching returns a context in which the caller's Started reports the execution to the
// record.
func (r *record) watching(ctx context.Context) context.Context {
	caller := tool.CallerFrom(ctx)
	caller.Started = r.started
	return tool.WithCaller(ctx, caller)
}

// started runs on the body's goroutine, which may outlive the call.
func (r *record) started(executionID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended || executionID == "" {
		return
	}
	r.execution = executionID
	a := r.begun
	a.ExecutionID = executionID
	catalog.Activities.Notify(r.h.c.Bus, a)
}

// end records the end of the call, with the output out and its JSON raw, or with err. It may be called again, if more is known then.
func (r *record) end(ctx context.Context, out any, raw json.RawMessage, err *tool.Error) {
	if r.a.Ended.IsZero() {
		r.a.Ended = time.Now().UTC()
	}
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("tool", r.a.Tool), slog.String("transport", r.a.Transport), slog.String("client", r.a.Client),
		slog.Duration("took", r.a.Ended.Sub(r.a.Began)), slog.Uint64("call", r.a.ID),
	}
	switch {
	case err != nil:
		r.a.Status, r.a.Detail = string(err.Code), err.Detail
		attrs = append(attrs, slog.String("cause", err.Error()))
		if err.Code == tool.Internal {
			level = slog.LevelError
		}
		if p, ok := errors.AsType[*eventbus.PanicError](err); ok {
			attrs = append(attrs, slog.String("stack", string(p.Stack)))
		}
	case failed(out):
		r.a.Status = "failed"
	default:
		r.a.Status = "ok"
	}
	if err == nil {
		r.a.Result, r.a.SessionID = bounded(raw), catalog.SessionOf(nil, out)
		if n, ok := out.(interface {
			Replaced() *catalog.KernelReplaced
		}); ok {
			r.a.KernelReplaced = n.Replaced()
		}
		r.a.Images = nil
		for _, l := range linksOf(out) {
			r.a.Images = append(r.a.Images, l.URI)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.h.log.LogAttrs(ctx, level, "call", append(attrs, slog.String("code", r.a.Status))...)
	}
	r.ended, r.a.ExecutionID = true, r.execution
	catalog.Activities.Notify(r.h.c.Bus, r.a)
}

// invoke runs a tool for ctx's caller. It returns the output and its JSON, to which it
// adds the parameters that were not used as given.
func (h *Host) invoke(ctx context.Context, t tool.Any, args json.RawMessage) (out any, raw json.RawMessage, note tool.Note,
	err *tool.Error,
) {
	limit := maxCall
	if tool.CallerFrom(ctx).Asking != nil { // it may wait for the user
		limit = maxConversation
	}
	ctx, cancel := h.untilQuit(ctx, limit)
	defer cancel()
	e := checkMarks(t.Spec(), args)
	if e == nil {
		out, note, e = t.Invoke(ctx, h.c.Bus, args)
	}
	if e == nil {
		raw, e = tool.Marshal(out)
	}
	if e == nil {
		raw, e = noted(raw, note)
	}
	if e != nil {
		return nil, nil, note, tool.AsError(e)
	}
	return out, raw, note, nil
}

// untilQuit returns ctx with a deadline. The new context also ends when the host shuts
// down.
func (h *Host) untilQuit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.quit, func() { cancel(context.Cause(h.quit)) })
	ctx, expire := context.WithTimeout(ctx, limit)
	return ctx, func() {
		stop()
		expire()
		cancel(nil)
	}
}

func failed(out any) bool {
	f, ok := out.(tool.Failer)
	return ok && f.Failed()
}

func linksOf(out any) []tool.Link {
	if l, ok := out.(tool.Linker); ok {
		return l.Links()
	}
	return nil
}

// bounded returns raw if it is JSON and not too long, otherwise its beginning as a JSON
// string.
func bounded(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if len(raw) <= activityLimit && json.Valid(raw) {
		return raw
	}
	b, err := json.Marshal(truncate.Excerpt(string(raw), activityLimit/2)) // quoting may double its length
	if err != nil {                                                        // a string can always be encoded
		return nil
	}
	return b
}
