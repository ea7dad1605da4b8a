package execution

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	outputfile "easel/ui/core/library/output"
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// Print records that text of a stream of the cell follows, after pending bytes that are not in
// the stream yet.
func (x *Execution) Print(name string, pending int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.stream(name)
	at := s.total + pending
	if id, split := x.log.Print(name, at); id != 0 {
		s.marks = append(s.marks, mark{at, id, split})
	}
}

// mostRestored is how much of each end of a stream is read again after a restart of Easel.
const mostRestored = 1 << 20

// restoreOutputs reads the outputs that were stored.
func (x *Execution) restoreOutputs() {
	ctx := context.Background() // short reads of local files
	if stored, _, err := x.library.Output.Read(ctx, x.id, outputfile.Outputs, 0, 0); err == nil && len(stored) > 0 {
		x.log = outputlog.Load(stored)
	} else {
		var images []string
		for _, i := range x.images {
			images = append(images, i.ImageID)
		}
		failure := ""
		if x.rec.Error != nil && x.rec.Error.Code == catalog.CodeExecution {
			failure = x.rec.Error.Message
		}
		x.log = outputlog.Usual(x.rec.StdoutBytes > 0, x.rec.StderrBytes > 0, images, x.rec.Result, failure)
	}
	for name, s := range map[string]*stream{"stdout": &x.stdout, "stderr": &x.stderr} {
		for _, e := range x.log.Streams(name) {
			s.marks = append(s.marks, mark{e.At, e.ID, e.Split})
		}
		text, total, err := x.library.Output.Read(ctx, x.id, name, 0, mostRestored)
		if err != nil {
			continue // show the rest; the library reports the damaged file
		}
		if total > 0 && len(s.marks) == 0 {
			x.Print(name, 0)
		}
		s.write(text)
		from := max(int64(len(text)), total-mostRestored)
		if from == total {
			continue
		}
		if tail, _, err := x.library.Output.Read(ctx, x.id, name, from, mostRestored); err == nil {
			if left := from - int64(len(text)); left > 0 {
				s.skip(left)
			}
			s.write(tail)
		}
	}
}

// lastResult returns the entry of the last value, or nil. The caller holds x.mu.
func (x *Execution) lastResult() *outputlog.Entry {
	for _, e := range slices.Backward(x.log.Entries()) {
		if e.Kind == outputlog.Result && e.Widget == "" {
			return e
		}
	}
	return nil
}

// list returns the outputs of x in their order: the text of its streams from texts, and what was
// displayed since at. It adds a note to those of v if it leaves displayed text out. The caller
// holds x.mu.
func (x *Execution) list(q ReadOptions, at cursor, v catalog.Execution, texts map[string]excerpt) ([]catalog.Output, []catalog.Truncation) {
	printed := make(map[int64]string)
	for name, e := range texts {
		for _, p := range e.pieces {
			if name == "stderr" {
				p.text = condense(p.text)
			}
			printed[p.entry] += p.text
		}
	}
	shown, notes := x.displayed(q, at, v.Truncated)
	last, cause := x.lastResult(), x.lastError()
	images := x.imagesOf(v.Images)
	list := []catalog.Output{}
	for _, e := range x.log.Entries() {
		o := catalog.Output{Type: e.Kind, MIMEType: e.MIME, Text: printed[e.ID]}
		switch {
		case e.Kind == outputlog.Image:
			o.ImageID = images[e.Image]
		case e == last && e.Changed > at.changes:
			o.Text = v.Text
			if !q.Final && e.MIME != "text/plain" && len(e.Text) <= q.Limit {
				o.Text = e.Text
			}
		case e == cause && v.Error != nil:
			if e.Changed > at.changes {
				o.Text = errorLine(*v.Error)
			}
		case e.Widget != "" || e.Kind != outputlog.Stdout && e.Kind != outputlog.Stderr:
			o.Text = shown[e.ID]
		}
		if o.Text != "" || o.ImageID != "" {
			list = append(list, o)
		}
	}
	if n, bytes := x.log.Omitted(); n > 0 && at == (cursor{}) {
		notes = append(notes, catalog.Truncation{Stream: "outputs", TotalBytes: bytes, Reason: fmt.Sprintf("%d outputs in the middle were not kept", n)})
	}
	return list, notes
}

// lastError returns the entry of the error with which x ended, or nil. Other errors, such as one in a
// captured cell, are only shown.
func (x *Execution) lastError() *outputlog.Entry {
	if x.rec.Error == nil {
		return nil
	}
	for _, e := range slices.Backward(x.log.Entries()) {
		if e.Kind == outputlog.Error && e.Widget == "" {
			return e
		}
	}
	return nil
}

