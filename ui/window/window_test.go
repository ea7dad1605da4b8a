package window

import (
	"context"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
	"easel/ui/window/viewer"
)

func TestWindowGoldens(t *testing.T) {
	dark := func(s *state.Snapshot) { s.Settings.Theme = "dark" }
	japanese := func(s *state.Snapshot) { s.Settings.Language = "ja" }
	one := func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00001"}, "img00001" }
	several := func(s *state.Snapshot) {
		s.Selection, s.Current = []string{"img00003", "img00004", "img00006"}, "img00006"
	}
	large := func(s *state.Snapshot) { s.Mode = state.Viewer }
	died := func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[1].Died, s.Sessions[1].Status = catalog.MessageDied, "dead"
		s.Sessions[1].Death = catalog.Death{Code: -9, Signal: "SIGKILL", Memory: 14.2e9, Total: 16e9, OutOfMemory: true}.String()
		s.Paused = true
		s.ByAssistant = "claude-code 2.1.0 · Sort the gallery"
	}
	installing := func(s *state.Snapshot) {
		s.Servers = []state.Server{{ServerHealth: catalog.ServerHealth{
			Name: "managed", Managed: true, State: "installing", Message: "Downloading Python packages: 23 of 61 MB (numpy)",
		}, Fraction: 0.45, Install: state.Install{Step: "fetching", Package: "numpy", Done: 23e6, Total: 61e6, After: 125e6}}}
	}
	disconnected := func(s *state.Snapshot) {
		s.Servers = []state.Server{{ServerHealth: catalog.ServerHealth{
			Name: "jupyter", State: "unreachable", Message: "dial tcp 127.0.0.1:8888: connection refused",
		}}}
	}
	idle := func(s *state.Snapshot) {
		now := uitest.Start.Add(2 * time.Hour)
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[1].Pinned, s.Sessions[1].Owner = true, "easel"
		s.Usage = map[string]state.Usage{
			s.Sessions[0].SessionID: {Memory: 310e6, CPU: 380}, s.Sessions[1].SessionID: {Memory: 2_100_000_000, GPU: 3e9},
		}
		s.Unused = []state.UnusedSession{{
			SessionID: "5ab0", Name: "sales.ipynb", At: now.Add(-time.Minute), After: 4 * time.Hour,
			Variables: []string{"df (DataFrame, 1000 rows × 5 cols)", "total (int)"},
		}}
		most := state.MemoryUser{SessionID: s.Sessions[1].SessionID, Bytes: 2 << 30, Variables: []state.LargeVariable{{Name: "tides", Bytes: 1500 << 20}}}
		s.Pressure = &state.Pressure{Available: 900 << 20, Total: 16 << 30, Most: most, Idle: []state.IdleKernel{
			{SessionID: s.Sessions[1].SessionID, Bytes: 2 << 30, Used: now.Add(-3 * time.Hour)}, {SessionID: s.Sessions[0].SessionID, Bytes: 300 << 20, Used: now.Add(-time.Hour)},
		}}
	}
	idleMenu := func(w *world) {
		w.app.sessions.IdleMenu(w.app.shell.gallery.root)
	}
	sessionMenu := func(w *world) {
		w.app.sessions.Menu(w.app.cfg.Store.Snapshot().Sessions[1].SessionID, fyne.NewPos(60, 300))
	}
	running := func(w *world) {
		w.app.shell.open(pageSettings)
		w.scroll(758)
	}
	filter := func(s *state.Snapshot) { s.Query.Rating, s.Query.RatingOp, s.Query.Tags = 5, "=", []string{"keep"} }
	compare := func(ids ...string) func(*world) { return func(w *world) { w.app.shell.gallery.compare(ids) } }
	differ := func(w *world) {
		w.app.shell.gallery.compare([]string{"img00002", "img00005"})
		w.settled()
		w.app.shell.gallery.versus.SetMode(viewer.Difference)
	}
	page := func(p page) func(*world) { return func(w *world) { w.app.shell.open(p) } }
	for name, c := range map[string]struct {
		size  fyne.Size
		plots int
		edit  []func(*state.Snapshot)
		then  func(*world)
	}{
		"first_run":           {wide, 0, nil, nil},
		"first_run_ja_narrow": {narrowed, 0, []func(*state.Snapshot){japanese}, nil},
		"installing":          {wide, 0, []func(*state.Snapshot){installing}, nil},
		"waiting":             {wide, 0, []func(*state.Snapshot){busy}, nil},
		"one":                 {wide, 1, []func(*state.Snapshot){busy, one}, nil},
		"many":                {wide, 12, []func(*state.Snapshot){busy, one}, nil},
		"many_dark":           {wide, 12, []func(*state.Snapshot){busy, one, dark}, nil},
		"many_dark_ja_narrow": {narrowed, 12, []func(*state.Snapshot){busy, one, dark, japanese}, nil},
		"selected":            {wide, 12, []func(*state.Snapshot){busy, several}, nil},
		"filtered_away":       {wide, 6, []func(*state.Snapshot){busy, filter}, nil},
		"viewer":              {wide, 12, []func(*state.Snapshot){busy, one, large}, nil},
		"viewer_dark_ja":      {narrowed, 12, []func(*state.Snapshot){busy, one, large, dark, japanese}, nil},
		"compare":             {wide, 12, []func(*state.Snapshot){busy, one}, compare("img00002", "img00005")},
		"compare_four_dark":   {wide, 12, []func(*state.Snapshot){busy, one, dark}, compare("img00002", "img00005", "img00007", "img00008")},
		"compare_ja_narrow":   {narrowed, 12, []func(*state.Snapshot){busy, one, japanese}, compare("img00002", "img00005")},
		"difference":          {wide, 12, []func(*state.Snapshot){busy, one}, differ},
		"died_and_paused":     {wide, 12, []func(*state.Snapshot){busy, died}, nil},
		"idle":                {wide, 12, []func(*state.Snapshot){busy, idle}, nil},
		"idle_ja_narrow":      {narrowed, 12, []func(*state.Snapshot){busy, idle, japanese}, nil},
		"idle_menu_dark":      {wide, 12, []func(*state.Snapshot){busy, idle, dark}, idleMenu},
		"session_menu":        {wide, 12, []func(*state.Snapshot){busy, idle}, sessionMenu},
		"session_menu_ja":     {narrowed, 12, []func(*state.Snapshot){busy, idle, japanese}, sessionMenu},
		"disconnected":        {wide, 12, []func(*state.Snapshot){disconnected}, nil},
		"connect":             {wide, 0, []func(*state.Snapshot){busy}, page(pageConnect)},
		"connect_ja_dark":     {narrowed, 0, []func(*state.Snapshot){dark, japanese}, page(pageConnect)},
		"settings":            {wide, 0, nil, page(pageSettings)},
		"settings_ja_dark":    {narrowed, 0, []func(*state.Snapshot){dark, japanese}, page(pageSettings)},
		"settings_running":    {wide, 0, nil, running},
		"settings_running_ja": {narrowed, 0, []func(*state.Snapshot){japanese}, running},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, c.plots), func(s *state.Snapshot) {
				for _, f := range c.edit {
					f(s)
				}
			})
			if c.then != nil {
				c.then(w)
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestANewPlotIsOnTheScreenAndSelected(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	id := w.arrive("New", nil)
	w.q.Until(t, "the newest plot with its picture", func() bool { return w.app.shell.gallery.grid.Pictured(id) })
	w.q.Until(t, "the newest plot to be selected", func() bool { return slices.Equal(w.selection(), []string{id}) })
	w.settled()
	if got := w.store.Snapshot().Unseen; got != 0 {
		t.Errorf("%d plots count as unseen, with the newest end in sight", got)
	}
	if !w.app.shell.gallery.grid.Shows(id) {
		t.Error("the new plot has no cell")
	}
}

func TestWithoutFollowingANewPlotTakesNothingAway(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), func(s *state.Snapshot) {
		busy(s)
		s.FollowLatest = false
		s.Selection, s.Current = []string{"img00004"}, "img00004"
	})
	w.arrive("New", nil)
	w.q.Until(t, "the new plot to be listed", func() bool { return len(w.app.shell.gallery.ids) == 13 })
	w.settled()
	if got := w.selection(); !slices.Equal(got, []string{"img00004"}) {
		t.Errorf("selected %v, want what the user had selected", got)
	}
}

