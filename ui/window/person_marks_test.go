package window

import (
	"maps"
	"slices"
	"strings"
)

// marks are the values of what a person can change about plots, without empty ones. The key
// is the id of a plot, a slash, and what it is: rating, note, title, trashed, or tag/NAME.
type marks map[string]string

// A change has what one action changed: the value of each mark before and after.
type change map[string][2]string

// diary is what a person expects undo and redo to do. It knows nothing of how they do it.
type diary struct {
	now          marks
	begin        marks // of each plot, when it arrived or Easel started
	made, undone []change
	born         []string // the plots, by their age
}

// write changes marks. Only what the user does ends what can be redone.
func (d *diary) write(to marks, byUser bool) {
	c := make(change)
	for key, value := range to {
		if was := d.now[key]; was != value {
			c[key] = [2]string{was, value}
			d.set(key, value)
		}
	}
	if len(c) == 0 {
		return
	}
	if d.made = append(d.made, c); byUser {
		d.undone = nil
	}
}

func (d *diary) set(key, value string) {
	if d.now[key] = value; value == "" {
		delete(d.now, key)
	}
}

// arrive adds a plot.
func (d *diary) arrive(id, title string) {
	d.born = append(d.born, id)
	d.now[id+"/title"], d.begin[id+"/title"] = title, title
}

// forget deletes plots for good, with what was done to them.
func (d *diary) forget(ids []string) {
	gone := func(key string) bool {
		id, _, _ := strings.Cut(key, "/")
		return slices.Contains(ids, id)
	}
	d.born = slices.DeleteFunc(d.born, func(id string) bool { return slices.Contains(ids, id) })
	for _, m := range []marks{d.now, d.begin} {
		maps.DeleteFunc(m, func(key, _ string) bool { return gone(key) })
	}
	for _, list := range []*[]change{&d.made, &d.undone} {
		*list = slices.DeleteFunc(*list, func(c change) bool {
			maps.DeleteFunc(c, func(key string, _ [2]string) bool { return gone(key) })
			return len(c) == 0
		})
	}
}

// move takes the last change of from back, as far as nobody has changed it since, and puts it
// into to. Undo reads a change from its end, redo from its beginning.
func (d *diary) move(from, to *[]change, forward bool) {
	if len(*from) == 0 {
		return
	}
	last := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	done := make(change)
	for key, values := range last {
		is, becomes := values[1], values[0]
		if forward {
			is, becomes = becomes, is
		}
		if d.now[key] == is {
			d.set(key, becomes)
			done[key] = values
		}
	}
	if len(done) > 0 {
		*to = append(*to, done)
	}
}

func (d *diary) undo() { d.move(&d.made, &d.undone, false) }
func (d *diary) redo() { d.move(&d.undone, &d.made, true) }

// succeed says that a plot has a newer version, which has its marks.
func (d *diary) succeed(was, now string) {
	renamed := func(key string) string {
		if rest, ok := strings.CutPrefix(key, was+"/"); ok {
			return now + "/" + rest
		}
		return key
	}
	if i := slices.Index(d.born, was); i >= 0 {
		d.born[i] = now
	}
	for _, m := range []marks{d.now, d.begin} {
		for key, value := range maps.Clone(m) {
			delete(m, key)
			m[renamed(key)] = value
		}
	}
	for _, c := range slices.Concat(d.made, d.undone) {
		for key, values := range maps.Clone(c) {
			delete(c, key)
			c[renamed(key)] = values
		}
	}
}

// differences lists how got differs from want.
func differences(want, got marks) (all []string) {
	keys := slices.Sorted(maps.Keys(want))
	for key := range got {
		if _, ok := want[key]; !ok {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if want[key] != got[key] {
			all = append(all, key+": the library has "+strings.TrimSpace(got[key])+", want "+want[key])
		}
	}
	return all
}
