package managed

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/wire"
)

// displaysOf runs code and returns what it displays, by message type.
func displaysOf(t *testing.T, k *jupyter.Kernel, code string) (kinds []string, displays []wire.DisplayData) {
	t.Helper()
	id, err := k.Execute(t.Context(), jupyter.ExecuteRequest{Code: code})
	require.NoError(t, err)
	for {
		d, err := k.Next(t.Context())
		require.NoError(t, err)
		m := d.Message
		if m == nil || m.Parent.MsgID != id {
			continue
		}
		switch m.Header.MsgType {
		case "display_data", "update_display_data", "execute_result":
			var got wire.DisplayData
			require.NoError(t, m.Decode(&got))
			kinds, displays = append(kinds, m.Header.MsgType), append(displays, got)
		case "stream", "error":
			t.Logf("%s", m.Content)
		case "status":
			var s wire.Status
			if m.Decode(&s) == nil && s.ExecutionState == wire.StateIdle {
				return kinds, displays
			}
		}
	}
}

// numbersOf returns the numbers of a column.
func numbersOf(t *testing.T, text string) []float64 {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	z, err := zlib.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	planes, err := io.ReadAll(z)
	require.NoError(t, err)
	n := len(planes) / 8
	found := make([]float64, n)
	for i := range found {
		var b [8]byte
		for j := range b {
			b[j] = planes[j*n+i]
		}
		found[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	}
	return found
}

// plain returns the facts of a display as JSON in which columns are lists of numbers, NaN as null.
// Limits and figures of the layout are left out.
func plain(t *testing.T, d wire.DisplayData) any {
	t.Helper()
	var f map[string]any
	if err := json.Unmarshal(d.Transient.Easel, &f); err != nil {
		t.Fatalf("%v in %q", err, d.Transient.Easel)
	}
	for _, a := range f["axes"].([]any) {
		for _, s := range a.(map[string]any)["series"].([]any) {
			s := s.(map[string]any)
			columns := map[string]any{}
			for _, c := range s["columns"].([]any) {
				c := c.(map[string]any)
				list := []any{}
				for _, v := range numbersOf(t, c["numbers"].(string)) {
					if math.IsNaN(v) {
						list = append(list, nil)
						continue
					}
					list = append(list, math.Round(v*1e6)/1e6)
				}
				columns[c["name"].(string)] = list
			}
			s["columns"] = columns
		}
	}
	return f
}

// seriesOf returns the kinds of series of all axes with their columns, as text.
func seriesOf(t *testing.T, d wire.DisplayData) []string {
	t.Helper()
	found := []string{}
	for _, a := range plain(t, d).(map[string]any)["axes"].([]any) {
		for _, s := range a.(map[string]any)["series"].([]any) {
			text, _ := json.Marshal(s)
			found = append(found, string(text))
		}
	}
	return found
}

// factsOf runs code that displays one figure, and returns the series of its facts.
func factsOf(t *testing.T, k *jupyter.Kernel, code string) []string {
	t.Helper()
	_, shown := displaysOf(t, k, code)
	if len(shown) != 1 || shown[0].Transient.Easel == nil {
		t.Fatalf("%d displays, without facts:\n%s", len(shown), code)
	}
	return seriesOf(t, shown[0])
}

// figureOf runs code that displays one figure of the axes a, and reads what comes with it.
func figureOf(t *testing.T, k *jupyter.Kernel, name, code string, into any) {
	t.Helper()
	_, shown := displaysOf(t, k, "fig, a = plt.subplots(); "+code+"; plt.show()")
	if len(shown) != 1 || json.Unmarshal(shown[0].Transient.Easel, into) != nil {
		t.Fatalf("%s: %d displays", name, len(shown))
	}
}

// ways are the ways to display one figure with a line of 1, 2, and their messages.
var ways = map[string]struct{ code, kind string }{
	"inline backend": {"plt.plot([1, 2]); plt.show()", "display_data"},
	"end of a cell":  {"plt.plot([1, 2]);", "display_data"},
	"display":        {"fig, a = plt.subplots(); a.plot([1, 2]); display(fig); plt.close(fig)", "display_data"},
	"a value":        {"fig, a = plt.subplots(); a.plot([1, 2]); plt.close(fig)\nfig", "execute_result"},
	"an update":      {"fig, a = plt.subplots(); a.plot([1, 2]); plt.close(fig); update_display(fig, display_id='u')", "update_display_data"},
	"seaborn.objects": {
		"import seaborn.objects as so\nso.Plot(x=[0, 1], y=[1, 2]).add(so.Line(color='#1f77b4'))", "execute_result",
	},
}

func TestLiveDisplaysCarryTheirNumbers(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	stdoutOf(t, k, "import matplotlib.pyplot as plt\nfrom IPython.display import display, update_display\nbefore = set(globals())")
	for name, way := range ways {
		kinds, shown := displaysOf(t, k, way.code)
		if len(shown) != 1 || kinds[0] != way.kind || shown[0].Transient.Easel == nil {
			t.Errorf("%s: %v, %d displays", name, kinds, len(shown))
			continue
		}
		got := seriesOf(t, shown[0])
		if len(got) != 1 || !strings.Contains(got[0], `"columns":{"x":[0,1],"y":[1,2]},"count":2,"kind":"line"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	kinds, shown := displaysOf(t, k, "display(1)\nimport io\nfrom IPython.display import Image\nfile = io.BytesIO(); plt.plot([1]); plt.savefig(file); plt.close()\nImage(file.getvalue())")
	for i, d := range shown {
		if d.Transient.Easel != nil {
			t.Errorf("facts of a %s that is no figure", kinds[i])
		}
	}
	_, shown = displaysOf(t, k, "%config InlineBackend.figure_format = 'svg'\nplt.plot([1, 2]); plt.show()")
	if len(shown) != 1 || shown[0].Transient.Easel == nil {
		t.Error("an SVG has no facts")
	}
	if diff := cmp.Diff("0 []\n", stdoutOf(t, k, "print(len(__import__('sys').modules['easel_facts'].shown.facts), [n for n in set(globals()) - before if 'easel' in n])")); diff != "" {
		t.Errorf("what is left in the kernel (-want +got):\n%s", diff)
	}
}

// figureFacts are figures and the series that they have.
var figureFacts = map[string]struct {
	code string
	want []string
}{
	"lines": {
		"a.plot([1, 2, 3], [4, np.nan, 6], 'o-', label='North'); a.plot([1, 2], [40, 5], '--', color='k', label='_hidden'); a.plot([5, 6])[0].set_visible(False); a.step([0, 1], [2, 3])",
		[]string{
			`{"colour":"#1f77b4","columns":{"x":[1,2,3],"y":[4,null,6]},"count":3,"kind":"line","label":"North","style":"o-"}`,
			`{"colour":"#000000","columns":{"x":[1,2],"y":[40,5]},"count":2,"kind":"line","style":"--"}`,
			`{"colour":"#2ca02c","columns":{"x":[0,1],"y":[2,3]},"count":2,"kind":"line","style":"-"}`,
		},
	},
	"dates": {
		"a.plot([dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2)], [1, 2])",
		[]string{`{"colour":"#1f77b4","columns":{"x":[1767225600,1767312000],"y":[1,2]},"count":2,"kind":"line","style":"-"}`},
	},
	"rules": {
		"a.axhline(3); a.axhline(5); a.axvline(2, color='r', label='mean')",
		[]string{
			`{"colour":"#1f77b4","columns":{"y":[3,5]},"count":2,"kind":"rules","style":"-"}`,
			`{"colour":"#ff0000","columns":{"x":[2]},"count":1,"kind":"rules","label":"mean","style":"-"}`,
		},
	},
	"points": {
		"s = a.scatter([1, 2], [3, 4], c=[7, 8], s=[5, 6], label='P'); fig.colorbar(s, label='speed'); a.plot([1], [2], 'x', color='g')",
		[]string{
			`{"columns":{"size":[5,6],"value":[7,8],"x":[1,2],"y":[3,4]},"count":2,"kind":"points","label":"P","style":"o","values":"speed"}`,
			`{"colour":"#008000","columns":{"x":[1],"y":[2]},"count":1,"kind":"points","style":"x"}`,
		},
	},
	"points of several colours": {
		"a.scatter([1, 2, 3], [4, 5, 6], c=['r', 'g', 'r']); a.legend([plt.Line2D([], [], marker='o', ls='', color=c) for c in 'rg'], ['R', 'G'])",
		[]string{
			`{"colour":"#ff0000","columns":{"x":[1,3],"y":[4,6]},"count":2,"kind":"points","label":"R","style":"o"}`,
			`{"colour":"#008000","columns":{"x":[2],"y":[5]},"count":1,"kind":"points","label":"G","style":"o"}`,
		},
	},
	"a legend of the figure": { // as seaborn's relplot has
		"a.scatter([1, 2], [4, 5], color='r'); a.plot([1, 2], [3, 4], color='g'); fig.legend([plt.Line2D([], [], color=c) for c in 'rg'], ['R', 'G'])",
		[]string{
			`{"colour":"#ff0000","columns":{"x":[1,2],"y":[4,5]},"count":2,"kind":"points","label":"R","style":"o"}`,
			`{"colour":"#008000","columns":{"x":[1,2],"y":[3,4]},"count":2,"kind":"line","label":"G","style":"-"}`,
		},
	},
	"bars": {
		"a.bar(['p', 'q'], [1, -2], label='B'); a.barh([0, 1, 2], [4, 5, 6], left=1, color=['r', 'g', 'b'])",
		[]string{
			`{"colour":"#1f77b4","columns":{"base":[0,0],"width":[0.8,0.8],"x":[0,1],"y":[1,-2]},"count":2,"kind":"bars","label":"B"}`,
			`{"columns":{"base":[1,1,1],"width":[0.8,0.8,0.8],"x":[5,6,7],"y":[0,1,2]},"count":3,"kind":"barsh"}`,
		},
	},
	"histogram": {
		"a.hist([0, 0, 1, 2, 3], bins=3)",
		[]string{`{"colour":"#1f77b4","columns":{"width":[1,1,1],"x":[0,1,2],"y":[2,1,2]},"count":3,"kind":"histogram"}`},
	},
	"images": {
		"a.imshow([[1, 2], [3, 4]]); a.imshow(np.zeros((2, 3, 3)), origin='lower', extent=(0, 3, 5, 7))",
		[]string{
			`{"columns":{"value":[1,2,3,4]},"count":4,"extent":[-0.5,1.5,-0.5,1.5],"kind":"image","shape":[2,2]}`,
			`{"columns":{},"count":6,"extent":[0,3,5,7],"kind":"image","shape":[2,3]}`,
		},
	},
	"error bars": {
		"a.errorbar([1, 2], [4, 5], yerr=[1, 2], xerr=0.5, fmt='o', capsize=3, label='E'); a.bar([1], [3], yerr=[1], color='g', ecolor='r')",
		[]string{
			`{"colour":"#1f77b4","columns":{"x":[1,2],"y":[4,5]},"count":2,"kind":"points","label":"E","style":"o"}`,
			`{"colour":"#1f77b4","columns":{"high":[1.5,2.5],"low":[0.5,1.5],"y":[4,5]},"count":2,"kind":"errorbars","label":"E"}`,
			`{"colour":"#1f77b4","columns":{"high":[5,7],"low":[3,3],"x":[1,2]},"count":2,"kind":"errorbars","label":"E"}`,
			`{"colour":"#008000","columns":{"base":[0],"width":[0.8],"x":[1],"y":[3]},"count":1,"kind":"bars"}`,
			`{"colour":"#ff0000","columns":{"high":[4],"low":[2],"x":[1]},"count":1,"kind":"errorbars"}`,
		},
	},
	"looks": {
		"a.plot([1, 2], [3, 4], 'r--', alpha=.25); a.plot([1, 2], [3, 4], 'ro-', mfc='none'); a.plot([1, 2], [3, 4], 'r', ls=(0, (1, 5))); a.scatter([1], [2], marker='^', color='r', alpha=.5); a.scatter([1], [2], facecolors='none', edgecolors='r'); a.bar([1], [2], color='r', hatch='//'); a.bar([1, 2], [2, 3], color='none', edgecolor='r'); a.plot([1], [9], 'ko', clip_on=False)",
		[]string{
			`{"alpha":0.251,"colour":"#ff0000","columns":{"x":[1,2],"y":[3,4]},"count":2,"kind":"line","style":"--"}`,
			`{"colour":"#ff0000","columns":{"x":[1,2],"y":[3,4]},"count":2,"kind":"line","style":"o- hollow"}`,
			`{"colour":"#ff0000","columns":{"x":[1,2],"y":[3,4]},"count":2,"kind":"line","style":"--(1 5)"}`,
			`{"alpha":0.502,"colour":"#ff0000","columns":{"x":[1],"y":[2]},"count":1,"kind":"points","style":"^"}`,
			`{"colour":"#ff0000","columns":{"x":[1],"y":[2]},"count":1,"kind":"points","style":"o hollow"}`,
			`{"colour":"#ff0000","columns":{"base":[0],"width":[0.8],"x":[1],"y":[2]},"count":1,"kind":"bars","style":"//"}`,
			`{"colour":"#ff0000","columns":{"base":[0,0],"width":[0.8,0.8],"x":[1,2],"y":[2,3]},"count":2,"kind":"bars","style":"hollow"}`,
			`{"colour":"#000000","columns":{"x":[1],"y":[9]},"count":1,"kind":"points","spills":true,"style":"o"}`,
		},
	},
	"stems": {
		"a.stem([1, 2], [4, -5], label='S')",
		[]string{`{"colour":"#1f77b4","columns":{"x":[1,2],"y":[4,-5]},"count":2,"kind":"points","label":"S","style":"o"}`},
	},
	"boxes": {
		"a.boxplot([[0, 1, 2, 3, 4, 20], [5, 6, 7, 8, 9]])",
		[]string{
			`{"colour":"#000000","columns":{"max":[4,9],"median":[2.5,7],"min":[0,5],"q1":[1.25,6],"q3":[3.75,8],"x":[1,2]},"count":2,"kind":"box"}`,
			`{"colour":"#000000","columns":{"x":[1],"y":[20]},"count":1,"kind":"points","label":"outliers"}`,
		},
	},
	"filled boxes that lie": {
		"a.boxplot([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]], orientation='horizontal', patch_artist=True, showmeans=True)",
		[]string{`{"colour":"#1f77b4","columns":{"max":[4,9],"median":[2,7],"min":[0,5],"q1":[1,6],"q3":[3,8],"y":[1,2]},"count":2,"kind":"box"}`},
	},
	"boxes of seaborn": {
		"import seaborn as sns; sns.boxplot(x=['a'] * 6 + ['b'] * 6, y=list(range(12)), hue=list('uv') * 6, saturation=1, palette=['r', 'g'], ax=a)",
		[]string{
			`{"colour":"#ff0000","columns":{"max":[4,10],"median":[2,8],"min":[0,6],"q1":[1,7],"q3":[3,9],"x":[-0.2,0.8]},"count":2,"kind":"box","label":"u"}`,
			`{"colour":"#008000","columns":{"max":[5,11],"median":[3,9],"min":[1,7],"q1":[2,8],"q3":[4,10],"x":[0.2,1.2]},"count":2,"kind":"box","label":"v"}`,
		},
	},
	"areas": {
		"a.fill_between([1, 2, 3], [4, 5, 6], [1, 0, 2], label='A'); a.stackplot([1, 2], [1, 2], [4, 5], labels=['u', 'v'], colors=['r', 'g']); a.fill_betweenx([1, 2], [3, 4])",
		[]string{
			`{"colour":"#1f77b4","columns":{"high":[4,5,6],"low":[1,0,2],"x":[1,2,3]},"count":3,"kind":"area","label":"A"}`,
			`{"colour":"#ff0000","columns":{"high":[1,2],"low":[0,0],"x":[1,2]},"count":2,"kind":"area","label":"u"}`,
			`{"colour":"#008000","columns":{"high":[5,7],"low":[1,2],"x":[1,2]},"count":2,"kind":"area","label":"v"}`,
			`{"colour":"#ff7f0e","columns":{"high":[3,4],"low":[0,0],"y":[1,2]},"count":2,"kind":"area"}`,
		},
	},
	"histograms of steps": {
		"a.hist([0, 0, 1, 2, 3], bins=3, histtype='step'); a.hist([0, 0, 1, 2, 3], bins=3, histtype='stepfilled'); a.stairs([1, 2], [0, 1, 3])",
		[]string{
			`{"colour":"#1f77b4","columns":{"width":[1,1,1],"x":[0,1,2],"y":[2,1,2]},"count":3,"kind":"histogram"}`,
			`{"colour":"#ff7f0e","columns":{"width":[1,1,1],"x":[0,1,2],"y":[2,1,2]},"count":3,"kind":"histogram"}`,
			`{"colour":"#2ca02c","columns":{"width":[1,2],"x":[0,1],"y":[1,2]},"count":2,"kind":"histogram"}`,
		},
	},
	"meshes": {
		"a.pcolormesh([[1, 2], [3, 4]]); a.pcolormesh([0, 1, 3], [0, 1], [[5, 6]]); a.contour([[0, 1], [2, 3]], levels=[1, 2])",
		[]string{
			`{"columns":{"value":[1,2,3,4]},"count":4,"extent":[0,2,0,2],"kind":"mesh","shape":[2,2]}`,
			`{"columns":{"value":[5,6],"x":[0.5,2],"y":[0.5,0.5]},"count":2,"kind":"mesh","shape":[1,2]}`,
			`{"columns":{"level":[1,2]},"count":2,"kind":"mesh","whole":{"max":[null,3],"min":[null,0],"nan":0,"outside":0}}`,
		},
	},
	"pies": {
		"a.pie([1, 3], labels=['x', 'y'], explode=[0, 0.1])",
		[]string{`{"columns":{"value":[0.25,0.75]},"count":2,"kind":"pie","names":["x","y"]}`},
	},
	"collections of lines": {
		"a.vlines([1, 2], 0, [3, 4], color='r'); a.add_collection(matplotlib.collections.LineCollection([[(0, 0), (1, 1), (2, 0)]], colors='g')); a.add_collection(matplotlib.collections.LineCollection([[(0, 0), (1, 1)], [(1, 1), (2, 0)]], array=[1, 2]))",
		[]string{
			`{"colour":"#ff0000","columns":{"high":[3,4],"low":[0,0],"x":[1,2]},"count":2,"kind":"errorbars"}`,
			`{"colour":"#008000","columns":{"x":[0,1,2],"y":[0,1,0]},"count":3,"kind":"line","style":"-"}`,
			`{"columns":{"x":[0,1,2],"y":[0,1,0]},"count":3,"kind":"line","style":"-"}`,
		},
	},
	"what draws no data": {
		"a.axvspan(1, 2); a.fill([0, 1, 2], [0, 1, 0]); a.annotate('x', (1, 1), (2, 2), arrowprops={}); a.plot([0, 1], [0, 1], transform=a.transAxes); a.plot([], [])",
		[]string{},
	},
	"an inset and a twin": {
		"a.plot([1, 2]); a.inset_axes([.6, .1, .3, .3]).plot([7, 8]); a.secondary_yaxis('right'); a.twinx().plot([5, 9])",
		[]string{
			`{"colour":"#1f77b4","columns":{"x":[0,1],"y":[1,2]},"count":2,"kind":"line","style":"-"}`,
			`{"colour":"#1f77b4","columns":{"x":[0,1],"y":[5,9]},"count":2,"kind":"line","style":"-"}`,
			`{"colour":"#1f77b4","columns":{"x":[0,1],"y":[7,8]},"count":2,"kind":"line","style":"-"}`,
		},
	},
	"classes of the user": {
		"L = type('L', (matplotlib.lines.Line2D,), {'__getattribute__': lambda s, n: called.append(n) or object.__getattribute__(s, n)}); l = L([1, 2], [3, 4]); a.add_line(l); a.plot([1, 2]); fig.draw_without_rendering(); plt.close(fig); __import__('easel_facts').axes(a, {id(a): 1}); called.clear(); __import__('easel_facts').axes(a, {id(a): 1}); print(called); display(fig)",
		[]string{`{"colour":"#1f77b4","columns":{"x":[0,1],"y":[1,2]},"count":2,"kind":"line","style":"-"}`},
	},
}

func TestLiveFactsOfFigures(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	stdoutOf(t, k, "import matplotlib, matplotlib.collections, matplotlib.pyplot as plt, numpy as np, datetime as dt, sys; called = []")
	for name, c := range figureFacts {
		got := factsOf(t, k, "fig, a = plt.subplots(); "+c.code+"; plt.show()")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLiveFactsAreBounded: of a large series, a sample is sent, and what is exact of all of it.
func TestLiveFactsAreBounded(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	_, shown := displaysOf(t, k, `
import matplotlib.pyplot as plt, numpy as np
y = np.zeros(1_000_000); y[5], y[7], y[9], y[-1] = 99, -1, np.nan, 2
fig, a = plt.subplots(); a.plot(y); a.plot([1, 2]); a.set_ylim(-0.5, 3); a.set_title("t" * 2000); plt.show()`)
	if len(shown) != 1 || len(shown[0].Transient.Easel) > 300_000 {
		t.Fatalf("%d displays", len(shown))
	}
	got := seriesOf(t, shown[0])
	if len(got) != 2 || !strings.HasSuffix(got[0], `"count":1000000,"kind":"line","style":"-","whole":{"last":[999999,2],"max":[5,99],"min":[7,-1],"nan":1,"outside":2}}`) {
		t.Errorf("%.500s", got)
	}
}
