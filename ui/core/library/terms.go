package library

import (
	"context"
	"strings"

	"easel/ui/core/library/search"
	"easel/ui/core/sessionname"
)

// terms returns the terms of a query's text.
func (q Query) terms(c search.Clock) search.Terms {
	c.Looked = q.Looked
	return search.Parse(q.Text, c)
}

// search restricts a condition to what the text of a query finds.
func (l translator) search(ctx context.Context, c *condition, q Query) error {
	sets := make(map[search.Key]*condition)
	for _, t := range q.terms(search.Clock{Now: l.now()}) {
		if t.Problem != search.Fine && t.Key != search.Word {
			continue
		}
		one := condition{}
		if err := l.term(ctx, &one, t); err != nil {
			return err
		}
		if len(one.where) == 0 {
			continue
		}
		clause := one.where[0]
		switch {
		case t.Not:
			c.and(`not (`+clause+`)`, one.args...)
		case t.Either():
			if sets[t.Key] == nil {
				sets[t.Key] = &condition{}
			}
			sets[t.Key].and(clause, one.args...)
		default:
			c.and(clause, one.args...)
		}
	}
	for _, key := range search.Keys { // in a fixed order, so that the statement is the same each time
		if x := sets[key]; x != nil {
			c.and(`(`+strings.Join(x.where, ` or `)+`)`, x.args...)
		}
	}
	return nil
}

// term adds the clause of a term to an empty condition.
func (l translator) term(ctx context.Context, c *condition, t search.Term) error {
	switch t.Key {
	case search.Word:
		if t.Folded != "" {
			l.word(c, t.Folded)
		}
	case search.Client:
		c.and(`instr(lower(i.client), ?)`, t.Folded)
	case search.Session:
		ids, err := l.called(ctx, t.Folded)
		if err != nil {
			return err
		}
		c.and(`i.session_seq in (select seq from sessions where id in (select value from json_each(?)))`, list(ids))
	case search.Tag:
		c.and(`i.id in (select d.subject from tag_names t join tagged d on d.tag = t.seq where t.key = ?)`, tagKey(t.Value))
	case search.Stars:
		c.and(`i.rating `+t.Op+` ?`, t.Count)
	case search.Kind:
		ofKind(c, t.Folded)
	case search.Has:
		c.and(things[t.Folded])
	case search.Is: // an update of a figure is new, too
		c.and(`i.created > ?`, instant(t.From))
	case search.After:
		c.and(`i.born >= ?`, instant(t.From))
	case search.Before:
		c.and(`i.born < ?`, instant(t.From))
	case search.On:
		c.and(`i.born >= ? and i.born < ?`, instant(t.From), instant(t.To))
	}
	return nil
}

// word adds the clause of a word or phrase, which is searched in the card, the note, the code and
// the output.
func (l translator) word(c *condition, word string) {
	card, args := search.Card(word, l.untitled)
	runs, more := search.Runs(word)
	c.and(`(`+card+` or i.run in (`+runs+`))`, append(args, more...)...)
}

// things are the clauses of search.Things.
var things = map[string]string{
	"note": trait("note"), "findings": `i.findings > 0`, "tags": `i.tags <> ''`, "stars": `i.rating > 0`,
	"error": `i.run in (select e.seq from executions e where e.status in ('error', 'timeout', 'kernel_died', 'interrupted', 'lost'))`,
	"data":  trait("data"),
}

// trait returns the clause for one of the words that the column traits may have; see schema/11.sql.
func trait(word string) string { return `instr(i.traits, '` + word + ` ')` }

// ofKind adds the clause of a kind. matplotlib is known by what Easel stores of its figures.
func ofKind(c *condition, kind string) {
	switch kind {
	case "matplotlib", "vega", "plotly", "bokeh", "holoviews":
		c.and(trait(kind))
	case "png", "jpeg", "gif", "webp":
		c.and(`i.mime = ?`, "image/"+kind)
	case "svg":
		c.and(`i.mime = 'image/svg+xml'`)
	case "animation":
		c.and(`i.frames > 1`)
	default:
		c.and(`i.interactive = ?`, kind)
	}
}

// sessionsCalled returns the ids of the sessions whose name or notebook contains a folded text, or
// whose id begins with it.
func (s *store) sessionsCalled(ctx context.Context, text string) (ids []string, err error) {
	all, err := collect(ctx, s, scanSession, sessionColumns)
	named := make([]sessionname.Session, len(all))
	for i, x := range all {
		named[i] = x.Named()
	}
	longer := sessionname.Among(named) // as in a list of all
	for i, x := range all {
		name := search.Fold(sessionname.Of(named[i]) + "\n" + longer[i] + "\n" + x.NotebookPath)
		if strings.Contains(name, text) || strings.HasPrefix(x.ID, text) || x.KernelID != "" && strings.HasPrefix(x.KernelID, text) {
			ids = append(ids, x.ID)
		}
	}
	return ids, err
}
