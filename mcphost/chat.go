package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

// A chats shows the user's questions in the chats of clients: MCP's elicitation, in form mode. The core says which questions, with
// catalog.Approval.Chat, and what an answer does. A question is shown on one call: the one that it is from, or else one that waits for
// the same execution. In the era of sessions the client is sent a request meanwhile; since 2026-07-28 the call is answered with the
// question, and goes on when the client calls again with the answer; see conversation.
type chats struct {
	h *Host

	mu    sync.Mutex
	open  map[string]*openQuestion // by approval id
	calls map[uint64]*chatCall
	talks map[string]shownQuestion // by the state that the client sends back
	work  sync.WaitGroup           // what waits for answers
}

// An openQuestion is a question that a client may show.
type openQuestion struct {
	catalog.Approval
	ctx   context.Context //nolint:containedctx // ends with the question
	close context.CancelFunc
	on    *chatCall // that shows it, or has to; nil if none does
	shown bool      // the client has it
}

// A chatCall is a running call whose client can show the user a form.
type chatCall struct {
	id        uint64
	caller    tool.Caller
	execution string // that it has started or waits for; "" if none
	ask       func(*openQuestion)
}

// concerns reports whether a question is from the call, or from another one of the same client about the execution that it waits for.
func (x *chatCall) concerns(o *openQuestion) bool {
	return o.Assistant == x.caller.Assistant && (o.Call == x.id ||
		o.ExecutionID != "" && o.ExecutionID == x.execution && o.Holder == x.caller.Holder && o.Client == x.caller.String())
}

func newChats(h *Host) *chats {
	return &chats{h: h, open: make(map[string]*openQuestion), calls: make(map[uint64]*chatCall), talks: make(map[string]shownQuestion)}
}

// watch learns of questions until ctx ends.
func (c *chats) watch(ctx context.Context) {
	for change, err := range catalog.Changes.Watch(ctx, c.h.c.Bus, announceDepth) {
		q, ok := change.Object.(catalog.Approval)
		switch {
		case err != nil || !ok: // what was missed is in the window
		case change.Name == catalog.ApprovalRequested && q.Chat != nil:
			c.opened(q)
		case change.Name == catalog.ApprovalAnswered:
			c.closed(q.ApprovalID)
		}
	}
}

func (c *chats) opened(q catalog.Approval) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.open, func(_ string, o *openQuestion) bool { return o.ctx.Err() != nil }) // those whose end was missed
	o := &openQuestion{Approval: q}
	o.ctx, o.close = context.WithDeadline(c.h.quit, q.Deadline.Add(time.Second))
	c.open[q.ApprovalID] = o
	for _, x := range c.calls {
		c.show(o, x)
	}
}

func (c *chats) closed(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.open[id]; o != nil {
		o.close()
		delete(c.open, id)
	}
}

// show shows a question on a call, if it belongs there and no call shows it. c.mu is held.
func (c *chats) show(o *openQuestion, x *chatCall) {
	if o.on == nil && o.ctx.Err() == nil && x.concerns(o) {
		o.on = x
		x.ask(o)
	}
}

// begin notes that a call runs. follow notes its execution, and end that the call has ended.
func (c *chats) begin(x *chatCall) (follow func(execution string), end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[x.id] = x
	show := func() {
		for _, o := range c.open {
			c.show(o, x)
		}
	}
	show()
	return func(execution string) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.calls[x.id] == x { // a body may outlive its call
				x.execution = execution
				show()
			}
		}, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.calls, x.id)
			for _, o := range c.open {
				if o.on == x && !o.shown {
					c.release(o)
				}
			}
		}
}

// release lets another call show a question that the client of its call has not got. c.mu is held.
func (c *chats) release(o *openQuestion) {
	o.on = nil
	for _, x := range c.calls {
		c.show(o, x)
	}
}

// asking reports whether a question is shown on a call.
func (c *chats) asking(x *chatCall) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.open {
		if o.on == x && o.ctx.Err() == nil {
			return true
		}
	}
	return false
}

// hide notes that the client no longer shows a question, without an answer.
func (c *chats) hide(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.open[id]; o != nil {
		o.on, o.shown = &chatCall{}, true // it is not shown again: the user has closed it
	}
}

