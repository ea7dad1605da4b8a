package data

import (
	"slices"
	"strconv"

	"easel/ui/core/command"
	"easel/ui/core/state"
)

// Tables are the open tables. They outlive the page, which is made again for another language or
// other colours.
type Tables struct {
	open  []*table
	shown *table // nil if none is open
}

// Empty reports whether no table is open.
func (ts *Tables) Empty() bool { return len(ts.open) == 0 }

// find returns the open table of a variable; nil if there is none.
func (ts *Tables) find(session, name string) *table {
	for _, t := range ts.open {
		if t.session == session && t.name == name {
			return t
		}
	}
	return nil
}

// show shows the table of a variable, which it opens if necessary.
func (ts *Tables) show(session, name string, life kernelLife) *table {
	t := ts.find(session, name)
	if t == nil {
		t = &table{session: session, name: name, life: life, columns: make(map[int]*column), blocks: newCache()}
		ts.open = append(ts.open, t)
	}
	if t.trouble != troubleNone && t.trouble != troubleBusy {
		t.trouble = troubleNone
		t.renew() // try again
	}
	ts.look(t)
	return t
}

// look shows an open table.
func (ts *Tables) look(t *table) {
	for _, o := range ts.open {
		o.looked = o == t
	}
	ts.shown = t
	if t != nil {
		t.changed = false
	}
}

// close closes a table, and shows the one beside it.
func (ts *Tables) close(t *table) {
	i := slices.Index(ts.open, t)
	if i < 0 {
		return
	}
	t.cancel()
	t.closed = true
	ts.open = slices.Delete(ts.open, i, i+1)
	if ts.shown == t {
		ts.look(nil)
		if len(ts.open) > 0 {
			ts.look(ts.open[min(i, len(ts.open)-1)])
		}
	}
}

// A kernelLife identifies the process that a variable is in.
type kernelLife struct {
	kernel     string
	generation int
}

// lifeOf returns the process of a session, and whether it is live.
func lifeOf(n *state.Snapshot, session string) (kernelLife, string, bool) {
	x, ok := n.Session(session)
	return kernelLife{x.KernelID, x.Generation}, x.Status, ok
}

// A trouble is why a table cannot be read now.
type trouble int

const (
	troubleNone    trouble = iota
	troubleBusy            // the kernel runs code; the table is read when that has ended
	troubleEnded           // the session has ended
	troubleDead            // the kernel died
	troubleMissing         // there is no such variable any more
	troubleWrong           // it is no table any more
	troubleOther           // see table.problem
)

// A column is what is known of a column of a table.
type column struct {
	name, dtype, kind string
	width             float32 // 0: not known yet
	dragged           bool    // the user has chosen the width
	head              *command.TableHead
	old               bool // the values have changed since head was read
	format            format
}

// A filter is a filter that the user has chosen, with the name of its column.
type filter struct {
	command.TableFilter
	name string
}

// same reports whether two filters leave the same rows.
func (f filter) same(g filter) bool {
	return f.Column == g.Column && f.Op == g.Op && string(f.Value) == string(g.Value) && f.Low == g.Low && f.High == g.High
}

// A cell is the position of a cell in a view.
type cell struct{ row, column int }

// A table is an open table.
type table struct {
	session, name string
	life          kernelLife
	ended         int // runs of the session that had ended when it was last read
	shape         command.TableShape
	known         bool // shape was read
	stale         bool // code has run since
	closed        bool
	changed       bool // it has got other values while another table was in sight
	differed      bool // values in sight differ from those before the last run

	sort    []command.TableSort
	filters []filter
	// wanted is counted up by each change of the sort, the filters or the values; what is answered to an
	// earlier question is dropped.
	wanted    int
	again     bool // code has run, so the kernel sorts or filters again
	computing bool // the kernel sorts or filters for the view that is wanted
	former    view // shown until then; what Cancel brings back
	matching  int

	columns map[int]*column // by number
	blocks  *cache
	wasRows int    // rows that there were then
	was     *cache // before code has run, to tell what has changed; nil if nothing was there

	top, left      int // of the first row and column in sight
	current, start cell

	trouble   trouble
	restarted bool // the kernel is another one than the one that had the variable
	looked    bool // it is in sight
	problem   string
	pending   *request // nil: nothing is asked
}

// A view is a sort with filters.
type view struct {
	sort    []command.TableSort
	filters []filter
}

// A request is a question to the kernel that has not been answered.
type request struct {
	what   string
	cancel func()
}

func (t *table) ref() command.TableRef {
	return command.TableRef{SessionID: t.session, Name: t.name, Epoch: strconv.Itoa(t.ended)}
}

func (t *table) view() command.TableView {
	v := command.TableView{TableRef: t.ref(), Sort: t.sort}
	for _, f := range t.filters {
		v.Filters = append(v.Filters, f.TableFilter)
	}
	return v
}

// rows returns the number of rows in the view.
func (t *table) rows() int {
	if len(t.filters) > 0 || !t.known {
		return t.matching
	}
	return t.shape.Rows
}

// cancel forgets what is asked.
func (t *table) cancel() {
	if t.pending != nil {
		t.pending.cancel()
		t.pending = nil
	}
}

// setView changes the sort and the filters. What is in sight stays until the kernel has answered.
func (t *table) setView(v view) {
	if !t.computing {
		t.former = view{t.sort, t.filters}
	}
	t.cancel()
	t.sort, t.filters = v.sort, v.filters
	t.computing = true
	t.wanted++
}

// restore brings back the sort and the filters before the last change, which takes long.
func (t *table) restore() {
	if !t.computing {
		return
	}
	t.cancel()
	t.sort, t.filters, t.computing = t.former.sort, t.former.filters, false
	t.wanted++
}

// sortedBy returns the place of a column among those that sort the table, from 0; -1 if it is none of them.
func (t *table) sortedBy(column int) int {
	return slices.IndexFunc(t.sort, func(s command.TableSort) bool { return s.Column == column })
}

// column returns what is known of a column.
func (t *table) column(i int) *column {
	c := t.columns[i]
	if c == nil {
		c = &column{}
		t.columns[i] = c
	}
	return c
}

// clamp keeps the positions in the table.
func (t *table) clamp() {
	in := func(v, n int) int { return max(min(v, n-1), 0) }
	t.top, t.left = in(t.top, t.rows()), in(t.left, t.shape.Columns)
	for _, c := range []*cell{&t.current, &t.start} {
		c.row, c.column = in(c.row, t.rows()), in(c.column, t.shape.Columns)
	}
}

// selection returns the corners of the selected cells.
func (t *table) selection() (from, to cell) {
	from = cell{min(t.current.row, t.start.row), min(t.current.column, t.start.column)}
	to = cell{max(t.current.row, t.start.row), max(t.current.column, t.start.column)}
	return from, to
}
