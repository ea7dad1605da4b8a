package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// A variablesTab lists the variables of the session. It asks the kernel for them only while
// the tab is visible, once after each execution.
type variablesTab struct {
	d     *Dock
	rows  *kit.Rows
	head  *kit.Head
	root  *fyne.Container
	empty *kit.Para
	field *kit.Field
	asOf  *kit.Line
	right *fyne.Container

	of      kernelLife
	status  string   // status of the kernel when last rendered
	ended   int      // number of executions that had ended when the kernel was last asked
	reading *reading // nil: no request is pending
	at      time.Time
	problem string
	all     []catalog.Variable
	shown   []catalog.Variable
	by      int
	down    bool
}

// A kernelLife identifies the process in which variables exist. They are lost when the
// session's kernel is replaced or restarted.
type kernelLife struct {
	session, kernel string
	generation      int
}

// dead is the status of a kernel that has died and is not restarted automatically.
const dead = "dead"

// A reading is a request to the kernel that has not been answered yet.
type reading struct {
	cancel func()
	again  bool // code has run since, so ask again
}

func newVariablesTab(d *Dock) *variablesTab {
	k := d.k
	t := &variablesTab{d: d, empty: note(k)}
	mono := fyne.TextStyle{Monospace: true}
	t.rows = k.Rows(26, []kit.ColumnSpec{
		{Width: 116, Preferred: 150, Style: fyne.TextStyle{Monospace: true, Bold: true}},
		{Width: 104, Hide: 460},
		{Width: 124},
		{Style: mono},
		{Width: 80, Hide: 560, Align: fyne.TextAlignTrailing, Size: 11},
	}, func() int { return len(t.shown) }, t.fill, t.detail)
	t.rows.OnMenu = t.menu
	t.rows.ID = func(i int) string { return t.shown[i].Name }
	t.head = k.Head(t.rows, []string{
		k.T("variables.name"), k.T("variables.type"), k.T("variables.size"), k.T("variables.value"),
		k.T("variables.memory"),
	}, t.choose)
	t.root = headed(t.head.Object(), over(t.rows, t.empty))
	t.field = k.Field(k.T("variables.filter"))
	t.field.OnChanged = func(string) { t.update() }
	t.field.Forward = d.port.Forward
	t.asOf = kit.NewLine("", 11, k.P.Muted, fyne.TextStyle{}, 150)
	t.asOf.Align(fyne.TextAlignTrailing)
	t.right = t.filterRow(t.field.Slim(60), k.Button(kit.Ghost, "refresh", "", k.T("variables.refresh"), func() { t.ask() }).Small())
	return t
}

// filterRow puts the filter next to the time of the list, if there is room for both.
func (t *variablesTab) filterRow(field fyne.CanvasObject, again *kit.Button) *fyne.Container {
	const gap, fieldMost, age = 8, 160, 150
	return &fyne.Container{Objects: []fyne.CanvasObject{t.asOf, field, again}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			b := again.MinSize()
			f := min(max(s.Width-b.Width-gap, 60), fieldMost)
			left := s.Width - b.Width - f - 2*gap
			kit.SetVisible(t.asOf, left >= min(t.asOf.PreferredWidth(), age))
			kit.Place(t.asOf, 0, 0, left, s.Height)
			kit.Place(field, s.Width-b.Width-gap-f, (s.Height-field.MinSize().Height)/2, f, field.MinSize().Height)
			kit.Place(again, s.Width-b.Width, (s.Height-b.Height)/2, b.Width, b.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(age+fieldMost+again.MinSize().Width+2*gap, 24)
		},
	}}
}

// choose sorts by a column, or reverses the order.
func (t *variablesTab) choose(column int) {
	if column == 3 {
		return // values of different types have no order
	}
	t.down = t.by == column && !t.down
	t.by = column
	t.update()
}

func (t *variablesTab) object() fyne.CanvasObject { return t.root }
func (t *variablesTab) enter()                    {}
func (t *variablesTab) tools() fyne.CanvasObject  { return t.right }

func (t *variablesTab) render(n *state.Snapshot, shown bool) {
	of, status := kernelLife{}, ""
	id := t.d.session
	if x, ok := n.Session(id); ok {
		of, status = kernelLife{x.SessionID, x.KernelID, x.Generation}, x.Status
	}
	if of != t.of || status == dead && t.status != dead {
		t.forget(of)
	}
	moved := status != t.status
	t.status = status
	if !shown {
		return
	}
	_, ended := t.d.history.of(of.session)
	unknown := t.at.IsZero() && t.problem == "" && t.reading == nil
	if unknown || ended != t.ended || t.problem != "" && moved {
		t.ended = ended
		t.ask()
	}
	t.update()
}

// forget drops the variables of the previous kernel and cancels a pending request.
func (t *variablesTab) forget(of kernelLife) {
	if t.reading != nil {
		t.reading.cancel()
		t.reading = nil
	}
	t.of, t.all, t.at, t.problem = of, nil, time.Time{}, ""
	t.rows.ScrollToTop()
	t.update()
}

