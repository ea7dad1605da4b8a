package outputlog

import (
	"bytes"
	"encoding/json"
	"slices"
)

// rewriteFrom is the size from which a stored log that is mostly outdated is written anew.
const rewriteFrom = 256 << 10

// A journal says which entries are not stored yet. A stored log has one line of JSON for each
// change of an entry; the last line about an entry counts.
type journal struct {
	changed []int64 // ids, without order
	gone    []int64
	stored  bool // something was stored
	size    int  // bytes that were stored
}

func (j *journal) change(id int64) {
	if n := len(j.changed); n == 0 || j.changed[n-1] != id {
		j.changed = append(j.changed, id)
	}
}

func (j *journal) removed(id int64) { j.gone = append(j.gone, id) }

// Unsaved returns the lines to append to the stored log, or, with whole, all of it. It returns
// nothing if there is nothing to store: in particular, while the log has only what Usual would
// return.
func (l *Log) Unsaved() (lines []byte, whole bool) {
	if len(l.changed) == 0 && len(l.gone) == 0 || !l.stored && l.usual() {
		l.changed, l.gone = nil, nil
		return nil, false
	}
	slices.Sort(l.changed)
	changed, gone := slices.Compact(l.changed), l.gone
	l.changed, l.gone = nil, nil
	var b bytes.Buffer
	if whole = !l.stored || l.size > rewriteFrom && l.size > 4*l.live(); whole {
		l.size = 0
		if l.omitted > 0 {
			put(&b, summary{l.omitted, l.omittedBytes})
		}
		for _, e := range l.entries {
			put(&b, e)
		}
	} else {
		for _, id := range gone {
			put(&b, Entry{ID: id, Gone: true})
		}
		for _, e := range l.entries {
			if _, found := slices.BinarySearch(changed, e.ID); found {
				put(&b, e)
			}
		}
		if l.omitted > 0 && len(gone) > 0 {
			put(&b, summary{l.omitted, l.omittedBytes})
		}
	}
	l.stored = true
	l.size += b.Len()
	return b.Bytes(), whole
}

// A summary is a line about the entries that were left out.
type summary struct {
	Omitted int   `json:"omitted"`
	Bytes   int64 `json:"omitted_bytes"`
}

// live returns about how many bytes the entries need.
func (l *Log) live() int { return l.text + 80*len(l.entries) }

func put(b *bytes.Buffer, v any) {
	line, err := json.Marshal(v)
	if err == nil { // strings and numbers: no error
		b.Write(append(line, '\n'))
	}
}

// places are the places of the kinds in a usual log.
var places = map[string]int{Stdout: 1, Stderr: 2, Image: 3, Result: 4, Error: 5}

// usual reports whether the log is one that Usual returns.
func (l *Log) usual() bool {
	last := 0
	for _, e := range l.entries {
		at := places[e.Kind]
		if at < last || at == 0 || at == last && e.Kind != Image || e.Widget != "" || e.Kind == Result && e.MIME != "text/plain" {
			return false
		}
		last = at
	}
	return l.omitted == 0
}

// Usual returns the log of an execution of which no log is stored: its text, then its images,
// its result and its error.
func Usual(stdout, stderr bool, images []string, result, failure string) *Log {
	l := new(Log)
	if stdout {
		l.Print(Stdout, 0)
	}
	if stderr {
		l.Print(Stderr, 0)
	}
	for _, id := range images {
		l.Add(Entry{Kind: Image, Image: id})
	}
	if result != "" {
		l.Add(Entry{Kind: Result, Text: result, MIME: "text/plain"})
	}
	if failure != "" {
		l.Add(Entry{Kind: Error, Text: failure})
	}
	l.changed, l.gone = nil, nil
	return l
}

// Load reads a stored log. It skips lines that it cannot read, such as one that was cut off by a
// crash.
func Load(data []byte) *Log {
	l := &Log{}
	at := make(map[int64]*Entry)
	for line := range bytes.Lines(data) {
		var e struct {
			Entry
			summary
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		if e.Omitted > 0 {
			l.omitted, l.omittedBytes = e.Omitted, e.summary.Bytes
			continue
		}
		l.ids, l.changes = max(l.ids, e.ID), max(l.changes, e.Changed)
		known := at[e.ID]
		switch {
		case e.ID == 0:
		case known != nil:
			*known = e.Entry
		case !e.Gone:
			known = &e.Entry
			at[e.ID] = known
			l.entries = append(l.entries, known)
		}
	}
	l.entries = slices.DeleteFunc(l.entries, func(e *Entry) bool { return e.Gone })
	for _, e := range l.entries {
		l.text += len(e.Text)
		if e.Kind != Stdout && e.Kind != Stderr || e.Widget != "" {
			l.breaks++
		}
	}
	l.stored, l.size = true, len(data)
	l.changed, l.gone = nil, nil
	return l
}
