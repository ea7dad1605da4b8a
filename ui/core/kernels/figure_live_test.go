package kernels_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/jupyter/kernelside"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
)

// newKeeping is a fixture with a session whose kernel keeps its figures while keep says so.
func newKeeping(t *testing.T, open opener, keep *atomic.Bool) (*fixture, library.Session) {
	t.Helper()
	keep.Store(true)
	base := open(t)
	d := openFixtureOf(t, base.client, 1, func(m *kernels.Manager) {
		m.KeepFigures(kernelside.FigureKeeper(), func(bool) bool { return keep.Load() })
	})
	s := d.session()
	d.awaitKeeping(s, true)
	return d, s
}

// awaitKeeping waits until a kernel was told whether to keep its figures.
func (d *fixture) awaitKeeping(s library.Session, on bool) {
	d.t.Helper()
	want := "False"
	if on {
		want = "True"
	}
	poll(d, "figures are kept: "+want, func(context.Context) (string, bool) {
		text := d.run(s, "getattr(__import__('sys').modules.get('easel_figures'), 'keeper', None) is not None and __import__('sys').modules['easel_figures'].keeper.on").Text
		return text, text == want
	})
}

// shown runs code that displays one picture, and gives that and its bytes.
func (d *fixture) shown(t *testing.T, s library.Session, code string) (library.Image, []byte) {
	t.Helper()
	v := d.run(s, code)
	if len(v.Images) != 1 || v.Status != catalog.StatusOK {
		t.Fatalf("%d pictures: %s %+v", len(v.Images), v.Stderr, v.Error)
	}
	data, im, err := d.lib.Images.Read(t.Context(), v.Images[0].ImageID)
	require.NoError(t, err)
	return im, data
}

// redrawn has the kernel draw the figure of a picture.
func (d *fixture) redrawn(s library.Session, data []byte, q inspect.FigureRequest) (inspect.DrawnFigure, error) {
	sum := sha256.Sum256(data)
	q.Hashes = []string{hex.EncodeToString(sum[:])}
	return d.DrawFigure(d.context(), s.ID, q)
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	im, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	return im
}

// difference is the largest difference of a channel of two pictures; -1 if their sizes differ.
func difference(a, b image.Image) (most int) {
	if a.Bounds().Size() != b.Bounds().Size() {
		return -1
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			for _, c := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}, {a1, a2}} {
				most = max(most, int(math.Abs(float64(c[0])-float64(c[1])))>>8)
			}
		}
	}
	return most
}

// figureCells draw one figure each.
var figureCells = []struct{ name, code string }{
	{"a line", "plt.plot([1, 3, 2]); plt.title('Line'); plt.show()"},
	{"constrained layout, image and legend", "fig, ax = plt.subplots(1, 2, layout='constrained')\nax[0].imshow(np.arange(64).reshape(8, 8)); ax[1].bar(range(9), range(9), label='Line'); ax[1].legend(bbox_to_anchor=(1, 1), loc='upper left'); plt.show()"},
	{"a formatter that is a closure", "def f(n):\n    fig, ax = plt.subplots(); ax.plot([1, 2]); ax.xaxis.set_major_formatter(lambda x, p: f'{x * n:.1f} Line')\n    return fig\nf(3); plt.show()"},
	{"an artist that cannot be pickled", "import threading\nfig, ax = plt.subplots(); ax.plot([1, 2])[0].lock = threading.Lock(); ax.set_title('Line'); plt.show()"},
	{"a style that ends with the cell", "with plt.style.context('dark_background'):\n    plt.plot([1, 2]); plt.title('Line'); plt.show()"},
	{"seaborn", "import seaborn as sns\nsns.histplot(x=np.arange(50) % 7).set_title('Line'); plt.show()"},
	{"seaborn.objects", "import seaborn.objects as so\nso.Plot(x=[1, 2, 3], y=[1, 3, 2]).add(so.Line()).label(title='Line')"},
	{"networkx", "import networkx as nx\nnx.draw(nx.cycle_graph(5), nx.circular_layout(nx.cycle_graph(5)), labels={0: 'Line'}); plt.show()"},
	{"plotnine", "import plotnine as p9, pandas as pd\np9.ggplot(pd.DataFrame({'a': [1, 2], 'b': [2, 1]}), p9.aes('a', 'b')) + p9.geom_line() + p9.labs(title='Line')"},
}

// fewer returns every third of the cells. make nightly draws all.
func fewer[T any](all []T) (some []T) {
	for i := 0; i < len(all); i += 3 {
		some = append(some, all[i])
	}
	return some
}

