package pycode

import (
	"fmt"
	"slices"
	"strings"
)

// Functions by what they do with figures.
var (
	titled   = []string{"title", "set_title", "suptitle", "ggtitle"}
	entitled = []string{"set", "labs", "figure", "Chart", "properties", "opts"} // with the argument title, as pandas' plot
	changers = []string{"subplot", "sca", "axes", "subplot2grid"}               // of pyplot's current axes
	makers   = []string{
		"figure", "subplots", "subplot_mosaic", "relplot", "catplot", "displot", "lmplot", "jointplot", "pairplot", "clustermap", "FacetGrid",
		"PairGrid", "JointGrid",
	}
	showing = []string{"show", "display"}
	closing = []string{"close", "clf"}
)

// Joined stands between the titles of axes in a figure's title, also in those of kernels that keep their figures.
const Joined = " · "

// mostAxes is the maximum number of titles of axes in a figure's title.
const mostAxes = 4

// Titles returns the titles of the first figures that code draws, as far as they are certain without
// running the code: a title is a string literal in a statement of its own, and nothing else than one
// figure can have it. plt.show() ends a figure. Kernels that keep their figures say the titles of all.
func Titles(code string) (known []string) {
	if magic, ok := strings.CutPrefix(strings.TrimSpace(code), "%%"); ok {
		word, _, _ := strings.Cut(strings.ReplaceAll(magic, "\n", " "), " ")
		if !slices.Contains([]string{"time", "timeit", "capture", "prun"}, word) {
			return nil // another language
		}
	}
	var f figure
	top := true // the line is not in a block
	for _, s := range statements(code) {
		if !s.joined {
			top = s.tokens[0].column == 0
		}
		sure := top && !slices.ContainsFunc(s.tokens, func(t token) bool { return t.is("for") || t.is("lambda") })
		for _, c := range calls(s.tokens) {
			switch {
			case slices.Contains(showing, c.last()) && sure:
				known = append(known, f.title())
				if !f.drawn || !c.method() || c.root() != "plt" {
					return known // what comes next is the second figure, or the first
				}
				f = figure{}
			case !f.takes(c, sure):
				return known
			}
		}
	}
	return append(known, f.title())
}

// A figure is a figure of the code, as far as the code has been read.
type figure struct {
	own    string   // its title; "": that of its axes
	axes   []string // titles of its axes, by their source text
	titles map[string]string
	drawn  bool // the code calls something that may draw in it
	made   bool
	closed bool
	part   int // counts the changes of pyplot's current axes
}

// takes reads a call, and reports whether the title is still certain. sure means that the call is
// made once, in any case.
func (f *figure) takes(c call, sure bool) bool {
	last := c.last()
	if slices.Contains(closing, last) {
		f.closed = f.closed || f.drawn // otherwise it closes what was shown before
		return true
	}
	f.drawn = f.drawn || c.method()
	makes := slices.Contains(makers, last) || c.pandas() && c.named("ax") == nil
	title := c.titleArgument()
	switch {
	case slices.Contains(showing, last):
		return false
	case slices.Contains(changers, last) && c.method():
		f.part++
	case makes && (f.made || f.closed || !sure), title != nil && (f.closed || !sure):
		return false
	}
	f.made = f.made || makes || title != nil
	if title == nil {
		return true
	}
	said, ok := literal(title)
	if !ok {
		return false
	}
	if last == "suptitle" {
		f.own = said
		return true
	}
	key := fmt.Sprint(f.part, c.receiver)
	if _, again := f.titles[key]; !again {
		f.axes = append(f.axes, key)
	}
	if f.titles == nil {
		f.titles = make(map[string]string)
	}
	f.titles[key] = said
	return true
}

// pandas reports whether a call may plot a DataFrame or a Series.
func (c call) pandas() bool {
	n := len(c.path)
	return c.method() && (c.last() == "plot" || n > 2 && c.path[n-2] == "plot") && c.root() != "plt" && !strings.HasPrefix(c.root(), "ax")
}

// titleArgument returns the argument that is the title of a figure or of axes, or nil.
func (c call) titleArgument() []token {
	if !slices.Contains(titled, c.last()) || !c.method() && c.last() != "ggtitle" {
		if slices.Contains(entitled, c.last()) || c.pandas() {
			return c.named("title")
		}
		return nil
	}
	if a := c.positional(); a != nil {
		return a
	}
	for _, key := range []string{"label", "t", "title"} {
		if a := c.named(key); a != nil {
			return a
		}
	}
	return nil
}

// title returns the title of the figure in the form of jupyter/kernelside's easel_titles.py.
func (f *figure) title() string {
	if f.own != "" {
		return f.own
	}
	var names []string
	for _, key := range f.axes {
		if name := f.titles[key]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - mostAxes; more > 0 {
		names = append(names[:mostAxes], fmt.Sprintf("+%d", more))
	}
	return strings.Join(names, Joined)
}
