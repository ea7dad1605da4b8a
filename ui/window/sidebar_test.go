package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// TestSessionsOfTheSameNameAreToldApart covers live sessions with notebooks of one file name, in
// several folders and on several servers, and one that has ended.
func TestSessionsOfTheSameNameAreToldApart(t *testing.T) {
	session := func(n int, notebook, server string) state.Session {
		x := state.Session{Client: "claude-code 2.1.0", Colour: n}
		x.SessionID, x.KernelID, x.KernelName, x.Status, x.Server = uitest.SessionID(n), uitest.SessionID(n), "python3", "idle", server
		x.NotebookPath = notebook
		return x
	}
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
		s.Sessions = []state.Session{session(0, "work/売上.ipynb", "managed"), session(1, "work/other.ipynb", "managed")}
	})
	for _, step := range []struct {
		more state.Session
		want []string // the names in the sidebar
	}{
		{session(2, "work/only.ipynb", "gpu"), []string{"only.ipynb", "other.ipynb", "売上.ipynb"}},
		{session(3, "old/売上.ipynb", "managed"), []string{"old/売上.ipynb", "only.ipynb", "other.ipynb", "work/売上.ipynb"}},
		{session(4, "work/other.ipynb", "gpu"), []string{"old/売上.ipynb", "only.ipynb", "other.ipynb · gpu", "other.ipynb · managed", "work/売上.ipynb"}},
	} {
		w.store.Update(func(s *state.Snapshot) { s.Sessions = append(slices.Clone(s.Sessions), step.more) })
		w.settled()
		var got []string
		for _, line := range uitest.Texts(w.app.win.Canvas()) {
			if strings.Contains(line, ".ipynb") {
				got = append(got, line)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, step.want) {
			t.Errorf("the sidebar has %q, want %q", got, step.want)
		}
	}
}

// TestAnEndedSessionHasItsNameAndAMenu, but nothing that needs its kernel.
func TestAnEndedSessionHasItsNameAndAMenu(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 2), nil)
	w.settled()
	w.sideRow("analysis").Tapped(nil)
	w.settled()
	if got := w.app.shell.gallery.bar.title.Full(); got != "analysis" {
		t.Errorf("the heading is %q", got)
	}
	w.sideRow("analysis").TappedSecondary(&fyne.PointEvent{})
	var items []string
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		if item, ok := o.(menuItem); ok {
			items = append(items, item.Label())
		}
	}
	if want := []string{"Show plots", "Rename…", "Save as notebook…", "Export plots…"}; !slices.Equal(items, want) {
		t.Errorf("the menu has %q, want %q", items, want)
	}
}

// aWallOfSessions adds 28 ended sessions of three weeks to a library, of which those of even numbers worked in a project,
// if there is one.
func aWallOfSessions(t *testing.T, lib *uitest.Library, project string) {
	t.Helper()
	now := uitest.Start.Add(2 * time.Hour)
	for n := range 28 {
		days := []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 5, 5, 5, 9, 9, 40, 40, 400, 400}[n]
		began := now.AddDate(0, 0, -days).Add(-time.Duration(n) * 3 * time.Minute)
		x := library.Session{
			ID: uitest.SessionID(n), KernelID: uitest.SessionID(n), KernelName: "python3", Server: "managed",
			Title: fmt.Sprintf("Study %d", n+1), Client: []string{"claude-code 2.1.0", "Cursor 1.9"}[n%2], Owner: "easel", Colour: n,
			CreatedAt: began.Add(-time.Hour), EndedAt: began,
		}
		if n%2 == 0 {
			x.Project = project
		}
		require.NoError(t, lib.Library.Sessions.Put(t.Context(), x))
		lib.Add(n, "Sine", "plot()")
	}
}

// manyKernels offers kernels that no Jupyter server runs.
func manyKernels(s *state.Snapshot) {
	s.Sessions = nil
	for n := range 6 {
		var x catalog.Session
		x.SessionID = uitest.SessionID(100 + n)
		x.KernelID, x.KernelName, x.Process = x.SessionID, "python3", &catalog.KernelProcess{Program: "VS Code", Directory: "/work"}
		s.Kernels = append(s.Kernels, x)
	}
}

// names returns the names of the sidebar's rows that the keyboard reaches.
func (w *world) names() (names []string) {
	for _, o := range test.LaidOutObjects(w.app.shell.side.Object()) {
		if s, ok := o.(*kit.Stop); ok {
			for _, x := range test.LaidOutObjects(s) {
				if line, ok := x.(*kit.Line); ok {
					names = append(names, line.Full())
					break
				}
			}
		}
	}
	return names
}

func TestEndedSessionsAreFoldedByDay(t *testing.T) {
	lib := uitest.NewLibrary(t)
	aWallOfSessions(t, lib, "")
	w := newWorld(t, wide, lib, manyKernels)
	w.settled()
	today := []string{"Study 1", "Study 2", "Study 3", "Study 4", "Study 5"}
	days := []string{"Yesterday", "Thu 12 Mar", "Mon 9 Mar", "Thu 5 Mar", "February", "February 2025"}
	check := func(what string, parts ...[]string) {
		t.Helper()
		w.settled()
		want := slices.Concat(parts...)
		got := w.names()
		if got = got[slices.Index(got, "Open a project…")+1:]; !slices.Equal(got, want) {
			t.Errorf("%s: the rows are\n%q\nwant\n%q", what, got, want)
		}
	}
	kernels := []string{"Kernels"}
	check("at first", []string{"Today"}, today, []string{"4 earlier sessions"}, days, kernels)
	uitest.Golden(t, "sessions_by_day", w.app.win.Canvas())
	w.sideRow("Today").TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	test.Tap(w.sideRow("February 2025"))
	check("folded and opened", []string{"Today"}, days, []string{"Study 27", "Study 28"}, kernels)
	w.store.Update(func(s *state.Snapshot) { s.Settings.Language = "ja" })
	w.settled()
	if got := w.names(); !slices.Contains(got, "今日") || !slices.Contains(got, "Study 28") {
		t.Errorf("in Japanese: %q", got)
	}
	uitest.Golden(t, "sessions_by_day_ja", w.app.win.Canvas())
	test.Tap(w.sideRow("カーネル"))
	w.settled()
	if got := w.names(); !strings.HasPrefix(got[len(got)-1], "VS Code") || got[len(got)-7] != "カーネル" {
		t.Errorf("with the kernels: %q", got)
	}
}

// TestEndedSessionsOfAProjectAreFoldedByDay, and the day of the session that is shown is marked.
func TestEndedSessionsOfAProjectAreFoldedByDay(t *testing.T) {
	lib := uitest.NewLibrary(t)
	aWallOfSessions(t, lib, "/home/ann/sales")
	w := newWorld(t, wide, lib, func(s *state.Snapshot) {
		s.Settings.Theme = "dark"
		s.Folder = state.Folder{Kind: state.OneSession, ID: uitest.SessionID(14)}
	})
	w.settled()
	if got := w.names(); !slices.Contains(got, "Thu 12 Mar") || slices.Contains(got, "Study 15") {
		t.Errorf("the rows are %q", got)
	}
	uitest.Golden(t, "sessions_by_day_project_dark", w.app.win.Canvas())
}