func TestLiveFiguresAreDrawnAgain(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]opener{"in Easel's kernels": newFixture, "in others": newForeign} {
		cells := figureCells
		if name == "in others" {
			cells = cells[:2]
		}
		if testing.Short() {
			cells = fewer(cells)
		}
		d, s := newKeeping(t, open, new(atomic.Bool))
		d.run(s, "import matplotlib.pyplot as plt, numpy as np")
		for _, c := range cells {
			t.Run(c.name+" "+name, func(t *testing.T) {
				_, data := d.shown(t, s, c.code)
				d.sameAgain(t, s, data)
				d.otherFormats(t, s, data)
			})
		}
	}
}

// sameAgain checks that a figure as it was displayed is the same picture, and at another size
// is of that size.
func (d *fixture) sameAgain(t *testing.T, s library.Session, data []byte) {
	t.Helper()
	same, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png"})
	require.NoError(t, err)
	if n := difference(decoded(t, data), decoded(t, same.Data)); n < 0 || n > 2 {
		t.Errorf("drawn again, the largest difference is %d: %v and %v", n, decoded(t, data).Bounds().Size(), decoded(t, same.Data).Bounds().Size())
	}
	for _, theme := range []string{"", "dark"} {
		large, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png", Width: 5, Height: 4, DPI: 200, Theme: theme})
		if none, ok := errors.AsType[*inspect.NoFigureError](err); ok && none.Reason == inspect.FigureFixed && theme != "" {
			return // as it says
		}
		require.NoError(t, err)
		im := decoded(t, large.Data)
		if size := im.Bounds().Size(); size != image.Pt(1000, 800) {
			t.Errorf("%v pixels, want 1000 by 800", size)
		}
		if r, _, _, _ := im.At(3, 3).RGBA(); theme == "dark" && r>>8 > 64 {
			t.Errorf("the corner of the dark picture has red %d", r>>8)
		}
		if theme == "" {
			again, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png"})
			require.NoError(t, err)
			if n := difference(decoded(t, data), decoded(t, again.Data)); n < 0 || n > 2 {
				t.Errorf("the larger picture has changed the figure: the largest difference is %d; %x… as displayed, %x… before, %x… after it",
					n, sha256.Sum256(data), sha256.Sum256(same.Data), sha256.Sum256(again.Data))
				for name, data := range map[string][]byte{"displayed": data, "before": same.Data, "after": again.Data} {
					t.Logf("%s: %s", name, base64.StdEncoding.EncodeToString(data))
				}
			}
		}
	}
}

var mediaBox = regexp.MustCompile(`/MediaBox \[ ?([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+) ?\]`)

// otherFormats checks that text stays text in an SVG, and the size of a PDF's page.
func (d *fixture) otherFormats(t *testing.T, s library.Session, data []byte) {
	t.Helper()
	svg, err := d.redrawn(s, data, inspect.FigureRequest{Format: "svg", Width: 5, Height: 3})
	require.NoError(t, err)
	if !regexp.MustCompile(`<text[^>]*>[^<]*Line`).Match(svg.Data) || !bytes.Contains(svg.Data, []byte(`width="360pt" height="216pt"`)) {
		t.Errorf("the SVG has no text, or another size: %.400s", svg.Data)
	}
	pdf, err := d.redrawn(s, data, inspect.FigureRequest{Format: "pdf", Width: 3.5})
	require.NoError(t, err)
	page := mediaBox.FindSubmatch(pdf.Data)
	if page == nil {
		t.Fatalf("no page in %.100q", pdf.Data)
	}
	wide, _ := strconv.ParseFloat(string(page[3]), 64)
	high, _ := strconv.ParseFloat(string(page[4]), 64)
	size := decoded(t, data).Bounds().Size()
	if want := 252 * float64(size.Y) / float64(size.X); math.Abs(wide-252) > 0.01 || math.Abs(high-want) > 4 {
		t.Errorf("the page is %g by %g points, want 252 by about %.0f", wide, high, want)
	}
	jpeg, err := d.redrawn(s, data, inspect.FigureRequest{Format: "jpeg", Width: 2})
	if err != nil || !bytes.HasPrefix(jpeg.Data, []byte("\xff\xd8")) {
		t.Errorf("JPEG: %v, %.10q", err, jpeg.Data)
	}
}

