package gallery

import "slices"

// An imageList is an ordered list of ids.
type imageList struct {
	ids   []string
	index map[string]int // by id
}

// listOf returns a list of ids. For many it takes a while: a [Feed] does it for the UI goroutine.
func listOf(ids []string) imageList {
	l := imageList{ids, make(map[string]int, len(ids))}
	for i, id := range ids {
		l.index[id] = i
	}
	return l
}

func (l *imageList) has(id string) bool {
	_, ok := l.index[id]
	return ok
}

// span returns the images from a to b, in this direction.
func (l *imageList) span(a, b string) []string {
	i, j := l.index[a], l.index[b]
	ids := slices.Clone(l.ids[min(i, j) : max(i, j)+1])
	if i > j {
		slices.Reverse(ids)
	}
	return ids
}

// firstOf returns the first of these ids that the list has; otherwise the first of the list, or
// "" if it is empty.
func (l *imageList) firstOf(ids ...string) string {
	if i := slices.IndexFunc(ids, l.has); i >= 0 {
		return ids[i]
	}
	if len(l.ids) > 0 {
		return l.ids[0]
	}
	return ""
}

// A selection is what the user has selected, in the order of selecting, and where the keys go
// on.
type selection struct {
	order    []string
	selected map[string]bool // what order contains
	cursor   string
	anchor   string // where a range begins
}

func (s *selection) set(ids []string, cursor string) {
	s.order, s.cursor, s.selected = ids, cursor, make(map[string]bool, len(ids))
	for _, id := range ids {
		s.selected[id] = true
	}
}

// toggled returns the selection with an image added or removed.
func (s *selection) toggled(id string) []string {
	if s.selected[id] {
		return slices.DeleteFunc(slices.Clone(s.order), func(o string) bool { return o == id })
	}
	return append(slices.Clone(s.order), id)
}
