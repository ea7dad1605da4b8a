package window

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestBannersOfIdleSessions(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	b := w.app.shell.gallery.banners
	short := func(left int64) *state.Pressure {
		most := state.MemoryUser{SessionID: uitest.SessionID(1), Bytes: 11e9, Variables: []state.LargeVariable{{Name: "frame", Bytes: 61e8}, {Name: "cube", Bytes: 2e9}}}
		return &state.Pressure{Available: left, Total: 16e9, Most: most, Idle: []state.IdleKernel{{SessionID: uitest.SessionID(1), Bytes: 2e9, Used: uitest.Start}}}
	}
	shown := func(edit func(*state.Snapshot)) string {
		n := *w.app.cfg.Store.Snapshot()
		edit(&n)
		var texts []string
		for _, x := range b.list(&n) {
			texts = append(texts, x.text)
		}
		return strings.Join(texts, "\n")
	}
	if got, want := shown(func(s *state.Snapshot) { s.Pressure = short(9e8) }), "Memory is low: 900 MB of 16 GB left. “売上.ipynb” uses 11 GB. The largest variables: frame (6.1 GB), cube (2.0 GB)."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.gone["pressure"] = true
	if got := shown(func(s *state.Snapshot) { s.Pressure = short(8e8) }); got != "" {
		t.Errorf("it was dismissed: %q", got)
	}
	_ = shown(func(*state.Snapshot) {}) // there is enough memory again
	if got := shown(func(s *state.Snapshot) { s.Pressure = short(8e8) }); got == "" {
		t.Error("the next time it is not told")
	}
	ended := []state.UnusedSession{{Name: "a", At: uitest.Start.Add(4 * time.Hour), After: 4 * time.Hour}, {Name: "b", At: uitest.Start.Add(5 * time.Hour), After: 4 * time.Hour}}
	if got := shown(func(s *state.Snapshot) { s.Unused = ended[:1] }); !strings.HasPrefix(got, "Ended “a”: unused since ") {
		t.Errorf("one session: %q", got)
	}
	if got, want := shown(func(s *state.Snapshot) { s.Unused = ended }), "Ended 2 unused sessions: b, a."; got != want {
		t.Errorf("two: got %q, want %q", got, want)
	}
}

// TestABannerSaysThatAKernelDied: the kernel runs again at once, but its variables are gone.
func TestABannerSaysThatAKernelDied(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
		busy(s)
		s.Sessions[0].Name, s.Sessions[0].Crashed = "harvest", uitest.Start
		s.Sessions[0].Death = "It crashed (SIGSEGV)."
	})
	want := w.app.kit().T("banner.crashed", "harvest", w.app.kit().Tr.Clock(uitest.Start)) + " It crashed (SIGSEGV)."
	shown := func() []string {
		var texts []string
		for _, r := range w.app.shell.gallery.banners.rows {
			texts = append(texts, r.text.Text())
		}
		return texts
	}
	if got := shown(); !slices.Equal(got, []string{want}) {
		t.Errorf("the banners are %q, want %q", got, want)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Crashed = time.Time{}
	})
	w.settled()
	if got := shown(); len(got) != 0 {
		t.Errorf("after a restart the banners are %q", got)
	}
}

// TestABannerShowsAWholeName checks that the banner for a session whose code is still
// running shows its whole name next to its buttons, also in a small window.
func TestABannerShowsAWholeName(t *testing.T) {
	for name, size := range map[string]fyne.Size{"wide": wide, "narrow": narrowed} {
		for _, lang := range []string{"en", "ja"} {
			t.Run(name+" "+lang, func(t *testing.T) {
				w := newWorld(t, size, galleryOf(t, 1), func(s *state.Snapshot) {
					busy(s)
					s.Paused, s.Settings.Language = true, lang
					s.Sessions[0].Name = "growth of the three populations in 2026, third try"
				})
				row := w.app.shell.gallery.banners.rows[0]
				var shown strings.Builder
				for _, o := range test.WidgetRenderer(row.text).Objects() {
					shown.WriteString(o.(*canvas.Text).Text + " ")
					if bottom := row.text.Position().Y + o.Position().Y + o.MinSize().Height; bottom > row.height(w.app.shell.gallery.root.Size().Width) {
						t.Errorf("a line ends at %v, below the banner", bottom)
					}
				}
				if squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }; !strings.Contains(squeeze(shown.String()), squeeze("growth of the three populations in 2026, third try")) {
					t.Errorf("the banner shows %q", shown.String())
				}
				if end := row.text.Position().X + row.text.Size().Width; end > row.act[0].Position().X {
					t.Errorf("the text ends at %v, in the button at %v", end, row.act[0].Position().X)
				}
			})
		}
	}
}

// TestTheUserChoosesAccessAgain checks the banner about settings that could not be read: it
// cannot be dismissed, and it goes when the user chooses, also the mode that holds already.
func TestTheUserChoosesAccessAgain(t *testing.T) {
	for _, mode := range oversight.AccessModes {
		w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
			s.Settings.Access, s.Settings.ChooseAccess = oversight.AccessReadOnly, true
		})
		b := w.app.shell.gallery.banners
		if len(b.rows) != 1 || len(b.rows[0].act) != 1 {
			t.Fatalf("%d banners: %+v", len(b.rows), b.list(w.app.cfg.Store.Snapshot()))
		}
		for _, item := range w.app.shell.status.accessItems(w.app.cfg.Store.Snapshot()) {
			if item.Label == w.app.shell.k.T("access."+mode+"_long") {
				item.Action()
			}
		}
		s := w.app.cfg.Store.Snapshot()
		if s.Settings.Access != mode || s.Settings.ChooseAccess || len(b.list(s)) != 0 {
			t.Errorf("%s: access %s, to choose %v, banners %+v", mode, s.Settings.Access, s.Settings.ChooseAccess, b.list(s))
		}
	}
}

// TestTheBannerOfANewMode checks that the user can choose it there, and that the banner is gone then.
func TestTheBannerOfANewMode(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 3), func(s *state.Snapshot) {
		s.Settings.Language, s.Settings.Theme = "ja", "dark"
		s.Notices = []state.Notice{{ID: state.NoticeRisky, Level: state.LevelInfo, Text: "New"}}
	})
	uitest.Golden(t, "banner_ask_risky_ja_dark_narrow", w.app.win.Canvas())
	rows := w.app.shell.gallery.banners.rows
	if len(rows) != 1 || len(rows[0].act) != 2 {
		t.Fatalf("%d banners, want one with two buttons", len(rows))
	}
	test.Tap(rows[0].act[0].(fyne.Tappable))
	if got := w.store.Snapshot().Settings.Access; got != oversight.AccessAskRisky {
		t.Errorf("the permission is %q", got)
	}
	w.q.Until(t, "the banner to go", func() bool { return len(w.app.shell.gallery.banners.rows) == 0 })
}
