package plotdata

import (
	"context"
	"fmt"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
	"easel/ui/core/library"
)

// inWords are the checks whose findings package words says in its own way.
var inWords = []checks.Check{checks.OffAxis, checks.LookAlike, checks.CutBars}

// findings returns what the checks say of a figure, the most important first.
func findings(f facts.Figure) (said []string) {
	for _, found := range checks.Find(f) {
		if slices.Contains(inWords, found.Check) {
			continue
		}
		text := found.Text()
		if len(f.Axes) > 1 {
			text = fmt.Sprintf("Axes %d: %s", found.Axes, text)
		}
		said = append(said, text)
	}
	return said
}

// Findings returns what a careful reader of a plot would notice, the most important first.
func (r *Reader) Findings(ctx context.Context, im library.Image) (list []catalog.Finding) {
	f, ok := r.Figure(ctx, im)
	if !ok {
		return nil
	}
	for _, found := range checks.Find(f) {
		list = append(list, catalog.Finding{Check: string(found.Check), Text: found.Text(), Count: found.N})
	}
	return list
}
