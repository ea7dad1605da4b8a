package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/mcphost/apps"
	"easel/mcphost/catalog"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

// bareOutput is the output schema that MCP clients get for tools without pictures. It is
// deliberately minimal: clients validate results against it, and a later field or status
// must not break them. The OpenAPI document has the complete schema.
var bareOutput = json.RawMessage(`{"type":"object","properties":{"success":{"type":"boolean"}},"required":["success"]}`)

// newMCP creates the MCP server of the tools and its transport.
func (h *Host) newMCP() {
	hooks := &server.Hooks{}
	s := server.NewMCPServer(h.c.Name, h.c.Version,
		server.WithTitle("Easel"),
		server.WithInstructions(h.c.Instructions),
		server.WithToolCapabilities(false), // the list of tools never changes
		server.WithResourceCapabilities(true, true),
		server.WithToolFilter(h.visible),
		server.WithPromptCapabilities(false),
		server.WithPromptFilter(visiblePrompts),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completions{h}),
		server.WithResourceCompletionProvider(completions{h}),
		server.WithHooks(hooks),
	)
	for _, t := range h.c.Tools {
		s.AddTool(mcpTool(t.Spec()), h.mcpCall(t))
	}
	h.announceArrivals(hooks)
	h.instructions.fit(hooks)
	h.addResources(s, hooks)
	h.addPrompts(s)
	hooks.AddOnError(func(ctx context.Context, _ any, _ mcp.MCPMethod, message any, err error) {
		req, ok := message.(*mcp.CallToolRequest)
		if call := mcphttp.CallFrom(ctx); ok && call != nil && errors.Is(err, server.ErrToolNotFound) {
			call.Fail(mcp.INVALID_PARAMS, "there is no tool "+quoted(req.Params.Name)+" here; tools/list lists the tools",
				map[string]any{"code": tool.ToolNotFound})
		}
	})
	h.mcpServer = s
	h.mcp = mcphttp.New(mcphttp.Config{
		Server: s, Log: h.log, Sessions: openSessionStore(h.c.SessionsFile, h.log),
		Allowed: func(r *http.Request) bool { return h.guard.tokens.allow(r.Header) },
		Ended: func(holder string) {
			if _, err := catalog.ClientEnded.Ask(context.Background(), h.c.Bus, holder); err != nil { // a short change of the state
				h.log.Warn("an MCP session has ended", "cause", err)
			}
		},
		Context: func(ctx context.Context, r *http.Request) context.Context {
			sets, _ := tool.ParseToolsets(r.URL.Query().Get("toolsets")) // serveMCP has checked it
			ctx = context.WithValue(ctx, workspaceKey{}, tool.WorkspaceFrom(r.Header))
			return context.WithValue(ctx, setKey{}, sets)
		},
	})
}

// serveMCP serves /mcp.
func (h *Host) serveMCP(c echo.Context) error {
	if _, err := tool.ParseToolsets(c.QueryParam("toolsets")); err != nil {
		return err
	}
	if isHead(c.Request()) {
		return c.NoContent(http.StatusOK)
	}
	h.mcp.ServeHTTP(c.Response(), c.Request())
	return nil
}

type setKey struct{}

// visible sorts the tools in the catalog's order, and omits those that the request's
// toolsets exclude. For a client that shows the viewer, those that return plots link to it: the others
// with pictures, which are not in the core, show previews.
func (h *Host) visible(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	sets, _ := ctx.Value(setKey{}).(tool.Selection)
	views := h.showsViewer(mcphttp.CallFrom(ctx))
	seen := make([]mcp.Tool, 0, len(tools))
	for _, t := range tools {
		i, ok := h.order[t.Name]
		if !ok || !sets.Has(h.c.Tools[i].Spec()) {
			continue
		}
		if s := h.c.Tools[i].Spec(); views && s.Pictures && s.Core {
			t = apps.Linked(t)
		}
		seen = append(seen, t)
	}
	slices.SortFunc(seen, func(a, b mcp.Tool) int { return h.order[a.Name] - h.order[b.Name] })
	return seen
}

// showsViewer reports whether the client of a call shows the viewer.
func (h *Host) showsViewer(call *mcphttp.Call) bool {
	return call != nil && apps.Rendered(call.GetClientCapabilities()) && (h.c.Viewer == nil || h.c.Viewer(call.Client().Name))
}