// errorLine returns the type and the message of an error.
func errorLine(e catalog.ExecutionError) string {
	message, _ := bounded("", e.Message, modelTraceback/6, "")
	if e.Type == "" || e.Type == message {
		return message
	}
	return e.Type + ": " + message
}

// imagesOf returns the ids of images by those in the log, which may be of earlier versions that
// were replaced while Easel did not know.
func (x *Execution) imagesOf(images []catalog.Image) map[string]string {
	known := make(map[string]string, len(images))
	for _, i := range images {
		known[i.ImageID] = i.ImageID
	}
	var unknown []string
	logged := x.log.Images()
	for _, e := range x.log.Entries() {
		if e.Image != "" && known[e.Image] == "" {
			unknown = append(unknown, e.Image)
		}
	}
	for _, i := range images {
		if _, there := logged[i.ImageID]; !there && len(unknown) > 0 {
			known[unknown[0]] = i.ImageID
			unknown = unknown[1:]
		}
	}
	return known
}

// displayed returns the text of the entries that the log has text of, which changed since at, in at
// most q.Limit bytes. It adds a note to notes if it leaves some out.
func (x *Execution) displayed(q ReadOptions, at cursor, notes []catalog.Truncation) (map[int64]string, []catalog.Truncation) {
	shown := make(map[int64]string)
	last, cause := x.lastResult(), x.lastError()
	type item struct {
		*outputlog.Entry
		text string
	}
	var items []item
	total := 0
	for _, e := range x.log.Entries() {
		if e.Changed <= at.changes || e.Text == "" || e == last || e == cause {
			continue
		}
		text := e.Text
		if q.Final {
			text = terminal.Text(text)
		}
		items = append(items, item{e, text})
		total += len(text) + itemCost
	}
	paged := at.changes > 0 && catalog.Ended(x.rec.Status)
	if at.bytes > 0 && len(items) > 0 { // the rest of a long one
		first := slices.IndexFunc(items, func(i item) bool { return i.Changed == at.changes+1 })
		if first >= 0 {
			items[first].text = truncate.TrimStart(items[first].text[min(int(at.bytes), len(items[first].text)):])
		}
	}
	if total <= q.Limit {
		for _, i := range items {
			shown[i.ID] = i.text
		}
		return shown, notes
	}
	if paged {
		slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.Changed, b.Changed) })
	}
	half := q.Limit / 2
	if paged {
		half = q.Limit
	}
	from, room := 0, half
	for ; from < len(items) && len(items[from].text)+itemCost <= room; from++ {
		shown[items[from].ID] = items[from].text
		room -= len(items[from].text) + itemCost
	}
	next := x.here()
	if from > 0 {
		next.changes = items[from-1].Changed
	} else {
		next.changes = items[0].Changed - 1
	}
	to := len(items)
	if !paged {
		room := half
		for ; to > from && len(items[to-1].text)+itemCost <= room; to-- {
			shown[items[to-1].ID] = items[to-1].text
			room -= len(items[to-1].text) + itemCost
		}
	}
	if from == 0 && from < to { // a long one
		text := items[0].text
		if paged {
			part := truncate.TrimEnd(text[:min(len(text), half)])
			shown[items[0].ID] = part
			next.changes, next.bytes = items[0].Changed-1, int64(len(part))
			if at.bytes > 0 && items[0].Changed == at.changes+1 {
				next.bytes += at.bytes
			}
		} else {
			shown[items[0].ID], _ = bounded("", text, half, "")
		}
	}
	reason := shownOnly(q.Limit) + "; get_execution with this after reads on"
	if paged {
		reason = "this is a part of it; get_execution with this after returns the rest"
	}
	return shown, append(notes, catalog.Truncation{Stream: "displays", TotalBytes: int64(total), Reason: reason, After: next.String()})
}

// itemCost is how many bytes an entry counts in addition to its text.
const itemCost = 20

// LastLine returns the last line of what x has displayed, as a terminal shows it, with at most
// n characters; "" if there is none.
func (x *Execution) LastLine(n int) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var newest *outputlog.Entry
	for _, e := range x.log.Entries() {
		if e.Kind != outputlog.Image && (newest == nil || e.Changed > newest.Changed) {
			newest = e
		}
	}
	switch {
	case newest == nil:
		return ""
	case newest.Widget == "" && newest.Kind == outputlog.Stdout:
		return truncate.Runes(x.stdout.screen.Last(), n)
	case newest.Widget == "" && newest.Kind == outputlog.Stderr:
		return truncate.Runes(x.stderr.screen.Last(), n)
	}
	screen := terminal.New(1)
	screen.Write([]byte(newest.Text))
	return truncate.Runes(screen.Last(), n)
}
