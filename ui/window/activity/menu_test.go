package activity

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// menuOf opens the menu of a row with the Menu key, and returns its labels.
func (w *world) menuOf(rows *kit.Rows, i int) (labels []string) {
	w.menu = nil
	w.win.Canvas().Focus(rows)
	rows.SetCursor(i)
	rows.TypedKey(&fyne.KeyEvent{Name: desktop.KeyMenu})
	for _, x := range w.menu {
		if !x.IsSeparator {
			labels = append(labels, x.Label)
		}
	}
	return labels
}

// choose chooses an item of the open menu.
func (w *world) choose(label string) {
	w.t.Helper()
	for _, x := range w.menu {
		if x.Label == label {
			x.Action()
			return
		}
	}
	w.t.Fatalf("the menu has no %q", label)
}

// TestACallHasAMenu with what is possible with it: its session, plots and code.
func TestACallHasAMenu(t *testing.T) {
	w, tab := aWeek(t, nil)
	row := func(id string) int {
		return slices.IndexFunc(tab.shown, func(e entry) bool { return e.ExecutionID == id })
	}
	a := uitest.SessionID(0)
	got := w.menuOf(tab.rows, row("e3"))
	want := []string{
		"Show details", "Show 2 plots", "Open session", "Copy code", "Copy details", "Copy as JSON", "Show only “analysis”",
		"Show only “execute_code”", "Show only “Cursor 1.9”", "Run again", "Edit and run…",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the menu of a run is\n%q, want\n%q", got, want)
	}
	for _, label := range []string{"Show 2 plots", "Open session", "Run again", "Edit and run…"} {
		w.choose(label)
	}
	loop := "for j in range(25):\n    plot(j)"
	if want := []string{"show " + a + "  ", "show " + a, "run " + a + " " + loop, "edit " + a + " " + loop}; !slices.Equal(w.deeds, want) {
		t.Errorf("it does %q, want %q", w.deeds, want)
	}
	w.choose("Copy code")
	w.menuOf(tab.rows, row("e4"))
	w.choose("Copy details")
	if want := []string{loop, "KeyError: '月'"}; !slices.Equal(w.copied, want) {
		t.Errorf("copied %q, want %q", w.copied, want)
	}
	w.choose("Show only “execute_code”")
	if n := len(tab.shown); n != 5 || tab.filter.chosen.by[byTool] != "execute_code" {
		t.Errorf("%d rows of the tool, want 5", n)
	}
	if got := w.menuOf(tab.rows, 0); !slices.Contains(got, "Show all calls") || slices.Contains(got, "Show only “execute_code”") {
		t.Errorf("the filter's way back is not in %q", got)
	}
	w.choose("Show all calls")
	got = w.menuOf(tab.rows, slices.IndexFunc(tab.shown, func(e entry) bool { return e.ID == 10 })) // of an unknown session
	if want := []string{"Show details", "Copy as JSON", "Show only “get_execution”", "Show only “Cursor 1.9”"}; !slices.Equal(got, want) {
		t.Errorf("the menu of another call is %q, want %q", got, want)
	}
}

// TestARunIsStoppedByItsMenu while it runs, and one that waits does not run. In an ended session nothing runs.
func TestARunIsStoppedByItsMenu(t *testing.T) {
	w, tab := aWeek(t, func(s *state.Snapshot) { s.Sessions[0].Running.ExecutionID = "e1" })
	a := uitest.SessionID(0)
	w.history.run(catalog.ExecutionStarted, catalog.Execution{ExecutionID: "e6", SessionID: a, Status: catalog.StatusQueued, Code: "later()"})
	raw, err := json.Marshal(map[string]string{"session_id": a, "code": "later()"})
	require.NoError(t, err)
	w.history.call(callOf(20, "execute_code", string(raw), `{"execution_id": "e6"}`))
	w.render()
	menu := func(id string) []string {
		return w.menuOf(tab.rows, slices.IndexFunc(tab.shown, func(e entry) bool { return e.ExecutionID == id }))
	}
	if got := menu("e1"); !slices.Contains(got, "Interrupt") || slices.Contains(got, "Do not run") {
		t.Errorf("the menu of what runs is %q", got)
	}
	w.choose("Interrupt")
	if got := menu("e6"); !slices.Contains(got, "Do not run") || slices.Contains(got, "Interrupt") {
		t.Errorf("the menu of what waits is %q", got)
	}
	w.choose("Do not run")
	if !slices.Equal(w.deeds, []string{"interrupt " + a}) || !slices.Equal(w.cancelled, []string{"e6"}) {
		t.Errorf("it does %q and cancels %q", w.deeds, w.cancelled)
	}
	w.store.Update(func(s *state.Snapshot) { s.Sessions = nil })
	if got := menu("e1"); slices.Contains(got, "Run again") || slices.Contains(got, "Interrupt") || !slices.Contains(got, "Copy code") {
		t.Errorf("the menu after the session's end is %q", got)
	}
}

// TestAVariableHasAMenu that copies its name, its value and a description, opens a table, and types the name into the console.
func TestAVariableHasAMenu(t *testing.T) {
	w, tab, _ := withVariables(t, "frame", "other")
	tab.all[1] = catalog.Variable{Name: "n", Type: "int", Value: 3, MemoryBytes: 28}
	tab.update()
	if got, want := w.menuOf(tab.rows, 0), []string{"Open table", "Copy name", "Copy a description for a chat", "Insert into console"}; !slices.Equal(got, want) {
		t.Errorf("the menu of a table is %q, want %q", got, want)
	}
	w.choose("Open table")
	if got, want := w.menuOf(tab.rows, 1), []string{"Copy name", "Copy value", "Copy a description for a chat", "Insert into console"}; !slices.Equal(got, want) {
		t.Errorf("the menu of a number is %q, want %q", got, want)
	}
	for _, label := range []string{"Copy name", "Copy value", "Copy a description for a chat"} {
		w.choose(label)
	}
	if want := []string{"n", "3", "In session " + uitest.SessionID(0) + ", variable n (int, 28 B): 3"}; !slices.Equal(w.copied, want) {
		t.Errorf("copied %q, want %q", w.copied, want)
	}
	if want := []string{uitest.SessionID(0) + " frame"}; !slices.Equal(w.opened, want) {
		t.Errorf("opened %q, want %q", w.opened, want)
	}
	line := w.dock.tabs[2].(*consoleTab).input.field
	w.dock.Open(2)
	line.SetText("print()")
	line.CursorColumn = len("print(")
	w.dock.Open(1)
	w.menuOf(tab.rows, 1)
	w.choose("Insert into console")
	if w.dock.Tab() != 2 || line.Text != "print(n)" || w.win.Canvas().Focused() != fyne.Focusable(line) {
		t.Errorf("tab %d has %q, and the focus is at %T", w.dock.Tab(), line.Text, w.win.Canvas().Focused())
	}
}

// TestTheMenusAreInTheUsersLanguage.
func TestTheMenusAreInTheUsersLanguage(t *testing.T) {
	w, tab := aWeek(t, func(s *state.Snapshot) { s.Settings.Language = "ja" })
	for _, x := range w.menuOf(tab.rows, 1) {
		if strings.Trim(x, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ …") == "" {
			t.Errorf("%q is English", x)
		}
	}
}
