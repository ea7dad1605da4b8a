package data

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/google/go-cmp/cmp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

func TestEveryRowAndColumnIsReached(t *testing.T) {
	w := newWorld(t, 5_000_000, 20_000, size, "en", "light")
	x := w.open()
	if want := []string{"shape", "page 0,0 200×32"}; !slices.Equal(w.asked[:2], want) {
		t.Errorf("asked first for %v", w.asked)
	}
	if n := len(w.asked); n > 8 {
		t.Errorf("%d questions: %v", n, w.asked)
	}
	w.says("5,000,000 rows × 20,000 columns · 330 MB · pandas.DataFrame")
	w.says("14% NA")
	w.p.Shortcut(press(fyne.KeyEnd))
	w.settle()
	w.says("4999999.5")
	w.says("c19999")
	w.p.Shortcut(press(fyne.KeyHome))
	for _, step := range []struct {
		key  fyne.KeyName
		want cell
	}{
		{fyne.KeyDown, cell{1, 0}},
		{fyne.KeyRight, cell{1, 1}},
		{fyne.KeyEnd, cell{1, 19_999}},
		{fyne.KeyHome, cell{1, 0}},
		{fyne.KeyUp, cell{0, 0}},
		{fyne.KeyUp, cell{0, 0}},
		{fyne.KeyPageDown, cell{w.p.grid.whole() - 1, 0}},
		{fyne.KeyPageUp, cell{0, 0}},
	} {
		w.p.Key(step.key)
		if x.current != step.want {
			t.Errorf("%s: %v, want %v", step.key, x.current, step.want)
		}
	}
	at := fyne.NewPos(size.Width-barWide/2, 0)
	for _, share := range []float64{0.25, 0.5, 1} { // by the scroll bar, exactly to where float32 has no numbers
		b := w.p.grid.rowBar()
		w.p.grid.pointer.zone, w.p.grid.pointer.grab = zoneRows, 0
		at.Y = b.begin + (b.track-b.long)*float32(share)
		w.p.grid.slide(at)
		w.settle()
		if want := float64(w.p.grid.lastTop(x)) * share; float64(x.top) < want*0.999 || float64(x.top) > want*1.001+1 {
			t.Errorf("dragged to %g: row %d of %g", share, x.top, want)
		}
	}
	w.says("4999999.5")
	was := x.top
	w.p.grid.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 25)})
	if x.top != was-3 {
		t.Errorf("a notch scrolls from %d to %d", was, x.top)
	}
	for range 60 {
		x.top, x.left = (x.top+blockRows*977)%x.shape.Rows, (x.left+blockColumns*7)%x.shape.Columns
		w.p.grid.update()
		w.p.scrolled()
		w.settle()
	}
	if n := len(x.blocks.blocks); n > mostBlocks {
		t.Errorf("%d blocks are kept", n)
	}
}

func TestSortingIsAskedInTheKernelAndCancelled(t *testing.T) {
	w := newWorld(t, 1000, 4, size, "en", "light")
	x := w.open()
	for _, want := range []string{" by 2", " by 2 down", ""} {
		w.asked = nil
		w.p.sortBy(2, false)
		w.says("Sorting and filtering…")
		w.settle()
		if w.asked[0] != "page 0,0 200×32"+want {
			t.Errorf("asked for %v, want %q", w.asked, want)
		}
	}
	w.p.sortBy(1, false)
	w.p.cancel()
	if x.sort != nil || x.computing {
		t.Errorf("after Cancel: %+v", x.sort)
	}
	w.settle() // the late answer
	if x.sort != nil || x.computing || strings.Contains(w.texts(), "Sorting") {
		t.Errorf("after a late answer: %+v", x.sort)
	}
}

