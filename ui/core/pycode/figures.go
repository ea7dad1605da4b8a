package pycode

import (
	"fmt"
	"slices"
	"strings"
)

// Titles contains the titles of the figures that code draws, as far as they are known without
// running it: a title must be a string literal, and it must be certain which figure it
// belongs to.
type Titles struct {
	known []string // of the first figures, in the order in which they are shown; "": unknown
	rest  string   // of all other figures; "": unknown
}

// Of returns the title of the n-th figure, counted from 0, or "" if it is unknown.
func (t Titles) Of(n int) string {
	if n < len(t.known) {
		return t.known[n]
	}
	return t.rest
}

// Figures returns the titles of the figures that code draws with matplotlib, pandas, seaborn
// and similar libraries.
func Figures(code string) Titles {
	if magic, ok := strings.CutPrefix(strings.TrimSpace(code), "%%"); ok {
		word, _, _ := strings.Cut(magic, "\n")
		word, _, _ = strings.Cut(word, " ")
		if !slices.Contains([]string{"time", "timeit", "capture", "prun"}, word) {
			return Titles{} // another language
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

// A figure is a figure that the code has created.
type figure struct {
	super   *string           // its own title (suptitle); nil: none; "": unknown
	axes    map[string]string // titles of its axes, by their source text; "": unknown
	order   []string          // keys of axes, in the order of their titles
	drawn   bool              // it is not empty
	unknown bool              // it is unknown which titles belong to this figure
}

// title returns the figure's title in the form of jupyter/managed's easel_titles.py, or "" if
// it is unknown.
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

// mostAxes is the maximum number of titles of axes in a figure's title.
const mostAxes = 4

// A simulation walks through code as if it ran, and tracks its figures.
type simulation struct {
	known   []string
	rest    string
	lost    bool // the number of figures that were shown is unknown
	blurred bool // the number of open figures is unknown
	maybe   int  // number of enclosing blocks that may not run

	pyplot  []string // its names
	open    []*figure
	current *figure
	names   map[string]*figure // figures by the names of variables for them or their axes
	figures map[string]bool    // the names in names that are of figures rather than axes
	draws   map[string]bool    // functions of this code that draw
	numbers map[string]*figure // figures by pyplot's argument num
	axes    int                // number of times that pyplot's current axes have changed

	expression *figure // figure of plotnine or the like that the last statement made
}

func newSimulation() *simulation {
	return &simulation{
		pyplot: []string{"plt", "pyplot", "pylab"},
		names:  make(map[string]*figure), figures: make(map[string]bool), draws: make(map[string]bool), numbers: make(map[string]*figure),
	}
}

// emit records that a figure is shown.
func (s *simulation) emit(f *figure) {
	s.rest = "" // no longer the same for all other figures
	if s.blurred {
		s.lost = true
	}
	if !s.lost {
		s.known = append(s.known, f.title())
	}
}

// show shows all open figures, as plt.show and the end of the code do.
func (s *simulation) show() {
	for _, f := range s.open {
		if f.drawn { // a figure without axes is not shown
			s.emit(f)
		}
	}
	s.open, s.current, s.blurred = nil, nil, false
}

// lose stops counting the figures.
func (s *simulation) lose() { s.lost, s.rest = true, "" }

// begin creates a figure and makes it the current one.
func (s *simulation) begin(drawn bool) *figure {
	f := &figure{axes: make(map[string]string), drawn: drawn}
	s.open = append(s.open, f)
	s.current = f
	return f
}

// here returns the current figure, for drawing. Like pyplot, it creates one if there is none.
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

// entitle sets the title of the axes of f with the source text key.
func (s *simulation) entitle(f *figure, key string, value []token) {
	name, ok := literal(value)
	if !ok || s.maybe > 0 {
		name = ""
	}
	if ok && name == "" && s.maybe == 0 { // plt.title('') removes the title
		delete(f.axes, key)
		f.order = slices.DeleteFunc(f.order, func(k string) bool { return k == key })
		return
	}
	if _, there := f.axes[key]; !there {
		f.order = append(f.order, key)
	}
	f.axes[key] = name
}

// block walks through statements.
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

// loop walks through a for statement. If it iterates over the axes of a figure, the loop
// variables are also names of that.
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

// repeat walks through a block that runs any number of times.
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

// value shows the value of the last statement if that is a figure.
func (s *simulation) value(n node) {
	if names, _ := targets(n.tokens); s.expression != nil && len(names) == 0 {
		s.emit(s.expression)
	}
	if n.keyword() != "" || len(n.tokens) != 1 || n.tokens[0].kind != name {
		return
	}
	if f := s.names[n.tokens[0].word]; f != nil && s.figures[n.tokens[0].word] {
		s.emit(f)
		s.end(f) // showing it again yields the same picture
	}
}
