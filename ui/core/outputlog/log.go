// Package outputlog is the ordered model of what one execution has displayed: printed text,
// values, displays, errors and pictures, with what belongs to the Output widgets of ipywidgets.
// It has no I/O; see Log.Unsaved.
//
// # Goroutines
//
// The package starts none. A Log is not safe for concurrent use.
package outputlog

import (
	"fmt"
	"slices"
	"strings"

	"easel/internal/truncate"
)

// The kinds of entries.
const (
	Stdout  = "stdout"
	Stderr  = "stderr"
	Result  = "result"
	Display = "display"
	Error   = "error"
	Image   = "image"
)

// Limits of a log. What is between its first and its last entries is left out.
const (
	mostEntries = 8_000   // kept entries
	mostText    = 2 << 20 // bytes of text in them
	mostOfEntry = 64 << 10
	mostPrinted = 16 << 10 // bytes of printed text in a widget
)

// An Entry is one output.
type Entry struct {
	ID      int64  `json:"i"` // increases
	Changed int64  `json:"c"` // increases with each change of the log
	Kind    string `json:"t,omitempty"`
	// At is where printed text begins in its stream. It extends to the next entry of the
	// stream. The text itself is not in the log, unless a widget has it.
	At int64 `json:"at,omitempty"`
	// Split is set if something other than printed text was displayed since the last text of the stream.
	Split  bool     `json:"split,omitempty"`
	Text   string   `json:"text,omitempty"`
	MIME   string   `json:"mime,omitempty"`
	Bytes  int64    `json:"bytes,omitempty"`  // length of the whole text, if it is shortened
	Image  string   `json:"image,omitempty"`  // image id; "" until it is stored
	Widget string   `json:"widget,omitempty"` // model id of the Output widget that contains it
	Shows  []string `json:"shows,omitempty"`  // the Output widgets that it displays
	// DisplayID is the id by which it may be updated.
	DisplayID string `json:"display,omitempty"`
	Gone      bool   `json:"gone,omitempty"` // it was removed; only in stored logs
}

// A Log holds the outputs of one execution in their order. The zero value is empty.
type Log struct {
	entries []*Entry
	ids     int64
	changes int64
	text    int            // bytes in entries
	breaks  int            // number of entries that are not printed text of the cell
	seen    map[string]int // breaks at the last text of a stream

	omitted      int   // entries that were left out of the middle
	omittedBytes int64 // of their text
	journal
}

// Changes returns a number that increases with each change.
func (l *Log) Changes() int64 { return l.changes }

// Omitted returns how many entries were left out of the middle, and how many bytes of text
// they had.
func (l *Log) Omitted() (entries int, bytes int64) { return l.omitted, l.omittedBytes }

// Print adds text of a stream of the cell, which begins at an offset of the stream. If the
// text begins an entry, Print returns its id; split reports whether something other than text
// was displayed since the stream's last text.
func (l *Log) Print(stream string, at int64) (id int64, split bool) {
	if n := len(l.entries); n > 0 && l.entries[n-1].Kind == stream && l.entries[n-1].Widget == "" {
		return 0, false
	}
	if l.seen == nil {
		l.seen = make(map[string]int)
	}
	split = l.breaks != l.seen[stream]
	l.seen[stream] = l.breaks
	return l.add(&Entry{Kind: stream, At: at, Split: split}), split
}

// PrintIn adds text of a stream to an Output widget.
func (l *Log) PrintIn(widget, stream, text string) {
	for _, e := range slices.Backward(l.entries) {
		if e.Widget != widget {
			continue
		}
		if e.Kind == stream {
			l.setText(e, e.Text+text, e.MIME)
			return
		}
		break
	}
	l.Add(Entry{Kind: stream, Widget: widget, Text: text})
}

// Add adds an entry that is not printed text of the cell, and returns its id.
func (l *Log) Add(e Entry) int64 {
	l.breaks++
	text := e.Text
	e.Text = ""
	id := l.add(&e)
	l.setText(l.entries[len(l.entries)-1], text, e.MIME)
	l.bound()
	return id
}

func (l *Log) add(e *Entry) int64 {
	l.ids++
	e.ID = l.ids
	l.entries = append(l.entries, e)
	l.touch(e)
	l.bound()
	return e.ID
}

// touch records a change of e.
func (l *Log) touch(e *Entry) {
	l.changes++
	e.Changed = l.changes
	l.change(e.ID)
}

func (l *Log) setText(e *Entry, text, mime string) {
	l.text -= len(e.Text)
	e.Bytes = max(e.Bytes-int64(len(e.Text)), 0) + int64(len(text))
	switch printed := e.Kind == Stdout || e.Kind == Stderr; {
	case printed && len(text) > 2*mostPrinted: // rarely, rather than each time
		text = middle(text, mostPrinted)
	case !printed && len(text) > mostOfEntry:
		text = middle(text, mostOfEntry)
	}
	if e.Bytes == int64(len(text)) {
		e.Bytes = 0
	}
	e.Text, e.MIME = text, mime
	l.text += len(text)
	l.touch(e)
}