// mcpTool returns a tool as MCP lists it.
func mcpTool(s tool.Spec) mcp.Tool {
	in, err := json.Marshal(s.Listed())
	if err != nil {
		panic(fmt.Sprintf("mcphost: schema of %s: %v", s.Name, err)) // cannot happen: Define has marshalled it
	}
	t := mcp.NewToolWithRawSchema(s.Name, s.Description, in)
	t.Title = s.Title
	if !s.Pictures { // a client that knows an output schema may read nothing but structured content
		t.RawOutputSchema = bareOutput
	}
	readOnly, destructive, idempotent, openWorld := s.ReadOnly(), s.Destructive, s.Idempotent || s.ReadOnly(), s.OpenWorld
	t.Annotations = mcp.ToolAnnotation{ReadOnlyHint: &readOnly, OpenWorldHint: &openWorld} // the title is in the tool itself
	// the other two have no meaning for a read-only tool
	if !readOnly {
		t.Annotations.DestructiveHint = &destructive
		if idempotent { // false is the default
			t.Annotations.IdempotentHint = &idempotent
		}
	}
	if s.AlwaysLoad {
		t.Meta = mcp.NewMetaFromMap(map[string]any{metaAlwaysLoad: true})
	}
	return t
}

// metaAlwaysLoad asks Claude Code to show a tool to the model from the start. Otherwise
// the model has to search for it.
const metaAlwaysLoad = "anthropic/alwaysLoad"

// mcpCall serves a tool over MCP.
func (h *Host) mcpCall(t tool.Any) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch call := mcphttp.CallFrom(ctx); {
		case call == nil || !call.Modern() || !call.Forms():
			return h.serveTool(tool.WithCaller(ctx, mcpCaller(ctx, req.Params.Meta)), t, req.Params.RawArguments, nil), nil
		case req.Params.RequestState != "":
			return h.resume(ctx, t.Spec().Name, req), nil
		default:
			return h.converse(ctx, t, req), nil
		}
	}
}

// serveTool makes a call of ctx's caller, and returns its result. v is nil if no question can be in the way of it.
func (h *Host) serveTool(ctx context.Context, t tool.Any, args json.RawMessage, v *conversation) (res *mcp.CallToolResult) {
	rec := h.begin(ctx, t.Spec().Name, args)
	var (
		out any
		raw json.RawMessage
		n   tool.Note
		e   *tool.Error
	)
	defer func() { // the bus recovers the body's panics; this is for the host's
		if p := recover(); p != nil {
			e = tool.AsError(panicError(p))
			res = errorResult(e)
		}
		rec.end(ctx, out, raw, e)
	}()
	asked, end := h.chats.watching(rec.watching(ctx), rec, v)
	defer end()
	out, raw, n, e = h.invoke(asked, t, args)
	end()
	rec.a.Ended = time.Now().UTC()
	// Nobody is told anything in a result that nobody gets. What has ended is listed so, even if its client never comes back.
	got := v == nil || v.await(ctx, func() { rec.end(ctx, out, raw, e) })
	if e != nil {
		return errorResult(e)
	}
	var again []catalog.SentAgain
	if got {
		n.Questions, n.Answers = h.questions(ctx), h.answers(ctx)
		if t.Spec().Pictures { // other results cannot carry one
			again = announced(ctx, h, catalog.AnnouncePlots)
			n.Plots = anyOf(again)
		}
	}
	res, sent, failure := h.result(ctx, rec, t.Spec(), out, n)
	if e = failure; e != nil {
		return errorResult(e)
	}
	h.addAgain(ctx, res, &sent, again)
	if got {
		rec.delivered(ctx, sent)
	}
	return res
}

func panicError(v any) error { return fmt.Errorf("panic: %v\n%s", v, debug.Stack()) }

// workspaceKey is the context key of the client's tool.Workspace.
type workspaceKey struct{}

// mcpCaller returns the caller of an MCP call, with the means to reach it while it
// waits.
func mcpCaller(ctx context.Context, meta *mcp.Meta) tool.Caller {
	caller := tool.Caller{Transport: tool.MCP}
	call := mcphttp.CallFrom(ctx)
	if call == nil {
		return caller
	}
	client := call.Client()
	caller.Name, caller.Version = cut(client.Name, 200), cut(client.Version, 100)
	caller.Session, caller.Holder, caller.Cancelled, caller.Open = call.Session(), call.Holder(), call.Cancelled(), opens(ctx)
	caller.Assistant = assistantOf(ctx)
	caller.Workspace, _ = ctx.Value(workspaceKey{}).(tool.Workspace)
	if meta != nil && meta.ProgressToken != nil {
		caller.Progress = progress(call, meta.ProgressToken)
	}
	return caller
}

// progress returns a function that sends progress notifications for token. MCP requires
// each value to be larger than the previous one.
func progress(call *mcphttp.Call, token mcp.ProgressToken) func(tool.Progress) {
	var mu sync.Mutex
	last := -1.0
	return func(p tool.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Done <= last {
			p.Done = last + 0.001
		}
		last = p.Done
		params := map[string]any{"progressToken": token, "progress": p.Done}
		if p.Total > 0 {
			params["total"] = max(p.Total, p.Done)
		}
		if p.Message != "" {
			params["message"] = p.Message
		}
		call.Notify("notifications/progress", params)
	}
}
