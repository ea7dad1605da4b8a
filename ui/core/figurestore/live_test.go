package figurestore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/jupytertest"
	"easel/jupyter/wire"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/mimebundle"
	"easel/ui/core/oversight"
)

func TestMain(m *testing.M) {
	code := m.Run()
	jupytertest.StopReused()
	os.Exit(code)
}

// patient is the time limit of a test's wait.
const patient = time.Minute

// A kernel is one of a real server, with Easel's modules.
type kernel struct {
	t    *testing.T
	conn *jupyter.Kernel
}

func startKernel(t *testing.T, client *jupyter.Server) kernel {
	t.Helper()
	model, err := client.StartKernel(t.Context(), jupyter.StartKernelRequest{})
	require.NoError(t, err)
	conn, err := client.Follow(t.Context(), model.ID, jupyter.FollowOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patient)
		defer cancel()
		if err := client.DeleteKernel(ctx, model.ID); err != nil {
			t.Error(err)
		}
	})
	return kernel{t, conn}
}

func newClient(t *testing.T) *jupyter.Server {
	t.Helper()
	real := jupytertest.Reuse(t, jupytertest.WithModules())
	client, err := jupyter.New(real.URL, real.Token, jupyter.WithRuntimeDir(real.Runtime))
	require.NoError(t, err)
	return client
}

// Ask asks beside code that runs.
func (k kernel) Ask(ctx context.Context, why oversight.Exemption, q inspect.Question, into any) error {
	return inspect.Evaluate(ctx, k.conn, why, q, true, into)
}

// Evaluate asks a question.
func (k kernel) Evaluate(ctx context.Context, why oversight.Exemption, q inspect.Question, subshell bool, into any) error {
	return inspect.Evaluate(ctx, k.conn, why, q, subshell, into)
}

// Settled reports that no code runs.
func (k kernel) Settled(context.Context) bool { return true }

// begin sends code.
func (k kernel) begin(code string) string {
	k.t.Helper()
	id, err := k.conn.Execute(k.t.Context(), jupyter.ExecuteRequest{Code: code})
	require.NoError(k.t, err)
	return id
}

// run runs code to its end, and returns the pictures that it displays and what it prints.
func (k kernel) run(code string) (pictures [][]byte, text string) {
	k.t.Helper()
	return k.end(k.begin(code))
}

func (k kernel) end(id string) (pictures [][]byte, text string) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patient)
	defer cancel()
	for {
		in, err := k.conn.Next(ctx)
		require.NoError(k.t, err)
		m := in.Message
		if m == nil || m.ParentID() != id {
			continue
		}
		switch m.Type() {
		case "display_data", "execute_result":
			var d wire.DisplayData
			require.NoError(k.t, m.Decode(&d))
			if forms := mimebundle.Read(d.Data, d.Metadata).Forms; len(forms) > 0 {
				pictures = append(pictures, forms[0].Data)
			}
		case "stream":
			var s wire.Stream
			if m.Decode(&s) == nil && s.Name == "stdout" {
				text += s.Text
			}
		case "error":
			var e wire.ErrorContent
			_ = m.Decode(&e)
			k.t.Fatalf("%s: %s", e.Ename, strings.Join(e.Traceback, "\n"))
		case "status":
			var s wire.Status
			if m.Decode(&s) == nil && s.ExecutionState == wire.StateIdle {
				return pictures, text
			}
		}
	}
}

// taken takes figures out of a kernel until it has a number of them, or why it has none.
func (k kernel) taken(n int) (all []inspect.PickledFigure) {
	k.t.Helper()
	var q inspect.TakeRequest
	for until := time.Now().Add(patient); len(all) < n; {
		f, _, err := inspect.TakeFigure(k.t.Context(), k, q)
		require.NoError(k.t, err)
		if q.Received = f.Names; len(f.Names) > 0 {
			all = append(all, f)
		}
		if time.Now().After(until) {
			k.t.Fatalf("%d figures were taken, %d wanted", len(all), n)
		}
	}
	_, _, _ = inspect.TakeFigure(k.t.Context(), k, q) // the kernel drops the last one
	return all
}

func sumOf(picture []byte) string {
	sum := sha256.Sum256(picture)
	return hex.EncodeToString(sum[:])
}

// similar reports whether two pictures have the same size and colours.
func similar(t *testing.T, a, b []byte) bool {
	t.Helper()
	x, err := png.Decode(bytes.NewReader(a))
	require.NoError(t, err)
	y, err := png.Decode(bytes.NewReader(b))
	require.NoError(t, err)
	if x.Bounds() != y.Bounds() {
		t.Errorf("%v is now %v", x.Bounds(), y.Bounds())
		return false
	}
	for j := range x.Bounds().Dy() {
		for i := range x.Bounds().Dx() {
			r, g, b, _ := x.At(i, j).RGBA()
			r2, g2, b2, _ := y.At(i, j).RGBA()
			for _, d := range []int{int(r) - int(r2), int(g) - int(g2), int(b) - int(b2)} {
				if d < -2<<8 || d > 2<<8 {
					return false
				}
			}
		}
	}
	return true
}

