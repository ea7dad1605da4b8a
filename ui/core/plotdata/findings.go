package plotdata

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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
	found []briefFinding
	done  atomic.Bool // found is set

	reading sync.Mutex // held while the text beside the picture is made
}

// A briefFinding is a finding without points, which take much room, but with what models are told of them.
type briefFinding struct {
	checks.Finding

	where string
}

// find returns what the checks find in a plot. That depends on the plot only.
func (r *Reader) find(id string, f facts.Figure) []briefFinding {
	s := r.searchOf(id)
	s.once.Do(func() {
		for _, found := range r.check(f) {
			one := briefFinding{found, where(f, found)}
			one.Points = nil
			s.found = append(s.found, one)
		}
		s.done.Store(true)
	})
	return s.found
}

// check finds nothing in a figure whose values make a check fail: the plot counts, and its code has run.
func (r *Reader) check(f facts.Figure) (found []checks.Finding) {
	defer func() {
		if v := recover(); v != nil && r.Log != nil {
			r.Log.Error("a check of a plot failed", "err", v, "stack", string(debug.Stack()))
		}
	}()
	return checks.Find(f)
}

// searchOf returns the search of a plot, which may not have begun.
func (r *Reader) searchOf(id string) *search {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.searches[id]
	if !ok {
		if len(r.searches) >= mostKept || r.searches == nil {
			r.searches = make(map[string]*search)
		}
		s = &search{}
		r.searches[id] = s
	}
	return s
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

func (v verdict) dismissed(key string) bool { return slices.Contains(v.judged, key) }

// silent returns the findings that package words would say and that nobody is to be told.
func (v verdict) silent(found []briefFinding) words.Silent {
	s := make(words.Silent)
	for _, c := range inWords {
		if v.off(c) {
			s.All(string(c))
		}
	}
	for _, f := range found {
		if slices.Contains(inWords, f.Check) && v.dismissed(f.Key) {
			s.In(string(f.Check), f.Axes)
		}
	}
	return s
}

// said returns what the checks say of a figure, the most important first. What is dismissed is left out. With
// places, it says where.
func (v verdict) said(f facts.Figure, found []briefFinding, places bool) (said []string) {
	for _, one := range found {
		if slices.Contains(inWords, one.Check) || v.off(one.Check) || v.dismissed(one.Key) {
			continue
		}
		text := sentence(f, one)
		if places && one.where != "" {
			text += " [" + one.where + "]"
		}
		said = append(said, text)
	}
	return said
}

// sentence returns the sentence for the model.
func sentence(f facts.Figure, found briefFinding) string {
	if called := f.Call(found.Axes); called != "" {
		return strings.ToUpper(called[:1]) + called[1:] + ": " + found.Text()
	}
	return found.Text()
}

// mostNamed is how many of the findings that are no problem are named.
const mostNamed = 5

// dismissals says which findings are no problem.
func (v verdict) dismissals(f facts.Figure, found []briefFinding) string {
	var list []string
	for _, one := range found {
		if v.dismissed(one.Key) && !v.off(one.Check) {
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
	f, ok := r.Figure(ctx, im)
	if !ok {
		return nil
	}
	v := r.verdict(im)
	for _, one := range r.find(source(im), f) {
		if v.off(one.Check) {
			continue
		}
		place := one.where
		if called := f.Call(one.Axes); place != "" && called != "" {
			place = called + ": " + place
		}
		list = append(list, catalog.Finding{
			Check: string(one.Check), Text: one.Text(), Count: one.N, Where: place, Dismissed: v.dismissed(one.Key),
		})
	}
	return list
}

// ForUser returns the findings of a plot for the window.
func (r *Reader) ForUser(ctx context.Context, im library.Image) (list []command.PlotFinding) {
	f, ok := r.Figure(ctx, im)
	if !ok {
		return nil
	}
	v, p := r.verdict(im), r.placed(ctx, im)
	for _, one := range r.check(f) {
		if v.off(one.Check) {
			continue
		}
		base, side := f.Place(one.Axes)
		list = append(list, command.PlotFinding{
			Key: one.Key, Check: one.Check, English: one.Sentence("en"), Japanese: one.Sentence("ja"), Axes: base, Side: side,
			Where: p.regions(f, one), Dismissed: v.dismissed(one.Key),
		})
	}
	return list
}

// Keys returns the keys of what all checks find in a plot. For a result that asks later, it prepares the text beside
// the picture. The error is not nil if the plot can be read another time.
func (r *Reader) Keys(ctx context.Context, im library.Image) (keys []string, err error) {
	r.Brief(ctx, im)
	s := r.searchOf(source(im))
	if !s.done.Load() {
		f, err := r.figure(ctx, im)
		if errors.Is(err, errLater) {
			return nil, err
		}
		s = &search{} // of a plot of which nothing is known
		if err == nil {
			s.found = r.find(source(im), f)
		}
	}
	for _, one := range s.found {
		keys = append(keys, one.Key)
	}
	return keys, nil
}