func (t *variablesTab) ask() {
	if t.of.session == "" || t.status == dead {
		return
	}
	if t.reading != nil {
		t.reading.again = true
		return
	}
	r := &reading{}
	t.reading = r
	r.cancel = t.d.port.Variables(t.of.session, func(all []catalog.Variable, err error) {
		if t.reading != r {
			return // the request was for a kernel that is no longer shown
		}
		t.reading, t.problem = nil, ""
		if err != nil {
			t.problem = t.words(tool.AsError(err))
		} else {
			t.all, t.at = all, t.d.k.Now()
		}
		if r.again {
			t.ask()
		}
		t.update()
	})
}

// words returns, for the user, why the variables cannot be read.
func (t *variablesTab) words(e *tool.Error) string {
	k := t.d.k
	switch e.Code {
	case tool.KernelBusy:
		return k.T("variables.busy")
	case tool.Unsupported:
		return k.T("variables.not_python")
	case tool.KernelNotFound:
		return k.T("variables.gone")
	case tool.Timeout:
		return k.T("variables.no_answer")
	default:
		return e.Detail
	}
}

func (t *variablesTab) update() {
	k := t.d.k
	if k.Pressed(t.root, t.update) {
		return
	}
	word := strings.ToLower(strings.TrimSpace(t.field.Text))
	t.shown = slices.DeleteFunc(slices.Clone(t.all), func(v catalog.Variable) bool {
		return word != "" && !strings.Contains(strings.ToLower(v.Name+"\n"+v.Type), word)
	})
	slices.SortStableFunc(t.shown, func(a, b catalog.Variable) int {
		c := compareBy(t.by, a, b)
		if t.down {
			return -c
		}
		return c
	})
	text := ""
	switch {
	case t.of.session == "":
		text = k.T("variables.no_session")
	case t.status == dead:
		text = k.T("variables.dead")
	case t.problem != "" && len(t.all) == 0:
		text = t.problem
	case t.at.IsZero():
		text = k.T("variables.reading")
	case len(t.all) == 0:
		text = k.T("variables.none")
	case len(t.shown) == 0:
		text = k.T("variables.none_match")
	}
	t.empty.Set(text)
	asOf := ""
	if !t.at.IsZero() {
		asOf = truncate.Runes(t.d.port.SessionName(t.of.session), 30) + " · " + k.T("variables.as_of", t.at.Local().Format("15:04:05"))
		if t.problem != "" {
			asOf += " · " + k.T("variables.stale")
		}
	}
	t.asOf.Set(asOf, nil)
	t.head.Sorted(t.by, t.down != bySize(t.by)) // sizes are sorted in descending order first
	t.rows.Update()
	t.root.Layout.Layout(t.root.Objects, t.root.Size())
}

func bySize(column int) bool { return column == 2 || column == 4 }

func compareBy(column int, a, b catalog.Variable) int {
	switch column {
	case 1:
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Name, b.Name))
	case 4, 2:
		return cmp.Or(cmp.Compare(b.MemoryBytes, a.MemoryBytes), strings.Compare(a.Name, b.Name))
	default:
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	}
}

func (t *variablesTab) fill(i int) []kit.Cell {
	k, v := t.d.k, t.shown[i]
	memory := ""
	if v.MemoryBytes > 0 {
		memory = i18n.Bytes(v.MemoryBytes)
	}
	return []kit.Cell{
		{Text: v.Name},
		{Text: v.Type, Ink: k.P.Muted},
		{Text: sizeText(k.Tr, v.Size)},
		{Text: valueText(v)},
		{Text: memory, Ink: k.P.Muted},
	}
}

func valueText(v catalog.Variable) string {
	if v.Value == nil {
		return ""
	}
	text := fmt.Sprint(v.Value)
	if f, ok := v.Value.(float64); ok && v.Type == "int" {
		text = strconv.FormatFloat(f, 'f', -1, 64) // JSON has no integers
	}
	if _, ok := v.Value.(string); ok && v.Type == "str" {
		text = "'" + strings.ReplaceAll(text, "\n", "⏎") + "'"
	}
	if v.Truncated {
		text += " …"
	}
	return text
}

// detail opens a table, or copies another value.
func (t *variablesTab) detail(i int) {
	if i >= len(t.shown) {
		return
	}
	v := t.shown[i]
	if isTable(v) {
		t.d.port.OpenTable(t.of.session, v.Name)
	} else if text := valueText(v); text != "" {
		t.d.port.Copy(text, v.Name)
	}
}

// isTable reports whether a variable can be opened as a table, by the name of its type. In R, a single value is a vector, too.
func isTable(v catalog.Variable) bool {
	name := v.Type
	switch name {
	case "list", "tuple", "dict", "range", "OrderedDict", "defaultdict", "Counter", "Table", "RecordBatch", "Dataset", "matrix", "recarray",
		"tbl_df", "grouped_df", "rowwise_df", "array", "table":
		return true
	case "numeric", "integer", "character", "logical", "complex", "factor", "ordered", "Date", "POSIXct", "POSIXlt", "difftime", "ts":
		return v.Size != "1 item"
	}
	ends := []string{"Series", "Index", "ndarray", "Array", ".frame", ".table"}
	return strings.Contains(name, "DataFrame") || slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}
