package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/mcphost/catalog"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

const (
	completeTimeout = 5 * time.Second
	completeLimit   = 100 // values; MCP's limit
)

// addPrompts serves the catalog's prompts.
func (h *Host) addPrompts(s *server.MCPServer) {
	for _, p := range catalog.Prompts() {
		s.AddPrompt(mcpPrompt(p), h.getPrompt(p))
	}
}

func mcpPrompt(p catalog.Prompt) mcp.Prompt {
	m := mcp.NewPrompt(p.Name, mcp.WithPromptDescription(p.Description))
	m.Title = p.Title
	for _, a := range p.Arguments {
		m.Arguments = append(m.Arguments, mcp.PromptArgument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required})
	}
	return m
}

// visiblePrompts sorts the prompts in the catalog's order, and omits those of toolsets
// that the request excludes.
func visiblePrompts(ctx context.Context, prompts []mcp.Prompt) []mcp.Prompt {
	sets, _ := ctx.Value(setKey{}).(tool.Selection)
	order, hidden := make(map[string]int), make(map[string]bool)
	for i, p := range catalog.Prompts() {
		order[p.Name], hidden[p.Name] = i, !sets.HasAny(p.Toolset) && !sets[tool.Core]
	}
	prompts = slices.DeleteFunc(prompts, func(p mcp.Prompt) bool { return hidden[p.Name] })
	slices.SortStableFunc(prompts, func(a, b mcp.Prompt) int { return order[a.Name] - order[b.Name] })
	return prompts
}

// getPrompt serves prompts/get of p.
func (h *Host) getPrompt(p catalog.Prompt) server.PromptHandlerFunc {
	return func(ctx context.Context, req mcp.GetPromptRequest) (res *mcp.GetPromptResult, err error) {
		call := mcphttp.CallFrom(ctx)
		ctx, cancel := h.untilQuit(tool.WithCaller(ctx, mcpCaller(ctx, nil)), readTimeout)
		defer cancel()
		raw, _ := json.Marshal(req.Params.Arguments) // strings can always be encoded
		rec := h.begin(ctx, "prompts/get "+p.Name, raw)
		defer func() {
			if err == nil {
				rec.end(ctx, nil, nil, nil)
				return
			}
			e := tool.AsError(err)
			rec.end(ctx, nil, nil, e)
			failCall(call, e)
		}()
		if err := checkArguments(p, req.Params.Arguments); err != nil {
			return nil, err
		}
		got, err := catalog.GetPrompt.Ask(ctx, h.c.Bus, catalog.GetPromptIn{Name: p.Name, Arguments: req.Params.Arguments})
		if err != nil {
			return nil, err
		}
		res = &mcp.GetPromptResult{Description: got.Description}
		var images []string
		var sent delivery
		for _, m := range got.Messages {
			if m.Image != "" {
				images = append(images, m.Image)
				continue
			}
			res.Messages = append(res.Messages, mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(m.Text)))
			sent.text += int64(len(m.Text))
		}
		pictures, _, inlined := h.pictures(ctx, images, catalog.InlineEdge, maxBase64)
		rec.a.Images, sent.images = images, inlined
		rec.delivered(ctx, sent)
		for _, c := range pictures {
			res.Messages = append(res.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
		}
		return res, nil
	}
}

