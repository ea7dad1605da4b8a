package execution

import (
	"cmp"
	"fmt"
	"slices"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// lastResult returns the entry of the last value, or nil.
func (s *snapshot) lastResult() *outputlog.Entry {
	for _, e := range slices.Backward(s.entries) {
		if e.Kind == outputlog.Result && e.Widget == "" {
			return e
		}
	}
	return nil
}

// list returns the outputs in their order: the text of its streams from texts, and what was
// displayed since at. It adds a note to those of v if it leaves displayed text out.
func (s *snapshot) list(at cursor, v catalog.Execution, texts map[string]excerpt) ([]catalog.Output, []catalog.Truncation) {
	printed := make(map[int64]string)
	for name, e := range texts {
		for _, p := range e.pieces {
			if name == "stderr" {
				p.text = condense(p.text)
			}
			printed[p.entry] += p.text
		}
	}
	shown, notes := s.displayed(at, v.Truncated)
	last, cause := s.lastResult(), s.lastError()
	images := s.imagesOf(v.Images)
	list := []catalog.Output{}
	for _, e := range s.entries {
		o := catalog.Output{Type: e.Kind, MIMEType: e.MIME, Text: printed[e.ID]}
		switch {
		case e.Kind == outputlog.Image:
			o.ImageID = images[e.Image]
		case e == last && e.Changed > at.changes:
			o.Text = v.Text
			if !s.q.Final && e.MIME != "text/plain" && len(e.Text) <= s.q.Limit {
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
	if s.omitted > 0 && at == (cursor{}) {
		notes = append(notes, catalog.Truncation{
			Stream: "outputs", TotalBytes: s.omittedBytes, Reason: fmt.Sprintf("%d outputs in the middle were not kept", s.omitted),
			Left: s.omittedBytes,
		})
	}
	return list, notes
}

// lastError returns the entry of the error with which the code ended, or nil. Other errors, such as
// one in a captured cell, are only shown.
func (s *snapshot) lastError() *outputlog.Entry {
	if s.rec.Error == nil {
		return nil
	}
	for _, e := range slices.Backward(s.entries) {
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
func (s *snapshot) imagesOf(images []catalog.Image) map[string]string {
	known := make(map[string]string, len(images))
	for _, i := range images {
		known[i.ImageID] = i.ImageID
	}
	var unknown []string
	logged := make(map[string]bool)
	for _, e := range s.entries {
		logged[e.Image] = true
		if e.Image != "" && known[e.Image] == "" {
			unknown = append(unknown, e.Image)
		}
	}
	for _, i := range images {
		if !logged[i.ImageID] && len(unknown) > 0 {
			known[unknown[0]] = i.ImageID
			unknown = unknown[1:]
		}
	}
	return known
}

// displayed returns the text of the entries that the log has text of, which changed since at, in at
// most s.q.Limit bytes. It adds a note to notes if it leaves some out.
func (s *snapshot) displayed(at cursor, notes []catalog.Truncation) (map[int64]string, []catalog.Truncation) {
	items, total := s.items(at)
	texts := make(map[int64]string)
	if total <= s.q.Limit {
		fill(texts, items, total)
		return texts, notes
	}
	var next cursor
	var reason string
	if at.changes > 0 && catalog.Ended(s.rec.Status) {
		next = s.page(texts, items, at)
		reason = "this is a part of it; get_execution with this after returns the rest"
	} else {
		next = s.ends(texts, items)
		reason = shownOnly(s.q.Limit) + "; get_execution with this after reads on"
	}
	left := 0
	for _, i := range items {
		left += len(i.text) - len(texts[i.ID])
	}
	return texts, append(notes, catalog.Truncation{
		Stream: "displays", TotalBytes: int64(total), Reason: reason, After: next.String(), Left: int64(max(0, left)),
	})
}

// An item is the text of an entry that a client has not seen.
type item struct {
	*outputlog.Entry
	text string
}

func (i item) cost() int { return len(i.text) + itemCost }

// items returns what changed since at, and what it costs, with that part of the first one that
// the client has seen.
func (s *snapshot) items(at cursor) (items []item, total int) {
	last, cause := s.lastResult(), s.lastError()
	for _, e := range s.entries {
		if e.Changed <= at.changes || e.Text == "" || e == last || e == cause {
			continue
		}
		i := item{e, e.Text}
		if s.q.Final {
			i.text = terminal.Text(e.Text)
		}
		total += i.cost()
		if at.bytes > 0 && e.Changed == at.changes+1 { // the rest of a long one
			i.text = truncate.TrimStart(i.text[min(int(at.bytes), len(i.text)):])
		}
		items = append(items, i)
	}
	return items, total
}

// fill adds the texts of the first items for which there is room, and returns their number.
func fill(texts map[int64]string, items []item, room int) int {
	for n, i := range items {
		if room -= i.cost(); room < 0 {
			return n
		}
		texts[i.ID] = i.text
	}
	return len(items)
}

// page adds the next s.q.Limit bytes of items, in the order of their changes, and returns the
// cursor after them.
func (s *snapshot) page(texts map[int64]string, items []item, at cursor) cursor {
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.Changed, b.Changed) })
	next := s.here
	if n := fill(texts, items, s.q.Limit); n > 0 {
		next.changes = items[n-1].Changed
		return next
	}
	long := items[0]
	part := truncate.Bytes(long.text, s.q.Limit)
	texts[long.ID] = part
	next.changes, next.bytes = long.Changed-1, int64(len(part))
	if long.Changed == at.changes+1 {
		next.bytes += at.bytes
	}
	return next
}

// ends adds the first and the last items, and returns the cursor after the first.
func (s *snapshot) ends(texts map[int64]string, items []item) cursor {
	half := s.q.Limit / 2
	next := s.here
	from := fill(texts, items, half)
	if from > 0 {
		next.changes = items[from-1].Changed
	} else {
		next.changes = items[0].Changed - 1
		texts[items[0].ID], _ = bounded("", items[0].text, half, "")
	}
	room := half
	for _, i := range slices.Backward(items[from:]) {
		if room -= i.cost(); room < 0 {
			break
		}
		texts[i.ID] = i.text
	}
	return next
}

// itemCost is how many bytes an entry counts in addition to its text.
const itemCost = 20
