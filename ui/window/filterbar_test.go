package window

import (
	"testing"

	"easel/ui/core/state"
)

// TestTheHeadingNamesTheView checks that the heading is not cut off, also in a small
// window.
func TestTheHeadingNamesTheView(t *testing.T) {
	for name, x := range map[string]struct {
		lang, op string
		rating   int
		want     string
	}{
		"all":        {"en", ">=", -1, "All plots"},
		"unrated":    {"en", "=", 0, "Unrated"},
		"best":       {"en", ">=", 4, "Four stars and up"},
		"three":      {"en", ">=", 3, "All plots"},
		"all ja":     {"ja", ">=", -1, "すべてのプロット"},
		"unrated ja": {"ja", "=", 0, "未評価"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, narrowed, galleryOf(t, 6), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Query.RatingOp, s.Query.Rating = x.lang, x.op, x.rating
			})
			title := w.app.shell.gallery.bar.title
			if title.Full() != x.want || title.Size().Width < title.PreferredWidth() {
				t.Errorf("the heading is %q, %v wide of %v, want %q", title.Full(), title.Size().Width, title.PreferredWidth(), x.want)
			}
		})
	}
}
