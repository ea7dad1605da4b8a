package pycode_test

import (
	"slices"
	"strings"
	"testing"

	"easel/ui/core/pycode"
)

// first returns the title of the first figure.
func first(code string) string {
	return strings.Join(pycode.Titles(code)[:min(1, len(pycode.Titles(code)))], "")
}

func TestTitlesOfSeveralFigures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code string
		want []string
	}{
		{"plt.title('One')\nplt.show()\nplt.plot([1])\nplt.show()\nplt.title('Three')\nplt.show()\n", []string{"One", "", "Three", ""}},
		{"plt.title('One')\nplt.show()\nfor i in x:\n    plt.title(i)\n    plt.show()", []string{"One"}},
		{"plt.title('One')\nplt.show()\nplt.show()\nplt.title('Two')", []string{"One", ""}}, // there may be nothing to show
		{"plt.title('One')\nplt.show()\nplt.close()\nplt.title('Two')\nplt.show()", []string{"One", "Two", ""}},
		{"plt.title('One')\nfig.show()\nplt.title('Two')", []string{"One"}},
	} {
		if got := pycode.Titles(tt.code); !slices.Equal(got, tt.want) {
			t.Errorf("%s\ngot %q, want %q", tt.code, got, tt.want)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ code, want string }{
		"nothing":                      {"", ""},
		"none":                         {"plt.plot([1])\nplt.show()", ""},
		"pyplot":                       {"plt.plot([1])\nplt.title('Sine')\nplt.show()", "Sine"},
		"by another name":              {"import matplotlib.pyplot as p\np.plot([1]); p.title('Sine'); p.show()", "Sine"},
		"by its whole name":            {"import matplotlib.pyplot\nmatplotlib.pyplot.title('Sine')", "Sine"},
		"of axes":                      {`ax.set_title("Déjà vu")`, "Déjà vu"},
		"by keyword":                   {"fig, ax = plt.subplots()\nax.set_title(label='K', fontsize=9)", "K"},
		"of several axes":              {"fig, (a, b) = plt.subplots(1, 2)\na.set_title('Left')\nb.set_title('Right')", "Left · Right"},
		"of a grid of axes":            {"fig, axes = plt.subplots(2)\naxes[0].set_title('Top')\naxes[1].set_title('Bottom')\nplt.tight_layout()", "Top · Bottom"},
		"of subplots":                  {"plt.subplot(1,2,1)\nplt.title('L')\nplt.subplot(1,2,2)\nplt.title('R')\nplt.show()", "L · R"},
		"of many axes":                 {"fig, a = plt.subplots(6)\na[0].set_title('0'); a[1].set_title('1'); a[2].set_title('2'); a[3].set_title('3'); a[4].set_title('4'); a[5].set_title('5')", "0 · 1 · 2 · 3 · +2"},
		"set again":                    {"plt.title('Draft')\nplt.title('Final')", "Final"},
		"set(title=)":                  {"fig, ax = plt.subplots()\nax.set(xlabel='x', title='T')", "T"},
		"suptitle wins":                {"a.set_title('A')\nfig.suptitle('Both')\nb.set_title('B')\nplt.show()", "Both"},
		"suptitle put together":        {"fig, ax = plt.subplots()\nax.set_title('A')\nfig.suptitle(f'{n}')", ""},
		"Japanese":                     {"fig, ax = plt.subplots()\nax.set_title('売上の推移')\nplt.show()", "売上の推移"},
		"pandas":                       {"df.plot(kind='bar', title='売上')", "売上"},
		"pandas, by its kind":          {"df.plot.bar(title='Bars')\nplt.show()", "Bars"},
		"pandas into axes":             {"fig, ax = plt.subplots()\ndf.plot(ax=ax, title='In')", "In"},
		"pandas into a new figure":     {"plt.figure(figsize=(4, 3))\ndf['a'].plot(title='A')\nplt.show()", ""},
		"pandas, table or series":      {"df.plot(title='A')\ndf2.plot(title='B')", ""},
		"pandas without titles":        {"ax = df.plot()\nax.set_title('A')\nax2 = df2.plot()\nax2.set_title('B')", ""},
		"seaborn":                      {"sns.set_theme()\nax = sns.barplot(x=x, y=y)\nax.set_title('Sea')", "Sea"},
		"seaborn, at once":             {"sns.lineplot(x=x, y=y).set_title('Sea')", "Sea"},
		"seaborn's grids":              {"g = sns.relplot(data=d)\ng.figure.suptitle('One')\nh = sns.catplot(data=d)\nh.fig.suptitle('Two')", ""},
		"plotnine":                     {"ggplot(df, aes('x')) + geom_bar() + ggtitle('Bars')", "Bars"},
		"plotnine, kept first":         {"p = ggplot(df, aes('x')) + labs(x='x', title='P')\nq = ggplot(df) + ggtitle('Q')\nq", "Q"},
		"Bokeh":                        {"from bokeh.plotting import figure, show\np = figure(title='B')\np.line(x, y)\nshow(p)", "B"},
		"Bokeh, by its module":         {"import bokeh.plotting as bp\np = bp.figure(title='B')\nbp.show(p)", "B"},
		"Bokeh, at once":               {"show(figure(title='B'))\nplt.title('A')", "B"},
		"Altair":                       {"alt.Chart(df).mark_bar().encode(x='a').properties(title='Bars')", "Bars"},
		"Plotly":                       {"fig = px.line(df)\nfig.update_layout(title='P')\nfig.show()", ""},
		"Plotly Express":               {"fig = px.line(df, title='P')\nfig.update_layout(title='Q')\nfig.show()", ""},
		"two, shown":                   {"plt.title('One')\nplt.show()\nplt.title('Two')\nplt.show()", "One"},
		"two, open":                    {"plt.figure()\nplt.title('One')\nplt.figure()\nplt.title('Two')", ""},
		"axes of two":                  {"f, a = plt.subplots()\ng, b = plt.subplots()\na.set_title('A')\nb.set_title('B')", ""},
		"back to the first":            {"plt.figure(1); plt.plot(x)\nplt.figure(2); plt.title('Two')\nplt.figure(1); plt.title('One')", ""},
		"one without":                  {"plt.plot(x)\nplt.show()\nplt.title('Two')\nplt.show()", ""},
		"shown without a figure":       {"plt.show()\nplt.title('One')\nplt.show()\nplt.show()", ""},
		"without axes there is none":   {"plt.figure()\nplt.figure()\nplt.title('Two')", ""},
		"closed":                       {"plt.title('One')\nplt.savefig('a.png')\nplt.close()\nplt.title('Two')", ""},
		"all closed":                   {"plt.title('One')\nplt.close('all')\nplt.title('Two')\nplt.show()", ""},
		"one of two closed":            {"f, a = plt.subplots()\na.set_title('A')\ng, b = plt.subplots()\nb.set_title('B')\nplt.close(f)", ""},
		"closed by what?":              {"plt.title('A')\nplt.figure()\nplt.title('B')\nplt.close(figs[0])", ""},
		"ends with fig":                {"fig, ax = plt.subplots()\nax.set_title('E')\nfig", "E"},
		"ends with the second fig":     {"f, a = plt.subplots()\na.set_title('A')\ng, b = plt.subplots()\nb.set_title('B')\ng", ""},
		"ends with axes":               {"f, a = plt.subplots()\na.set_title('A')\na", "A"},
		"displayed":                    {"f, a = plt.subplots()\na.set_title('A')\ndisplay(f)\nplt.close(f)\nplt.title('B')", "A"},
		"behind a table":               {"display(df.head())\nplt.title('A')", ""},
		"behind anything displayed":    {"display(thing)\nplt.title('A')", ""},
		"fig.show()":                   {"f, a = plt.subplots()\na.set_title('A')\nf.show()\ng, b = plt.subplots()\nb.set_title('B')\ng.show()", "A"},
		"fig.show() shows nothing yet": {"f, a = plt.subplots()\na.set_title('A')\nf.show()\nplt.plot([2])\nplt.show()\nplt.title('C')", "A"},
		"the show of something else":   {"frame.show()\nplt.title('A')", ""},
		"an f-string":                  {"plt.title(f'n = {n}')", ""},
		"an f-string that is plain":    {"plt.title(f'Plain')", "Plain"},
		"one of two is put together":   {"plt.title(f'{m}')\nplt.show()\nplt.title('Two')\nplt.show()", ""},
		"a sum":                        {"plt.title('n = ' + str(n))", ""},
		"formatted":                    {"plt.title('n = %d' % n)\nplt.show()\nplt.title('n = {}'.format(n))", ""},
		"a name":                       {"plt.title(name)", ""},
		"pieces":                       {"plt.title('One '\n    \"and two\")", "One and two"},
		"in brackets":                  {"plt.title((\n'Long'))", "Long"},
		"over two lines":               {"ax.set_title(\n    'Wrapped', # as 'this'\n)", "Wrapped"},
		"a line that goes on":          {"plt.\\\ntitle('On')", "On"},
		"three quotes":                 {"plt.title(\"\"\"Two\nlines\"\"\")", "Two lines"},
		"escapes":                      {`plt.title('It\'s\nm\u00b2 \sum')`, `It's m² \sum`},
		"a character by name":          {`plt.title('\N{BULLET}')`, ""},
		"raw":                          {`plt.title(r'$\nu$')`, `$\nu$`},
		"bytes":                        {`plt.title(b'no')`, ""},
		"in a comment":                 {"plt.plot(x) # plt.title('No')\nplt.show()", ""},
		"in a string":                  {"s = \"plt.title('No')\"\nplt.plot(x)", ""},
		"in a doc string":              {"'''\nplt.title('No')\nplt.show()\n'''\nplt.title('Yes')", "Yes"},
		"of a legend":                  {"plt.plot(x)\nplt.legend(title='No')", ""},
		"of an application":            {"app = FastAPI(title='No')\nplt.plot(x)", ""},
		"of none":                      {"plt.title('')\nplt.plot(x)", ""},
		"in a loop, alike":             {"for i in x:\n    plt.title('Same')\n    plt.show()", ""},
		"in a loop, put together":      {"for m in months:\n    fig, ax = plt.subplots()\n    ax.set_title(f'{m}')\n    plt.show()", ""},
		"in a loop, alike and another": {"for i in x:\n    plt.title('Same')\n    plt.show()\nplt.title('Last')", ""},
		"before a loop":                {"plt.title('First')\nplt.show()\nfor i in x:\n    plt.title(i)\n    plt.show()", "First"},
		"in a line of a loop":          {"for i in x: plt.title('Same'); plt.show()\nprint(1)", ""},
		"lines in a loop":              {"for y in ys:\n    plt.plot(y)\nplt.title('All')\nplt.show()", "All"},
		"axes in a loop":               {"fig, axes = plt.subplots(2, 2)\nfor ax in axes.flat:\n    ax.plot(x)\n    ax.set_title(str(x))\nfig.suptitle('All')", ""},
		"axes in a loop, alone":        {"fig, axes = plt.subplots(2)\nfor ax in axes:\n    ax.set_title(str(x))", ""},
		"in a comprehension":           {"[plt.figure() for i in x]\nplt.title('No')", ""},
		"if so":                        {"plt.plot(x)\nif big:\n    plt.title('Big')\nelse:\n    plt.title('Small')", ""},
		"drawn if so":                  {"if big:\n    plt.figure()\n    plt.show()\nplt.title('A')", ""},
		"in main":                      {"if __name__ == '__main__':\n    plt.title('Main')\n    plt.show()", ""},
		"with a style":                 {"with plt.style.context('ggplot'):\n    plt.title('Styled')\n    plt.show()", ""},
		"tried":                        {"try:\n    plt.title('Tried')\n    plt.show()\nexcept ValueError:\n    pass", ""},
		"by a function":                {"def draw(t):\n    plt.title('In it')\n    plt.show()\ndraw(1)\nplt.title('After')", ""},
		"a function that is not used":  {"def other(t):\n    plt.title('In it')\n    plt.show()\nplt.title('After')", ""},
		"magic":                        {"%matplotlib inline\n!ls 'a\nplt.title('A')", "A"},
		"timed":                        {"%%time\nplt.title('A')", "A"},
		"of another language":          {"%%javascript\nplt.title('A')", ""},
		"Windows' lines":               {"for i in x:\r\n    plt.title('Same')\r\n    plt.show()\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := first(tt.code); got != tt.want {
				t.Errorf("%s\ngot %q, want %q", tt.code, got, tt.want)
			}
		})
	}
}

func FuzzTitle(f *testing.F) {
	for _, s := range []string{
		"plt.title('a')\nplt.show()", "for i in x: plt.title(f'{i}')", "a = '''", "((", "))](", "x = [1,\n", "'\\", "ä.é('日本')", "else:", "def", "if:", "a.b[0](1)(2).c()",
		"fig, ax = plt.subplots(); fig", "display()", "plt.close(f)", "=", "a = = b", "\\\n\\", "%%", "p +\n ggtitle('a')",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if title := first(code); title != strings.TrimSpace(title) || strings.Contains(title, "\n") {
			t.Errorf("got %q", title)
		}
	})
}
