package folders

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/library/search"
)

// A want is a query prepared for matching many entries.
type want struct {
	library.Query
	tags  []string
	terms search.Terms
}

func ready(q library.Query) want {
	w := want{Query: q, terms: search.Parse(q.Text, search.Clock{Now: time.Now(), Looked: q.Looked})}
	for _, t := range q.Tags {
		w.tags = append(w.tags, tagKey(t))
	}
	return w
}

// deep reports whether the query depends on the contents of the files.
func (w want) deep() bool {
	return w.Rating >= 0 || len(w.tags)+len(w.terms) > 0 || w.SortBy == "rating"
}

// match reports whether an entry matches. The caller holds the directory's mu.
func (w want) match(e *entry) bool {
	if w.Findings {
		return false // nobody checks files
	}
	if w.Rating >= 0 {
		switch {
		case w.RatingOp == "=" && e.rating() != w.Rating,
			w.RatingOp == "<=" && e.rating() > w.Rating,
			(w.RatingOp == ">=" || w.RatingOp == "") && e.rating() < w.Rating:
			return false
		}
	}
	n := 0
	for _, t := range w.tags {
		if e.tagged(t) {
			n++
		}
	}
	if n < len(w.tags) && (!w.AnyTag || n == 0) {
		return false
	}
	return w.found(e)
}

// tagged reports whether an entry has a tag, set by the user or from its prompt.
func (e *entry) tagged(key string) bool {
	same := func(t string) bool { return tagKey(t) == key }
	return slices.ContainsFunc(e.tags(), same) || slices.ContainsFunc(e.facts.more().tags, same)
}

// number returns what entries are sorted by before their names. The caller holds the directory's mu.
func (w want) number(e *entry) int64 {
	switch w.SortBy {
	case "", "created":
		return e.born
	case "modified":
		return e.mtime
	case "rating":
		return int64(e.rating())
	case "size":
		return e.size
	default:
		return 0
	}
}

