package palette

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The points of a match, from best to worst. A recent entry is before one that is as good.
const (
	asWhole   = 120 // the entry is called what was typed
	asStart   = 100 // it begins with it
	asWord    = 80  // one of its words does
	asPart    = 50  // it is in it
	asLetters = 20  // its letters are in it, in this order
	ofOther   = 8   // less, if it is in a text that is not shown
	ofWhy     = 4   // less, if it is not possible now
)

// fold returns a text as it is compared: without case, width, and the two ways of writing Japanese
// syllables.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'ァ' && r <= 'ヶ' {
			return r - 'ァ' + 'ぁ'
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}

// find returns the entries that match what was typed, the best first. recent are ids, the most
// recent first; without a text, they come first, and the others follow in their order.
func find(all []Entry, typed string, recent []string) []Entry {
	words := strings.Fields(fold(typed))
	type hit struct {
		Entry
		points int
	}
	var hits []hit
	for _, e := range all {
		points, ok := score(e, words, strings.Join(words, " "))
		if !ok {
			continue
		}
		if i := slices.Index(recent, e.ID); i >= 0 {
			points += 5
			if len(words) == 0 {
				points += 100 * (len(recent) - i)
			}
		}
		switch {
		case e.Why == "":
		case len(words) == 0: // at the end
			points -= 1000
		default:
			points -= ofWhy
		}
		hits = append(hits, hit{e, points})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.points, a.points) })
	found := make([]Entry, len(hits))
	for i, h := range hits {
		found[i] = h.Entry
	}
	return found
}

// score returns how well an entry matches all words.
func score(e Entry, words []string, whole string) (points int, ok bool) {
	if len(words) == 0 {
		return 0, !e.Quiet
	}
	texts := append([]string{e.Name, e.Detail, e.Key}, e.Also...)
	for i := range texts {
		texts[i] = fold(texts[i])
	}
	best := 0
	for i, t := range texts {
		if t == whole && (i == 0 || i > 2) {
			best = max(best, asWhole)
		} else if strings.HasPrefix(t, whole) && i != 2 {
			best = max(best, asStart)
		}
	}
	least := asWhole
	for _, w := range words {
		word := 0
		for i, t := range texts {
			n := rate(t, w)
			if i > 0 && n > 0 {
				n = max(n-ofOther, 1)
			}
			word = max(word, n)
		}
		if word == 0 {
			return 0, false
		}
		least = min(least, word)
	}
	rest := 60 // of a name that does not say it: such entries stay in their order
	if slices.ContainsFunc(words, func(w string) bool { return rate(texts[0], w) > 0 }) {
		rest = min(utf8.RuneCountInString(e.Name), rest)
	}
	return 4*max(best, least) - rest/10, true
}

// rate returns how well a word matches a text; 0: not at all.
func rate(text, word string) int {
	switch i := strings.Index(text, word); {
	case i == 0:
		return asStart
	case i > 0:
		for ; i >= 0; i = next(text, word, i) {
			if before, _ := utf8.DecodeLastRuneInString(text[:i]); !letter(before) {
				return asWord
			}
		}
		return asPart
	}
	if n := utf8.RuneCountInString(word); n < 2 || n > 12 {
		return 0
	}
	return spread(text, word)
}

// next returns where a word is in a text after an index, or -1.
func next(text, word string, after int) int {
	after += len(word)
	if i := strings.Index(text[after:], word); i >= 0 {
		return after + i
	}
	return -1
}

// spread rates letters that are in a text in the order of a word. The first must begin a word of
// the text, and they may not be far apart; otherwise nearly everything would match.
func spread(text, word string) int {
	want, gaps, before := []rune(word), 0, ' '
	at := 0
	for _, r := range text {
		switch {
		case at < len(want) && r == want[at] && (at > 0 || !letter(before)):
			at++
		case at > 0 && at < len(want):
			gaps++
		}
		before = r
	}
	if at < len(want) || gaps > 3*len(want) {
		return 0
	}
	return max(asLetters-gaps, 1)
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
