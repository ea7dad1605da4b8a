package folders

import (
	"slices"
	"strings"

	"easel/ui/core/library/search"
)

// found reports whether the search finds an entry. The caller holds the directory's mu.
func (w want) found(e *entry) bool {
	var asked, met search.Terms // of the keys of which one term is enough
	for _, t := range w.terms {
		if t.Problem != search.Fine && t.Key != search.Word {
			continue
		}
		yes := e.meets(t)
		switch {
		case t.Either() && !t.Not:
			if asked = append(asked, t); yes {
				met = append(met, t)
			}
		case yes == t.Not:
			return false
		}
	}
	return !slices.ContainsFunc(asked, func(t search.Term) bool { return !met.Has(t.Key) })
}

// meets reports whether an entry is what a term says. The caller holds the directory's mu. Files
// have no client and no session, and nobody checks them.
func (e *entry) meets(t search.Term) bool {
	switch t.Key {
	case search.Word:
		return strings.Contains(e.words, t.Folded) || slices.ContainsFunc(e.annotation.Tags,
			func(tag string) bool { return strings.Contains(fold(tag), t.Folded) })
	case search.Tag:
		return e.tagged(tagKey(t.Value))
	case search.Stars:
		return t.Rated(e.annotation.Rating)
	case search.Kind:
		mime := named(e.name)
		if e.facts != nil {
			mime = e.facts.mime
		}
		return "image/"+t.Folded == strings.TrimSuffix(mime, "+xml")
	case search.Has:
		return t.Folded == "tags" && len(e.annotation.Tags) > 0 || t.Folded == "stars" && e.annotation.Rating > 0
	case search.Is, search.After:
		return !e.born.Before(t.From)
	case search.Before:
		return e.born.Before(t.From)
	case search.On:
		return !e.born.Before(t.From) && e.born.Before(t.To)
	case search.Client, search.Session:
	}
	return false
}
