package data

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A world is a page with a kernel that has one table, whose cells say where they are. The test decides when the
// kernel answers.
type world struct {
	t     *testing.T
	q     *uitest.Queue
	p     *Page
	win   fyne.Window
	store *state.Store

	shape   command.TableShape
	ended   int
	edition string // precedes each text
	fails   error
	asked   []string
	waiting []func() // answers
	copied  []string
	said    []string
	menu    []*fyne.MenuItem
	typed   []string // what is typed into the next form
	backs   int
}

const session = "s"

func newWorld(t *testing.T, rows, columns int, size fyne.Size, language, colours string) *world {
	t.Helper()
	w := &world{t: t, q: uitest.NewQueue(), shape: command.TableShape{Type: "pandas.DataFrame", Rows: rows, Columns: columns, MemoryBytes: 330e6, ID: 1, Index: []string{""}}}
	w.shape.Index = nil
	w.store = state.NewStore(state.Snapshot{Sessions: []state.Session{{Session: catalog.Session{SessionID: session, KernelID: "k", Status: "idle"}}}})
	app := uitest.App(t)
	app.Settings().SetTheme(theme.New(colours))
	k := &kit.Kit{P: &theme.Light, Tr: i18n.New(language), Do: w.q.Do}
	if colours == "dark" {
		k.P = &theme.Dark
	}
	w.win = app.NewWindow("")
	w.win.SetPadded(false)
	w.p = New(k, &Tables{}, w.port())
	w.win.SetContent(w.p.Object())
	w.win.Resize(size)
	w.p.Shown(true)
	t.Cleanup(w.p.Close)
	return w
}

func (w *world) port() Port {
	return Port{
		Snapshot: w.store.Snapshot, SessionName: func(string) string { return "Sales of May" }, Ended: func(string) int { return w.ended },
		Read: Reader{
			Shape: func(_ command.TableRef, done func(command.TableShape, error)) func() {
				return answer(w, "shape", done, func() command.TableShape { return w.shape })
			},
			Page: func(in command.TablePageIn, done func(command.TablePage, error)) func() {
				return answer(w, fmt.Sprintf("page %d,%d %d×%d%s", in.Row, in.Column, in.Rows, in.Columns, described(in.TableView)), done, func() command.TablePage { return w.page(in) })
			},
			Heads: func(in command.TableHeadsIn, done func(command.TableHeads, error)) func() {
				return answer(w, fmt.Sprintf("heads %d+%d", in.Column, in.Columns), done, func() command.TableHeads { return w.heads(in) })
			},
			Search: func(in command.TableSearchIn, done func(command.TableSearchOut, error)) func() {
				return answer(w, fmt.Sprintf("search %s from %d,%d", in.Text, in.Row, in.Column), done, func() command.TableSearchOut { return w.search(in) })
			},
			Forget: func(in command.TableRef) { w.asked = append(w.asked, "forget "+in.Name) },
		},
		Copy: func(text, _ string) { w.copied = append(w.copied, text) }, Say: func(_ kit.Mark, text string) { w.said = append(w.said, text) },
		Menu: func(_ fyne.Position, items ...*fyne.MenuItem) { w.menu = items }, Sheet: func(_, text string) { w.said = append(w.said, text) },
		Form: func(_, _ string, fields []*kit.Field, _ []string, do func()) {
			for i, f := range fields {
				f.SetText(w.typed[i])
			}
			do()
		},
		Focus: func(f fyne.Focusable) { w.win.Canvas().Focus(f) }, Forward: func(s fyne.Shortcut) { w.p.Shortcut(s) }, Back: func() { w.backs++ },
	}
}

func described(v command.TableView) (text string) {
	if v.Sort != nil {
		text += fmt.Sprintf(" by %d", v.Sort.Column)
		if v.Sort.Down {
			text += " down"
		}
	}
	for _, f := range v.Filters {
		text += fmt.Sprintf(" %d %s %s%s..%s", f.Column, f.Op, f.Value, f.Low, f.High)
	}
	return text
}

// answer asks the kernel, which answers when the test lets it.
func answer[Out any](w *world, what string, done func(Out, error), give func() Out) func() {
	w.asked = append(w.asked, what)
	w.waiting = append(w.waiting, func() {
		if w.fails != nil {
			var none Out
			done(none, w.fails)
			return
		}
		done(give(), nil)
	})
	return func() {}
}

// settle answers all questions.
func (w *world) settle() {
	for len(w.waiting) > 0 {
		next := w.waiting[0]
		w.waiting = w.waiting[1:]
		next()
		w.q.Drain()
	}
}

