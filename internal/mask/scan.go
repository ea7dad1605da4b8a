package mask

import (
	"bytes"
	"maps"
	"slices"
)

// gram is how many bytes of each secret are looked up at each position of a text.
const gram = 3

// blob is the length from which text in the alphabet of base64 counts as a picture or
// other data.
const blob = 2000

// A scanner finds secrets in one pass. Each position of a text is looked up in a table of bits,
// which few pass, and then by its bytes.
type scanner struct {
	bits [1 << 10]uint64
	by   map[uint32][]candidate
}

// A candidate may be at a position that has its bytes: a form, or a needle whose part from
// offset begins there.
type candidate struct {
	needle *needle
	offset int
	form   *form
}

func newScanner(needles []*needle, forms []form) *scanner {
	s := &scanner{by: make(map[uint32][]candidate)}
	add := func(text []byte, c candidate) {
		k := keyOf(text)
		s.by[k] = append(s.by[k], c)
		h := hash(k)
		s.bits[h>>6] |= 1 << (h & 63)
	}
	for _, n := range needles {
		offsets := []int{0, len(n.text) - n.half}
		if n.half < len(n.text) {
			offsets = append(offsets, len(n.text)-edge)
		}
		slices.Sort(offsets)
		for _, offset := range slices.Compact(offsets) {
			if len(n.text)-offset >= gram {
				add(n.text[offset:], candidate{needle: n, offset: offset})
			}
		}
	}
	for i := range forms {
		add([]byte(forms[i].literal), candidate{form: &forms[i]})
	}
	return s
}

func keyOf(text []byte) uint32 { return uint32(text[0]) | uint32(text[1])<<8 | uint32(text[2])<<16 }

func hash(k uint32) uint32 { return k * 0x9E3779B1 >> 16 }

// A match is what is masked in a text.
type match struct {
	from, to   int
	mark, name string
}

// hide returns a text with its secrets replaced, and what they were; nil if there are none.
func (s *scanner) hide(text []byte, isJSON bool) ([]byte, Tally) {
	var (
		out   []byte
		found Tally
		done  int // bytes of text that are in out
	)
	p := pass{scanner: s, text: text, isJSON: isJSON, finder: stringFinder{text: text}}
	for i := 0; i+gram <= len(text); {
		k := keyOf(text[i : i+gram])
		if h := hash(k); s.bits[h>>6]>>(h&63)&1 == 0 {
			i++
			continue
		}
		m, ok := p.at(i, done, k)
		if !ok {
			i++
			continue
		}
		if found == nil {
			found, out = make(Tally), make([]byte, 0, len(text))
		}
		out = append(append(out, text[done:m.from]...), m.mark...)
		found[m.name]++
		done, i = m.to, m.to
	}
	if found == nil {
		return text, nil
	}
	return append(out, text[done:]...), found
}

// Names returns the names of what was found, sorted.
func (t Tally) Names() []string { return slices.Sorted(maps.Keys(t)) }

// A pass is one pass through a text.
type pass struct {
	*scanner
	text   []byte
	isJSON bool
	finder stringFinder
	blob   int // where the last base64 ends that had a dull needle
}

// at returns the longest match at a position, which takes nothing before floor.
func (p *pass) at(i, floor int, key uint32) (best match, ok bool) {
	for _, c := range p.by[key] {
		m, is := p.try(c, i, floor)
		if is && (!ok || m.to-m.from > best.to-best.from) {
			best, ok = m, true
		}
	}
	return best, ok
}

func (p *pass) try(c candidate, i, floor int) (m match, ok bool) {
	if c.form != nil {
		if !p.has(i, c.form.literal) {
			return m, false
		}
		from, to := c.form.find(p.text, i, floor)
		if to == 0 {
			return m, false
		}
		return match{from, to, mark(c.form.name), c.form.name}, true
	}
	n := c.needle
	if p.isJSON && !n.quotable {
		return m, false
	}
	from, to, ok := n.find(p.text, i, c.offset, floor)
	if !ok || n.dull && p.inBlob(from) || p.isJSON && isNumber(p.text[from:to]) && !p.finder.inside(from) {
		return m, false
	}
	return match{escapeEnd(p.text, from), to, n.mark, n.name}, true
}

