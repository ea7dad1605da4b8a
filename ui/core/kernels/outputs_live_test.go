package kernels_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// shownCells are cells, and what their outputs are as a terminal finally shows them: the type and
// the text of each, or "image".
var shownCells = map[string]struct{ code, want string }{
	"text and a table": {
		"import pandas as pd\ndisplay(pd.DataFrame({'km': [731]}))\nprint('said')\ndisplay('word', 42)\n6 * 7",
		"display     km\n0  731 | stdout said\n | display 'word' | display 42 | result 42",
	},
	"sources": {
		"from IPython.display import *\ndisplay(Markdown('# T'), Latex('$a$'), JSON({'k': [1]}), HTML('<p>par <b>bold</b></p>'), Javascript('1'))",
		"display # T | display $a$ | display {\"k\":[1]} | display par **bold** | image",
	},
	"a styled table":  {"pd.DataFrame({'a': [5]}).style.format('{:.1f}')", "result |  | a |\n|---|---|\n| 0 | 5.0 |"},
	"an update":       {"h = display('old', display_id='h'); print('x')\nh.update('new')", "display 'new' | stdout x\n"},
	"of another cell": {"display('here', display_id='g')\nh.update('newest')", "display 'here'"},
	"a pager":         {"abs?", "display Signature: abs(x, /)\nDocstring: Return the absolute value of the argument.\nType:      builtin_function_or_method"},
	"rich":            {"from rich import print as say\nsay('[bold red]n[/] = 5')", "display n = 5\n"},
	"rich's progress": {"from rich.progress import track\nfor _ in track(range(2), 'Loading'): pass\nprint('z')", "stdout z\n"},
	"tqdm in a notebook": {
		"from tqdm.notebook import tqdm\nfor _ in tqdm(range(2)): pass\nprint('z')", "stdout z\n",
	},
	"a bar and words": {
		"import sys\nfor i in range(3):\n  sys.stderr.write(f'\\r{i}/2'); sys.stderr.flush(); print(i, flush=True)\ndisplay(0)\nsys.stderr.write('\\rdone')\nprint('end')",
		"stderr done | stdout 0\n | stdout 1\n | stdout 2\n | display 0 | stdout end\n",
	},
	"a widget clears itself": {
		"from ipywidgets import Output, VBox\nfrom IPython.display import clear_output\nprint('before')\nbox = Output()\ndisplay(VBox([box]))\n" +
			"with box: print('one')\nprint('after')\nwith box:\n  clear_output(wait=True)\n  print('two')\nbox.append_stdout('three')\nbox.append_stdout('four')",
		"stdout before\n | stdout two\nthreefour | stdout after\n",
	},
	"and nothing is left": {"other = Output()\ndisplay(other)\nprint('x')\nwith other: display(1)\nother.clear_output()", "stdout x\n"},
	"cleared":             {"print('gone'); display(1)\nclear_output()\nprint('left')", "stdout left\n"},
	"an error":            {"display('first')\n1/0", "display 'first' | error ZeroDivisionError: division by zero"},
}

// listed describes outputs.
func listed(outputs []catalog.Output) string {
	var list []string
	for _, o := range outputs {
		if o.ImageID != "" {
			list = append(list, o.Type)
		} else {
			list = append(list, o.Type+" "+o.Text)
		}
	}
	return strings.Join(list, " | ")
}

