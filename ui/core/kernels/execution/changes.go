package execution

import (
	"cmp"
	"context"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/outputlog"
)

// Approve notes that the user lets code run, which may differ from what the client sent.
func (x *Execution) Approve(code string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asIs = x.asIs && code == x.rec.Code
	x.rec.Code, x.rec.Status = code, catalog.StatusQueued
}

// AwaitApproval notes that x waits until the user allows it.
func (x *Execution) AwaitApproval() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Status, x.position = catalog.StatusAwaiting, 0
}

// Refuse notes why x may not run.
func (x *Execution) Refuse(why error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.refused = why
}

// Queue notes that x, which another client was to send and has not, waits again.
func (x *Execution) Queue() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Status = catalog.StatusQueued
}

// Unqueue notes that x has left the queue.
func (x *Execution) Unqueue() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.position, x.doubt = 0, ""
}

// Send notes that x has left the queue and was sent to the kernel.
func (x *Execution) Send(request string, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.position, x.doubt = 0, ""
	x.rec.Status, x.rec.Request, x.rec.SentAt = catalog.StatusRunning, request, at.UTC()
}

// Begin notes that the kernel has started x.
func (x *Execution) Begin() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Status, x.rec.StartedAt = catalog.StatusRunning, time.Now().UTC()
}

// AssumeBegun notes that x has started if it was sent: the message that said so may be lost.
func (x *Execution) AssumeBegun() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.StartedAt = cmp.Or(x.rec.StartedAt, x.rec.SentAt)
}

// Count sets the kernel's number of x.
func (x *Execution) Count(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Count = n
}

// SetCode sets the code of x, which another client has sent.
func (x *Execution) SetCode(code string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Code = code
}

// MayDo notes what the code may do to others than its own kernel.
func (x *Execution) MayDo(risks []catalog.Risk) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Risks = risks[:min(len(risks), mostRisks)]
}

// mostRisks is how many risks are stored with an execution.
const mostRisks = 50

// Doubt sets what to do while it is unknown whether x runs; "" if it is known.
func (x *Execution) Doubt(hint string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.doubt = hint
}

// Continue notes that x was interrupted but continues.
func (x *Execution) Continue() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stubborn = true
}

// Renew notes that the kernel was restarted before x ran.
func (x *Execution) Renew(generation int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Generation, x.hint = generation, HintRestarted
}

// Truncate adds bytes to the note about a stream and a reason, and creates the note if necessary.
// It reports whether that was not noted before.
func (x *Execution) Truncate(stream string, bytes int64, reason string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	notes := slices.Clone(x.rec.Truncated) // copies of the record share the former
	i := slices.IndexFunc(notes, func(n catalog.Truncation) bool { return n.Stream == stream && n.Reason == reason })
	if i >= 0 {
		notes[i].TotalBytes += bytes
	} else {
		notes = append(notes, catalog.Truncation{Stream: stream, TotalBytes: bytes, Reason: reason})
	}
	x.rec.Truncated = notes
	return i < 0
}

// Complete takes back what Truncate has noted: nothing is missing after all.
func (x *Execution) Complete(stream, reason string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Truncated = slices.DeleteFunc(slices.Clone(x.rec.Truncated), func(n catalog.Truncation) bool {
		return n.Stream == stream && n.Reason == reason
	})
}

// An Outcome is how an execution ends.
type Outcome struct {
	Status string
	At     time.Time
	Error  *catalog.ExecutionError // nil if it succeeded
	Hint   string                  // what to do next; if "", the execution itself may say
}

func (o Outcome) applyTo(rec *library.Execution) {
	rec.Status, rec.EndedAt, rec.Error = o.Status, o.At, o.Error
}

// RecordWith returns the record of x as it would be with an outcome.
func (x *Execution) RecordWith(o Outcome) library.Execution {
	rec := x.Record()
	o.applyTo(&rec)
	return rec
}

// End sets the outcome of x and returns its record. Call CloseDone once that is stored.
func (x *Execution) End(o Outcome) library.Execution {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.position = 0
	o.applyTo(&x.rec)
	if hint := hintFor(x.rec, len(x.images), o.Hint); hint != "" || x.hint == "" {
		x.hint = hint
	}
	x.doubt, x.rec.Hint, x.input = "", x.hint, nil
	x.stdout.screen.Settle()
	x.stderr.screen.Settle()
	return x.rec
}

