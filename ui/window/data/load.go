package data

import (
	"errors"
	"slices"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// again is how long the page waits before it asks a kernel again that was busy although the window
// believed that it was idle.
const again = 400 * time.Millisecond

// mostHeads is how many columns are summarised by one question.
const mostHeads = 64

// A loader asks the kernels for what is in sight. It asks one question at a time for a table.
type loader struct {
	port    Port
	do      func(func())
	changed func(*table) // something was answered
	sight   func(*table) (rows, columns int)
	shown   func(*table) bool // it is in sight: otherwise, only its shape is read
	timer   *time.Timer
	stopped bool
}

// follow notices what has happened to a table's kernel.
func (l *loader) follow(t *table, n *state.Snapshot) {
	life, status, ok := lifeOf(n, t.session)
	was := t.trouble
	switch {
	case !ok:
		t.trouble = troubleEnded
	case status == "dead":
		t.trouble = troubleDead
	case t.trouble == troubleEnded || t.trouble == troubleDead:
		t.trouble = troubleNone // the list was incomplete, or the kernel was restarted
	}
	if t.trouble == troubleEnded || t.trouble == troubleDead {
		t.drop()
	}
	if ended := l.port.Ended(t.session); ok && (ended != t.ended || life != t.life) {
		t.restarted = t.restarted || life != t.life
		t.ended, t.life = ended, life
		t.renew()
	}
	if was != t.trouble {
		l.changed(t)
	}
}

// drop forgets what was asked of a kernel that is gone.
func (t *table) drop() {
	t.restore()
	t.cancel()
}

// renew has a table read again after code has run. What is in sight stays until then.
func (t *table) renew() {
	t.cancel()
	t.stale = t.known
	t.wanted++
	if t.sort == nil && len(t.filters) == 0 {
		t.was, t.wasRows = t.blocks.copy(), t.rows()
	}
	t.differed = false
	t.again = t.sort != nil || len(t.filters) > 0
	t.blocks.age()
	if t.trouble == troubleMissing || t.trouble == troubleWrong || t.trouble == troubleOther {
		t.trouble = troubleNone
	}
}

// idle reports whether the kernel of a table can be asked now.
func (l *loader) idle(t *table) bool {
	if t.trouble != troubleNone && t.trouble != troubleBusy {
		return false
	}
	_, status, ok := lifeOf(l.port.Snapshot(), t.session)
	return ok && status == "idle"
}

// pump asks for what is needed next.
func (l *loader) pump(t *table) {
	if t == nil || t.pending != nil || t.closed || l.stopped {
		return
	}
	if !l.idle(t) {
		if t.trouble == troubleNone && l.needs(t) {
			t.trouble = troubleBusy
			l.changed(t)
		}
		return
	}
	switch {
	case !t.known || t.stale:
		l.askShape(t)
	case !l.shown(t):
	case t.computing:
		l.askPage(t, blockKey{0, t.left / blockColumns})
	case l.askAbsent(t):
	case l.askHeads(t):
	case t.trouble == troubleBusy:
		t.trouble = troubleNone
		l.changed(t)
	}
}

// needs reports whether something is missing that is in sight.
func (l *loader) needs(t *table) bool {
	return !t.known || t.stale || l.shown(t) && (t.computing || len(l.absent(t)) > 0)
}

// asked notes that a question was sent.
func (t *table) asked(what string, cancel func()) { t.pending = &request{what, cancel} }

// answered takes an answer to a question that was sent when wanted had a value. It reports whether it is
// of use.
func (l *loader) answered(t *table, wanted int, err error) bool {
	if t.closed || t.wanted != wanted || l.stopped {
		return false
	}
	t.pending = nil
	if err == nil {
		t.restarted = false
		if t.trouble == troubleBusy || t.trouble == troubleOther {
			t.trouble = troubleNone
		}
		return true
	}
	l.fail(t, err)
	l.changed(t)
	return false
}

// fail says why a table cannot be read.
func (l *loader) fail(t *table, err error) {
	e := tool.AsError(err)
	switch e.Code {
	case tool.KernelBusy:
		t.trouble = troubleBusy
		l.later(t)
	case tool.VariableNotFound:
		t.trouble = troubleMissing
	case tool.InvalidVariableType:
		t.trouble = troubleWrong
	case tool.KernelNotFound:
		t.trouble = troubleEnded
	default:
		t.trouble, t.problem = troubleOther, truncate.Runes(e.Detail, 300)
		if errors.Is(err, errNothing) {
			t.problem = ""
		}
		t.restore()
	}
}

var errNothing = errors.New("the kernel gave no answer")

// later asks again soon, because no event may come.
func (l *loader) later(t *table) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(again, func() { l.do(func() { l.pump(t) }) })
}

func (l *loader) askShape(t *table) {
	wanted := t.wanted
	t.asked("shape", l.port.Read.Shape(t.ref(), func(s command.TableShape, err error) {
		if !l.answered(t, wanted, err) {
			return
		}
		t.take(s)
		l.changed(t)
		l.pump(t)
	}))
}