// request sends the client a question on a call in the era of sessions, on a goroutine that ends with the question.
func (c *chats) request(call *mcphttp.Call, o *openQuestion) {
	c.work.Go(func() {
		raw, err := call.Ask(o.ctx, string(mcp.MethodElicitationCreate), formOf(o.Chat), func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			o.shown = true
		})
		switch {
		case o.ctx.Err() != nil: // it was answered elsewhere
			return
		case errors.Is(err, mcphttp.ErrNoRequests): // the call has ended
			return
		case err != nil:
			c.h.log.WarnContext(o.ctx, "a question was not shown in the chat", "client", o.Client, "cause", err)
			c.hide(o.ApprovalID)
			return
		}
		var got mcp.ElicitationResult
		if err := json.Unmarshal(raw, &got); err != nil {
			c.h.log.WarnContext(o.ctx, "an answer in the chat is not one", "client", o.Client, "cause", err)
			c.hide(o.ApprovalID)
			return
		}
		c.answer(o.ctx, o, &got)
	})
}

// answer gives the core the user's answer to a question.
func (c *chats) answer(ctx context.Context, o *openQuestion, got *mcp.ElicitationResult) {
	in, ok := answerOf(o, got)
	if !ok {
		c.hide(o.ApprovalID)
		return
	}
	if _, err := catalog.AnswerQuestion.Ask(ctx, c.h.c.Bus, in); err != nil && ctx.Err() == nil {
		c.h.log.InfoContext(ctx, "an answer in the chat came too late", "client", o.Client, "cause", err)
	}
}

// Members of a form.
const (
	formAnswer = "answer"
	formWords  = "words"
)

// formOf returns a question as MCP has it. The choices are their own values, because not every client shows titles of values.
func formOf(f *catalog.QuestionForm) mcp.ElicitationParams {
	fields := map[string]any{formAnswer: map[string]any{"type": "string", "title": f.Label, "enum": f.Choices}}
	if !f.Wordless {
		fields[formWords] = map[string]any{"type": "string", "title": f.Words, "maxLength": questionBytes}
	}
	return mcp.ElicitationParams{
		Mode: mcp.ElicitationModeForm, Message: f.InChat,
		RequestedSchema: map[string]any{"type": "object", "properties": fields, "required": []string{formAnswer}},
	}
}

// answerOf returns what the user has answered; ok is false if they have closed the form, or may not have seen it. Anything but an
// approval in so many words refuses.
func answerOf(o *openQuestion, got *mcp.ElicitationResult) (in catalog.QuestionAnswer, ok bool) {
	refusal := len(o.Chat.Choices) - 1
	in = catalog.QuestionAnswer{ApprovalID: o.ApprovalID, Choice: refusal, Where: catalog.InChat}
	switch got.Action {
	case mcp.ElicitationResponseActionAccept:
	case mcp.ElicitationResponseActionDecline:
		return in, !o.Chat.Declines
	default:
		return in, false
	}
	content, _ := got.Content.(map[string]any)
	said, _ := content[formAnswer].(string)
	words, _ := content[formWords].(string)
	in.Words = cut(words, questionBytes)
	if i := slices.Index(o.Chat.Choices, said); i >= 0 {
		in.Choice = i
	}
	return in, true
}

// watching returns a context in which the caller can be asked, if its client can show the user a form. end must be called when the
// call has ended. v is the conversation that the call is part of, or nil.
func (c *chats) watching(ctx context.Context, rec *record, v *conversation) (_ context.Context, end func()) {
	call, caller := mcphttp.CallFrom(ctx), tool.CallerFrom(ctx)
	caller.Call = rec.a.ID
	if call == nil || !call.Forms() {
		return tool.WithCaller(ctx, caller), func() {}
	}
	x := &chatCall{id: rec.a.ID, caller: caller, ask: func(o *openQuestion) { c.request(call, o) }}
	if v != nil {
		x.ask = v.ask
	}
	follow, end := c.begin(x)
	if rec.a.Tool == catalog.GetExecution.Name() {
		var in catalog.GetExecutionIn
		if json.Unmarshal(rec.a.Args, &in) == nil { // otherwise it is refused
			follow(in.ExecutionID)
		}
	}
	started := caller.Started
	caller.Forms = true
	if v != nil { // no request is open meanwhile that the client could give up
		caller.Asking = func() bool { return c.asking(x) }
	}
	caller.Started = func(execution string) {
		started(execution)
		follow(execution)
	}
	return tool.WithCaller(ctx, caller), end
}