// CloseDone closes Done.
func (x *Execution) CloseDone() { close(x.done) }

// Fail sets the exception that the code has raised.
func (x *Execution) Fail(failure *catalog.ExecutionError) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Error = failure
}

// SetResult sets the text of the last value.
func (x *Execution) SetResult(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Result = text
}

// Room returns how many more bytes of a stream are kept.
func (x *Execution) Room(name string) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return max(0, userStream-x.stream(name).total)
}

// Write adds text to a stream.
func (x *Execution) Write(name string, text []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stream(name).write(text)
	x.rec.StdoutBytes, x.rec.StderrBytes = x.stdout.total, x.stderr.total
}

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

// Sent returns the beginning and the end of a stream as they were sent.
func (x *Execution) Sent(name string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stream(name).sent(modelStream)
}

// stream returns stdout or stderr. The caller holds x.mu.
func (x *Execution) stream(name string) *stream {
	if name == "stderr" {
		return &x.stderr
	}
	return &x.stdout
}

// Add adds an entry to the outputs and returns its id.
func (x *Execution) Add(e outputlog.Entry) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.log.Add(e)
}

// PrintIn adds text of a stream to what an Output widget shows.
func (x *Execution) PrintIn(widget, stream, text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log.PrintIn(widget, stream, text)
}

// UpdateDisplay sets the text of the displays with an id. It reports whether there is one.
func (x *Execution) UpdateDisplay(id, text, mime string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.log.Displayed(id) == 0 {
		return false
	}
	x.log.Update(id, text, mime)
	return true
}

// PlaceImage returns the entry for an image that follows: with update, that of the display with
// its id, if there is one, otherwise a new one.
func (x *Execution) PlaceImage(widget, displayID string, update bool) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	if update {
		if entry := x.log.Displayed(displayID); entry != 0 { // text becomes a picture
			return entry
		}
	}
	return x.log.Add(outputlog.Entry{Kind: outputlog.Image, Widget: widget, DisplayID: displayID})
}

// DropImage notes that the image of an entry could not be stored.
func (x *Execution) DropImage(entry int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log.SetImage(entry, "")
}

// AddImage adds an image, unless x has it, and sets it as that of an entry, unless that is 0.
func (x *Execution) AddImage(image catalog.Image, entry int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.ContainsFunc(x.images, func(i catalog.Image) bool { return i.ImageID == image.ImageID }) {
		x.images = append(x.images, image)
	}
	if entry != 0 {
		x.log.SetImage(entry, image.ImageID)
	}
}

// AddDrawing adds a channel that is closed when a figure without a picture has been drawn.
func (x *Execution) AddDrawing(drawing <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drawings = append(x.drawings, drawing)
}

// Clear removes the outputs so far in an Output widget, or in the cell if widget is "". It returns
// the URIs of the images that were there.
func (x *Execution) Clear(widget string) (cleared []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	former := x.log.Images()
	x.log.Clear(widget)
	left := x.log.Images()
	x.images = slices.DeleteFunc(slices.Clone(x.images), func(i catalog.Image) bool {
		at, was := former[i.ImageID]
		if _, still := left[i.ImageID]; still || !was && widget != "" {
			return false
		}
		if at == widget {
			cleared = append(cleared, i.ResourceURI)
		}
		return true
	})
	if widget == "" {
		x.stdout.reset()
		x.stderr.reset()
		x.rec.Result, x.rec.StdoutBytes, x.rec.StderrBytes = "", 0, 0
	}
	return cleared
}

// Unsaved returns the changes of the outputs since the last call, or with whole, all outputs.
func (x *Execution) Unsaved() (lines []byte, whole bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.log.Unsaved()
}

// AwaitDrawings waits until the figures of x that arrived without a picture have been drawn
// or have failed, or until ctx ends or cancelled is closed.
func (x *Execution) AwaitDrawings(ctx context.Context, cancelled <-chan struct{}) {
	x.mu.Lock()
	drawings := x.drawings
	x.mu.Unlock()
	for _, d := range drawings {
		select {
		case <-d:
		case <-cancelled:
			return
		case <-ctx.Done():
			return
		}
	}
}
