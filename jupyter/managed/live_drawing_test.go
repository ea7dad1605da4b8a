package managed

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter/wire"
)

// drawings are figures, and what is wrong in their drawing.
var drawings = map[string]struct {
	code string
	want []string
}{
	"fine":               {"a.plot([1, 2], label='a'); a.legend(); a.set_title('T'); a.set_xlabel('x')", []string{}},
	"turned labels":      {"a.bar(['category number %d' % i for i in range(10)], range(10)); a.tick_params(axis='x', rotation=45)", []string{}},
	"labels too long":    {"a.bar(['category number %d' % i for i in range(3)], range(3)); fig.set_size_inches(3, 3)", []string{"text_over_text 1 category number 0 category number 1", "text_over_text 1 category number 1 category number 2"}},
	"many long labels":   {"a.bar(['category number %02d' % i for i in range(30)], range(30)); a.tick_params(labelsize=20)", []string{"12 and others"}},
	"text on text":       {"a.plot([1, 2, 3]); a.text(1, 2, 'one text'); a.text(1.02, 2.02, 'another')", []string{"text_over_text 1 one text another"}},
	"text cut":           {"fig.text(.95, .5, 'this leaves the picture').set_in_layout(False)", []string{"text_cut 0 this leaves the picture"}},
	"legend over points": {"a.plot(range(9), range(9), label='a'); a.legend(loc='center')", []string{"legend_over_data 1 legend"}},
	"small":              {"a.plot([1, 2]); a.tick_params(labelsize=5)", []string{"small_text 1 0.0"}},
	"text in neighbours": {"plt.close(fig); fig, axs = plt.subplots(5, 1, figsize=(4, 3)); [x.set_title('T%d' % i) for i, x in enumerate(axs)]; [x.tick_params(labelbottom=False, labelleft=False) for x in axs]", []string{"text_over_axes 2 T1", "text_over_axes 3 T2", "text_over_axes 4 T3", "text_over_axes 5 T4"}},
	"an inset":           {"a.plot([1, 2]); b = a.inset_axes([.5, .2, .4, .4]); b.plot([1, 2]); b.set_title('in')", []string{}},
	"small when shrunk":  {"a.plot([1, 2]); fig.set_size_inches(32, 8)", []string{"small_text 1 0.0"}},
}

func TestLiveDrawingsAreMeasured(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	stdoutOf(t, k, "import matplotlib.pyplot as plt; plt.rcParams['figure.dpi'] = 100")
	for name, c := range drawings {
		var f struct {
			Drawing []struct {
				Kind, A, B string
				Axes       int
				Box        [4]float64
				Share      float64
				More       int
			}
		}
		figureOf(t, k, name, c.code, &f)
		got, more := []string{}, 0
		for _, d := range f.Drawing {
			more += d.More
			got = append(got, strings.TrimSpace(fmt.Sprintln(d.Kind, d.Axes, d.A, d.B)))
			if d.Share <= 0 || d.Box[0] >= d.Box[2] || d.Box[1] >= d.Box[3] {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if slices.Sort(got); more > 100 { // places are bounded, the count is not
			got = slices.DeleteFunc(got, func(s string) bool { return strings.Count(s, "category") < 2 })
			got = []string{fmt.Sprintf("%d and others", len(got))}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// storing runs a notebook with nbclient, and tells whether facts arrived and whether they are stored.
const storing = `
import nbclient, nbformat
arrived = []
class Client(nbclient.NotebookClient):
    def process_message(self, msg, cell, index):
        arrived.append("easel" in msg["content"].get("transient", {}))
        return super().process_message(msg, cell, index)
nb = nbformat.v4.new_notebook()
nb.cells = [nbformat.v4.new_code_cell(c) for c in (
    "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()", "fig, a = plt.subplots(); a.plot([1, 2]); plt.close(fig)\nfig")]
Client(nb, kernel_name="python3").execute()
text = nbformat.writes(nb)
print(arrived.count(True), text.count("image/png"), "transient" in text or "columns" in text)
`

func TestLiveNotebooksStoreNoFacts(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), layout{env: liveEnv(t)}.python(), "-B", "-c", storing)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if diff := cmp.Diff("2 2 False\n", string(out)); diff != "" {
		t.Errorf("facts that arrived, pictures, whether facts are stored (-want +got):\n%s", diff)
	}
}

// TestLiveFactsNeverFailADisplay: what cannot be read is left out, and the picture is the same.
func TestLiveFactsNeverFailADisplay(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	_, shown := displaysOf(t, k, `
import matplotlib.pyplot as plt, sys
for broken in (False, True):
    fig, a = plt.subplots(); a.plot([1, 2]); l = a.plot([3, 4])[0]
    if broken:
        a.containers.append(object()); fig.draw_without_rendering(); l._label = l
        sys.modules["easel_facts"].axis = sys.modules["easel_drawing"].artists = None
    plt.show()`)
	if len(shown) != 2 {
		t.Fatalf("%d displays", len(shown))
	}
	pixels := make([]string, 2)
	for i, d := range shown {
		data, err := wire.Base64(d.Data["image/png"])
		require.NoError(t, err)
		_, after, _ := bytes.Cut(data, []byte("IDAT"))
		before, _, _ := bytes.Cut(after, []byte("easel:axes"))
		pixels[i] = string(before)
	}
	if len(pixels[0]) < 1000 || pixels[0] != pixels[1] {
		t.Errorf("the picture of a figure that cannot be read is another one: %d, %d bytes", len(pixels[0]), len(pixels[1]))
	}
}
