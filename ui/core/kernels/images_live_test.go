package kernels_test

import (
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

func TestLiveImages(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, "import matplotlib.pyplot as plt, io\nfrom PIL import Image\nfrom IPython.display import display, Image as Shown")
	for name, c := range map[string]struct {
		code string
		want string // kind and title of each image
	}{
		"a figure as the last expression": {"fig, ax = plt.subplots(); ax.set_title('Last'); plt.close(); fig", "png Last"},
		"several figures in a cell":       {"for t in 'AB':\n    plt.figure(); plt.title('Part ' + t); plt.plot([1, 2])\nplt.show()", "png,png"},
		"an animated GIF": {
			"b = io.BytesIO()\nfs = [Image.new('P', (20, 10), n) for n in range(4)]\nfs[0].save(b, 'GIF', save_all=True, append_images=fs[1:])\nShown(b.getvalue(), format='gif')",
			"gif",
		},
		"JPEG":            {"b = io.BytesIO(); Image.new('RGB', (20, 10)).save(b, 'JPEG'); display(Shown(b.getvalue()))", "jpeg"},
		"a PIL image":     {"Image.new('RGB', (20, 10))", "png"},
		"a retina figure": {"import matplotlib_inline.backend_inline as b; b.set_matplotlib_formats('retina')\nplt.plot([1, 2]); plt.show()", "png"},
		"PNG and SVG": {
			"import matplotlib_inline.backend_inline as b; b.set_matplotlib_formats('png', 'svg')\nplt.plot([1, 2]); plt.show()", "png",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := d.run(s, c.code)
			var got []string
			for _, i := range v.Images {
				words := strings.TrimPrefix(i.MIMEType, "image/")
				if strings.Contains(c.want, " ") {
					words += " " + i.Title
				}
				got = append(got, words)
			}
			if strings.Join(got, ",") != c.want || v.Status != catalog.StatusOK {
				t.Errorf("got %q, want %q: %s %+v", got, c.want, v.Stderr, v.Error)
			}
		})
	}
	d.run(s, "import altair, pandas, bokeh.plotting as bp\nfrom IPython.display import HTML")
	for name, c := range map[string]struct{ code, kind, mime, title, kept string }{
		"Plotly":              {"import plotly.graph_objects as go\nfig = go.Figure(go.Scatter(y=[1, 3, 2]), layout_title_text='Peaks')\nfig.show()", "plotly", "application/vnd.plotly.v1+json", "Peaks", "scatter"},
		"Plotly, as a value":  {"import plotly.graph_objects as go\ngo.Figure(go.Scatter(y=[1, 3, 2]), layout_title_text='A <b>bold</b> one')", "plotly", "application/vnd.plotly.v1+json", "A bold one", "scatter"},
		"Altair":              {"altair.renderers.enable('default')\naltair.Chart(pandas.DataFrame({'x': [1, 4711]})).mark_bar().encode(x='x').properties(title='Bars')", "vegalite", "text/html", "Bars", "4711"},
		"Altair in Jupyter":   {"altair.renderers.enable('mimetype')\nt = 'Made ' + 'up'\naltair.Chart(pandas.DataFrame({'x': [1, 4712]}), title=t).mark_bar().encode(x='x')", "vegalite", "", "Made up", "4712"},
		"Bokeh":               {"bp.output_notebook()\np = bp.figure(title='Lines'); p.line([1, 4713], [1, 2]); bp.show(p)", "bokeh", "application/javascript", "Lines", "4713"},
		"Bokeh as a document": {"from bokeh.embed import file_html\nq = bp.figure(); q.line([1, 4715], [1, 2]); HTML(file_html(q))", "bokeh", "text/html", "", "4715"},
		"HTML":                {"HTML('<div>4714</div>')", "html", "text/html", "", "4714"},
	} {
		t.Run(name+" is kept as its data", func(t *testing.T) {
			v := d.run(s, c.code)
			if len(v.Images) != 1 || len(v.Truncated) != 0 {
				t.Fatalf("got %+v, said %+v, stderr %s, %+v", v.Images, v.Truncated, v.Stderr, v.Error)
			}
			i := v.Images[0]
			data, _, err := d.lib.Images.Read(t.Context(), i.ImageID)
			if i.Interactive != c.kind || c.mime != "" && i.MIMEType != c.mime || i.Title != c.title {
				t.Errorf("got %+v", i)
			}
			if err != nil || !strings.Contains(string(data), c.kept) {
				t.Errorf("kept %.1500s, %v; want %q", data, err, c.kept)
			}
		})
	}
	t.Run("a table is no figure", func(t *testing.T) {
		if v := d.run(s, "import pandas; pandas.DataFrame({'a': [1]})"); len(v.Images) != 0 || len(v.Truncated) != 0 || v.Text == "" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("fifty in a loop", func(t *testing.T) {
		const pngs = "import os, struct, zlib\ndef png(w):\n    raw = b''.join(b'\\0' + os.urandom(3 * w) for _ in range(80))\n    c = lambda k, p: struct.pack('>I', len(p)) + k + p + struct.pack('>I', zlib.crc32(k + p))\n    return b'\\x89PNG\\r\\n\\x1a\\n' + c(b'IHDR', struct.pack('>IIBBBBB', w, 80, 8, 2, 0, 0, 0)) + c(b'IDAT', zlib.compress(raw, 0)) + c(b'IEND', b'')\nfor i in range(50): display(Shown(png(80), format='png'))"
		for range 3 {
			if v := d.run(s, pngs); len(v.Images) != 50 || v.Status != catalog.StatusOK {
				t.Fatalf("got %d images, %+v", len(v.Images), v.Error)
			}
		}
	})
}

func TestLiveOneFigureIsOneEntry(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	const pngs = `import struct, zlib
from IPython.display import display, clear_output, Image as Shown
def png(w):
    c = lambda k, p: struct.pack('>I', len(p)) + k + p + struct.pack('>I', zlib.crc32(k + p))
    return Shown(b'\x89PNG\r\n\x1a\n' + c(b'IHDR', struct.pack('>IIBBBBB', w, 1, 8, 0, 0, 0, 0)) + c(b'IDAT', zlib.compress(bytes(1 + w))) + c(b'IEND', b''), format='png')
`
	d.run(s, pngs)
	for name, c := range map[string]struct {
		code     string
		versions int
	}{
		"forty updates":                     {"h = display(png(1), display_id=True)\nfor i in range(2, 42): h.update(png(i))", 41},
		"clear_output and display":          {"for i in range(1, 13):\n    clear_output(wait=True); display(png(i))", 12},
		"displayed, and the cell's value":   {"p = png(50); display(p); p", 0},
		"an update with the same picture":   {"h = display(png(70), display_id=True); h.update(png(70))", 2},
		"back to what was before an update": {"h = display(png(80), display_id=True); h.update(png(81)); h.update(png(80))", 3},
	} {
		t.Run(name, func(t *testing.T) {
			before, _, err := d.lib.Images.Count(t.Context(), library.All())
			require.NoError(t, err)
			v := d.run(s, c.code)
			after, _, err := d.lib.Images.Count(t.Context(), library.All())
			require.NoError(t, err)
			if len(v.Images) != 1 || v.Images[0].Versions != c.versions || after-before != 1 {
				t.Errorf("the execution shows %+v, %+v; the library has %d more; want 1 with %d versions", v.Images, v.Error, after-before, c.versions)
			}
		})
	}
	t.Run("two displays part when one is updated", func(t *testing.T) {
		v := d.run(s, "a = display(png(60), display_id=True); b = display(png(60), display_id=True)")
		if len(v.Images) != 1 {
			t.Errorf("while they are the same: %+v", v.Images)
		}
		v = d.run(s, "a.update(png(61)); b.update(png(62)); a.update(png(63))")
		if len(v.Images) != 2 || v.Images[0].Width != 63 || v.Images[1].Width != 62 || v.Images[0].Versions != 2 || v.Images[1].Versions != 2 {
			t.Errorf("after that: %+v", v.Images)
		}
	})
	t.Run("shown anew after an update", func(t *testing.T) {
		if v := d.run(s, "h = display(png(90), display_id=True); h.update(png(91)); display(png(90))"); len(v.Images) != 2 {
			t.Errorf("got %+v", v.Images)
		}
	})
}
