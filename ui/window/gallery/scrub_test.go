package gallery

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
)

// TestTheScrollbarSaysWhatIsThere, but not the wheel.
func TestTheScrollbarSaysWhatIsThere(t *testing.T) {
	g, q, _, _ := newTestGrid(t, 90)
	end := g.flow.height() - g.scroll.Size().Height
	g.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -25)})
	if g.scroll.Offset.Y == 0 || g.scrub.root.Visible() {
		t.Errorf("at %v, the wheel shows the label: %v", g.scroll.Offset.Y, g.scrub.root.Visible())
	}
	drag := func(part float32) string { // as the scrollbar does
		g.scroll.Offset.Y = end * part
		g.scroll.OnScrolled(g.scroll.Offset)
		if !g.scrub.root.Visible() {
			t.Fatal("there is no label")
		}
		return g.scrub.text.Text
	}
	if got := drag(1); !strings.HasPrefix(got, "Sat 14 Mar") || !strings.HasSuffix(got, ", 09:32") {
		t.Errorf("at the end, it says %q", got)
	}
	if y := g.scrub.root.Position().Y + g.scrub.root.Size().Height; y > g.Size().Height || y < g.Size().Height-10 {
		t.Errorf("at the end, it ends at %v of %v", y, g.Size().Height)
	}
	g.Ask(library.Query{Rating: -1, SortBy: "name"})
	q.Until(t, "the names", func() bool { return g.query.SortBy == "name" && g.Settled() })
	if got := drag(0); got != "Plot 90" {
		t.Errorf("by name, it says %q", got)
	}
	g.Ask(library.Query{Rating: -1, SortBy: "rating"})
	q.Until(t, "the ratings", func() bool { return g.query.SortBy == "rating" && g.Settled() })
	if got := drag(0); got != "1 / 90" {
		t.Errorf("by rating, it says %q", got)
	}
	g.Resize(fyne.NewSize(640, 300))
	g.scrub.hide()
	g.Resize(fyne.NewSize(640, 900))
	if g.scrub.root.Visible() {
		t.Error("a change of the size shows the label")
	}
}
