package kernels_test

import (
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
)

// drawnWith draws a title with characters that the default font lacks.
const drawnWith = "import matplotlib.pyplot as plt\nplt.plot([1, 3])\nplt.title('月次売上の推移 ☃')\nplt.xlabel('$月$')\nplt.show()"

// The default font lacks Japanese. The warnings are merged into one, the hint names a font,
// and its line of code works. The search for the font leaves nothing in the kernel.
func TestLiveAFontThatLacksCharacters(t *testing.T) {
	t.Parallel()
	bundled, err := filepath.Glob(filepath.FromSlash("../../../assets/fonts/*.otf"))
	if err != nil || len(bundled) != 3 {
		t.Fatalf("fonts: %v, %v", bundled, err)
	}
	for i := range bundled {
		if bundled[i], err = filepath.Abs(bundled[i]); err != nil {
			t.Fatal(err)
		}
	}
	d := newForeign(t)
	s := d.session()

	t.Run("that an installed font has", func(t *testing.T) {
		d.run(s, "import matplotlib as mpl; from matplotlib import font_manager as fm\nthin = next(f.name for f in fm.fontManager.ttflist if 'Nimbus' in f.name or 'STIXGeneral' == f.name)\nmpl.rcParams['font.family'] = [thin]")
		before := d.run(s, "a = sorted(globals()); len(a)")
		v := d.run(s, "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.title('☃')\nplt.show()")
		advice := d.advised(t, v, "“☃”")
		after := d.run(s, "sorted(set(globals()) - set(a) - {'a', 'plt'})")
		if names := strings.Count(after.Text, "'") / 2; names > strings.Count(after.Text, "'_") {
			t.Errorf("%s; the question left names: %s", before.Text, after.Text)
		}
		if after.ExecutionCount != v.ExecutionCount+1 {
			t.Errorf("the question counted: %d after %d", after.ExecutionCount, v.ExecutionCount)
		}
		d.run(s, advice)
		if v := d.run(s, "plt.plot([1])\nplt.title('☃')\nplt.show()"); strings.Contains(v.Stderr, "lyph") || v.Hint != "" || len(v.Images) != 1 {
			t.Errorf("after %s: %q, hint %q", advice, v.Stderr, v.Hint)
		}
	})
	t.Run("that no font of matplotlib's has", func(t *testing.T) {
		d.run(s, "mpl.rcdefaults(); mpl.rcParams['font.family'] = ['DejaVu Sans']\nfm.fontManager.ttflist[:] = [f for f in fm.fontManager.ttflist if 'DejaVu' in f.name]")
		v := d.run(s, drawnWith)
		if strings.Count(v.Stderr, "Glyph ") != 1 || !strings.Contains(v.Stderr, " times, with different") || len(v.Images) != 1 {
			t.Errorf("stderr: %q", v.Stderr)
		}
		whole, _, err := d.lib.Output.Read(t.Context(), v.ExecutionID, "stderr", 0, 1<<20)
		if err != nil || strings.Count(string(whole), "Glyph ") < 7 {
			t.Errorf("the library has %q, %v", whole, err)
		}
		if !strings.Contains(v.Hint, "install one") {
			t.Errorf("hint %q", v.Hint)
		}
	})
	t.Run("that Easel brings", func(t *testing.T) {
		mine := openFixtureOf(t, d.client, 1, func(m *kernels.Manager) { m.Advise(bundled) })
		s, err := mine.Create(mine.context(), kernels.NewSession{KernelName: "python3", Client: "test"})
		require.NoError(t, err)
		mine.run(s, "import matplotlib.font_manager as fm\nfm.fontManager.ttflist[:] = [f for f in fm.fontManager.ttflist if 'DejaVu' in f.name]")
		v := mine.run(s, drawnWith)
		advice := mine.advised(t, v, "月", "Regular", "Noto Sans CJK JP")
		mine.run(s, advice)
		if v := mine.run(s, drawnWith); strings.Contains(v.Stderr, "Glyph") || v.Hint != "" || len(v.Images) != 1 {
			t.Errorf("after %s: %q, hint %q", advice, v.Stderr, v.Hint)
		}
	})
}

// advised checks the text of a hint, and returns its line of code.
func (d *fixture) advised(t *testing.T, v catalog.Execution, says ...string) string {
	t.Helper()
	for _, w := range says {
		if !strings.Contains(v.Hint, w) {
			t.Fatalf("the hint %q does not say %q; stderr %q", v.Hint, w, v.Stderr)
		}
	}
	_, line, _ := strings.Cut(v.Hint, "`")
	line, _, ok := strings.Cut(line, "`")
	if !ok {
		t.Fatalf("no line of code in %q", v.Hint)
	}
	return line
}
