package window

import (
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/rights"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// assisted adds assistants to a state: one as everyone, and a paused one with rights of its own.
func assisted(s *state.Snapshot) {
	busy(s)
	s.Settings.Access = "ask_risky"
	s.Assistants = []state.Assistant{
		{ID: tool.Others, Client: "curl", Calls: 12, First: uitest.Start, Last: uitest.Start},
		{ID: "claude-code", Colour: 3, Client: "claude-code 2.1.330", Calls: 1_234, Plots: 87, First: uitest.Start.Add(-100 * time.Hour), Last: uitest.Start.Add(time.Hour)},
		{
			ID: "cursor", Name: "Cursor (地域別)", Paused: true, Client: "cursor 3", Calls: 1, Plots: 1, First: uitest.Start, Last: uitest.Start, Limits: state.Limits{Calls: 60},
			Rights: rights.Named(rights.Compute).With(rights.Network, rights.Deny), Allowed: []state.ProjectKind{{Project: "/home/ann/売上分析", Kind: rights.Files}},
		},
		{ID: "zed", Gone: true},
	}
	s.Trusted = []state.Trust{{SessionID: uitest.SessionID(0), Client: "cursor 3", Holder: "h", Assistant: "cursor", Kind: rights.Packages}}
}

// ofAssistant opens the sheet of the n-th assistant in the settings.
func (w *world) ofAssistant(n int) {
	w.t.Helper()
	w.app.shell.open(pageSettings)
	w.settled()
	w.app.shell.prefs.Reveal("assistants.title")
	w.settled()
	w.tapIn(w.app.shell.prefs.Object(), w.app.shell.k.T("assistants.change"), n)
}

// tapIn taps the n-th button with a text.
func (w *world) tapIn(o fyne.CanvasObject, text string, n int) {
	w.t.Helper()
	var all []*kit.Button
	for _, o := range test.LaidOutObjects(o) {
		if b, ok := o.(*kit.Button); ok && b.Text() == text && !slices.Contains(all, b) {
			all = append(all, b)
		}
	}
	if n >= len(all) {
		w.t.Fatalf("there are %d buttons %q", len(all), text)
	}
	test.Tap(all[n])
	w.settled()
}

// sheetEnd scrolls the open sheet to its end.
func (w *world) sheetEnd() {
	w.t.Helper()
	find(w, func(*kit.Column) bool { return true }).Scroll().ScrollToBottom()
	w.settled()
}

// TestTheUserGivesAnAssistantRights drives the sheet of an assistant.
func TestTheUserGivesAnAssistantRights(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), assisted)
	w.ofAssistant(0)
	of := func() state.Assistant { return w.store.Snapshot().Assistant("claude-code") }
	tap := func(text string, n int) {
		t.Helper()
		w.tapIn(w.app.win.Canvas().Overlays().Top(), text, n)
	}
	tap("Only look", 0)
	if r := of().Rights; rights.NameOf(r) != rights.Look {
		t.Errorf("only look: %v", r)
	}
	tap("Allow", slices.Index(rights.Kinds, rights.Gallery))
	if r := of().Rights; r.To(rights.Gallery) != rights.Allow || r.To(rights.Code) != rights.Deny || rights.NameOf(r) != "" {
		t.Errorf("the gallery is allowed, too: %v", r)
	}
	tap("As everyone", 0)
	if r := of().Rights; r != nil {
		t.Errorf("as everyone: %v", r)
	}
	for text, want := range map[string]bool{"Allow": true, "Deny": false} {
		tap(text, len(rights.Kinds)) // questions in its chat, below the rights
		if in := of().InChat; in == nil || *in != want {
			t.Errorf("questions in the chat after %s: %v", text, in)
		}
	}
	w.store.Update(func(s *state.Snapshot) { s.EditAssistant("claude-code", func(a *state.Assistant) { a.Calls++ }) }) // it must not disturb what is typed
	enter := func(i int, text string) {
		t.Helper()
		var fields []*kit.Field
		for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
			if f, ok := o.(*kit.Field); ok && !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
		if i >= len(fields) {
			t.Fatalf("%d fields", len(fields))
		}
		fields[i].SetText(text)
		fields[i].TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		w.settled()
	}
	enter(0, "Claude, for sales")
	w.sheetEnd()
	enter(1, "30")
	enter(2, "0")
	w.sheetEnd()
	enter(3, "4")
	if a := of(); a.Name != "Claude, for sales" || a.Limits != (state.Limits{Calls: 30, OutputKB: 4}) {
		t.Errorf("typed: %+v", a)
	}
	w.sheetEnd()
	enter(1, "")
	if a := of(); a.Limits != (state.Limits{OutputKB: 4}) {
		t.Errorf("without a limit: %+v", a)
	}
	w.sheetEnd()
	tap("Forget", 0)
	w.press("Forget")
	w.settled()
	if a := of(); !a.Gone || a.Name != "" {
		t.Errorf("forgotten: %+v", a)
	}
}