func TestLiveTheUserNoticesNothingOfARedraw(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	_, data := d.shown(t, s, "import matplotlib.pyplot as plt, warnings, matplotlib as mpl\nplt.figure(7); plt.plot([1, 2]); plt.title('☃ 月'); plt.show()\nopen_figure = plt.figure(3)\nplt.close(open_figure); seen = None")
	before := d.run(s, "plt.ioff(); kept = plt.figure(3); rc = dict(mpl.rcParams); names = None; names = set(globals()); plt.get_fignums()")
	for _, q := range []inspect.FigureRequest{{Format: "png"}, {Format: "svg", Width: 3, Height: 2}, {Format: "pdf", DPI: 300}, {Format: "png", Theme: "dark"}} {
		if _, err := d.redrawn(s, data, q); err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
	}
	after := d.run(s, "(plt.get_fignums(), plt.gcf() is kept, dict(mpl.rcParams) == rc, {n for n in set(globals()) - names if not n.startswith('_')})")
	if after.Text != "("+before.Text+", True, True, set())" {
		t.Errorf("before %s, after %s", before.Text, after.Text)
	}
	if after.ExecutionCount != before.ExecutionCount+1 || after.Stderr != "" || after.Stdout != "" {
		t.Errorf("counted %d after %d, printed %q %q", after.ExecutionCount, before.ExecutionCount, after.Stdout, after.Stderr)
	}
	if v := d.run(s, "import easel_figures"); v.Status != catalog.StatusOK {
		t.Errorf("%+v", v.Error)
	}
}

// inKernel reads what a kernel keeps.
const inKernel = "(lambda k: (len(k.figures), sum(f.live is not None for f in k.figures), sum(f.size for f in k.figures) <= 48 << 20))(__import__('easel_figures').keeper)"

func TestLiveKeptFiguresAreBounded(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	d.run(s, "import matplotlib.pyplot as plt, numpy as np")
	v := d.run(s, "for i in range(40):\n    plt.figure(figsize=(2, 1)); plt.plot([i, 1]); plt.show()\n"+
		"(lambda n, live, small: (n <= 32, live <= 12, small))(*"+inKernel+")")
	if v.Text != "(True, True, True)" || len(v.Images) != 40 {
		t.Fatalf("while code runs: %s, %d pictures", v.Text, len(v.Images))
	}
	first, _, err := d.lib.Images.Read(t.Context(), v.Images[0].ImageID)
	require.NoError(t, err)
	if _, err := d.redrawn(s, first, inspect.FigureRequest{Format: "png"}); reason(err) != inspect.FigureOld {
		t.Errorf("the oldest figure: %v", err)
	}
	last, _, err := d.lib.Images.Read(t.Context(), v.Images[39].ImageID)
	require.NoError(t, err)
	if _, err := d.redrawn(s, last, inspect.FigureRequest{Format: "png"}); err != nil {
		t.Errorf("the newest figure: %v", err)
	}
	for i := range 40 {
		d.run(s, fmt.Sprintf("plt.figure(figsize=(2, 1)); plt.plot([%d, 7]); plt.show()\n__import__('easel_figures').keeper.freeze(__import__('easel_figures').keeper.figures[-1])", i))
	}
	if v := d.run(s, inKernel); v.Text != "(32, 0, True)" {
		t.Errorf("with pickles: %s", v.Text)
	}
	d.run(s, "plt.figure(figsize=(2, 1)); plt.plot([1, 8]); plt.show()") // is pickled once the kernel is idle
	poll(d, "the idle kernel to pickle the newest figure", func(ctx context.Context) (kept []bool, ok bool) {
		require.NoError(t, d.Reads(ctx, s.ID, "[f.live is None for f in sys.modules['easel_figures'].keeper.figures]", &kept))
		return kept, len(kept) == 32 && kept[31]
	})
	_, large := d.shown(t, s, "plt.imshow(np.zeros((2000, 2000))); plt.show()")
	if _, err := d.redrawn(s, large, inspect.FigureRequest{Format: "png"}); reason(err) != inspect.FigureLarge {
		t.Errorf("a figure of 32 MB: %v", err)
	}
}

// reason is why a kernel has no figure.
func reason(err error) inspect.NoFigure {
	if none, ok := errors.AsType[*inspect.NoFigureError](err); ok {
		return none.Reason
	}
	return ""
}