func TestKeysMoveSelectAndRate(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.key(fyne.KeyRight) // the first key puts the cursor on the newest
	w.key(fyne.KeyRight, fyne.KeyDown)
	columns := 3
	if got, want := w.selection(), []string{w.app.shell.gallery.ids[1+columns]}; !slices.Equal(got, want) {
		t.Fatalf("after → → ↓: selected %v, want %v", got, want)
	}
	id := w.selection()[0]
	w.app.typedRune('4')
	w.settled()
	im, err := w.lib.Get(t.Context(), id)
	if err != nil || im[0].Rating != 4 {
		t.Errorf("after 4: rating %d, want 4 (%v)", im[0].Rating, err)
	}
	w.key(fyne.KeyEnd)
	if got, want := w.selection(), []string{"img00001"}; !slices.Equal(got, want) {
		t.Errorf("after End: selected %v, want %v", got, want)
	}
	w.key(fyne.KeyReturn)
	if got := w.store.Snapshot(); got.Mode != state.Viewer || got.Current != "img00001" {
		t.Errorf("after Enter: %s of %s, want the viewer of img00001", got.Mode, got.Current)
	}
	w.key(fyne.KeyLeft)
	if got := w.store.Snapshot().Current; got != "img00002" {
		t.Errorf("after ← in the viewer: %s, want img00002", got)
	}
	w.key(fyne.KeyEscape)
	if got := w.store.Snapshot().Mode; got != state.Grid {
		t.Errorf("after Esc: %s, want the grid", got)
	}
	w.app.shortcut(&fyne.ShortcutSelectAll{})
	w.settled()
	if got := len(w.selection()); got != 12 {
		t.Errorf("after Ctrl+A: %d selected, want 12", got)
	}
}

