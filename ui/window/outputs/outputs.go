// Package outputs arranges what an execution displayed for its user: texts and pictures in the
// notebook's order, and texts as a terminal finally shows them.
//
// # Goroutines
//
// The package starts none. Views are made on the UI goroutine; the rest has no state.
package outputs

import (
	"image/color"
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/terminal"
	"easel/ui/window/kit"
)

// The kinds of parts, which are those of catalog.Output.
const (
	Stdout  = "stdout"
	Stderr  = "stderr"
	Result  = "result"
	Display = "display"
	Failure = "error"
	Images  = "image"
)

// A Part is a text, or pictures that follow each other.
type Part struct {
	Kind   string
	Text   string // without line breaks at its end
	Images int    // number of pictures
}

// Of returns what x displayed, and why it failed.
func Of(k *kit.Kit, x catalog.Execution) []Part {
	list := x.Outputs
	if list == nil { // it displayed nothing yet, or is not known in full
		list = []catalog.Output{{Type: Stdout, Text: x.Stdout}, {Type: Stderr, Text: x.Stderr}, {Type: Result, Text: x.Text}}
		for _, im := range x.Images {
			list = append(list, catalog.Output{Type: Images, ImageID: im.ImageID})
		}
	}
	last := -1 // the error that ended the execution; another one is an Output widget's
	var parts []Part
	for _, o := range list {
		p := Part{Kind: o.Type, Text: strings.TrimRight(terminal.Text(o.Text), "\n")}
		if o.Type == Images {
			p.Images = 1
		}
		switch n := len(parts) - 1; {
		case p.Images > 0 && n >= 0 && parts[n].Images > 0:
			parts[n].Images++
			continue
		case strings.TrimSpace(p.Text) == "" && p.Images == 0:
			continue
		}
		if o.Type == Failure {
			last = len(parts)
		}
		parts = append(parts, p)
	}
	if x.Error == nil {
		return parts
	}
	text := strings.TrimRight(k.Tr.Failure(x.Status, *x.Error), "\n")
	if last < 0 || x.Error.Code != catalog.CodeExecution {
		return append(parts, Part{Kind: Failure, Text: text})
	}
	parts[last].Text = text
	return parts
}

// Ink returns the colour of a part. Stderr contains warnings more often than errors.
func (p Part) Ink(k *kit.Kit) color.Color {
	switch p.Kind {
	case Stderr:
		return k.P.Warn
	case Failure:
		return k.P.Bad
	case Images:
		return k.P.Good
	}
	return k.P.Text
}

// Words returns the text of a part; of pictures, how many there are.
func (p Part) Words(k *kit.Kit) string {
	if p.Images > 0 {
		return k.Tr.N("console.images", p.Images)
	}
	return p.Text
}

// Texts returns the texts of parts, for the clipboard.
func Texts(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Text != "" {
			b.WriteString(p.Text + "\n")
		}
	}
	return b.String()
}

// Ending returns the last lines of parts.
func Ending(parts []Part, lines int) []Part {
	for i, p := range slices.Backward(parts) {
		text := p.Text
		n := strings.Count(text, "\n") + 1
		if n >= lines {
			all := strings.Split(text, "\n")
			rest := slices.Concat([]Part{p}, parts[i+1:])
			rest[0].Text = strings.Join(all[n-lines:], "\n")
			return rest
		}
		lines -= n
	}
	return parts
}

// View shows parts in a box.
func View(k *kit.Kit, parts []Part) *kit.Code {
	passages := make([]kit.Passage, len(parts))
	for i, p := range parts {
		passages[i] = kit.Passage{Text: p.Words(k), Ink: p.Ink(k)}
	}
	return k.Output(passages...)
}
