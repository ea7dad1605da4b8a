package pycode

import (
	"fmt"
	"slices"
	"strings"
)

// Titles are the titles of the figures that code draws, as far as it says them plainly:
// by a string literal, at a place where it is certain which figure that is of. Titles
// that are put together when the code runs are not known here.
type Titles struct {
	known []string // of the first figures, in the order in which they are shown; "" is unknown
	rest  string   // of all further ones
}

// Of is the title of the n-th figure, from 0; "" if it is not known.
func (t Titles) Of(n int) string {
	if n < len(t.known) {
		return t.known[n]
	}
	return t.rest
}

// Figures reads the titles of code that draws with matplotlib, or what is built on it.
func Figures(code string) Titles {
	if magic, ok := strings.CutPrefix(strings.TrimSpace(code), "%%"); ok {
		word, _, _ := strings.Cut(magic, "\n")
		word, _, _ = strings.Cut(word, " ")
		if !slices.Contains([]string{"time", "timeit", "capture", "prun"}, word) {
			return Titles{} // of another language
		}
	}
	s := newSimulation()
	nodes := tree(statements(code))
	s.block(nodes)
	if len(nodes) > 0 {
		s.value(nodes[len(nodes)-1])
	}
	s.show()
	return Titles{s.known, s.rest}
}

// A figure is one that the code has made.
type figure struct {
	super   *string           // its own title; nil: none, and "" is one that is not known
	axes    map[string]string // titles of its axes, by how those are written; "" is not known
	order   []string          // keys of axes
	drawn   bool
	unknown bool // which of the titles are this one's is not known
}

// title is what the figure is called, as jupyter/managed's easel_titles.py puts it.
func (f *figure) title() string {
	switch {
	case f.unknown:
		return ""
	case f.super != nil && *f.super != "":
		return *f.super
	case f.super != nil:
		return ""
	}
	var names []string
	for _, key := range f.order {
		switch name := f.axes[key]; {
		case name == "":
			return ""
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	if more := len(names) - mostAxes; more > 0 {
		names = append(names[:mostAxes], fmt.Sprintf("+%d", more))
	}
	return strings.Join(names, " · ")
}

// mostAxes is how many axes a figure is called by.
const mostAxes = 4

// A simulation goes through code as if it ran, and follows its figures.
type simulation struct {
	known   []string
	rest    string
	lost    bool // how many figures have been shown is not known
	blurred bool // how many figures are open is not known
	maybe   int  // of the blocks around, how many may not run

	pyplot  []string // its names
	open    []*figure
	current *figure
	names   map[string]*figure // of figures and of their axes
	figures map[string]bool    // those of names that are figures
	draws   map[string]bool    // functions of this code that draw
	numbers map[string]*figure // by what pyplot was told to call them
	axes    int                // how often pyplot has changed its axes

	expression *figure // plotnine's, that the last statement made
}

func newSimulation() *simulation {
	return &simulation{
		pyplot: []string{"plt", "pyplot", "pylab"},
		names:  make(map[string]*figure), figures: make(map[string]bool), draws: make(map[string]bool), numbers: make(map[string]*figure),
	}
}

// emit shows a figure.
func (s *simulation) emit(f *figure) {
	s.rest = "" // of figures that are all alike
	if s.blurred {
		s.lost = true
	}
	if !s.lost {
		s.known = append(s.known, f.title())
	}
}

// show shows all that is open, as plt.show does, and the end of the code.
func (s *simulation) show() {
	for _, f := range s.open {
		if f.drawn { // of one without axes there is no picture
			s.emit(f)
		}
	}
	s.open, s.current, s.blurred = nil, nil, false
}

// lose gives up counting.
func (s *simulation) lose() { s.lost, s.rest = true, "" }

// begin makes a figure.
func (s *simulation) begin(drawn bool) *figure {
	f := &figure{axes: make(map[string]string), drawn: drawn}
	s.open = append(s.open, f)
	s.current = f
	return f
}

// here is the current figure, which is made if there is none, as pyplot does.
func (s *simulation) here() *figure {
	if s.current == nil {
		s.begin(false)
	}
	s.current.drawn = true
	return s.current
}

// end closes a figure.
func (s *simulation) end(f *figure) {
	s.open = slices.DeleteFunc(s.open, func(o *figure) bool { return o == f })
	if s.current == f {
		s.current = nil
		if n := len(s.open); n > 0 {
			s.current = s.open[n-1]
		}
	}
}

// entitle gives the axes of f that are written so a title.
func (s *simulation) entitle(f *figure, key string, value []token) {
	name, ok := literal(value)
	if !ok || s.maybe > 0 {
		name = ""
	}
	if ok && name == "" && s.maybe == 0 { // plt.title(''): none
		delete(f.axes, key)
		f.order = slices.DeleteFunc(f.order, func(k string) bool { return k == key })
		return
	}
	if _, there := f.axes[key]; !there {
		f.order = append(f.order, key)
	}
	f.axes[key] = name
}

// block goes through statements.
func (s *simulation) block(nodes []node) {
	for _, n := range nodes {
		s.node(n)
	}
}

func (s *simulation) node(n node) {
	switch n.keyword() {
	case "":
		s.statement(n.tokens)
	case "def", "class":
		if len(n.tokens) > 1 && s.drawing(n.body) {
			s.draws[n.tokens[1].word] = true
		}
	case "for":
		s.loop(n)
	case "while":
		s.repeat(n.body)
	case "with", "try", "finally":
		s.statement(n.tokens)
		s.block(n.body)
	default: // if and the like
		if strings.Contains(written(n.tokens), "__name__==") {
			s.block(n.body)
			return
		}
		if s.drawing(n.body) {
			s.lose()
		}
		s.maybe++
		s.block(n.body)
		s.maybe--
	}
}

// loop goes through a for: over the axes of a figure, or over anything.
func (s *simulation) loop(n node) {
	in := slices.IndexFunc(n.tokens, func(t token) bool { return t.is("in") })
	if in > 0 {
		var over *figure
		for _, t := range n.tokens[in:] {
			if f := s.names[t.word]; t.kind == name && f != nil {
				over = f
			}
		}
		for _, t := range n.tokens[:in] {
			if t.kind == name && over != nil {
				s.names[t.word] = over
			}
		}
	}
	s.repeat(n.body)
}

// repeat goes through what runs any number of times.
func (s *simulation) repeat(body []node) {
	if !s.drawing(body) {
		s.block(body)
		return
	}
	fresh := len(s.open) == 0 && !s.lost
	once := newSimulation()
	once.pyplot, once.draws, once.maybe = s.pyplot, s.draws, s.maybe
	once.block(body)
	once.show()
	same := ""
	if fresh && !once.lost && len(once.known) > 0 {
		same = once.known[0]
		for _, other := range once.known {
			if other != same {
				same = ""
			}
		}
	}
	s.lose()
	s.rest = same
	s.open, s.current = nil, nil
}

// value shows what a last statement is worth, if that is a figure.
func (s *simulation) value(n node) {
	if names, _ := targets(n.tokens); s.expression != nil && len(names) == 0 {
		s.emit(s.expression)
	}
	if n.keyword() != "" || len(n.tokens) != 1 || n.tokens[0].kind != name {
		return
	}
	if f := s.names[n.tokens[0].word]; f != nil && s.figures[n.tokens[0].word] {
		s.emit(f)
		s.end(f) // what is shown once more is the same picture
	}
}
