package managed

import (
	"fmt"
	"strings"
	"testing"
)

// unseen are figures with what nobody can see in them.
var unseen = map[string]struct{ code, want string }{
	"fine":              {"a.plot([1, 2]); a.scatter([1], [2], label='s'); a.bar([1], [2])", ""},
	"transparent":       {"a.plot([1, 2], alpha=0, label='p'); a.plot([1, 3], alpha=0)", "line p alpha 2;"},
	"no line":           {"a.plot([1, 2], lw=0, label='p'); a.scatter([1, 2], [3, 4], color='none', label='q')", "line p width 2;points q alpha 2;"},
	"white on white":    {"a.plot([1, 2], 'wo-'); a.bar([0, 1], [2, 3], color='w', label='b')", "line  ground 2;bars b ground 2;"},
	"white with edges":  {"a.bar([0, 1], [2, 3], color='w', edgecolor='k'); a.plot([1, 2], 'wo', mec='k')", ""},
	"white on an image": {"a.imshow([[1, 2], [3, 4]]); a.plot([0, 1], [0, 1], 'w')", ""},
	"white on dark":     {"a.set_facecolor('k'); a.plot([1, 2], 'w'); a.plot([2, 1], 'k', label='dark')", "line dark ground 2;"},
	"bars that carry":   {"a.bar([0, 1], [2, 3], color='w'); a.bar([0, 1], [2, 3], bottom=[2, 3])", ""},
	"outside":           {"a.plot([1, 2], 'w'); a.set_xlim(5, 9)", ""},
	"hidden on purpose": {"a.plot([1, 2], label='p')[0].set_visible(False); a.stem([1, 2], [3, 4], basefmt=' ')", ""},
}

func TestLiveWhatNobodyCanSee(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	stdoutOf(t, k, "import matplotlib.pyplot as plt")
	for name, c := range unseen {
		var f struct {
			Axes []struct {
				Unseen []struct {
					Kind, Label, Why string
					Count            int
				}
			}
		}
		figureOf(t, k, name, c.code, &f)
		got := ""
		for _, u := range f.Axes[0].Unseen {
			got += fmt.Sprintf("%s %s %s %d;", u.Kind, u.Label, u.Why, u.Count)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestLiveTwinAxesHaveASide(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	_, shown := displaysOf(t, k, "import matplotlib.pyplot as plt\nfor twin in 'twinx', 'twiny':\n    fig, a = plt.subplots(); a.plot([1, 2]); getattr(a, twin)().plot([5, 9]); plt.show()")
	for i, want := range []string{`"side": "right"`, `"side": "top"`} {
		if len(shown) != 2 || !strings.Contains(string(shown[i].Transient.Easel), want) {
			t.Errorf("%d displays, without %s", len(shown), want)
		}
	}
}
