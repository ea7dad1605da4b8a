package asking

import (
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// A chat is what a client does with a form, as tested with it.
type chat struct {
	match    string // part of the client's name, in lower case
	rows     int    // of a message that it shows at least; it cuts the rest
	declines bool   // without asking, if the user has told it to ask nothing
	wordless bool   // a text that may be left out must be written
	tested   string // version of the client
}

// chats lists the clients that do not show each form as it is.
var chats = []chat{
	{match: "claude-code", rows: 3, tested: "2.1.330"},                            // four in a terminal of more than 24 rows
	{match: "codex", rows: 12, declines: true, wordless: true, tested: "0.169.0"}, // what fits into a terminal of 24 rows, with the choices
}

// rowWidth is how much of a line a row of a client's form shows in a terminal of 80 columns.
const rowWidth = 74

// inChat says how the client that a question is from shows its form. Nobody should approve what they have not seen to its end.
func inChat(tr *i18n.Catalog, n *state.Snapshot, q catalog.Approval, f *catalog.QuestionForm) {
	f.InChat = f.Message
	name := strings.ToLower(q.Client)
	i := slices.IndexFunc(chats, func(c chat) bool { return strings.Contains(name, c.match) })
	if i < 0 {
		return
	}
	c := chats[i]
	f.Declines, f.Wordless = c.declines, c.wordless
	if rows(f.InChat) > c.rows {
		f.InChat = compact(tr, n, q)
	}
	if rows(f.InChat) > c.rows {
		f.InChat = ""
	}
}

// compact says a question in as few lines as it needs.
func compact(tr *i18n.Catalog, n *state.Snapshot, q catalog.Approval) string {
	lines := append([]string{Title(tr, n, q)}, Reasons(tr, q)...)
	switch {
	case q.Code != "":
		lines = append(lines, strings.TrimRight(VisibleCode(q.Code), "\n"))
	case q.Project != nil:
		lines = append(lines, projectFacts(tr, *q.Project))
	default:
		lines = append(lines, Facts(tr, q, time.Now()))
	}
	return strings.Join(lines, "\n")
}

// rows returns how many rows of a terminal a text takes at most.
func rows(text string) (n int) {
	for line := range strings.SplitSeq(text, "\n") {
		width := 0
		for _, r := range line {
			switch {
			case r == '\t':
				width += 8
			case r >= 0x1100: // it may be wide
				width += 2
			default:
				width++
			}
		}
		n += 1 + max(width-1, 0)/rowWidth
	}
	return n
}
