package words

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// boxes describes a series of boxes.
func (v view) boxes(s *facts.Series) string {
	over, up := v.axes(s)
	name, ends := "box", "whiskers"
	if s.Style == "violin" {
		name, ends = "violin", "ends"
	}
	if s.Label != "" {
		name = label(s.Label) + " " + name
	}
	text := fmt.Sprintf("%d %s medians, %s", s.Count, name, v.span(measured(v.Axes, s), over, up))
	if list := v.listed(s, over, up); list != "" {
		text = name + " medians " + list
	}
	places, _, _ := along(s)
	whiskers := spread{low: nowhere, high: nowhere}
	for _, ends := range [][]float64{s.Numbers("min"), s.Numbers("max")} {
		for i, e := range ends {
			whiskers.add(valueAt(places, i), e)
		}
	}
	if !math.IsNaN(whiskers.low.v) {
		text += "; " + ends + " " + v.span(whiskers, over, up)
	}
	return text
}

// A violin is the outline of a distribution, drawn as an area on both sides of a place.
type violin struct {
	of                  *facts.Series
	at, low, high, peak float64
	horizontal          bool
}

// violinOf reads a violin from an area whose two sides are mirrored at a place.
func violinOf(s *facts.Series) (w violin, ok bool) {
	if s.Kind != facts.Area || s.Whole != nil {
		return w, false
	}
	at, highs, sideways := along(s)
	lows := s.Numbers("low")
	if len(at) < 10 || len(lows) != len(at) || len(highs) != len(at) {
		return w, false
	}
	w = violin{of: s, at: (lows[0] + highs[0]) / 2, low: math.Inf(1), high: math.Inf(-1), horizontal: !sideways}
	widest, narrowest := 0.0, math.Inf(1)
	for i := range at {
		if wide := highs[i] - lows[i]; wide > widest {
			widest, w.peak = wide, at[i]
		}
		narrowest = min(narrowest, highs[i]-lows[i])
		w.low, w.high = min(w.low, at[i]), max(w.high, at[i])
	}
	for i := range at {
		if !(math.Abs((lows[i]+highs[i])/2-w.at) <= 1e-6*widest) {
			return w, false
		}
	}
	return w, narrowest < 0.9*widest
}

// violins describes the violins of the axes, and marks them and the lines in them as said.
func (v view) violins(done map[*facts.Series]bool) (said []string) {
	var all []violin
	for i := range v.Series {
		if w, ok := violinOf(&v.Series[i]); ok {
			all = append(all, w)
		}
	}
	if len(all) == 0 || all[0].horizontal && len(all) == 1 && len(v.Y.Names) == 0 {
		return nil // a single area along x that is mirrored at y = 0 may be a wave
	}
	over, up := axis{Axis: v.X}, axis{Axis: v.Y}
	if all[0].horizontal {
		over, up = up, over
	}
	places := make([]float64, len(all))
	for i, w := range all {
		if slices.Contains(places[:i], rounded(w.at)) && len(over.Names) == 0 {
			return nil // bands around a mean, each wider than the one before
		}
		places[i] = rounded(w.at)
	}
	for i, w := range all {
		places[i], done[w.of] = w.at, true
	}
	over.named = named(over.Axis, places, false)
	r := spread{low: nowhere, high: nowhere}
	var each []string
	for _, w := range all {
		r.add(w.at, w.low)
		r.add(w.at, w.high)
	}
	up.From, up.To = r.low.v, r.high.v
	for _, w := range all {
		name := over.say(w.at)
		if !over.has(w.at) {
			name = "at " + name + ":"
		}
		if w.of.Label != "" {
			name = label(w.of.Label) + " " + name
		}
		each = append(each, fmt.Sprintf("%s %s to %s (widest at %s)", name, up.say(w.low), up.say(w.high), up.say(w.peak)))
	}
	if v.terse > 0 || len(all) > mostValues {
		said = append(said, fmt.Sprintf("%d violins, %s", len(all), v.span(r, over, up)))
	} else {
		said = append(said, "violins "+strings.Join(each, ", "))
	}
	return append(said, v.inViolins(all, over, up, done)...)
}

// inViolins describes the lines across violins, which show a median or mean. Those at the ends of the violins say nothing new.
func (v view) inViolins(all []violin, over, up axis, done map[*facts.Series]bool) (said []string) {
	at, ends := make(map[float64]bool), make(map[end]bool)
	for _, w := range all {
		at[rounded(w.at)] = true
		ends[end{rounded(w.at), rounded(w.low)}], ends[end{rounded(w.at), rounded(w.high)}] = true, true
	}
	for i := range v.Series {
		s := &v.Series[i]
		places, highs, sideways := along(s)
		if s.Kind != facts.ErrorBars || len(places) != len(highs) {
			continue
		}
		if sideways == all[0].horizontal { // along the violins
			done[s] = true
			for _, p := range places {
				done[s] = done[s] && at[rounded(p)]
			}
			continue
		}
		inside, news := true, false
		marks := facts.Series{Kind: facts.Points, Count: len(places)}
		middles := make([]float64, len(places))
		for k, value := range places {
			middles[k] = (s.Numbers("low")[k] + highs[k]) / 2
			inside = inside && at[rounded(middles[k])]
			news = news || !ends[end{rounded(middles[k]), rounded(value)}]
		}
		if !inside {
			continue
		}
		done[s] = true
		if news {
			marks.Columns = []facts.Column{{Name: "x", Numbers: middles}, {Name: "y", Numbers: places}}
			if list := v.listed(&marks, over, up); list != "" {
				said = append(said, "marked "+list)
			}
		}
	}
	return said
}
