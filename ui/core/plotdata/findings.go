package plotdata

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
	"easel/ui/core/facts/words"
	"easel/ui/core/library"
)

// inWords are the checks whose findings package words says in its own way.
var inWords = []checks.Check{checks.OffAxis, checks.LookAlike, checks.CutBars}

// A search is what the checks found in a plot. It is made once, by the first who asks.
type search struct {
	once  sync.Once
	found []checks.Finding // without points
}

// find returns what the checks find in a plot, without points. What they find depends on the plot only.
func (r *Reader) find(id string, f facts.Figure) []checks.Finding {
	r.mu.Lock()
	s, ok := r.searches[id]
	if !ok {
		if len(r.searches) >= mostKept || r.searches == nil {
			r.searches = make(map[string]*search)
		}
		s = &search{}
		r.searches[id] = s
	}
	r.mu.Unlock()
	s.once.Do(func() {
		s.found = checks.Find(f)
		for i := range s.found {
			s.found[i].Points = nil
		}
	})
	return s.found
}

// A verdict is what the user has said about findings: the checks that are turned off, and what is no problem.
type verdict struct {
	off    func(checks.Check) bool
	judged []string
}

func (r *Reader) verdict(im library.Image) verdict {
	v := verdict{func(checks.Check) bool { return false }, im.Judged}
	if r.On != nil {
		v.off = func(c checks.Check) bool { return !r.On(c) }
	}
	return v
}

func (v verdict) dismissed(f checks.Finding) bool { return slices.Contains(v.judged, f.Key) }

// silent returns the findings that package words would say and that nobody is to be told.
func (v verdict) silent(found []checks.Finding) words.Silent {
	s := make(words.Silent)
	for _, c := range inWords {
		if v.off(c) {
			s.All(string(c))
		}
	}
	for _, f := range found {
		if slices.Contains(inWords, f.Check) && v.dismissed(f) {
			s.In(string(f.Check), f.Axes)
		}
	}
	return s
}

// said returns what the checks say of a figure, the most important first. What is dismissed is left out.
func (v verdict) said(f facts.Figure, found []checks.Finding) (said []string) {
	for _, one := range found {
		if slices.Contains(inWords, one.Check) || v.off(one.Check) || v.dismissed(one) {
			continue
		}
		said = append(said, sentence(f, one))
	}
	return said
}

// sentence returns the sentence for the model.
func sentence(f facts.Figure, found checks.Finding) string {
	if len(f.Axes) > 1 {
		return fmt.Sprintf("Axes %d: %s", found.Axes, found.Text())
	}
	return found.Text()
}

// mostNamed is how many of the findings that are no problem are named.
const mostNamed = 5

// dismissals says which findings are no problem.
func (v verdict) dismissals(f facts.Figure, found []checks.Finding) string {
	var list []string
	for _, one := range found {
		if v.dismissed(one) && !v.off(one.Check) {
			list = append(list, sentence(f, one))
		}
	}
	n := len(list)
	if n == 0 {
		return ""
	}
	if n > mostNamed {
		list = append(list[:mostNamed], fmt.Sprintf("%d more", n-mostNamed))
	}
	return fmt.Sprintf("The user judged %d of the findings to be no problem: %s.", n, strings.Join(list, "; "))
}

// Findings returns what a careful reader of a plot would notice, the most important first.
func (r *Reader) Findings(ctx context.Context, im library.Image) (list []catalog.Finding) {
	v := r.verdict(im)
	f, found := r.located(ctx, im)
	for _, one := range found {
		if v.off(one.Check) {
			continue
		}
		list = append(list, catalog.Finding{
			Check: string(one.Check), Text: one.Text(), Count: one.N, Where: where(f, one), Dismissed: v.dismissed(one),
		})
	}
	return list
}

// located returns what the checks find in a plot, with its points.
func (r *Reader) located(ctx context.Context, im library.Image) (facts.Figure, []checks.Finding) {
	f, ok := r.Figure(ctx, im)
	if !ok {
		return f, nil
	}
	return f, checks.Find(f)
}

// ForUser returns the findings of a plot for the window.
func (r *Reader) ForUser(ctx context.Context, im library.Image) (list []command.PlotFinding) {
	v := r.verdict(im)
	f, found := r.located(ctx, im)
	if len(found) == 0 {
		return nil
	}
	p := r.placed(ctx, im)
	for _, one := range found {
		if v.off(one.Check) {
			continue
		}
		list = append(list, command.PlotFinding{
			Key: one.Key, Check: one.Check, English: one.Sentence("en"), Japanese: one.Sentence("ja"), Axes: one.Axes,
			Where: p.regions(f, one), Dismissed: v.dismissed(one),
		})
	}
	return list
}

// Keys returns the keys of what all checks find in a plot.
func (r *Reader) Keys(ctx context.Context, im library.Image) (keys []string) {
	f, ok := r.Figure(ctx, im)
	if !ok {
		return nil
	}
	for _, one := range r.find(im.ImageID, f) {
		keys = append(keys, one.Key)
	}
	return keys
}