// has reports whether a literal is at a position of the text.
func (p *pass) has(i int, literal string) bool {
	return len(p.text)-i >= len(literal) && string(p.text[i:i+len(literal)]) == literal
}

func (p *pass) inBlob(at int) bool {
	if at < p.blob {
		return true
	}
	p.blob = max(p.blob, blobEnd(p.text, at))
	return at < p.blob
}

// escapeEnd returns the end of the escape sequence of JSON in which a position is, or the
// position if it is in none. In \nabc, the n is a part of a line break, also if the secret
// is nabc.
func escapeEnd(text []byte, at int) int {
	for i := at - 1; i >= max(0, at-5); i-- {
		switch {
		case text[i] != '\\':
		case text[i+1] == 'u':
			return max(at, i+6)
		default:
			return max(at, i+2)
		}
	}
	return at
}

// begins reports whether a word can begin at a position: what is before it is no letter, digit or
// underscore, unless that is the end of an escape sequence.
func begins(text []byte, at int) bool {
	if at == 0 || !isWord(text[at-1]) {
		return true
	}
	before := text[max(0, at-12):at]
	if i := bytes.LastIndexByte(before, '\\'); i >= 0 {
		rest := before[i+1:]
		switch {
		case len(rest) == 1 && bytes.IndexByte([]byte("nrtbfv0a"), rest[0]) >= 0:
			return true
		case len(rest) == 5 && rest[0] == 'u', len(rest) == 3 && rest[0] == 'x':
			return true
		}
	}
	if i := bytes.LastIndexByte(before, '%'); i >= 0 && i == len(before)-3 { // percent-encoded
		return true
	}
	if i := bytes.LastIndexByte(before, '['); i >= 0 && before[len(before)-1] == 'm' { // a colour of a terminal
		return len(bytes.Trim(before[i+1:len(before)-1], "0123456789;")) == 0
	}
	return false
}

// cutAfter reports whether a text seems to be cut at a position.
func cutAfter(text []byte, at int) bool {
	rest := bytes.TrimLeft(text[at:min(len(text), at+16)], "\\")
	if len(rest) == 0 || rest[0] == '"' {
		return true
	}
	rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte("n")), "\n")
	return bytes.HasPrefix(rest, []byte("…")) || bytes.HasPrefix(rest, []byte("..."))
}

// cutBefore reports whether what was before a position of a text seems to be cut off.
func cutBefore(text []byte, at int) bool {
	if at == 0 || text[at-1] == '"' {
		return true
	}
	before := bytes.TrimRight(text[max(0, at-16):at], "\n")
	if b, ok := bytes.CutSuffix(before, []byte(`n`)); ok {
		before = bytes.TrimRight(b, `\`)
	}
	return bytes.HasSuffix(before, []byte("…")) || bytes.HasSuffix(before, []byte("..."))
}

// blobEnd returns the end of the base64 around a position, or 0 if it is too short to be
// a picture.
func blobEnd(text []byte, at int) int {
	begin, end := at, at
	for begin > 0 && at-begin < blob && isBase64(text[begin-1]) {
		begin--
	}
	for end < len(text) && isBase64(text[end]) {
		end++
	}
	if end-begin < blob {
		return 0
	}
	return end
}

func isBase64(b byte) bool { return isAlnum(b) || b == '+' || b == '/' || b == '=' }

func isAlnum(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// isNumber reports whether a text may be a part of a JSON number.
func isNumber(text []byte) bool { return len(bytes.Trim(text, "0123456789.+-eE")) == 0 }

func isWord(b byte) bool { return isAlnum(b) || b == '_' }

// A stringFinder tells whether a position of a JSON text is in a string. Ask in rising order.
type stringFinder struct {
	text []byte
	at   int
	in   bool
}

func (f *stringFinder) inside(at int) bool {
	for ; f.at < at; f.at++ {
		switch {
		case f.in && f.text[f.at] == '\\':
			f.at++ // what follows is escaped
		case f.text[f.at] == '"':
			f.in = !f.in
		}
	}
	return f.in
}
