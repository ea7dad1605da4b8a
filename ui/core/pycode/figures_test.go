package pycode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/ui/core/pycode"
)

// of returns the titles of the first n figures.
func of(code string, n int) []string {
	titles := pycode.Figures(code)
	got := make([]string, n)
	for i := range got {
		got[i] = titles.Of(i)
	}
	return got
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code string
		want []string // titles of the first figures
	}{
		"nothing":                      {"", []string{""}},
		"none":                         {"plt.plot([1])\nplt.show()", []string{""}},
		"pyplot":                       {"plt.plot([1])\nplt.title('Sine')\nplt.show()", []string{"Sine", ""}},
		"by another name":              {"import matplotlib.pyplot as p\np.plot([1]); p.title('Sine'); p.show()", []string{"Sine", ""}},
		"by its whole name":            {"import matplotlib.pyplot\nmatplotlib.pyplot.title('Sine')", []string{"Sine", ""}},
		"of axes":                      {`ax.set_title("Déjà vu")`, []string{"Déjà vu", ""}},
		"by keyword":                   {"fig, ax = plt.subplots()\nax.set_title(label='K', fontsize=9)", []string{"K"}},
		"of several axes":              {"fig, (a, b) = plt.subplots(1, 2)\na.set_title('Left')\nb.set_title('Right')", []string{"Left · Right", ""}},
		"of a grid of axes":            {"fig, axes = plt.subplots(2)\naxes[0].set_title('Top')\naxes[1].set_title('Bottom')\nplt.tight_layout()", []string{"Top · Bottom"}},
		"of subplots":                  {"plt.subplot(1,2,1)\nplt.title('L')\nplt.subplot(1,2,2)\nplt.title('R')\nplt.show()", []string{"L · R", ""}},
		"of many axes":                 {"fig, a = plt.subplots(6)\na[0].set_title('0'); a[1].set_title('1'); a[2].set_title('2'); a[3].set_title('3'); a[4].set_title('4'); a[5].set_title('5')", []string{"0 · 1 · 2 · 3 · +2"}},
		"set again":                    {"plt.title('Draft')\nplt.title('Final')", []string{"Final"}},
		"set(title=)":                  {"fig, ax = plt.subplots()\nax.set(xlabel='x', title='T')", []string{"T"}},
		"suptitle wins":                {"a.set_title('A')\nfig.suptitle('Both')\nb.set_title('B')\nplt.show()", []string{"Both"}},
		"suptitle put together":        {"fig, ax = plt.subplots()\nax.set_title('A')\nfig.suptitle(f'{n}')", []string{""}},
		"Japanese":                     {"fig, ax = plt.subplots()\nax.set_title('売上の推移')\nplt.show()", []string{"売上の推移"}},
		"pandas":                       {"df.plot(kind='bar', title='売上')", []string{"売上", ""}},
		"pandas, by its kind":          {"df.plot.bar(title='Bars')\nplt.show()", []string{"Bars"}},
		"pandas into axes":             {"fig, ax = plt.subplots()\ndf.plot(ax=ax, title='In')", []string{"In", ""}},
		"pandas into a new figure":     {"plt.figure(figsize=(4, 3))\ndf['a'].plot(title='A')\nplt.show()", []string{"A", ""}},
		"pandas, table or series":      {"df.plot(title='A')\ndf2.plot(title='B')", []string{"", ""}},
		"pandas without titles":        {"ax = df.plot()\nax.set_title('A')\nax2 = df2.plot()\nax2.set_title('B')", []string{"", ""}},
		"seaborn":                      {"sns.set_theme()\nax = sns.barplot(x=x, y=y)\nax.set_title('Sea')", []string{"Sea", ""}},
		"seaborn, at once":             {"sns.lineplot(x=x, y=y).set_title('Sea')", []string{"Sea"}},
		"seaborn's grids":              {"g = sns.relplot(data=d)\ng.figure.suptitle('One')\nh = sns.catplot(data=d)\nh.fig.suptitle('Two')", []string{"One", "Two", ""}},
		"plotnine":                     {"ggplot(df, aes('x')) + geom_bar() + ggtitle('Bars')", []string{"Bars", ""}},
		"plotnine, kept first":         {"p = ggplot(df, aes('x')) + labs(x='x', title='P')\nq = ggplot(df) + ggtitle('Q')\nq", []string{"Q", ""}},
		"Bokeh":                        {"from bokeh.plotting import figure, show\np = figure(title='B')\np.line(x, y)\nshow(p)", []string{"B", ""}},
		"Bokeh, by its module":         {"import bokeh.plotting as bp\np = bp.figure(title='B')\nbp.show(p)", []string{"B", ""}},
		"Bokeh, at once":               {"show(figure(title='B'))\nplt.title('A')", []string{"B", "A", ""}},
		"Altair":                       {"alt.Chart(df).mark_bar().encode(x='a').properties(title='Bars')", []string{"Bars", ""}},
		"Plotly":                       {"fig = px.line(df)\nfig.update_layout(title='P')\nfig.show()", []string{"", ""}},
		"Plotly Express":               {"fig = px.line(df, title='P')\nfig.update_layout(title='Q')\nfig.show()", []string{"Q", ""}},
		"two, shown":                   {"plt.title('One')\nplt.show()\nplt.title('Two')\nplt.show()", []string{"One", "Two", ""}},
		"two, open":                    {"plt.figure()\nplt.title('One')\nplt.figure()\nplt.title('Two')", []string{"One", "Two", ""}},
		"axes of two":                  {"f, a = plt.subplots()\ng, b = plt.subplots()\na.set_title('A')\nb.set_title('B')", []string{"A", "B", ""}},
		"back to the first":            {"plt.figure(1); plt.plot(x)\nplt.figure(2); plt.title('Two')\nplt.figure(1); plt.title('One')", []string{"One", "Two", ""}},
		"one without":                  {"plt.plot(x)\nplt.show()\nplt.title('Two')\nplt.show()", []string{"", "Two", ""}},
		"shown without a figure":       {"plt.show()\nplt.title('One')\nplt.show()\nplt.show()", []string{"One", ""}},
		"without axes there is none":   {"plt.figure()\nplt.figure()\nplt.title('Two')", []string{"Two", ""}},
		"closed":                       {"plt.title('One')\nplt.savefig('a.png')\nplt.close()\nplt.title('Two')", []string{"Two", ""}},
		"all closed":                   {"plt.title('One')\nplt.close('all')\nplt.title('Two')\nplt.show()", []string{"Two", ""}},
		"one of two closed":            {"f, a = plt.subplots()\na.set_title('A')\ng, b = plt.subplots()\nb.set_title('B')\nplt.close(f)", []string{"B", ""}},
		"closed by what?":              {"plt.title('A')\nplt.figure()\nplt.title('B')\nplt.close(figs[0])", []string{"", ""}},
		"ends with fig":                {"fig, ax = plt.subplots()\nax.set_title('E')\nfig", []string{"E", ""}},
		"ends with the second fig":     {"f, a = plt.subplots()\na.set_title('A')\ng, b = plt.subplots()\nb.set_title('B')\ng", []string{"B", "A", ""}},
		"ends with axes":               {"f, a = plt.subplots()\na.set_title('A')\na", []string{"A", ""}},
		"displayed":                    {"f, a = plt.subplots()\na.set_title('A')\ndisplay(f)\nplt.close(f)\nplt.title('B')", []string{"A", "B", ""}},
		"behind a table":               {"display(df.head())\nplt.title('A')", []string{"A"}},
		"behind anything displayed":    {"display(thing)\nplt.title('A')", []string{"", ""}},
		"fig.show()":                   {"f, a = plt.subplots()\na.set_title('A')\nf.show()\ng, b = plt.subplots()\nb.set_title('B')\ng.show()", []string{"A", "B", ""}},
		"fig.show() shows nothing yet": {"f, a = plt.subplots()\na.set_title('A')\nf.show()\nplt.plot([2])\nplt.show()\nplt.title('C')", []string{"A", "C", ""}},
		"the show of something else":   {"frame.show()\nplt.title('A')", []string{"", ""}},
		"an f-string":                  {"plt.title(f'n = {n}')", []string{""}},
		"an f-string that is plain":    {"plt.title(f'Plain')", []string{"Plain"}},
		"one of two is put together":   {"plt.title(f'{m}')\nplt.show()\nplt.title('Two')\nplt.show()", []string{"", "Two", ""}},
		"a sum":                        {"plt.title('n = ' + str(n))", []string{""}},
		"formatted":                    {"plt.title('n = %d' % n)\nplt.show()\nplt.title('n = {}'.format(n))", []string{"", ""}},
		"a name":                       {"plt.title(name)", []string{""}},
		"pieces":                       {"plt.title('One '\n    \"and two\")", []string{"One and two"}},
		"in brackets":                  {"plt.title((\n'Long'))", []string{"Long"}},
		"over two lines":               {"ax.set_title(\n    'Wrapped', # as 'this'\n)", []string{"Wrapped"}},
		"a line that goes on":          {"plt.\\\ntitle('On')", []string{"On"}},
		"three quotes":                 {"plt.title(\"\"\"Two\nlines\"\"\")", []string{"Two lines"}},
		"escapes":                      {`plt.title('It\'s\nm\u00b2 \sum')`, []string{`It's m² \sum`}},
		"a character by name":          {`plt.title('\N{BULLET}')`, []string{""}},
		"raw":                          {`plt.title(r'$\nu$')`, []string{`$\nu$`}},
		"bytes":                        {`plt.title(b'no')`, []string{""}},
		"in a comment":                 {"plt.plot(x) # plt.title('No')\nplt.show()", []string{""}},
		"in a string":                  {"s = \"plt.title('No')\"\nplt.plot(x)", []string{""}},
		"in a doc string":              {"'''\nplt.title('No')\nplt.show()\n'''\nplt.title('Yes')", []string{"Yes", ""}},
		"of a legend":                  {"plt.plot(x)\nplt.legend(title='No')", []string{""}},
		"of an application":            {"app = FastAPI(title='No')\nplt.plot(x)", []string{""}},
		"of none":                      {"plt.title('')\nplt.plot(x)", []string{""}},
		"in a loop, alike":             {"for i in x:\n    plt.title('Same')\n    plt.show()", []string{"Same", "Same", "Same"}},
		"in a loop, put together":      {"for m in months:\n    fig, ax = plt.subplots()\n    ax.set_title(f'{m}')\n    plt.show()", []string{"", "", ""}},
		"in a loop, alike and another": {"for i in x:\n    plt.title('Same')\n    plt.show()\nplt.title('Last')", []string{"", "", ""}},
		"before a loop":                {"plt.title('First')\nplt.show()\nfor i in x:\n    plt.title(i)\n    plt.show()", []string{"First", "", ""}},
		"in a line of a loop":          {"for i in x: plt.title('Same'); plt.show()\nprint(1)", []string{"Same", "Same"}},
		"lines in a loop":              {"for y in ys:\n    plt.plot(y)\nplt.title('All')\nplt.show()", []string{"All", ""}},
		"axes in a loop":               {"fig, axes = plt.subplots(2, 2)\nfor ax in axes.flat:\n    ax.plot(x)\n    ax.set_title(str(x))\nfig.suptitle('All')", []string{"All", ""}},
		"axes in a loop, alone":        {"fig, axes = plt.subplots(2)\nfor ax in axes:\n    ax.set_title(str(x))", []string{"", ""}},
		"in a comprehension":           {"[plt.figure() for i in x]\nplt.title('No')", []string{"", ""}},
		"if so":                        {"plt.plot(x)\nif big:\n    plt.title('Big')\nelse:\n    plt.title('Small')", []string{""}},
		"drawn if so":                  {"if big:\n    plt.figure()\n    plt.show()\nplt.title('A')", []string{"", ""}},
		"in main":                      {"if __name__ == '__main__':\n    plt.title('Main')\n    plt.show()", []string{"Main", ""}},
		"with a style":                 {"with plt.style.context('ggplot'):\n    plt.title('Styled')\n    plt.show()", []string{"Styled", ""}},
		"tried":                        {"try:\n    plt.title('Tried')\n    plt.show()\nexcept ValueError:\n    pass", []string{"Tried", ""}},
		"by a function":                {"def draw(t):\n    plt.title('In it')\n    plt.show()\ndraw(1)\nplt.title('After')", []string{"", ""}},
		"a function that is not used":  {"def other(t):\n    plt.title('In it')\n    plt.show()\nplt.title('After')", []string{"After", ""}},
		"magic":                        {"%matplotlib inline\n!ls 'a\nplt.title('A')", []string{"A"}},
		"timed":                        {"%%time\nplt.title('A')", []string{"A"}},
		"of another language":          {"%%javascript\nplt.title('A')", []string{""}},
		"Windows' lines":               {"for i in x:\r\n    plt.title('Same')\r\n    plt.show()\r\n", []string{"Same"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, of(tt.code, len(tt.want))); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.code, diff)
			}
		})
	}
}

func FuzzFigures(f *testing.F) {
	for _, s := range []string{
		"plt.title('a')\nplt.show()", "for i in x: plt.title(f'{i}')", "a = '''", "((", "))](", "x = [1,\n", "'\\", "ä.é('日本')", "else:", "def", "if:", "a.b[0](1)(2).c()",
		"fig, ax = plt.subplots(); fig", "display()", "plt.close(f)", "=", "a = = b", "\\\n\\", "%%", "p +\n ggtitle('a')",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if title := pycode.Figures(code).Of(0); title != strings.TrimSpace(title) || strings.Contains(title, "\n") {
			t.Errorf("got %q", title)
		}
	})
}