// checkArguments rejects arguments that p does not have, that are missing, or that are
// too long.
func checkArguments(p catalog.Prompt, args map[string]string) error {
	var faults []tool.Field
	for _, a := range p.Arguments {
		switch v := args[a.Name]; {
		case a.Required && strings.TrimSpace(v) == "":
			faults = append(faults, tool.Field{Pointer: "#/" + a.Name, Detail: "is required"})
		case len([]rune(v)) > catalog.MaxPromptArgument:
			faults = append(faults, tool.Field{
				Pointer: "#/" + a.Name,
				Detail:  fmt.Sprintf("is longer than %d characters", catalog.MaxPromptArgument),
			})
		}
	}
	for name := range args {
		if argumentOf(p, name) == nil {
			faults = append(faults, tool.Field{Pointer: "#/" + cut(name, 100), Detail: "is not an argument of this prompt"})
		}
	}
	if len(faults) == 0 {
		return nil
	}
	slices.SortFunc(faults, func(a, b tool.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = strings.TrimPrefix(f.Pointer, "#/") + " " + f.Detail
	}
	return &tool.Error{Code: tool.Validation, Detail: "Invalid arguments: " + strings.Join(lines, "; ") + ".", Fields: faults}
}

func argumentOf(p catalog.Prompt, name string) *catalog.PromptArgument {
	if i := slices.IndexFunc(p.Arguments, func(a catalog.PromptArgument) bool { return a.Name == name }); i >= 0 {
		return &p.Arguments[i]
	}
	return nil
}

// failCall makes the answer to an MCP request other than a tool call an error with the
// contract's code.
func failCall(call *mcphttp.Call, e *tool.Error) {
	if call == nil {
		return
	}
	code := mcp.INTERNAL_ERROR
	if e.Code.Info().Status < 500 {
		code = mcp.INVALID_PARAMS
	}
	call.Fail(code, tool.Explain(e), map[string]any{"code": e.Code})
}

// errNothingToComplete means that the argument to complete does not exist.
var errNothingToComplete = errors.New("nothing here has such an argument")

// completions completes arguments of prompts and parts of the images' URIs.
type completions struct{ h *Host }

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c completions) CompletePromptArgument(ctx context.Context, name string, arg mcp.CompleteArgument,
	given mcp.CompleteContext,
) (*mcp.Completion, error) {
	for _, p := range catalog.Prompts() {
		if a := argumentOf(p, arg.Name); p.Name == name && a != nil {
			return c.complete(ctx, a.Of, arg, given), nil
		}
	}
	return nothingToComplete(ctx, "prompt "+quoted(name), arg.Name)
}

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (c completions) CompleteResourceArgument(ctx context.Context, uri string, arg mcp.CompleteArgument,
	given mcp.CompleteContext,
) (*mcp.Completion, error) {
	of := map[string]catalog.Completable{
		"session_id": catalog.OfPlotHomes, "image_id": catalog.OfImageIDs, "ext": catalog.OfImageExts,
	}[arg.Name]
	if uri == dataTemplate && arg.Name == "ext" || uri != imageTemplate && uri != dataTemplate || of == "" {
		return nothingToComplete(ctx, "resource template "+quoted(uri), arg.Name)
	}
	return c.complete(ctx, of, arg, given), nil
}

func nothingToComplete(ctx context.Context, of, arg string) (*mcp.Completion, error) {
	if call := mcphttp.CallFrom(ctx); call != nil {
		call.Fail(mcp.INVALID_PARAMS, "there is no "+of+" with the argument "+quoted(arg), nil)
	}
	return nil, errNothingToComplete
}

// complete never fails, because completion is only a convenience while the user types.
func (c completions) complete(ctx context.Context, of catalog.Completable, arg mcp.CompleteArgument,
	given mcp.CompleteContext,
) *mcp.Completion {
	none := &mcp.Completion{Values: []string{}}
	if of == "" || len(arg.Value) > catalog.MaxPromptArgument {
		return none
	}
	ctx, cancel := c.h.untilQuit(tool.WithCaller(ctx, mcpCaller(ctx, nil)), completeTimeout)
	defer cancel()
	got, err := catalog.Complete.Ask(ctx, c.h.c.Bus,
		catalog.CompleteIn{Of: of, Value: arg.Value, Given: given.Arguments, Limit: completeLimit})
	if err != nil {
		c.h.log.DebugContext(ctx, "not completed", "of", string(of), "cause", err)
		return none
	}
	n := min(len(got.Values), completeLimit)
	out := &mcp.Completion{Values: append([]string{}, got.Values[:n]...), HasMore: got.More || n < len(got.Values)}
	if !out.HasMore {
		out.Total = n
	}
	return out
}
