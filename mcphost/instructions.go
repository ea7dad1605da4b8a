package mcphost

import (
	"context"
	"regexp"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"easel/mcphost/tool"
)

// instructions are what the host tells a model about its tools.
type instructions struct {
	text  string // with all tools
	tools []tool.Any
	order map[string]int // a tool's position in tools
}

// fit lets the instructions name only tools that the client has: those of the
// toolsets that it asked for.
func (s *instructions) fit(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, res *mcp.InitializeResult) {
		res.Instructions = s.forCaller(ctx)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, res *mcp.DiscoverResult) {
		res.Instructions = s.forCaller(ctx)
	})
}

var (
	codeName    = regexp.MustCompile("`([a-z_]+)`")
	sentenceEnd = regexp.MustCompile(`[^0-9][.] `) // the number of a step is none
	listMarker  = regexp.MustCompile(`^(?:\d+\. |- )`)
)

// forCaller returns the instructions without the sentences that name a tool outside the
// request's toolsets, and without the paragraphs of which nothing is left but their heading.
func (s *instructions) forCaller(ctx context.Context) string {
	sets, _ := ctx.Value(setKey{}).(tool.Selection)
	if sets == nil {
		return s.text
	}
	var kept []string
	for paragraph := range strings.SplitSeq(s.text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(paragraph), "\n")
		var left []string
		for _, line := range lines {
			if line = s.namingOnly(sets, line); line != "" {
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
func (s *instructions) namingOnly(sets tool.Selection, line string) string {
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
			i, isTool := s.order[name[1]]
			foreign = foreign || isTool && !sets.Has(s.tools[i].Spec())
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