// take takes a new shape over.
func (t *table) take(s command.TableShape) {
	t.changed = t.changed || t.known && (s.ID != t.shape.ID || s.Rows != t.shape.Rows) && !t.looked
	other := t.known && (s.Columns != t.shape.Columns || s.Type != t.shape.Type)
	t.shape, t.known, t.stale = s, true, false
	if other { // its columns may be others, so that neither order nor filters make sense
		t.sort, t.filters, t.computing, t.was = nil, nil, false, nil
		t.columns, t.blocks = make(map[int]*column), newCache()
	}
	for _, c := range t.columns {
		c.old = true
	}
	if len(t.filters) == 0 {
		t.matching = s.Rows
	}
	t.clamp()
}

// absent returns the blocks in sight that are not there or old, and those that will be needed next.
func (l *loader) absent(t *table) (list []blockKey) {
	rows, columns := l.sight(t)
	last, right := min(t.top+rows, t.rows()), min(t.left+columns, t.shape.Columns)
	for r := t.top / blockRows; r*blockRows < last; r++ {
		for c := t.left / blockColumns; c*blockColumns < right; c++ {
			if k := (blockKey{r, c}); !t.blocks.fresh(k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// ahead returns the block that will be needed first if the user scrolls on; false if it is there.
func (l *loader) ahead(t *table) (blockKey, bool) {
	rows, _ := l.sight(t)
	for _, row := range []int{t.top + rows + blockRows/2, t.top - blockRows/2} {
		if k := keyOf(row, t.left); row >= 0 && row < t.rows() && !t.blocks.fresh(k) {
			return k, true
		}
	}
	return blockKey{}, false
}

// askAbsent asks for a block that is in sight, or will be soon when the heads are there. It returns false if
// there is none.
func (l *loader) askAbsent(t *table) bool {
	absent := l.absent(t)
	if len(absent) > 0 {
		l.askPage(t, absent[0])
		return true
	}
	k, ok := l.ahead(t)
	if !ok || l.headless(t) >= 0 {
		return false
	}
	l.askPage(t, k)
	return true
}

// askPage asks for a block.
func (l *loader) askPage(t *table, k blockKey) {
	wanted := t.wanted
	in := command.TablePageIn{
		TableView: t.view(), Row: k.row * blockRows, Rows: blockRows, Column: k.column * blockColumns, Columns: blockColumns,
		Beside: t.computing || t.again,
	}
	t.asked("page", l.port.Read.Page(in, func(p command.TablePage, err error) {
		if !l.answered(t, wanted, err) {
			return
		}
		t.takePage(k, p)
		l.changed(t)
		l.pump(t)
	}))
}

// takePage takes a block over.
func (t *table) takePage(k blockKey, p command.TablePage) {
	if t.computing { // the first block of a new view
		t.computing = false
		t.blocks, t.was = newCache(), nil
		t.top, t.current.row, t.start = 0, 0, cell{0, t.current.column}
		if !slices.EqualFunc(t.filters, t.former.filters, filter.same) {
			for _, c := range t.columns {
				c.old = true
			}
		}
	}
	t.matching, t.again = p.Matching, false
	t.blocks.put(k, p)
	for i, name := range p.Names {
		c := t.column(k.column*blockColumns + i)
		if c.name != name || c.dtype != p.Dtypes[i].Dtype || c.width == 0 && !c.dragged {
			c.name, c.dtype, c.kind = name, p.Dtypes[i].Dtype, p.Dtypes[i].Kind
			c.format = formatOf(c.kind, p.Cells[i])
			if !c.dragged {
				c.width = 0
			}
		}
	}
	t.differed = t.differed || t.was.differs(k, p)
	t.clamp()
}

// askHeads asks what the columns in sight hold. It returns false if that is known.
func (l *loader) askHeads(t *table) bool {
	i := l.headless(t)
	if i < 0 {
		return false
	}
	_, columns := l.sight(t)
	right := min(t.left+columns, t.shape.Columns)
	wanted := t.wanted
	in := command.TableHeadsIn{TableView: t.view(), Column: i, Columns: min(right-i, mostHeads)}
	t.asked("heads", l.port.Read.Heads(in, func(hs command.TableHeads, err error) {
		if err == nil && len(hs.Heads) == 0 {
			err = errNothing
		}
		if !l.answered(t, wanted, err) {
			return
		}
		for j, h := range hs.Heads {
			c := t.column(i + j)
			c.head, c.old = &h, false
		}
		l.changed(t)
		l.pump(t)
	}))
	return true
}

// headless returns the first column in sight that is not summarised; -1 if all are.
func (l *loader) headless(t *table) int {
	_, columns := l.sight(t)
	for i := t.left; i < min(t.left+columns, t.shape.Columns); i++ {
		if c := t.column(i); c.head == nil || c.old {
			return i
		}
	}
	return -1
}