func TestEscapeClosesWhatIsOnTop(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	w.app.shell.showKeys()
	if w.app.win.Canvas().Overlays().Top() == nil {
		t.Fatal("the keys are not shown")
	}
	w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if w.app.win.Canvas().Overlays().Top() != nil {
		t.Error("Escape did not close the list of keys")
	}
}

func TestQuickKeysDoNotOvertakeEachOther(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	for range 6 {
		w.app.typedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	}
	w.settled()
	if got, want := w.selection(), []string{w.app.shell.gallery.ids[5]}; !slices.Equal(got, want) {
		t.Errorf("after six times →: selected %v, want %v", got, want)
	}
}

func TestAssistantAndUserTakeTheSamePath(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.call(t, "set_rating", `{"rating": 5, "path": "latest"}`)
	if got := w.store.Snapshot().ByAssistant; got == "" {
		t.Error("the window does not say that an assistant did it")
	}
	w.call(t, "filter_by_rating", `{"rating": 5, "op": "="}`)
	for _, id := range w.app.shell.gallery.ids {
		if im, _ := w.lib.Get(t.Context(), id); im[0].Rating != 5 {
			t.Errorf("%s with %d stars is in view", id, im[0].Rating)
		}
	}
	w.app.navigate.ClearFilters()
	w.settled()
	if got := len(w.app.shell.gallery.ids); got != 12 {
		t.Errorf("%d in view after the filters were cleared, want 12", got)
	}
	if got := w.store.Snapshot().ByAssistant; got != "" {
		t.Errorf("after the user acted, the window still says %q", got)
	}
}

func TestInterruptIsOnlyThereWhileCodeRuns(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	asked := make(chan string, 1)
	catalog.SessionInterrupt.Handle(w.bus, func(_ context.Context, in catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
		asked <- in.SessionID
		return catalog.SessionInterruptOut{Result: catalog.OK}, nil
	}, nil)
	b := w.app.shell.top.interrupt
	if !b.Enabled() {
		t.Fatal("code runs, and it cannot be interrupted")
	}
	test.Tap(b)
	if got := <-asked; got != uitest.SessionID(0) {
		t.Errorf("interrupted %s, want the session that runs", got)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Running, s.Sessions[0].Status = nil, "idle"
	})
	w.settled()
	if b.Enabled() {
		t.Error("nothing runs, and it can be interrupted")
	}
}

func TestLanguageAndThemeChangeAtOnce(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	before := w.app.shell
	w.store.Update(func(s *state.Snapshot) { s.Settings.Language, s.Settings.Theme = "ja", "dark" })
	w.settled()
	if w.app.shell == before || w.app.shell.k.Tr.Lang() != "ja" || !w.app.shell.k.P.Dark {
		t.Error("the window was not built anew in Japanese and dark")
	}
}

func TestSearchNarrowsTheView(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.app.navigate.Search("売上")
	w.settled()
	if got := len(w.app.shell.gallery.ids); got != 3 {
		t.Errorf("%d in view, want the 3 whose title has it", got)
	}
	w.app.navigate.ClearFilters()
	w.settled()
	if got := len(w.app.shell.gallery.ids); got != 12 {
		t.Errorf("%d in view after the search was cleared, want all 12", got)
	}
}