func TestATableIsSortedBySeveralColumns(t *testing.T) {
	w := newWorld(t, 1000, 4, size, "en", "light")
	x := w.open()
	for _, c := range []struct {
		column int
		then   bool
		want   string
	}{
		{2, true, " by 2"},
		{1, true, " by 2 by 1"},
		{1, true, " by 2 by 1 down"},
		{2, true, " by 2 down by 1 down"},
		{0, true, " by 2 down by 1 down by 0"},
		{1, true, " by 2 down by 0"},
		{0, false, " by 0 down"},
		{0, false, ""},
		{3, false, " by 3"},
		{1, true, " by 3 by 1"},
		{2, false, " by 2"},
	} {
		w.p.sortBy(c.column, c.then)
		w.settle()
		if got := described(x.view()); got != c.want {
			t.Fatalf("after %+v: %q", c, got)
		}
	}
	w.p.columnMenu(3, fyne.Position{})
	w.choose("Within c2, descending")
	if got := described(x.view()); got != " by 2 by 3 down" {
		t.Error(got)
	}
	w.says("↓2")
	w.code = "df.sort_values(['c2', 'c3'])"
	w.p.menu(w.p.info.more)
	w.choose("Copy as code")
	if w.copied[len(w.copied)-1] != w.code || w.asked[len(w.asked)-1] != "code by 2 by 3 down" {
		t.Errorf("copied %q, asked %q", w.copied, w.asked)
	}
	w.code = ""
	w.choose("Copy as code")
	if got := w.said[len(w.said)-1]; got != "Easel has no code for this view of a pandas.DataFrame." {
		t.Error(got)
	}
}

func TestAColumnIsFoundByItsName(t *testing.T) {
	w := newWorld(t, 10, 500, size, "en", "light")
	x := w.open()
	for _, c := range []struct {
		text string
		want int
	}{{"c321", 321}, {"12", 11}, {"#500", 499}, {"501", 499}, {"nowhere", 499}} {
		w.typed = []string{c.text}
		w.p.Shortcut(press(fyne.KeyG))
		w.settle()
		if x.current.column != c.want {
			t.Errorf("%q: column %d, want %d", c.text, x.current.column, c.want)
		}
	}
	if got := w.said[len(w.said)-1]; got != "No column has “nowhere” in its name." {
		t.Error(got)
	}
}

func TestFiltersAreAddedAndRemoved(t *testing.T) {
	w := newWorld(t, 1000, 4, size, "en", "light")
	x := w.open()
	w.p.cellMenu(cell{2, 1}, fyne.Position{})
	w.choose("Only “2/1”")
	w.says("500 of 1,000 rows")
	w.typed = []string{"1", "9"}
	w.p.columnMenu(0, fyne.Position{})
	w.choose("Range…")
	w.typed = []string{"ab"}
	w.p.columnMenu(3, fyne.Position{})
	w.choose("Contains text…")
	w.p.cellMenu(cell{3, 1}, fyne.Position{})
	w.choose("Without missing")
	if got, want := described(x.view()), ` 1 is "2/1".. 0 range 1..9 3 contains "ab".. 1 present ..`; got != want {
		t.Errorf("filters: %s", got)
	}
	for _, chip := range []string{"c1 = “2/1”", "1 ≤ c0 ≤ 9", "c3 contains “ab”", "c1 is not missing"} {
		w.says(chip)
	}
	w.p.set(view{x.sort, nil})
	w.settle()
	if strings.Contains(w.texts(), "of 1,000 rows") {
		t.Error("the filters are still shown")
	}
}

func TestATableSaysWhatHappensToItsKernel(t *testing.T) {
	w := newWorld(t, 1000, 4, size, "en", "light")
	set := func(status string, kernel string) {
		w.store.Update(func(s *state.Snapshot) {
			s.Sessions = []state.Session{{Session: catalog.Session{SessionID: session, KernelID: kernel, Status: status}}}
		})
		w.p.Render(w.store.Snapshot())
		w.settle()
	}
	x := w.open()
	set("busy", "k")
	w.p.Shortcut(press(fyne.KeyEnd))
	w.settle()
	w.says("The kernel is running code. Reading continues when it is idle.")
	w.edition = "new "
	w.ended++
	set("idle", "k")
	if x.trouble != troubleNone {
		t.Errorf("idle: %s", w.p.trouble(x))
	}
	w.says("new 999/1")
	w.p.Shortcut(press(fyne.KeyHome))
	w.settle()
	w.says("Cells that differ since the last run are marked.")

	w.fails = &tool.Error{Code: tool.VariableNotFound}
	w.ended++
	set("idle", "k")
	w.says("df no longer exists in the session. What was read stays here.")
	w.says("new 2/1")
	set("idle", "another")
	w.says("The kernel was restarted, and df does not exist in it yet. What was read stays here.")
	w.fails = nil
	w.ended++
	set("idle", "another")
	if x.trouble != troubleNone {
		t.Errorf("there again: %s", w.p.trouble(x))
	}
	w.store.Update(func(s *state.Snapshot) { s.Sessions = nil })
	w.p.Render(w.store.Snapshot())
	w.says("The session has ended. What was read stays here.")
	w.says("new 2/1")
}