func TestLiveWhenAFigureCannotBeDrawnAgain(t *testing.T) {
	t.Parallel()
	keep := new(atomic.Bool)
	d, s := newKeeping(t, newFixture, keep)
	_, data := d.shown(t, s, "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()")
	draw := func() error {
		_, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png"})
		return err
	}
	require.NoError(t, draw())
	t.Run("the kernel is busy", func(t *testing.T) {
		code, open := d.gated("print('at work')", "")
		x := d.start(s, code)
		d.awaitWork(s, code)
		if err := draw(); !errors.Is(err, jupyter.ErrKernelBusy) {
			t.Errorf("%v", err)
		}
		open()
		d.wait(x)
	})
	t.Run("it takes long", func(t *testing.T) {
		q := inspect.FigureRequest{Format: "png", Within: 1e-6}
		if _, err := d.redrawn(s, data, q); reason(err) != inspect.FigureSlow {
			t.Errorf("%v", err)
		}
		q.Within = 60
		if _, err := d.redrawn(s, data, q); err != nil {
			t.Errorf("in less time than is allowed: %v", err)
		}
	})
	t.Run("it is no figure", func(t *testing.T) {
		_, other := d.shown(t, s, "from PIL import Image; Image.new('RGB', (20, 10))")
		if _, err := d.redrawn(s, other, inspect.FigureRequest{Format: "png"}); reason(err) != inspect.FigureUnknown {
			t.Errorf("%v", err)
		}
	})
	t.Run("the code changed it", func(t *testing.T) {
		_, other := d.shown(t, s, "fig, ax = plt.subplots(); ax.plot([1, 5]); display(fig); ax.set_title('Later'); plt.close(fig)")
		if _, err := d.redrawn(s, other, inspect.FigureRequest{Format: "png"}); reason(err) != inspect.FigureChanged {
			t.Errorf("%v", err)
		}
	})
	t.Run("the user turned it off", func(t *testing.T) {
		keep.Store(false)
		d.CheckFigures()
		d.awaitKeeping(s, false)
		if err := draw(); reason(err) != inspect.FigureOff {
			t.Errorf("%v", err)
		}
		keep.Store(true)
		d.CheckFigures()
		d.awaitKeeping(s, true)
		if err := draw(); reason(err) != inspect.FigureUnknown {
			t.Errorf("what was kept before is released: %v", err)
		}
	})
	t.Run("the kernel was restarted", func(t *testing.T) {
		_, data = d.shown(t, s, "plt.plot([1, 9]); plt.show()")
		require.NoError(t, draw())
		if _, err := d.Restart(d.context(), s.ID, true); err != nil {
			t.Fatal(err)
		}
		if err := draw(); reason(err) != inspect.FigureUnknown {
			t.Errorf("%v", err)
		}
		d.awaitKeeping(s, true)
		_, data = d.shown(t, s, "import matplotlib.pyplot as plt\nplt.plot([1, 9]); plt.show()")
		if err := draw(); err != nil {
			t.Errorf("after it: %v", err)
		}
	})
	t.Run("the session has ended", func(t *testing.T) {
		if _, err := d.Delete(d.context(), s.ID, true); err != nil {
			t.Fatal(err)
		}
		if err := draw(); !errors.Is(err, kernels.ErrSessionNotFound) {
			t.Errorf("%v", err)
		}
	})
}

func TestLiveEachFormatOfADisplayNamesItsFigure(t *testing.T) {
	t.Parallel()
	d, s := newKeeping(t, newFixture, new(atomic.Bool))
	d.run(s, "import matplotlib.pyplot as plt\nfrom matplotlib_inline.backend_inline import set_matplotlib_formats as formats")
	for _, kinds := range []string{"'retina'", "'svg'", "'svg', 'png'", "'jpeg'"} {
		im, data := d.shown(t, s, "formats("+kinds+")\nplt.plot([1, 2]); plt.title('Line'); plt.show()")
		again, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png"})
		if err != nil {
			t.Errorf("%s: %v", kinds, err)
			continue
		}
		if im.MIMEType == "image/png" && difference(decoded(t, data), decoded(t, again.Data)) != 0 {
			t.Errorf("%s: another picture", kinds)
		}
		for _, f := range im.Forms {
			form, err := d.lib.Images.ReadForm(t.Context(), im, f.MIME)
			require.NoError(t, err)
			if _, err := d.redrawn(s, form, inspect.FigureRequest{Format: "png"}); err != nil {
				t.Errorf("%s by its %s: %v", kinds, f.MIME, err)
			}
		}
	}
}

// A kernel of Easel's own server may be of another environment, without the module: it gets
// that with the first figure that is missing.
func TestLiveAKernelOfAnotherEnvironmentKeepsItsNextFigures(t *testing.T) {
	t.Parallel()
	keep := new(atomic.Bool)
	d, s := newKeeping(t, newFixture, keep)
	d.run(s, "import sys, matplotlib.pyplot as plt; del sys.modules['easel_figures']\nfrom IPython.core.formatters import DisplayFormatter as F; F.format = F.format.easel_plain")
	_, data := d.shown(t, s, "plt.plot([1, 2]); plt.show()")
	if _, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png"}); reason(err) != inspect.FigureUnknown {
		t.Fatal(err)
	}
	d.awaitKeeping(s, true)
	_, data = d.shown(t, s, "plt.plot([1, 3]); plt.show()")
	if _, err := d.redrawn(s, data, inspect.FigureRequest{Format: "png"}); err != nil {
		t.Error(err)
	}
}
