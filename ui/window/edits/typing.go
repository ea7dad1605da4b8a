package edits

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"easel/eventbus"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// saveAfter is how long after a key the text of a note is stored, at the latest.
const saveAfter = 500 * time.Millisecond

type textTopic = eventbus.Topic[command.SetTextIn, command.SetTextOut]

// A draft is a text that is being typed.
type draft struct {
	topic   *textTopic
	id      string // of the plot
	text    string
	editing string // see catalog.SetTextIn
	unsaved bool
}

// A desk has the texts that are being typed. It is safe for concurrent use, because they are
// also stored when the UI goroutine has ended.
type desk struct {
	bus *eventbus.Bus

	saving sync.Mutex // held while texts are stored, so that no older text follows a newer one

	mu    sync.Mutex // guards what follows
	texts map[string]*draft
	n     int
	armed bool // a timer will store the notes
}

func key(topic *textTopic, id string) string { return topic.Name() + " " + id }

// put records what has been typed. It reports whether a timer must be started.
func (d *desk) put(topic *textTopic, id, text string) (start bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.texts[key(topic, id)]
	if t == nil {
		d.n++
		t = &draft{topic: topic, id: id, editing: fmt.Sprint("typing ", d.n)}
		d.texts[key(topic, id)] = t
	}
	t.text, t.unsaved = text, true
	start, d.armed = topic == command.SetNote && !d.armed, d.armed || topic == command.SetNote
	return start
}

// take returns the unsaved texts of a topic, or all if topic is nil, as if they were saved.
func (d *desk) take(topic *textTopic) (unsaved []draft) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.texts {
		if t.unsaved && (topic == nil || topic == t.topic) {
			t.unsaved = false
			unsaved = append(unsaved, *t)
		}
	}
	if topic == nil || topic == command.SetNote {
		d.armed = false
	}
	return unsaved
}

// save stores a text. If that fails, the text remains unsaved.
func (d *desk) save(ctx context.Context, t draft) (command.SetTextOut, error) {
	out, err := t.topic.Ask(ctx, d.bus, command.SetTextIn{ID: t.id, Text: t.text, Editing: t.editing})
	if err == nil {
		return out, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.texts[key(t.topic, t.id)]; now != nil {
		now.unsaved = true
		if tool.AsError(err).Code == tool.FileNotFound { // the plot was deleted
			delete(d.texts, key(t.topic, t.id))
		}
	}
	return out, err
}

// saveAll stores the unsaved texts of a topic, or all if topic is nil.
func (d *desk) saveAll(ctx context.Context, topic *textTopic) error {
	d.saving.Lock()
	defer d.saving.Unlock()
	var failed error
	for _, t := range d.take(topic) {
		_, err := d.save(ctx, t)
		failed = errors.Join(failed, err)
	}
	return failed
}

// end stores a text whose typing has ended. If nothing was typed, it does nothing.
func (d *desk) end(ctx context.Context, topic *textTopic, id string) (command.SetTextOut, error) {
	d.saving.Lock()
	defer d.saving.Unlock()
	d.mu.Lock()
	t := d.texts[key(topic, id)]
	if t == nil {
		d.mu.Unlock()
		return command.SetTextOut{}, nil
	}
	ended := *t
	t.unsaved = false
	d.mu.Unlock()
	out, err := d.save(ctx, ended)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && !t.unsaved { // else somebody types again
		delete(d.texts, key(topic, id))
	}
	return out, err
}

// An ask is a request to store texts.
type ask func(ctx context.Context) (command.SetTextOut, error)

// Ask implements requests.Asker.
func (a ask) Ask(ctx context.Context, _ *eventbus.Bus, _ struct{}) (command.SetTextOut, error) {
	return a(ctx)
}

// TypeNote says what the note of a plot is while it is typed. It is stored soon.
func (e *Edits) TypeNote(id, note string) {
	if e.desk.put(command.SetNote, id, note) {
		time.AfterFunc(saveAfter, func() { e.port.Requests.Post(e.SaveNotes) })
	}
}

// TypeTitle says what the title of a plot is while it is typed. It is stored when the typing
// ends, and when Easel quits.
func (e *Edits) TypeTitle(id, title string) { e.desk.put(command.SetTitle, id, title) }

// DropTitle forgets a title that was typed.
func (e *Edits) DropTitle(id string) {
	e.desk.mu.Lock()
	defer e.desk.mu.Unlock()
	delete(e.desk.texts, key(command.SetTitle, id))
}

// Note returns the note of a plot that was typed and may not be stored yet.
func (e *Edits) Note(id string) (text string, typed bool) {
	e.desk.mu.Lock()
	defer e.desk.mu.Unlock()
	t := e.desk.texts[key(command.SetNote, id)]
	if t == nil {
		return "", false
	}
	return t.text, true
}

// EndTitle stores the title that was typed for a plot.
func (e *Edits) EndTitle(id string) { e.end(command.SetTitle, id, "annotation.renamed", nil) }

// EndNote stores the note that was typed for a plot. ended is called afterwards.
func (e *Edits) EndNote(id string, ended func()) {
	e.end(command.SetNote, id, "annotation.noted", ended)
}

func (e *Edits) end(topic *textTopic, id, said string, ended func()) {
	end := ask(func(ctx context.Context) (command.SetTextOut, error) { return e.desk.end(ctx, topic, id) })
	requests.AskTopicFinally(e.port.Requests, topic.Name(), end, struct{}{}, func(out command.SetTextOut) {
		if out.Edit.Seq != 0 {
			e.offerUndo(kit.MarkCheck, e.port.Kit().T(said), out.Edit.Seq)
		}
	}, ended)
}

// Save stores what is being typed, for example before Easel quits. Any goroutine may call it.
func (e *Edits) Save(ctx context.Context) error { return e.desk.saveAll(ctx, nil) }

// SaveNotes stores the notes that are being typed, and does not wait. A title can still be
// discarded.
func (e *Edits) SaveNotes() {
	requests.AskTopic(e.port.Requests, "set_note", ask(func(ctx context.Context) (command.SetTextOut, error) {
		return command.SetTextOut{}, e.desk.saveAll(ctx, command.SetNote)
	}), struct{}{}, nil)
}
