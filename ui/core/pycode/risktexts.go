package pycode

import (
	"regexp"
	"slices"
	"strings"
)

// text reads the string literal at an index.
func (s *statementReader) text(i int) {
	t := s.t
	if s.inner++; s.inner > mostInner {
		s.mention(i, RiskUnseen, "an f-string", true)
	}
	defer func() { s.inner-- }()
	for _, field := range t[i].fields {
		if s.inner > mostInner {
			break
		}
		for _, st := range scan("(" + field + "\n)").out {
			inner := &statementReader{riskReader: s.riskReader, p: s.p, t: st.tokens}
			for k := range inner.t {
				inner.t[k].at = t[i].at
			}
			inner.read()
			s.loose = append(s.loose, inner.loose...)
		}
		if scan("(" + field + "\n)").odd {
			s.mention(i, RiskUnseen, "an f-string", true)
		}
	}
	if i > 0 && (t[i-1].kind == text || t[i-1].is("+") && i > 1 && t[i-2].kind == text) {
		return // it was read with the one before
	}
	whole, end := t[i].word, i
	s.known.outward = s.known.outward || strings.Contains(whole, "..") || strings.HasPrefix(whole, "/") || strings.HasPrefix(whole, "~") || strings.Contains(whole, `:\`)
	for end+1 < len(t) {
		next := end + 1
		if t[next].is("+") && next+1 < len(t) {
			next++
		}
		if t[next].kind != text {
			break
		}
		end = next
		whole += t[end].word
	}
	if len(t) == end-i+1 { // a text by itself, which documents
		return
	}
	if end+1 < len(t) && t[end+1].is(".") && end+2 < len(t) && (builders[t[end+2].word] || t[end+2].is("replace")) && end+3 < len(t) && t[end+3].is("(") ||
		end+3 < len(t) && t[end+1].is("[") && t[end+2].is(":") && t[end+3].is(":") {
		s.mention(i, RiskUnseen, "a text that is built from another", true)
	}
	if sep := t[i].word; end+3 < len(t) && t[end+1].is(".") && t[end+2].is("join") && t[end+3].is("(") {
		whole = ""
		for k := end + 4; k < len(t) && k < partner(t, end+3); k++ {
			if t[k].kind == text {
				whole += t[k].word + sep
			}
		}
	}
	s.meaningOf(i, whole)
}

// meaningOf adds the risks of a literal text.
func (s *statementReader) meaningOf(i int, said string) {
	shown := s.shown(i)
	kind, short := TextRisk(said)
	if s.rendered(i) { // by a browser
		loads := remotePicture.MatchString(said) && strings.Contains(said, "//")
		if shown = !loads && kind != RiskUnseen; loads && kind == "" {
			kind = RiskNetwork
		}
	}
	switch {
	case shown || kind == "":
	case kind != RiskNetwork:
		s.mention(i, kind, short, true)
	default:
		if !s.inCall(i) { // only a value, which counts where a function gets it
			s.carrySaid(mention{Risk: Risk{RiskNetwork, s.p.lineOf(s.t[i]), short}, said: true})
			return
		}
		s.mention(i, RiskNetwork, short, true)
	}
	_, writes := writers[said]
	writes = writes && !shown && strings.Contains(said, "_") && s.passed(i)
	if writes || said == "unlink" || said == "rmtree" || said == "check_output" {
		s.mention(i, RiskFiles, short, false)
	}
}

// carrySaid notes that the names that the statement assigns may contain an address.
func (s *statementReader) carrySaid(m mention) {
	for _, g := range targets(s.t) {
		if !g.part {
			s.carry(plainName(g.word), m)
		}
	}
}

// remotePicture matches what makes a browser load something.
var remotePicture = regexp.MustCompile(`(?i)!\[|\bsrc\s*=|url\(|<link`)

// rendered reports whether the text at an index is shown by a browser.
func (s *statementReader) rendered(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i && s.t[k].is("(") {
			return slices.Contains([]string{"Markdown", "HTML", "display", "display_markdown", "display_html"}, s.t[k-1].word)
		}
	}
	return false
}

// passed reports whether the text at an index is an argument of a method that calls another by its name.
func (s *statementReader) passed(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i {
			return s.t[k].is("(") && callers[s.t[k-1].word]
		}
	}
	return false
}

// callers call the method that a text names.
var callers = set(`apply agg aggregate transform pipe map applymap methodcaller attrgetter getattr`)

// inCall reports whether the text at an index is an argument of a function that does more than build a text.
func (s *statementReader) inCall(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i && s.t[k].is("(") && s.t[k-1].kind == name && !slices.Contains(keywords, s.t[k-1].word) &&
			!slices.Contains([]string{"join", "format", "urljoin", "str", "list", "dict", "tuple", "DataFrame", "Series"}, s.t[k-1].word) {
			return true
		}
	}
	return false
}

// shown reports whether the text at an index is only shown, for example by print.
func (s *statementReader) shown(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.t[k].match > 0 && k+s.t[k].match > i {
			if s.t[k].is("(") {
				return displayers[s.t[k-1].word] && !s.known.defined[plainName(s.t[k-1].word)] // it is not the cell's own
			}
		}
	}
	return false
}