func TestLiveEverythingThatACellShows(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	final := execution.ReadOptions{Limit: 20_000, Final: true}
	read := func(t *testing.T, x *execution.Execution, q execution.ReadOptions) catalog.Execution {
		t.Helper()
		v, err := x.Read(d.context(), q)
		require.NoError(t, err)
		return v
	}
	d.run(s, "import pandas as pd\nfrom ipywidgets import Output\nfrom IPython.display import clear_output\nh = display('', display_id='h')")
	var shown []*execution.Execution
	rich := regexp.MustCompile(`display Loading [━╸]+ +100% [\d:]+\s+\| `)
	for name, c := range shownCells {
		t.Run(name, func(t *testing.T) {
			x := d.start(s, c.code)
			d.wait(x)
			shown = append(shown, x)
			got := listed(read(t, x, final).Outputs)
			if name == "rich's progress" {
				bare := rich.ReplaceAllString(got, "")
				if bare == got {
					t.Errorf("no bar: %q", got)
				}
				got = bare
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	t.Run("pictures of widgets and of the cell", func(t *testing.T) {
		v := d.run(s, `import matplotlib.pyplot as plt, ipywidgets
def draw(a, b):
    plt.figure(figsize=(2, 2)); plt.plot([a, b]); plt.show()
draw(1, 2)
box = Output(); display(box)
with box: draw(3, 4)
with box:
    clear_output(wait=True)
    draw(5, 6)`)
		if len(v.Images) != 2 || v.Images[0].Replaces != "" || v.Images[1].Replaces == "" || v.Images[1].Replaces == v.Images[0].ResourceURI {
			t.Errorf("got %+v", v.Images)
		}
		if listed(v.Outputs) != "image | image" {
			t.Errorf("got %q", listed(v.Outputs))
		}
	})
	t.Run("a million displays are bounded", func(t *testing.T) {
		// It pauses because kernels drop what their server is too slow to take.
		x := d.start(s, "import time\nfor i in range(30_000):\n    display(i)\n    if i % 200 == 0: time.sleep(0.03)\nprint('end')")
		d.wait(x)
		shown = append(shown, x)
		v := read(t, x, execution.ReadOptions{Limit: 8000, Final: true})
		text := listed(v.Outputs)
		if len(text) > 12_000 || !strings.HasPrefix(text, "display 0 | display 1 |") || !strings.HasSuffix(text, "display 29999 | stdout end\n") || len(v.Truncated) == 0 {
			t.Errorf("%d bytes, %.100q … %.100q, %+v", len(text), text, text[max(0, len(text)-100):], v.Truncated)
		}
		var after string
		for _, note := range v.Truncated {
			if note.Stream == "displays" {
				after = note.After
			}
		}
		numbers, pages := 0, 0
		for ; after != "" && pages < 1000; pages++ {
			v = read(t, x, execution.ReadOptions{Limit: 8000, Final: true, After: after})
			numbers += strings.Count(listed(v.Outputs), "display ")
			after = ""
			for _, note := range v.Truncated {
				if note.Stream == "displays" {
					after = note.After
				}
			}
		}
		if numbers < 7000 || pages < 5 {
			t.Errorf("%d more displays on %d pages", numbers, pages)
		}
	})
	t.Run("and is the same after a restart of Easel", func(t *testing.T) {
		again := kernels.New(kernels.Config{Library: d.lib, Log: quietLog(t)})
		defer func() {
			if err := again.Close(d.context()); err != nil {
				t.Error(err)
			}
		}()
		for _, x := range shown {
			other, err := again.Execution(d.context(), x.ID())
			require.NoError(t, err)
			for _, q := range []execution.ReadOptions{final, {Limit: 20_000}} {
				was, is := read(t, x, q), read(t, other, q)
				if a, b := listed(was.Outputs), listed(is.Outputs); a != b || was.Stdout != is.Stdout {
					t.Errorf("%s, %+v:\n%.3000q, then\n%.3000q", was.Code, q, a, b)
				}
			}
		}
	})
}

// TestLiveValuesInR runs R, whose kernel sends values as displays.
func TestLiveValuesInR(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s, err := d.Create(d.context(), kernels.NewSession{KernelName: "ir", Client: "test"})
	require.NoError(t, err)
	show := func(code string) catalog.Execution { return d.run(library.Session{ID: s.ID}, code) }
	if v := show("6 * 7; data.frame(km = c(731, 12))"); listed(v.Outputs) != "display [1] 42 | display   km \n1 731\n2  12" {
		t.Errorf("got %q", listed(v.Outputs))
	}
	if v := show("print('said'); stop('no such station')"); !strings.HasPrefix(listed(v.Outputs), "stdout [1] \"said\"\n | error ") || !strings.Contains(fmt.Sprint(*v.Error), "no such station") {
		t.Errorf("got %q, %+v", listed(v.Outputs), v.Error)
	}
}