// middle leaves out the middle of a text: one half of what is kept is its head.
func middle(text string, most int) string {
	return truncate.Join(text[:most/2], text[len(text)-most/2:], int64(len(text)))
}

// Update replaces the text of all displays with a display id, and reports whether there are
// any. It leaves pictures alone.
func (l *Log) Update(displayID, text, mime string) bool {
	found := false
	for _, e := range l.entries {
		if e.DisplayID == displayID && e.Kind != Image {
			e.Bytes = int64(len(e.Text))
			l.setText(e, text, mime)
			found = true
		}
	}
	return found
}

// Displayed returns the id of an entry without a picture that has a display id; 0 if there
// is none.
func (l *Log) Displayed(displayID string) int64 {
	for _, e := range l.entries {
		if e.DisplayID == displayID && e.Kind != Image {
			return e.ID
		}
	}
	return 0
}

// SetImage makes an entry show an image. If image is "", it removes the entry.
func (l *Log) SetImage(id int64, image string) {
	i := slices.IndexFunc(l.entries, func(e *Entry) bool { return e.ID == id })
	switch {
	case i < 0:
	case image == "":
		l.remove(func(e *Entry) bool { return e.ID == id })
	default:
		e := l.entries[i]
		if e.Kind != Image {
			l.setText(e, "", "")
		}
		e.Kind, e.Image = Image, image
		l.touch(e)
	}
}

// ReplaceImage replaces an image by its new version.
func (l *Log) ReplaceImage(older, newer string) {
	for _, e := range l.entries {
		if e.Image == older && older != "" && older != newer {
			e.Image = newer
			l.touch(e)
		}
	}
}

// Clear removes the entries of an Output widget, or those of the cell if widget is "". With a
// display of an Output widget, its entries go, too.
func (l *Log) Clear(widget string) {
	gone := map[string]bool{widget: true}
	if widget == "" {
		for _, e := range l.entries {
			if e.Widget == "" {
				for _, w := range e.Shows {
					gone[w] = true
				}
			}
		}
	}
	l.remove(func(e *Entry) bool { return gone[e.Widget] })
	if widget == "" {
		l.seen, l.omitted, l.omittedBytes = nil, 0, 0
	}
}

func (l *Log) remove(which func(*Entry) bool) {
	l.entries = slices.DeleteFunc(l.entries, func(e *Entry) bool {
		if !which(e) {
			return false
		}
		l.text -= len(e.Text)
		l.changes++
		l.removed(e.ID)
		return true
	})
}

// bound leaves out entries in the middle if there are too many.
func (l *Log) bound() {
	if len(l.entries) <= mostEntries+mostEntries/2 && l.text <= 2*mostText {
		return
	}
	end := func(seq func(func(int, *Entry) bool)) (n int) {
		text := 0
		for _, e := range seq {
			if text += len(e.Text); n == mostEntries/2 || text > mostText/2 {
				break
			}
			n++
		}
		return n
	}
	from, to := end(slices.All(l.entries)), len(l.entries)-end(slices.Backward(l.entries))
	if from >= to {
		return
	}
	for _, e := range l.entries[from:to] {
		l.omitted++
		l.omittedBytes += max(e.Bytes, int64(len(e.Text)))
		l.text -= len(e.Text)
		l.removed(e.ID)
	}
	l.entries = slices.Delete(l.entries, from, to)
}

// Entries returns the entries in the order of the notebook: those of an Output widget are
// where it is displayed. Do not change them.
func (l *Log) Entries() []*Entry {
	shown := make(map[string]bool) // widgets that are displayed
	for _, e := range l.entries {
		for _, w := range e.Shows {
			shown[w] = true
		}
	}
	if len(shown) == 0 {
		return l.entries
	}
	list := make([]*Entry, 0, len(l.entries))
	placed := make(map[string]bool)
	for _, e := range l.entries {
		if e.Widget == "" || !shown[e.Widget] {
			list = l.unfold(list, e, placed)
		}
	}
	return list
}

// unfold adds e and the entries of the widgets that it displays to list. A widget is placed once.
func (l *Log) unfold(list []*Entry, e *Entry, placed map[string]bool) []*Entry {
	list = append(list, e)
	for _, w := range e.Shows {
		if placed[w] {
			continue
		}
		placed[w] = true
		for _, in := range l.entries {
			if in.Widget == w {
				list = l.unfold(list, in, placed)
			}
		}
	}
	return list
}

// Images returns the images in the log, with the Output widget that shows each; "" is the cell.
func (l *Log) Images() map[string]string {
	images := make(map[string]string)
	for _, e := range l.entries {
		if e.Image != "" {
			images[e.Image] = e.Widget
		}
	}
	return images
}

// Streams returns the entries of a stream of the cell, by their offset.
func (l *Log) Streams(stream string) []*Entry {
	var list []*Entry
	for _, e := range l.entries {
		if e.Kind == stream && e.Widget == "" {
			list = append(list, e)
		}
	}
	return list
}

// String describes the log for tests and debugging.
func (l *Log) String() string {
	var b strings.Builder
	for _, e := range l.Entries() {
		fmt.Fprintf(&b, "%s %q%s%d ", e.Kind, e.Text, e.Image, e.At)
	}
	return b.String()
}
