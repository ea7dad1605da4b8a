package mcphost

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/eventbus"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

// Limits of conversations.
const (
	maxConversations = 200
	// maxConversation is a safety limit, as maxCall is: a question that is open for longer can still be answered elsewhere.
	maxConversation = time.Hour
	// returnPatience is how long the result of a call waits for its client, after the question that it shows was answered elsewhere.
	returnPatience = 10 * time.Minute
)

// A conversation is a call of protocol 2026-07-28 that goes on while its requests are answered with questions for the user: the client
// sends the answer with the next request. The call itself is made once. So what runs is what the user was asked about, whatever the
// later requests say.
type conversation struct {
	h         *Host
	tool      string
	caller    tool.Caller // of the first request
	cancelled chan struct{}
	stop      context.CancelCauseFunc
	asks      chan *openQuestion // one slot
	done      chan struct{}      // closed when there is a result
	result    *mcp.CallToolResult

	mu       sync.Mutex
	here     chan struct{}       // closed while a request waits for the result
	shown    *openQuestion       // that the client shows; nil if none
	progress func(tool.Progress) // of the request that waits; may be nil
}

// converse makes a call, and returns its result or a question.
func (h *Host) converse(ctx context.Context, t tool.Any, req mcp.CallToolRequest) *mcp.CallToolResult {
	v := &conversation{
		h: h, tool: t.Spec().Name, caller: mcpCaller(ctx, req.Params.Meta), cancelled: make(chan struct{}),
		asks: make(chan *openQuestion, 1), done: make(chan struct{}), here: make(chan struct{}),
	}
	caller := v.caller
	caller.Cancelled = v.cancelled
	if caller.Progress != nil {
		caller.Progress = v.report
	}
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	v.stop = stop
	h.chats.work.Go(func() {
		defer stop(nil)
		defer h.chats.forget(v)
		defer close(v.done)
		defer func() { // as mcphttp does for what runs on a request's goroutine
			if p := recover(); p != nil {
				h.log.ErrorContext(ctx, "a call panicked", "cause", panicError(p))
				v.result = errorResult(tool.AsError(panicError(p)))
			}
		}()
		v.result = h.serveTool(tool.WithCaller(life, caller), t, req.Params.RawArguments, v)
	})
	return v.attend(ctx, req)
}

// resume goes on with the call that a request continues. A state counts once.
func (h *Host) resume(ctx context.Context, name string, req mcp.CallToolRequest) *mcp.CallToolResult {
	caller := mcpCaller(ctx, req.Params.Meta)
	q, ok := h.chats.resumed(req.Params.RequestState, name, caller)
	if !ok {
		return errorResult(&tool.Error{
			Code: tool.Validation, Detail: "The call that this request continues has ended, or Easel has been restarted since.",
			Hint: "See whether it has done anything, for example with get_execution or session_list; if not, call again without requestState.",
		})
	}
	if got := server.ElicitationResponse(req.Params.InputResponses, formAnswer); got != nil {
		h.chats.answer(ctx, q.openQuestion, got)
	} else {
		h.chats.hide(q.ApprovalID)
	}
	return q.in.attend(ctx, req)
}

// attend waits for the result, or for a question. A request that is cancelled or has lost its client cancels the call.
func (v *conversation) attend(ctx context.Context, req mcp.CallToolRequest) *mcp.CallToolResult {
	call := mcphttp.CallFrom(ctx)
	v.arrive(mcpCaller(ctx, req.Params.Meta).Progress)
	for {
		select {
		case <-v.done:
			return v.result
		default:
		}
		select {
		case <-v.done:
			return v.result
		case o := <-v.asks:
			if state, ok := v.h.chats.present(v, o); ok {
				return server.NewInputRequestBuilder(state).Elicit(formAnswer, formOf(o.Chat)).ToolResult()
			}
		case <-ctx.Done():
			select {
			case <-call.Cancelled():
				close(v.cancelled) // once: a state counts once, so that there is one request
			default:
			}
			v.stop(context.Cause(ctx))
			<-v.done
			return v.result
		}
	}
}

func (v *conversation) arrive(progress func(tool.Progress)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.progress, v.shown = progress, nil
	close(v.here)
}

func (v *conversation) leave(o *openQuestion) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.here, v.shown, v.progress = make(chan struct{}), o, nil
}

func (v *conversation) report(p tool.Progress) {
	v.mu.Lock()
	progress := v.progress
	v.mu.Unlock()
	if progress != nil {
		progress(p)
	}
}

// ask shows a question with the answer to the request that waits. It never blocks. The chats' lock is held.
func (v *conversation) ask(o *openQuestion) {
	select {
	case v.asks <- o:
	default:
		o.on = nil // there is another one; a call that follows its execution may show it
	}
}

// await waits until a request waits for the result, and reports whether there is one. If none does yet, it first calls away.
func (v *conversation) await(ctx context.Context, away func()) bool {
	v.mu.Lock()
	here, shown := v.here, v.shown
	v.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	select {
	case <-here:
		return true
	default:
		away()
	}
	if shown != nil { // the user has the form in front of them for as long as the question is open
		select {
		case <-here:
			return true
		case <-shown.ctx.Done():
		case <-ctx.Done():
			return false
		}
	}
	late := time.NewTimer(returnPatience)
	defer late.Stop()
	select {
	case <-here:
		return true
	case <-late.C:
	case <-ctx.Done():
	case <-v.h.quit.Done():
		v.stop(eventbus.ErrClosed)
	}
	return false
}

// A shownQuestion is one that a client has, instead of the result of its call.
type shownQuestion struct {
	*openQuestion
	in *conversation
}

// present notes that a client gets a question instead of the result of its call, and returns the state that it sends back with the
// answer. ok is false if the question is over or the call has ended. If there are too many, it stays in the window.
func (c *chats) present(v *conversation, o *openQuestion) (state string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case o.ctx.Err() != nil || o.on == nil || c.calls[o.on.id] != o.on:
		return "", false
	case len(c.talks) >= maxConversations:
		o.on = nil
		return "", false
	}
	state, o.shown = uuid.NewString(), true
	c.talks[state] = shownQuestion{o, v}
	v.leave(o)
	return state, true
}

// resumed returns the question whose state a caller of a tool sends back, and forgets the state.
func (c *chats) resumed(state, name string, caller tool.Caller) (q shownQuestion, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, ok = c.talks[state]
	if !ok || q.in.tool != name || q.in.caller.Process() != caller.Process() || q.in.caller.Assistant != caller.Assistant {
		return q, false
	}
	delete(c.talks, state)
	return q, true
}

func (c *chats) forget(v *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.talks, func(_ string, q shownQuestion) bool { return q.in == v })
}