// TestWhatWasAllowedIsTakenBack checks the list of what the user has allowed beyond questions.
func TestWhatWasAllowedIsTakenBack(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), assisted)
	w.ofAssistant(1)
	for range 2 {
		w.sheetEnd()
		w.press("Take back")
		w.settled()
	}
	if n := w.store.Snapshot(); len(n.Trusted) != 0 || len(n.Assistant("cursor").Allowed) != 0 {
		t.Errorf("left: %+v, %+v", n.Trusted, n.Assistant("cursor").Allowed)
	}
	if texts := strings.Join(uitest.Texts(w.app.win.Canvas()), "\n"); strings.Contains(texts, "What you have allowed") {
		t.Error("an empty list is shown")
	}
}

// TestAssistantGoldens shows the list and the sheet.
func TestAssistantGoldens(t *testing.T) {
	for name, c := range map[string]struct {
		size  fyne.Size
		theme string
		lang  string
		sheet int
		end   bool
	}{
		"assistants":                    {wide, "light", "en", -1, false},
		"assistants_dark_ja_narrow":     {fyne.NewSize(900, 600), "dark", "ja", -1, false},
		"assistant":                     {wide, "light", "en", 1, false},
		"assistant_dark_ja_narrow":      {fyne.NewSize(900, 600), "dark", "ja", 1, false},
		"assistant_others_light_narrow": {fyne.NewSize(900, 600), "light", "en", 2, false},
		"assistant_end":                 {wide, "light", "en", 1, true},
		"assistant_end_dark_ja_narrow":  {fyne.NewSize(900, 600), "dark", "ja", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 1), func(s *state.Snapshot) {
				assisted(s)
				s.Settings.Theme, s.Settings.Language = c.theme, c.lang
			})
			if c.sheet >= 0 {
				w.ofAssistant(c.sheet)
				if c.end {
					w.sheetEnd()
				}
			} else {
				w.app.shell.open(pageSettings)
				w.settled()
				w.app.shell.prefs.Reveal("assistants.title")
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

// TestTheColourOfAnAssistantIsBeforeItsName looks at the question, the list of calls and the details of one.
func TestTheColourOfAnAssistantIsBeforeItsName(t *testing.T) {
	for name, c := range map[string]struct {
		size        fyne.Size
		theme, lang string
	}{
		"assistant_colour": {wide, "light", "en"}, "assistant_colour_dark_ja_narrow": {fyne.NewSize(900, 600), "dark", "ja"},
	} {
		q := question("1", "claude-code 2.1.0", "import pandas as pd\ndf.to_csv('out.csv')\n")
		q.Assistant = "claude-code"
		w := newWorld(t, c.size, galleryOf(t, 3), func(s *state.Snapshot) {
			assisted(s)
			s.Settings.Theme, s.Settings.Language, s.Approvals = c.theme, c.lang, []catalog.Approval{q}
		})
		for i, a := range []catalog.Activity{
			{Client: "claude-code 2.1.330", Assistant: "claude-code"}, {Client: "cursor 3", Assistant: "cursor"}, {Client: "curl", Assistant: tool.Others},
		} {
			a.ID, a.Transport, a.Tool, a.Status, a.Began = uint64(i+1), "mcp", "list_session_images", "ok", uitest.Start.Add(time.Duration(i)*time.Second)
			a.Ended = a.Began.Add(time.Second)
			catalog.Activities.Notify(w.bus, a)
		}
		w.q.Until(t, "the calls in the log", func() bool { return w.row("curl") != nil || c.size != wide }) // narrow, the list is closed
		w.armed()
		w.settled()
		uitest.Golden(t, name, w.app.win.Canvas())
		colour := w.app.shell.k.P.Session(2)
		dots := func(within fyne.CanvasObject) (n int) {
			for _, o := range test.LaidOutObjects(within) {
				if r, ok := o.(*canvas.Rectangle); ok && r.Visible() && r.FillColor == color.Color(colour) && r.Size() == fyne.NewSquareSize(kit.DotSize) {
					n++
				}
			}
			return n
		}
		if n := dots(w.app.win.Content()); n != 2 && c.size == wide {
			t.Errorf("%s: %d dots, want one in the title and one in the list", name, n)
		}
		w.store.Update(func(s *state.Snapshot) { s.EditAssistant("claude-code", func(a *state.Assistant) { a.Colour = 0 }) })
		w.settled()
		if n := dots(w.app.win.Content()); n != 0 {
			t.Errorf("%s: %d dots of an assistant without a colour", name, n)
		}
		w.store.Update(func(s *state.Snapshot) {
			s.EditAssistant("claude-code", func(a *state.Assistant) { a.Colour = 3 })
			s.Approvals = nil
			s.Inputs = []command.InputQuestion{inputQuestion("2", "Name: ", func(q *command.InputQuestion) { q.Assistant = "claude-code" })}
		})
		w.settled()
		if n := dots(w.app.win.Content()); n != 2 && c.size == wide {
			t.Errorf("%s: %d dots, want one in the title of the question of code and one in the list", name, n)
		}
		if c.size != wide {
			continue
		}
		w.row("claude-code 2.1.330").Tapped(&fyne.PointEvent{})
		w.settled()
		if n := dots(w.app.win.Canvas().Overlays().Top()); n != 1 {
			t.Errorf("%s: %d dots in the details of the call", name, n)
		}
	}
}
