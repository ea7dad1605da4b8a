package figures

import (
	"math"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/facts"
)

// A position is a scale of a drawn chart.
type position struct {
	name, kind, title, orient string
	domain                    []string
	ends                      [2]float64 // the values of a continuous domain
	pixels                    [2]float64 // the ends of its range
	first, last, band         float64    // the middles of the first and last category, and the width of one
	at                        map[string]int
	colours                   []string // of a scale of colours
}

func (p *position) is(name string) bool { return p != nil && p.name == name }

// position returns a scale of the group; nil if it makes no sense.
func (g *drawnGroup) position(s drawnScale) *position {
	p := &position{kind: s.Type, title: clean(s.Title), orient: s.Orient, domain: g.values(s.Domain), colours: g.values(s.Range)}
	if len(p.domain) > mostNames {
		return nil
	}
	nan := math.NaN()
	p.ends, p.pixels = [2]float64{nan, nan}, [2]float64{nan, nan}
	if pixels := numbersOf(p.colours); len(pixels) >= 2 {
		p.pixels = [2]float64{pixels[0], pixels[len(pixels)-1]}
	}
	if !p.discrete() {
		if len(p.domain) >= 2 {
			ends := p.numbers([]string{p.domain[0], p.domain[len(p.domain)-1]})
			p.ends = [2]float64{ends[0], ends[1]}
		}
		return p
	}
	p.at = make(map[string]int)
	for i, name := range p.domain {
		p.at[name] = i
	}
	if s.Ends != nil {
		if at := numbersOf(g.values(*s.Ends)); len(at) == 3 {
			p.first, p.last, p.band = at[0], at[1], at[2]
		}
	}
	return p
}

func (p *position) discrete() bool {
	switch p.kind {
	case "band", "point", "ordinal":
		return true
	}
	return false
}

// step returns the pixels from one category to the next.
func (p *position) step() float64 {
	if n := len(p.domain); n > 1 {
		return (p.last - p.first) / float64(n-1)
	}
	return math.Max(p.band, math.Abs(p.pixels[1]-p.pixels[0]))
}

// span returns the pixels where the axis begins and ends, the smaller one first.
func (p *position) span() (from, to float64) {
	return math.Min(p.pixels[0], p.pixels[1]), math.Max(p.pixels[0], p.pixels[1])
}

// axis returns the axis of the scale. In a picture, what is up has the smaller pixels.
func (p *position) axis(up bool) facts.Axis {
	a := facts.Axis{Label: p.title}
	switch p.kind {
	case "linear":
	case "log":
		a.Scale = facts.Log
	case "time", "utc":
		a.Scale = facts.Date
	case "band", "point", "ordinal":
		a.Scale = facts.Category
		for _, name := range p.domain {
			a.Names = append(a.Names, clean(name))
		}
	default:
		a.Scale = facts.Other
	}
	low, high := p.ends[0], p.ends[1]
	if p.discrete() {
		step := p.step()
		low, high = (p.pixels[0]-p.first)/step, (p.pixels[1]-p.first)/step
	}
	if (p.pixels[0] > p.pixels[1]) != up {
		low, high = high, low
	}
	a.From, a.To = low, high
	if math.IsInf(a.From, 0) || math.IsInf(a.To, 0) {
		a.From, a.To = math.NaN(), math.NaN()
	}
	return a
}

// numbers returns the values that texts say: places of categories, seconds since 1970, or numbers.
func (p *position) numbers(texts []string) []float64 {
	if p == nil {
		return numbersOf(texts)
	}
	list := make([]float64, len(texts))
	for i, text := range texts {
		list[i] = math.NaN()
		switch {
		case p.discrete():
			if at, known := p.at[text]; known {
				list[i] = float64(at)
			}
		case p.kind == "time" || p.kind == "utc":
			list[i] = secondsOf(text, p.kind == "time")
		default:
			list[i] = numberOf(text)
		}
	}
	return list
}

func numberOf(text string) float64 {
	switch text {
	case "true":
		return 1
	case "false":
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

func numbersOf(texts []string) []float64 {
	list := make([]float64, len(texts))
	for i, text := range texts {
		list[i] = numberOf(text)
	}
	return list
}

// secondsOf returns what a clock of a date shows, as seconds since 1970. JavaScript writes a date as milliseconds, or as in
// "Wed Feb 01 2012 00:00:00 GMT+0100 (CET)", with the time of the local clock.
func secondsOf(text string, local bool) float64 {
	if ms := numberOf(text); !math.IsNaN(ms) && math.Abs(ms) < 1e15 {
		if !local {
			return ms / 1000
		}
		t := time.UnixMilli(int64(ms))
		_, offset := t.In(time.Local).Zone()
		return ms/1000 + float64(offset)
	}
	clock, zone, ok := strings.Cut(text, " GMT")
	t, err := time.Parse("Mon Jan 02 2006 15:04:05", clock)
	if !ok || err != nil {
		if seconds, read := dates([]string{text}); read {
			return seconds[0]
		}
		return math.NaN()
	}
	if zone, _, _ = strings.Cut(zone, " "); !local {
		if east, err := time.Parse("-0700", zone); err == nil {
			_, offset := east.Zone()
			return float64(t.Unix() - int64(offset))
		}
	}
	return float64(t.Unix())
}
