package data

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
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
	code    string
	asked   []string
	waiting []func() // answers
	copied  []string
	said    []string
	menu    []*fyne.MenuItem
	typed   []string // what is typed into the next form
	backs   int
	about   []question
	long    string // instead of each text, of which the kernel shows the beginning
}

// A question is what the user is to be asked for words about.
type question struct {
	place             catalog.TablePlace
	name, description string
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
			Code: func(in command.TableView, done func(command.TableCode, error)) func() {
				return answer(w, "code"+described(in), done, func() command.TableCode { return command.TableCode{Code: w.code} })
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
		Ask: func(place catalog.TablePlace, name, description string) {
			w.about = append(w.about, question{place, name, description})
		},
		Focus: func(f fyne.Focusable) { w.win.Canvas().Focus(f) }, Forward: func(s fyne.Shortcut) { w.p.Shortcut(s) }, Back: func() { w.backs++ },
		Typed: func(rune) { w.p.Ask() },
	}
}

func described(v command.TableView) (text string) {
	for _, s := range v.Sort {
		text += fmt.Sprintf(" by %d", s.Column)
		if s.Down {
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

// choose chooses an item of the menu, and answers what follows.
func (w *world) choose(label string) {
	w.t.Helper()
	i := slices.IndexFunc(w.menu, func(m *fyne.MenuItem) bool { return m.Label == label })
	if i < 0 {
		w.t.Fatalf("no %q", label)
	}
	w.menu[i].Action()
	w.settle()
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
			if w.long != "" && i%2 == 1 {
				if text = `"` + w.long + `"`; !in.Whole {
					text = `"` + w.long[:3] + `…"`
				}
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
	if in.Names {
		n, err := strconv.Atoi(strings.TrimPrefix(in.Text, "c"))
		return command.TableSearchOut{Found: err == nil && in.Text != strconv.Itoa(n) && n < w.shape.Columns, Column: n}
	}
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
