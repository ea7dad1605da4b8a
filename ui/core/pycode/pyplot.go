package pycode

import (
	"slices"
	"strings"
)

// Names of functions by what they do. Other functions of pyplot draw in the current figure.
// Other functions of other modules do not affect figures.
var (
	makers   = []string{"subplots", "figure", "subplot_mosaic"}
	gridded  = []string{"relplot", "catplot", "displot", "lmplot", "jointplot", "pairplot", "clustermap", "FacetGrid", "PairGrid", "JointGrid"}
	changers = []string{"subplot", "sca", "axes", "subplot2grid"} // change pyplot's current axes
	silent   = []string{
		"savefig", "rc", "rcdefaults", "style", "switch_backend", "ion", "ioff", "pause", "get_cmap", "get_fignums", "tight_layout", "set_cmap", "context", "use",
	}
	tabled = []string{"plot", "hist", "boxplot"}                                                  // methods of pandas
	titled = []string{"labs", "figure", "Chart", "properties", "opts", "hvplot", "update_layout"} // have a title; see isExpression
	texts  = []string{"HTML", "Markdown", "Latex", "Math", "JSON", "Pretty", "Code", "head", "tail", "sample", "describe", "round", "to_frame", "value_counts"}
)

// isPyplot reports whether a call is of a function of pyplot.
func (s *simulation) isPyplot(c call) bool {
	return c.method() && (slices.Contains(s.pyplot, c.root()) || c.root() == "matplotlib" && slices.Contains(c.path, "pyplot"))
}

// makes reports whether a call creates a figure of pyplot.
func (s *simulation) makes(c call) bool {
	return s.isPyplot(c) && slices.Contains(makers, c.last()) || slices.Contains(gridded, c.last())
}

// isPandas reports whether a call plots a DataFrame or a Series, which may create a figure.
func (s *simulation) isPandas(c call) bool {
	n := len(c.path)
	plots := n > 1 && (slices.Contains(tabled, c.last()) || n > 2 && c.path[n-2] == "plot")
	return plots && !s.isPyplot(c) && s.names[c.root()] == nil && !strings.HasPrefix(c.path[max(0, n-2)], "ax")
}

// isExpression reports whether a call creates a figure of another library than pyplot, or
// sets its title: plotnine, Bokeh, Plotly, Altair or HoloViews.
func isExpression(c call) bool {
	if c.last() == "ggplot" || c.last() == "ggtitle" {
		return true
	}
	of := slices.Contains(titled, c.last()) || slices.Contains([]string{"px", "alt", "hv"}, c.root()) || slices.Contains(c.path, "hvplot")
	return of && c.named("title") != nil
}

// shows reports whether a call shows or closes a figure.
func (s *simulation) shows(c call) bool {
	last := c.last()
	return s.isPyplot(c) && (last == "show" || last == "close" || last == "clf") ||
		last == "display" && !c.method() || last == "show" || s.draws[last]
}

// drawing reports whether statements create or show figures.
func (s *simulation) drawing(nodes []node) bool {
	for _, n := range nodes {
		for _, c := range calls(n.tokens) {
			if s.makes(c) || s.shows(c) || s.isPandas(c) && c.named("ax") == nil {
				return true
			}
		}
		if s.drawing(n.body) {
			return true
		}
	}
	return false
}

// statement simulates a statement.
func (s *simulation) statement(tokens []token) {
	if s.imports(tokens) {
		return
	}
	names, value := targets(tokens)
	if slices.ContainsFunc(tokens, func(t token) bool { return t.is("for") || t.is("lambda") }) && s.drawing([]node{{tokens: tokens}}) {
		s.lose() // this runs any number of times
	}
	var made *figure
	s.expression = nil
	for _, c := range calls(tokens) {
		if f := s.call(c); f != nil {
			made = f
		}
	}
	if len(names) > 0 {
		s.assign(names, tokens[value:], made)
	}
}

