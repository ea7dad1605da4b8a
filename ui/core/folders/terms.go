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
		return strings.Contains(fold(e.name), t.Folded) || strings.Contains(e.facts.more().words, t.Folded) ||
			slices.ContainsFunc(e.tags(), func(tag string) bool { return strings.Contains(fold(tag), t.Folded) })
	case search.Tag:
		return e.tagged(tagKey(t.Value))
	case search.Stars:
		return t.Rated(e.rating())
	case search.Kind:
		mime := named(e.name)
		if e.facts != nil {
			mime = e.facts.mime
		}
		return "image/"+t.Folded == strings.TrimSuffix(mime, "+xml")
	case search.Has:
		return t.Folded == "tags" && len(e.tags()) > 0 || t.Folded == "stars" && e.rating() > 0
	case search.Is, search.After:
		return !e.created().Before(t.From)
	case search.Before:
		return e.created().Before(t.From)
	case search.On:
		return !e.created().Before(t.From) && e.created().Before(t.To)
	case search.Client, search.Session:
	}
	return false
}
