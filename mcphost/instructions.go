package mcphost

import (
	"context"
	"regexp"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/mcphost/tool"
)

// fitInstructions lets the instructions name only tools that the client has: those of the
// toolsets that it asked for.
func (h *Host) fitInstructions(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, res *mcp.InitializeResult) {
		res.Instructions = h.instructionsFor(ctx)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, res *mcp.DiscoverResult) {
		res.Instructions = h.instructionsFor(ctx)
	})
}

var (
	codeName    = regexp.MustCompile("`([a-z_]+)`")
	sentenceEnd = regexp.MustCompile(`[^0-9][.] `) // the number of a step is none
	listMarker  = regexp.MustCompile(`^(?:\d+\. |- )`)
)

// instructionsFor returns the instructions without the sentences that name a tool outside the
// request's toolsets, and without the paragraphs of which nothing is left but their heading.
func (h *Host) instructionsFor(ctx context.Context) string {
	sets, _ := ctx.Value(setKey{}).(tool.Selection)
	if sets == nil {
		return h.c.Instructions
	}
	var kept []string
	for paragraph := range strings.SplitSeq(h.c.Instructions, "\n\n") {
		lines := strings.Split(strings.TrimSpace(paragraph), "\n")
		var left []string
		for _, line := range lines {
			if line = h.namingOnly(sets, line); line != "" {
				left = append(left, line)
			}
		}
		if len(left) > 1 || len(left) == len(lines) {
			kept = append(kept, strings.Join(left, "\n"))
		}
	}
	return strings.Join(kept, "\n\n")
}

// namingOnly returns a line without the sentences that name a tool outside sets; "" if none is left.
func (h *Host) namingOnly(sets tool.Selection, line string) string {
	marker := listMarker.FindString(line)
	rest, left := line[len(marker):], ""
	for rest != "" {
		sentence := rest
		if end := sentenceEnd.FindStringIndex(rest); end != nil {
			sentence = rest[:end[1]]
		}
		rest = rest[len(sentence):]
		foreign := false
		for _, name := range codeName.FindAllStringSubmatch(sentence, -1) {
			i, isTool := h.order[name[1]]
			foreign = foreign || isTool && !sets.Has(h.c.Tools[i].Spec())
		}
		if !foreign {
			left += sentence
		}
	}
	if left = strings.TrimSpace(left); left == "" {
		return ""
	}
	return marker + left
}