// imports reports whether a statement is an import, and records the name that it gives pyplot.
func (s *simulation) imports(tokens []token) bool {
	if len(tokens) == 0 || !tokens[0].is("import") && !tokens[0].is("from") {
		return false
	}
	words := written(tokens)
	if n := len(tokens); n > 2 && tokens[n-2].is("as") && strings.Contains(words, "pyplotas") {
		s.pyplot = append(slices.Clone(s.pyplot), tokens[n-1].word)
	}
	return true
}

// assign records that names refer to a figure or its axes: to made, or else to the figure
// that is mentioned in value.
func (s *simulation) assign(names []string, value []token, made *figure) {
	f := made
	whole := made != nil
	for _, c := range calls(value) {
		if f == nil && s.isPyplot(c) && (c.last() == "gcf" || c.last() == "gca" || slices.Contains(changers, c.last())) {
			f, whole = s.here(), c.last() == "gcf"
		}
	}
	for i, t := range value {
		if t.kind == name && f == nil && (i == 0 || !value[i-1].is(".")) {
			f = s.names[t.word]
		}
	}
	for i, n := range names {
		delete(s.names, n)
		delete(s.figures, n)
		if f != nil {
			s.names[n] = f
			s.figures[n] = whole && i == 0
		}
	}
}

// call simulates a call, and returns the figure that it creates, or nil.
func (s *simulation) call(c call) *figure {
	switch {
	case s.makes(c):
		return s.make(c)
	case s.isPyplot(c):
		s.ofPyplot(c)
	case (c.last() == "display" || c.last() == "show") && !c.method():
		s.display(c.positional())
	case c.last() == "show" && len(c.positional()) == 1 && s.names[c.positional()[0].word] != nil: // a module's show(figure)
		s.displayed(s.names[c.positional()[0].word])
	case c.last() == "show" && slices.Contains(s.open, s.names[c.root()]): // it is shown at the end
	case c.last() == "show":
		s.displayed(s.names[c.root()])
	case c.last() == "print" && len(c.positional()) == 1 && s.names[c.positional()[0].word] != nil:
		s.displayed(s.names[c.positional()[0].word])
	case s.draws[c.last()]:
		s.lose()
	case isExpression(c):
		return s.grammar(c)
	case c.last() == "set_title" && c.method():
		s.entitle(s.of(c), c.receiver+side(c), c.positionalOr("label"))
	case c.last() == "suptitle" && c.method():
		s.own(s.of(c), c.positionalOr("t"))
	case c.last() == "set" && c.method() && c.named("title") != nil:
		s.entitle(s.of(c), c.receiver, c.named("title"))
	case s.isPandas(c):
		s.pandas(c)
	case c.method() && s.names[c.root()] != nil:
		s.names[c.root()].drawn = true
	case c.root() == "sns" || c.root() == "seaborn":
		if !strings.Contains(c.last(), "set") && !strings.Contains(c.last(), "load") && !strings.Contains(c.last(), "palette") && c.named("ax") == nil {
			s.here()
		}
	}
	return nil
}

// make creates a figure, or makes the existing one with this num the current one.
func (s *simulation) make(c call) *figure {
	num := c.named("num")
	if c.last() == "figure" && num == nil {
		num = c.positional()
	}
	key := written(num)
	if f := s.numbers[key]; num != nil && slices.Contains(s.open, f) {
		s.current = f
		return f
	}
	f := s.begin(c.last() != "figure")
	if num != nil {
		s.numbers[key] = f
	}
	return f
}

// side returns a suffix that distinguishes the three titles of axes (left, center, right).
func side(c call) string {
	if loc := c.named("loc"); loc != nil {
		return "@" + written(loc)
	}
	return ""
}

// positionalOr returns the first positional argument, or else the keyword argument key.
func (c call) positionalOr(key string) []token {
	if a := c.positional(); a != nil {
		return a
	}
	return c.named(key)
}