// page returns cells: in the columns with even numbers numbers, in the others texts.
func (w *world) page(in command.TablePageIn) (p command.TablePage) {
	rows := w.shape.Rows
	if len(in.Filters) > 0 {
		rows /= 2
	}
	p.Matching = rows
	last := min(in.Row+in.Rows, rows)
	for i := in.Column; i < min(in.Column+in.Columns, w.shape.Columns); i++ {
		p.Names = append(p.Names, fmt.Sprintf("c%d", i))
		kind := command.TableColumn{Dtype: "float64", Kind: command.KindNumber}
		if i%2 == 1 {
			kind = command.TableColumn{Dtype: "str", Kind: command.KindText}
		}
		p.Dtypes = append(p.Dtypes, kind)
		var values []json.RawMessage
		for r := in.Row; r < last; r++ {
			text := fmt.Sprintf("%d.5", r)
			if i%2 == 1 {
				text = fmt.Sprintf("%q", fmt.Sprintf("%s%d/%d", w.edition, r, i))
			}
			if r%7 == 3 {
				text = "null"
			}
			values = append(values, json.RawMessage(text))
		}
		p.Cells = append(p.Cells, values)
	}
	for r := in.Row; r < last; r++ {
		p.At = append(p.At, r)
	}
	return p
}

func (w *world) heads(in command.TableHeadsIn) (out command.TableHeads) {
	for i := range min(in.Columns, 3) {
		h := command.TableHead{Count: w.shape.Rows, Missing: w.shape.Rows / 7, Min: json.RawMessage("0.5"), Max: json.RawMessage("99.5"), Bins: []int{1, 4, 9, 4, 2}}
		if (in.Column+i)%2 == 1 {
			h = command.TableHead{Count: 100, Top: [][2]json.RawMessage{{json.RawMessage(`"Tokyo"`), json.RawMessage("40")}, {json.RawMessage(`"札幌"`), json.RawMessage("30")}}, Unique: 2}
		}
		out.Heads = append(out.Heads, h)
	}
	return out
}

func (w *world) search(in command.TableSearchIn) command.TableSearchOut {
	if in.Row < 1000 {
		return command.TableSearchOut{Row: in.Row + 500, Column: -1, More: true}
	}
	return command.TableSearchOut{Found: in.Text != "nowhere", Row: 1234, Column: 1}
}

func (w *world) open() *table {
	w.p.Open(session, "df")
	w.settle()
	return w.p.tables.shown
}

func (w *world) texts() string { return strings.Join(uitest.Texts(w.win.Canvas()), "\n") }

func (w *world) says(text string) {
	w.t.Helper()
	if !strings.Contains(w.texts(), text) {
		w.t.Errorf("it does not say %q, but\n%s", text, w.texts())
	}
}

var size = fyne.NewSize(900, 500)

func press(key fyne.KeyName) *desktop.CustomShortcut {
	return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierControl}
}

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
		w.p.sortBy(2)
		w.says("Sorting and filtering…")
		w.settle()
		if w.asked[0] != "page 0,0 200×32"+want {
			t.Errorf("asked for %v, want %q", w.asked, want)
		}
	}
	w.p.sortBy(1)
	w.p.cancel()
	if x.sort != nil || x.computing {
		t.Errorf("after Cancel: %+v", x.sort)
	}
	w.settle() // the late answer
	if x.sort != nil || x.computing || strings.Contains(w.texts(), "Sorting") {
		t.Errorf("after a late answer: %+v", x.sort)
	}
}

func TestFiltersAreAddedAndRemoved(t *testing.T) {
	w := newWorld(t, 1000, 4, size, "en", "light")
	x := w.open()
	choose := func(label string) {
		t.Helper()
		i := slices.IndexFunc(w.menu, func(m *fyne.MenuItem) bool { return m.Label == label })
		if i < 0 {
			t.Fatalf("no %q", label)
		}
		w.menu[i].Action()
		w.settle()
	}
	w.p.cellMenu(cell{2, 1}, fyne.Position{})
	choose("Only “2/1”")
	w.says("500 of 1,000 rows")
	w.typed = []string{"1", "9"}
	w.p.columnMenu(0, fyne.Position{})
	choose("Range…")
	w.typed = []string{"ab"}
	w.p.columnMenu(3, fyne.Position{})
	choose("Contains text…")
	w.p.cellMenu(cell{3, 1}, fyne.Position{})
	choose("Without missing")
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
			w.p.sortBy(0)
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
