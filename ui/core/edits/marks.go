package edits

import (
	"slices"
	"strings"

	"easel/ui/core/library"
)

// marks are those of library.Marks that a change touches, in a form that can be compared.
type marks struct {
	has     field
	rating  int
	tags    string // joined by a control character, which no tag contains
	title   string
	named   bool
	note    string
	judged  string // joined as tags are
	trashed bool
}

// A field is one of the marks, as a bit.
type field uint8

const (
	rating field = 1 << iota
	tags
	title
	note
	place
	judged
)

// between is the separator of tags.
const between = "\n"

// differences returns the marks that differ, before and after.
func differences(a, b library.Marks) (before, after marks) {
	before, after = joined(a), joined(b)
	var has field
	for f, differs := range map[field]bool{
		rating: before.rating != after.rating, tags: before.tags != after.tags, note: before.note != after.note,
		title: before.title != after.title || before.named != after.named, place: before.trashed != after.trashed,
		judged: before.judged != after.judged,
	} {
		if differs {
			has |= f
		}
	}
	return before.only(has), after.only(has)
}

func joined(m library.Marks) marks {
	return marks{
		rating: m.Rating, tags: strings.Join(m.Tags, between), title: m.Title, named: m.Named, note: m.Note,
		judged: strings.Join(m.Judged, between), trashed: m.Trashed,
	}
}

// only returns m with other fields than these zero.
func (m marks) only(has field) marks {
	out := marks{has: has}
	if has&rating != 0 {
		out.rating = m.rating
	}
	if has&tags != 0 {
		out.tags = m.tags
	}
	if has&title != 0 {
		out.title, out.named = m.title, m.named
	}
	if has&note != 0 {
		out.note = m.note
	}
	if has&judged != 0 {
		out.judged = m.judged
	}
	if has&place != 0 {
		out.trashed = m.trashed
	}
	return out
}

// replace changes m from one state to another, except for the fields that are no longer as
// they were in from. It reports whether it changed anything.
func replace(m *library.Marks, from, to marks) (changed bool) {
	now := joined(*m)
	is := func(f field) bool {
		if from.has&f == 0 || now.only(f) != from.only(f) {
			return false
		}
		changed = true
		return true
	}
	if is(rating) {
		m.Rating = to.rating
	}
	if is(title) {
		m.Title, m.Named = to.title, to.named
	}
	if is(note) {
		m.Note = to.note
	}
	if is(place) {
		m.Trashed = to.trashed
	}
	if from.has&judged != 0 { // of other findings, others may have judged since
		changed = judge(m, split(from.judged), split(to.judged)) || changed
	}
	switch {
	case is(tags):
		m.Tags = split(to.tags)
	case from.has&tags != 0: // other tags have changed, too; only these go back
		was := slices.Clone(m.Tags)
		if m.SetTags(Missing(split(to.tags), split(from.tags)), Missing(split(from.tags), split(to.tags))) != nil {
			m.Tags = was // there are too many others now
		}
		changed = changed || !slices.Equal(m.Tags, was)
	}
	return changed
}

// judge changes what is judged from one state to another, as far as it is as in from.
func judge(m *library.Marks, from, to []string) (changed bool) {
	was := slices.Clone(m.Judged)
	for _, key := range Missing(from, to) {
		_ = m.Judge(key, false) // it was judged, so the key is valid
	}
	for _, key := range Missing(to, from) {
		_ = m.Judge(key, true) // if there are too many now, it stays as it is
	}
	return !slices.Equal(was, m.Judged)
}

func split(joined string) []string {
	if joined == "" {
		return []string{}
	}
	return strings.Split(joined, between)
}

// Missing returns the elements of a that are not in b.
func Missing(a, b []string) (out []string) {
	for _, t := range a {
		if !slices.Contains(b, t) {
			out = append(out, t)
		}
	}
	return out
}