// of returns the figure whose method, or whose axes' method, is called. If that is unknown,
// it returns the current figure.
func (s *simulation) of(c call) *figure {
	if f := s.names[c.root()]; f != nil {
		f.drawn = true
		return f
	}
	return s.here()
}

// own sets a figure's own title.
func (s *simulation) own(f *figure, value []token) {
	said, ok := literal(value)
	if !ok || s.maybe > 0 {
		said = ""
	}
	f.super = &said
	if ok && said == "" && s.maybe == 0 {
		f.super = nil
	}
}

func (s *simulation) ofPyplot(c call) {
	switch last := c.last(); {
	case last == "show":
		s.show()
	case last == "close":
		s.close(c)
	case last == "clf" && s.current != nil:
		*s.current = figure{axes: make(map[string]string)}
	case last == "title":
		s.entitle(s.here(), "plt"+strings.Repeat("+", s.axes)+side(c), c.positionalOr("label"))
	case last == "suptitle":
		s.own(s.here(), c.positionalOr("t"))
	case slices.Contains(changers, last):
		s.axes++
		s.here()
	case last == "gcf", slices.Contains(silent, last), slices.Contains(c.path, "style"), slices.Contains(c.path, "rcParams"):
	default:
		s.here()
	}
}

func (s *simulation) close(c call) {
	arg := c.positional()
	all, _ := literal(arg)
	switch {
	case arg == nil && s.current != nil:
		s.end(s.current)
	case arg == nil:
	case all == "all":
		s.open, s.current = nil, nil
	case len(arg) == 1 && s.names[arg[0].word] != nil:
		s.end(s.names[arg[0].word])
	default:
		s.blurred = true
	}
}

// display simulates IPython's display with one argument.
func (s *simulation) display(arg []token) {
	if len(arg) == 0 {
		return
	}
	if _, said := literal(arg); said || arg[0].kind == text {
		return
	}
	if len(arg) == 1 && s.names[arg[0].word] != nil {
		s.displayed(s.names[arg[0].word])
		return
	}
	if s.expression != nil { // the argument has created it
		s.emit(s.expression)
		s.expression = nil
		return
	}
	cs := calls(arg)
	if len(cs) > 0 && slices.Contains(texts, cs[len(cs)-1].last()) {
		return
	}
	if written(arg) == "plt.gcf()" && s.current != nil {
		s.displayed(s.current)
		return
	}
	s.lose()
}

// displayed shows a figure and closes it. nil means that something unknown, which may be a
// figure, is shown.
func (s *simulation) displayed(f *figure) {
	if f == nil {
		s.lose()
		return
	}
	s.emit(f)
	s.end(f) // showing it again yields the same picture
}

// pandas simulates a plot of pandas. A DataFrame creates a figure, while a Series draws in the
// current one. If there is a current one, the result is therefore unknown.
func (s *simulation) pandas(c call) {
	into := c.named("ax")
	if len(into) > 0 && s.names[into[0].word] != nil {
		if title := c.named("title"); title != nil {
			s.entitle(s.names[into[0].word], written(into), title)
		}
		return
	}
	if s.current != nil && s.current.drawn {
		for _, f := range s.open {
			f.unknown = true
		}
		s.blurred = true
		return
	}
	f := s.here()
	if title := c.named("title"); title != nil {
		s.entitle(f, "pandas", title)
	}
}

// grammar simulates a call of which isExpression is true. Such a figure is not shown until it
// is displayed.
func (s *simulation) grammar(c call) *figure {
	f := s.names[c.root()]
	if f == nil || !c.method() {
		if c.last() == "ggplot" || s.expression == nil {
			s.expression = &figure{axes: make(map[string]string), drawn: true}
		}
		f = s.expression
	}
	switch title := c.named("title"); {
	case c.last() == "ggtitle":
		s.own(f, c.positionalOr("title"))
	case title != nil:
		s.own(f, title)
	}
	return f
}