const imports = `import matplotlib.pyplot as plt, numpy as np
x = np.linspace(0, 6, 200)
`

// kinds draw one figure each.
var kinds = []struct{ name, code string }{
	{"a line", "plt.plot(x, np.sin(x)); plt.title('Line')"},
	{"a function of the session in a formatter", "scale = 3\ndef label(v, p): return '%.1f units' % (v * scale)\nfig, ax = plt.subplots(); ax.plot(x); ax.yaxis.set_major_formatter(label)"},
	{"a lambda in a formatter", "fig, ax = plt.subplots(); ax.plot(x); ax.xaxis.set_major_formatter(lambda v, p: f'<{v:.0f}>')"},
	{"a class of the session", "from matplotlib.lines import Line2D\nclass Thick(Line2D):\n    def draw(self, r):\n        self.set_linewidth(7); return super().draw(r)\nfig, ax = plt.subplots(); ax.add_line(Thick([0, 1], [0, 1]))"},
	{"an image with a colour bar", "plt.imshow(np.arange(10000).reshape(100, 100)); plt.colorbar()"},
	{"subplots in a constrained layout", "fig, ax = plt.subplots(2, 2, sharex=True, layout='constrained')\nfor a in ax.flat: a.plot(x, np.cos(x)); a.set_title('Part')"},
	{"twin axes with a legend", "fig, ax = plt.subplots(); ax.plot(x, label='a'); ax.twinx().bar(range(5), range(5), alpha=.4); ax.legend()"},
	{"polar", "plt.subplot(projection='polar').plot(x, x)"},
	{"3D", "plt.figure().add_subplot(projection='3d').plot_surface(*np.meshgrid(x[::20], x[::20]), np.ones((10, 10)))"},
	{"dates", "import datetime\nplt.plot([datetime.date(2026, 1, d + 1) for d in range(20)], range(20)); plt.gcf().autofmt_xdate()"},
	{"log axes and contours", "plt.contourf(np.outer(x + 1, x + 1), levels=9); plt.yscale('log')"},
	{"a style that ends with the cell", "with plt.style.context('dark_background'):\n    plt.plot(x); plt.show()"},
	{"seaborn", "import seaborn as sns\nsns.violinplot(data=np.random.default_rng(1).normal(size=(50, 3)))"},
	{"pandas", "import pandas as pd\npd.DataFrame({'a': x, 'b': x ** 2}).plot(subplots=True)"},
}

// TestLiveAStoredFigureIsDrawnByAnotherProcess: each kind of figure is taken out of its kernel and drawn by another
// one, like the original. The kernel itself is as before.
func TestLiveAStoredFigureIsDrawnByAnotherProcess(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	k, other := startKernel(t, client), startKernel(t, client)
	k.run(imports)
	for _, c := range kinds {
		t.Run(c.name, func(t *testing.T) {
			k, other := kernel{t, k.conn}, kernel{t, other.conn}
			pictures, _ := k.run(c.code + "\nplt.show()")
			if len(pictures) == 0 {
				t.Fatal("no picture")
			}
			picture := pictures[len(pictures)-1]
			var f inspect.PickledFigure
			for len(f.Names) == 0 || !slices.Contains(f.Names, sumOf(picture)) {
				f = k.taken(1)[0]
			}
			if f.Why != "" || len(f.Figure) == 0 {
				t.Fatalf("it is not stored: %q", f.Why)
			}
			t.Logf("%d bytes and %d", len(f.Figure), len(f.How))
			f.Names = []string{sumOf(picture)}
			now, why, err := inspect.AdoptFigure(t.Context(), other, f)
			if err != nil || why != "" || now.Matplotlib != f.Matplotlib || now.Python != f.Python {
				t.Fatalf("loaded: %+v, %q, %v", now, why, err)
			}
			drawn, err := inspect.DrawFigure(t.Context(), other, inspect.FigureRequest{Hashes: f.Names, Format: "png"})
			require.NoError(t, err)
			if !similar(t, picture, drawn.Data) {
				t.Error("it looks different")
			}
			pdf, err := inspect.DrawFigure(t.Context(), other, inspect.FigureRequest{Hashes: f.Names, Format: "pdf", Width: 4, Height: 3})
			if err != nil || !bytes.HasPrefix(pdf.Data, []byte("%PDF")) || math.Abs(pdf.Width-4)+math.Abs(pdf.Height-3) > 0.01 {
				t.Errorf("as PDF: %d bytes, %g by %g, %v", len(pdf.Data), pdf.Width, pdf.Height, err)
			}
		})
	}
}