// sort sorts entries in the query's order. The caller holds the directory's mu.
func (w want) sort(all []*entry) {
	type numbered struct {
		n int64
		*entry
	}
	numbers := make([]numbered, len(all))
	for i, e := range all {
		numbers[i] = numbered{w.number(e), e}
	}
	slices.SortFunc(numbers, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	for i, x := range numbers {
		all[i] = x.entry
	}
	for from, to := 0, 0; from < len(all); from = to {
		for to = from + 1; to < len(all) && numbers[to].n == numbers[from].n; to++ {
		}
		sortByName(all[from:to])
	}
	if !w.Asc {
		slices.Reverse(all)
	}
}

// wait gives the reader some time to read what the query depends on.
func (d *Directory) wait(ctx context.Context, w want) {
	if !w.deep() {
		return
	}
	d.mu.Lock()
	left := time.Until(d.patient)
	d.mu.Unlock()
	if left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	_ = d.WaitLoaded(ctx) // after a timeout, the query uses what is known
}

// An order is what the order of files depends on, besides the files.
type order struct {
	by  string
	asc bool
}

// inOrder returns the entries that are shown in the query's order, which is kept until a file comes, goes or
// changes. The caller holds d.mu.
func (d *Directory) inOrder(w want) []*entry {
	key := order{w.SortBy, w.Asc}
	if all, ok := d.ordered[key]; ok {
		return all
	}
	all := make([]*entry, 0, len(d.entries))
	for _, e := range d.entries {
		if e.visible() {
			all = append(all, e)
		}
	}
	w.sort(all)
	if w.SortBy != "rating" { // which may change
		d.ordered = map[order][]*entry{key: all}
	}
	return all
}

// all reports whether every file matches.
func (w want) all() bool { return w.Rating < 0 && len(w.tags)+len(w.terms) == 0 && !w.Findings }

// await checks a query, and gives the reader some time to read what it depends on.
func (d *Directory) await(ctx context.Context, w want) error {
	switch w.RatingOp {
	case "", "=", ">=", "<=":
	default:
		return fmt.Errorf("%w: rating %.10q", library.ErrInvalid, w.RatingOp)
	}
	d.wait(ctx, w)
	return ctx.Err()
}

// sorted returns all files that match a query, in order. The caller must not change them.
func (d *Directory) sorted(ctx context.Context, q library.Query) (found []*entry, err error) {
	w := ready(q)
	if err := d.await(ctx, w); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.inOrder(w)
	if w.all() {
		return all, nil
	}
	for _, e := range all {
		if w.match(e) {
			found = append(found, e)
		}
	}
	return found, nil
}

// IDs returns the ids of all matching files, in order. It ignores SessionID, URIPrefix
// and Trashed of the query. A query that depends on the contents of files waits up to
// 2 s for files that have not been read; after that, they do not match.
func (d *Directory) IDs(ctx context.Context, q library.Query) ([]string, error) {
	found, err := d.sorted(ctx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, e := range found {
		ids[i] = e.id
	}
	return ids, nil
}

// List is IDs with the time of each file.
func (d *Directory) List(ctx context.Context, q library.Query) ([]library.ListEntry, error) {
	found, err := d.sorted(ctx, q)
	if err != nil {
		return nil, err
	}
	all := make([]library.ListEntry, len(found))
	for i, e := range found {
		at := e.born
		if q.SortBy == "modified" {
			at = e.mtime
		}
		all[i] = library.ListEntry{ID: e.id, At: at}
	}
	return all, nil
}

// Count returns the number of files and the number of matching files.
func (d *Directory) Count(ctx context.Context, q library.Query) (total, matching int, err error) {
	w := ready(q)
	if err := d.await(ctx, w); err != nil {
		return 0, 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := w.all()
	for _, e := range d.entries {
		if e.visible() {
			if total++; all || w.match(e) {
				matching++
			}
		}
	}
	return total, matching, nil
}

// Get returns the images with the given ids. It omits files that no longer exist or
// are not pictures.
func (d *Directory) Get(ctx context.Context, ids ...string) ([]library.Image, error) {
	entries := d.get(ids)
	d.know(ctx, entries)
	d.mu.Lock()
	defer d.mu.Unlock()
	images := make([]library.Image, 0, len(entries))
	for _, e := range entries {
		if e.visible() {
			images = append(images, d.image(e))
		}
	}
	return images, ctx.Err()
}

func (d *Directory) get(ids []string) []*entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	entries := make([]*entry, 0, len(ids))
	for _, id := range ids {
		if e := d.entries[id]; e != nil {
			entries = append(entries, e)
		}
	}
	return entries
}

// Image finds a file by its id, its path, or its name in the directory. The error is
// library.ErrNotFound.
func (d *Directory) Image(ctx context.Context, ref string) (library.Image, error) {
	id := ref
	if !strings.HasPrefix(ref, Scheme) {
		id = d.idOf(ref)
	}
	images, err := d.Get(ctx, id)
	if err != nil {
		return library.Image{}, err
	}
	if len(images) == 0 {
		return library.Image{}, fmt.Errorf("%w: file %.200q", library.ErrNotFound, ref)
	}
	return images[0], nil
}

// idOf is the id of the file of a path or name, if that lies in the directory; else empty.
func (d *Directory) idOf(ref string) string {
	if !filepath.IsAbs(ref) {
		return d.idIn(ref)
	}
	dir, name := filepath.Split(filepath.Clean(ref))
	for _, root := range []string{d.path, d.real} {
		if rel, err := filepath.Rel(root, filepath.Join(dir, name)); err == nil && d.idIn(rel) != "" {
			return d.idIn(rel)
		}
	}
	resolved, err := filepath.EvalSymlinks(filepath.Clean(dir))
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(d.real, filepath.Join(resolved, name))
	if err != nil {
		return ""
	}
	return d.idIn(rel)
}

// idIn is the id of a file with a relative path, if that lies in the directory; else empty.
func (d *Directory) idIn(rel string) string {
	if rel = filepath.Clean(rel); !filepath.IsLocal(rel) || rel == "." || !d.Deep() && filepath.Base(rel) != rel {
		return ""
	}
	return d.id(rel)
}

// Tags lists the tags of the files, those of their prompts among them, most used
// first.
func (d *Directory) Tags(ctx context.Context) ([]library.TagCount, error) {
	d.wait(ctx, want{tags: []string{""}})
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tags != nil {
		return slices.Clone(d.tags), ctx.Err()
	}
	counts := make(map[string]*library.TagCount)
	for _, e := range d.entries {
		if !e.visible() {
			continue
		}
		all := append(slices.Clone(e.tags()), e.facts.more().tags...)
		if len(all) == 0 {
			continue
		}
		mine := make(map[string]bool)
		for _, t := range all {
			key := tagKey(t)
			if mine[key] {
				continue
			}
			mine[key] = true
			if counts[key] == nil {
				counts[key] = &library.TagCount{Name: t}
			}
			counts[key].Count++
		}
	}
	tags := make([]library.TagCount, 0, len(counts))
	for _, c := range counts {
		tags = append(tags, *c)
	}
	slices.SortFunc(tags, func(a, b library.TagCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	d.tags = tags
	return slices.Clone(tags), ctx.Err()
}

// Latest returns the id of the file that was written last, or "" if there is none.
func (d *Directory) Latest() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var last *entry
	for _, e := range d.entries {
		if e.visible() && (last == nil || e.mtime > last.mtime || e.mtime == last.mtime && compareNames(e.name, last.name) > 0) {
			last = e
		}
	}
	if last == nil {
		return ""
	}
	return last.id
}