func TestCellsAreFoundAndCopied(t *testing.T) {
	w := newWorld(t, 5000, 4, size, "en", "light")
	x := w.open()
	w.p.info.field.SetText("1234/1")
	w.p.info.next(false)
	w.settle()
	if x.current != (cell{1234, 1}) {
		t.Errorf("found %v", x.current)
	}
	w.p.info.field.SetText("nowhere")
	w.p.info.next(false)
	w.settle()
	w.says("Not found")
	x.start, x.current = cell{1, 0}, cell{3, 1}
	for how, want := range map[copyFormat]string{
		asText: "1.5\t1/1\n2.5\t2/1\n\t", withNames: "\tc0\tc1\n1\t1.5\t1/1\n2\t2.5\t2/1\n3\t\t",
		asMarkdown: "|  | c0 | c1 |\n| --- | ---: | --- |\n| 1 | 1.5 | 1/1 |\n| 2 | 2.5 | 2/1 |\n| 3 |  |  |",
	} {
		w.p.copy(how)
		w.settle()
		if got := w.copied[len(w.copied)-1]; got != want {
			t.Errorf("%d: %q, want %q", how, got, want)
		}
	}
	x.start, x.current = cell{3, 1}, cell{3, 1}
	if w.p.Copy(); w.copied[len(w.copied)-1] != "" {
		t.Errorf("a missing value is copied as %q", w.copied[len(w.copied)-1])
	}
	w.p.Shortcut(&fyne.ShortcutSelectAll{})
	w.asked = nil
	w.p.Copy()
	w.settle()
	if !slices.Contains(w.asked, "page 0,0 5000×4") || strings.Count(w.copied[len(w.copied)-1], "\n") != 4999 {
		t.Errorf("all cells: asked %v", w.asked)
	}
	if got := w.p.describe(x, cell{2, 1}, false); !strings.Contains(got, `variable df (pandas.DataFrame, 5000 rows × 4 columns): the value of column "c1" (str) in the row with the number 2 is "2/1".`) {
		t.Error(got)
	}
}

// TestALongTextIsFilteredByAsAWhole, not by the beginning that the kernel shows.
func TestALongTextIsFilteredByAsAWhole(t *testing.T) {
	w := newWorld(t, 5000, 4, size, "en", "light")
	w.long = "abcdef"
	x := w.open()
	w.p.cellMenu(cell{2, 1}, fyne.NewPos(0, 0))
	w.choose("Only “abc…”")
	if len(x.filters) != 1 || string(x.filters[0].Value) != `"abcdef"` {
		t.Errorf("filters by %+v", x.filters)
	}
	w.long = strings.Repeat("x", longestFilter+1)
	w.p.set(view{})
	w.settle()
	w.p.cellMenu(cell{2, 1}, fyne.NewPos(0, 0))
	w.choose("Without “xxx…”")
	if len(x.filters) != 0 || len(w.said) == 0 {
		t.Errorf("a text that is too long: filters by %d, says %q", len(x.filters), w.said)
	}
}