// TestLivePicklingChangesNothing compares what can be seen of figures, of pyplot and of numpy before and after the
// figures were pickled, and pictures of the figures byte for byte.
func TestLivePicklingChangesNothing(t *testing.T) {
	t.Parallel()
	k := startKernel(t, newClient(t))
	k.run(imports + `
import io, random, time, easel_figures
def state(fig):
    return (plt.get_fignums(), fig.number, plt.gcf() is fig, fig.dpi, fig.stale, id(fig.canvas), fig.get_size_inches().tolist(),
            str(np.random.get_state()), random.getstate(), dict.__repr__(__import__('matplotlib').rcParams),
            [(a.stale, id(a), list(a.callbacks.callbacks), list(vars(a))) for a in fig.axes], list(vars(fig)), list(fig.canvas.callbacks.callbacks))
def printed(fig):
    b = io.BytesIO(); fig.savefig(b, format='png'); return b.getvalue()
`)
	for half := range 2 {
		code := "plt.close('all')\n"
		for i, c := range kinds {
			if i%2 == half {
				code += strings.ReplaceAll(c.code, "plt.show()", "pass") + "\nplt.gcf().set_label('" + c.name + "'); plt.figure()\n"
			}
		}
		_, text := k.run(code + `
figs = [f for f in map(plt.figure, plt.get_fignums()) if f.axes]
plt.figure(figs[0])
one = [printed(f) for f in figs]
for f in figs: display(f)
kept = easel_figures.keeper.figures[-len(figs):]
before = [state(f) for f in figs]
until = time.monotonic() + 50
while not all(f.done.is_set() for f in kept) and time.monotonic() < until: time.sleep(.01)
after = [state(f) for f in figs]
two = [printed(f) for f in figs]
for f, k, a, b, c, d in zip(figs, kept, before, after, one, two):
    print(f.get_label(), k.live is None, a == b, c == d)
plt.close('all')
`)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if len(lines) != len(kinds)/2 {
			t.Errorf("%d figures", len(lines))
		}
		for _, line := range lines {
			if !strings.HasSuffix(line, " True True True") {
				t.Error(line)
			}
		}
	}
}

// TestLiveAllFiguresOfALongCellAreStored: a kernel keeps 32 figures, but Easel gets all of them.
func TestLiveAllFiguresOfALongCellAreStored(t *testing.T) {
	t.Parallel()
	k := startKernel(t, newClient(t))
	k.run(imports)
	pictures, _ := k.run("for i in range(40):\n    plt.plot(x, x * i); plt.title(i); plt.show()")
	if len(pictures) != 40 {
		t.Fatalf("%d pictures", len(pictures))
	}
	stored := 0
	for _, f := range k.taken(40) {
		if f.Why != "" {
			t.Errorf("one is not stored: %q", f.Why)
		} else if slices.ContainsFunc(pictures, func(p []byte) bool { return slices.Contains(f.Names, sumOf(p)) }) {
			stored++
		}
	}
	if stored != 40 {
		t.Errorf("%d figures are stored", stored)
	}
}

// TestLiveWhatCannotBePickled says why, and keeps other figures.
func TestLiveWhatCannotBePickled(t *testing.T) {
	t.Parallel()
	k := startKernel(t, newClient(t))
	k.run(imports + "import threading")
	for part, want := range map[string]string{
		"threading.Lock()": "lock", "(i for i in [1])": "generator", "open('/dev/null')": "TextIOWrapper",
	} {
		k.run("fig, ax = plt.subplots(); ax.plot(x)[0].part = " + part + "; plt.show()")
		if f := k.taken(1)[0]; !strings.Contains(f.Why, want) || len(f.Figure) > 0 {
			t.Errorf("%s: %q", part, f.Why)
		}
	}
	k.run("plt.plot(x); plt.show()")
	if f := k.taken(1)[0]; f.Why != "" {
		t.Errorf("the next one: %q", f.Why)
	}
}

// TestLiveAFigureThatHangsDelaysNothing: code of the user may run while a figure is pickled, and may not return.
func TestLiveAFigureThatHangsDelaysNothing(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]string{"it sleeps": "time.sleep(60)", "it loops": "while True: pass"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := startKernel(t, newClient(t))
			k.run(imports + "import time, easel_figures\nbegun, ended = [], []\nclass Hangs:\n    def __reduce__(self):\n        begun.append(1)\n        " +
				wait + "\n        ended.append(1)")
			k.run("fig, ax = plt.subplots(); ax.plot(x)[0].part = Hangs(); plt.show()")
			for until := time.Now().Add(patient); ; {
				_, text := k.run("print(len(begun), len(ended))")
				if strings.HasPrefix(text, "1 0") {
					break
				}
				if !strings.HasPrefix(text, "0 0") {
					t.Fatalf("a cell waited until the figure was pickled: %q", text)
				}
				if time.Now().After(until) {
					t.Fatal("it was never pickled")
				}
			}
			pictures, text := k.run("time.sleep(3.2); plt.plot(x); plt.title('next'); plt.show(); print(len(ended))")
			if !strings.HasPrefix(text, "0") {
				t.Errorf("the next plot waited until the figure was pickled: %q", text)
			}
			all := k.taken(2)
			if all[0].Why != "slow" || all[1].Why != "" || !slices.Contains(all[1].Names, sumOf(pictures[0])) {
				t.Errorf("taken: %q, %q", all[0].Why, all[1].Why)
			}
		})
	}
}
