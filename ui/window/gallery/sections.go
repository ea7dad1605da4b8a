package gallery

import (
	"time"

	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// A day with more plots than manyOfDay has headings for its hours; hours with fewer than fewOfHours
// are together with the next ones.
const (
	manyOfDay  = 60
	fewOfHours = 12
)

// ByTime divides images that are sorted by time into days, and days with many images into hours.
func ByTime(k *kit.Kit, all []library.ListEntry) []Section {
	now := time.Now()
	if k.Now != nil {
		now = k.Now()
	}
	var sections []Section
	for from := 0; from < len(all); {
		at := all[from].Time().In(now.Location())
		day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, now.Location())
		to := within(all, from, day, day.AddDate(0, 0, 1))
		title := k.Tr.Day(at, now)
		if to-from > manyOfDay {
			sections = append(sections, byHour(k, all[:to], from, title, now.Location())...)
		} else {
			sections = append(sections, Section{From: from, Title: title, Note: k.Tr.N("gallery.count", to-from)})
		}
		from = to
	}
	if len(sections) < 2 { // the heading above the gallery says it
		return nil
	}
	return sections
}

// within returns the index after the last of the images next to each other that are within a time.
func within(all []library.ListEntry, from int, begin, end time.Time) int {
	first, last := begin.UnixNano(), end.UnixNano()
	to := from + 1
	for to < len(all) && all[to].At >= first && all[to].At < last {
		to++
	}
	return to
}

// byHour divides the images of a day, which begin at from.
func byHour(k *kit.Kit, all []library.ListEntry, from int, title string, in *time.Location) (sections []Section) {
	type span struct {
		from       int
		begin, end time.Time
	}
	var spans []span
	for i := from; i < len(all); {
		hour := all[i].Time().In(in).Truncate(time.Hour)
		if at := all[i].Time().In(in); at.Minute() != hour.Minute() { // the zone is not a whole number of hours from UTC
			hour = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), 0, 0, 0, in)
		}
		to := within(all, i, hour, hour.Add(time.Hour))
		if n := len(spans); n > 0 && i-spans[n-1].from < fewOfHours {
			spans[n-1].begin, spans[n-1].end = earlier(spans[n-1].begin, hour), later(spans[n-1].end, hour.Add(time.Hour))
		} else {
			spans = append(spans, span{i, hour, hour.Add(time.Hour)})
		}
		i = to
	}
	for n, s := range spans {
		to := len(all)
		if n+1 < len(spans) {
			to = spans[n+1].from
		}
		name := title
		if len(spans) > 1 {
			name = k.T("gallery.hours", title, k.Tr.Clock(s.begin), k.Tr.Clock(s.end))
		}
		sections = append(sections, Section{From: s.from, Title: name, Note: k.Tr.N("gallery.count", to-s.from)})
	}
	return sections
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// BySession divides images that are sorted by session. name returns the name of a session.
func BySession(k *kit.Kit, all []library.ListEntry, name func(id string) string) []Section {
	now := time.Now()
	if k.Now != nil {
		now = k.Now()
	}
	var sections []Section
	for from := 0; from < len(all); {
		to, begin, end := from, all[from].Time(), all[from].Time()
		for ; to < len(all) && all[to].Session == all[from].Session; to++ {
			begin, end = earlier(begin, all[to].Time()), later(end, all[to].Time())
		}
		when := k.Tr.Day(begin, now) + " " + k.Tr.Clock(begin)
		if last := k.Tr.Day(end, now); last != k.Tr.Day(begin, now) {
			when = k.T("gallery.span", when, last+" "+k.Tr.Clock(end))
		} else if k.Tr.Clock(begin) != k.Tr.Clock(end) {
			when = k.T("gallery.span", when, k.Tr.Clock(end))
		}
		sections = append(sections, Section{From: from, Title: name(all[from].Session), Note: when + " · " + k.Tr.N("gallery.count", to-from)})
		from = to
	}
	if len(sections) < 2 {
		return nil
	}
	return sections
}