// TestACellAndAColumnAreAskedAbout with how the user looks at them. The row has its number in the table, whatever the order.
func TestACellAndAColumnAreAskedAbout(t *testing.T) {
	w := newWorld(t, 5000, 4, size, "en", "light")
	x := w.open()
	if !w.p.CanAsk() {
		t.Fatal("there is no cell to ask about")
	}
	x.current = cell{4000, 1}
	if w.p.Ask(); w.p.CanAsk() || len(w.about) > 0 {
		t.Error("a cell that has not been read is asked about")
	}
	w.p.set(view{[]command.TableSort{{Column: 2, Down: true}}, []filter{{command.TableFilter{Column: 0, Op: command.FilterRange, Low: "1", High: "9"}, "c0"}}})
	w.settle()
	x.current = cell{2, 1}
	w.p.grid.TypedRune('q')
	w.p.columnMenu(3, fyne.NewPos(0, 0))
	w.choose("Ask about this column…")
	at, label := x.blocks.get(2, 1).number(2), x.blocks.get(2, 1).page.Cells[1][2]
	base := catalog.TablePlace{
		SessionID: session, Variable: "df", Type: "pandas.DataFrame", Shape: []int{5000, 4},
		Sort: []catalog.TableOrder{{Column: "c2", Descending: true}}, Filters: []catalog.TableFilter{{Column: "c0", Op: "range", From: "1", To: "9"}},
	}
	one, column := base, base
	one.Column, one.Number, one.Dtype, one.Row = "c1", 1, "str", &catalog.TableRow{Number: at, Value: label}
	column.Column, column.Number, column.Dtype = "c3", 3, "str"
	if len(w.about) != 2 {
		t.Fatalf("asked about %+v", w.about)
	}
	if diff := cmp.Diff([]catalog.TablePlace{one, column}, []catalog.TablePlace{w.about[0].place, w.about[1].place}); diff != "" {
		t.Error(diff)
	}
	if got := w.about[0].description; !strings.Contains(got, `sorted by "c2" descending filtered: "c0" range`) {
		t.Error(got)
	}
	if got, want := w.about[0].name+", "+w.about[1].name, "df · "+itoa(at)+" · c1 = “"+plain(label)+"”, df · c3"; got != want {
		t.Errorf("named %q, want %q", got, want)
	}
	if got, want := Place(w.p.k, one)+", "+Place(w.p.k, column), itoa(at)+" · c1 = "+plain(label)+", c3"; got != want {
		t.Errorf("the place is %q, want %q", got, want)
	}
}

func TestNumbersAndDatesHaveSensibleDigits(t *testing.T) {
	for _, c := range []struct{ kind, values, want string }{
		{command.KindNumber, "1 20 300", "1|20|300"},
		{command.KindNumber, "1.0 20.5", "1.0|20.5"},
		{command.KindNumber, "0.123456789 -12.5", "0.1235|-12.5000"},
		{command.KindNumber, "0.1 1e-09 NaN", "0.100000|1.00e-09|NaN"},
		{command.KindNumber, "1.5e+300 2", "1.5000e+300|2.0000e+00"},
		{command.KindNumber, "9007199254740993 2", "9007199254740993|2"},
		{command.KindNumber, "123456.789 null", "123456.8|NA"},
		{command.KindDate, `"2026-01-02T00:00:00" "2026-01-03T00:00:00"`, "2026-01-02|2026-01-03"},
		{command.KindDate, `"2026-01-02T00:00:00" "2026-01-03T05:06:00"`, "2026-01-02 00:00|2026-01-03 05:06"},
		{command.KindDate, `"2026-01-02T00:00:01.5+09:00"`, "2026-01-02 00:00:01.5+09:00"},
		{command.KindText, `"a\nb" true`, "a⏎b|True"},
	} {
		var values []json.RawMessage
		for v := range strings.FieldsSeq(c.values) {
			values = append(values, json.RawMessage(v))
		}
		f, texts := formatOf(c.kind, values), []string(nil)
		for _, v := range values {
			texts = append(texts, f.text(c.kind, v))
		}
		if got := strings.Join(texts, "|"); got != c.want {
			t.Errorf("%s: %s, want %s", c.values, got, c.want)
		}
	}
}

func TestATableLooksAsItShould(t *testing.T) {
	for name, c := range map[string]struct{ language, colours string }{"light": {"en", "light"}, "dark": {"ja", "dark"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1000, 9, fyne.NewSize(850, 420), c.language, c.colours)
			x := w.open()
			w.p.addFilter(command.TableFilter{Column: 1, Op: command.FilterPresent})
			w.settle()
			w.p.sortBy(0, false)
			w.settle()
			w.p.sortBy(3, true)
			w.settle()
			w.p.grid.choose(cell{2, 1}, false)
			w.p.grid.choose(cell{4, 2}, true)
			if x.trouble != troubleNone {
				t.Fatal(w.p.trouble(x))
			}
			uitest.Golden(t, "table-"+name, w.win.Canvas())
		})
	}
}
