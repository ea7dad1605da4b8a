package kernels

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
)

// recordOutput writes down one output of u, in the way in which a notebook would
// show it (Jupyter messaging protocol 5.4, "Messages on the IOPub channel").
func (r *recorder) recordOutput(m *wire.Message, u *run) {
	r.keepForCell(m, u)
	if m.Header.MsgType == "clear_output" {
		var c wire.ClearOutput
		if m.Decode(&c) == nil {
			if c.Wait {
				u.clearNext = true
			} else {
				r.clear(u)
			}
		}
		return
	}
	if u.clearNext && m.Header.MsgType != "update_display_data" {
		r.clear(u)
	}
	switch m.Header.MsgType {
	case "stream":
		var s wire.Stream
		if m.Decode(&s) == nil {
			r.write(u, s.Name, s.Text)
		}
	case "error":
		var e wire.ErrorContent
		if m.Decode(&e) == nil {
			u.failure = executionError(e.Ename, e.Evalue, e.Traceback)
			if !u.phase.ended() { // else its end has been told, as by a restart, which interrupts first
				u.x.update(func() { u.x.rec.Error = u.failure })
			}
		}
	case "execute_result":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			if text := mimebundle.Text(d.Data, "text/plain"); text != "" {
				u.x.update(func() { u.x.rec.Result = text })
			}
			r.display(u, d, false)
		}
	case "display_data", "update_display_data":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			r.display(u, d, m.Header.MsgType == "update_display_data")
		}
	}
}

// write appends stream text. What is over the bound is counted, not kept.
func (r *recorder) write(u *run, stream, text string) {
	if stream != "stderr" {
		stream = "stdout"
	} else if why := rateLimited(text); why != "" {
		u.addTruncation("stdout", 0, why)
	}
	if u.pending == nil {
		u.pending = make(map[string][]byte)
	}
	u.pending[stream] = append(u.pending[stream], text...)
	r.dirty[u] = true
	if len(u.pending[stream]) > 1<<20 {
		r.flush()
	}
}

// rateLimited recognises jupyter-server's notice that it dropped output
// (jupyter_server/services/kernels/connection/channels.py).
func rateLimited(text string) string {
	for _, notice := range []string{"IOPub data rate exceeded", "IOPub message rate exceeded"} {
		if strings.Contains(text, notice) {
			return "the Jupyter server dropped output: " + notice + " (its own limit; start it with --ZMQChannelsWebsocketConnection.limit_rate=False to lift it)"
		}
	}
	return ""
}

// flush writes pending pictures and text to the library and tells of them.
func (r *recorder) flush() {
	r.storeImages()
	r.flushText()
}

// flushText is flush but for the pictures.
func (r *recorder) flushText() {
	for u := range r.dirty {
		for _, stream := range []string{"stdout", "stderr"} {
			text := u.pending[stream]
			if len(text) == 0 {
				continue
			}
			r.store(u, stream, text)
			u.pending[stream] = text[:0]
		}
		if u.phase.ended() {
			r.keep(u) // late output of a thread
		}
		r.notify(catalog.ExecutionOutput, u)
	}
	clear(r.dirty)
}

// store writes text to the library, as far as the bound allows, and then shows it:
// what a cursor counts as seen can be read from the library.
func (r *recorder) store(u *run, stream string, text []byte) {
	to := &u.x.stdout
	if stream == "stderr" {
		to = &u.x.stderr
	}
	kept := text[:min(int64(len(text)), max(0, userStream-to.total))]
	if over := len(text) - len(kept); over > 0 {
		u.addTruncation(stream, int64(over), "a stream is kept up to 64 MiB; the rest was dropped")
	}
	if len(kept) > 0 {
		if err := r.m.cfg.Library.AppendOutput(r.keeping(), u.x.id, stream, kept); err != nil {
			u.addTruncation(stream, int64(len(kept)), storageReason(err))
			r.log.Error("keeping output", "err", err)
		}
	}
	u.x.update(func() {
		to.write(text)
		u.x.rec.StdoutBytes, u.x.rec.StderrBytes = u.x.stdout.total, u.x.stderr.total
	})
}

// clear does what clear_output asks for: the outputs so far are no longer those
// of the cell. Their images stay in the library, and the next ones replace them.
func (r *recorder) clear(u *run) {
	r.flush()
	u.clearNext = false
	for _, stream := range []string{"stdout", "stderr"} {
		if err := r.m.cfg.Library.ReplaceOutput(r.keeping(), u.x.id, stream, nil); err != nil {
			r.log.Error("clearing output", "err", err)
		}
	}
	u.x.update(func() {
		for _, i := range u.x.images {
			u.cleared = append(u.cleared, i.ResourceURI)
		}
		u.x.images = nil
		u.x.stdout.reset()
		u.x.stderr.reset()
		u.x.rec.Result, u.x.rec.StdoutBytes, u.x.rec.StderrBytes = "", 0, 0
	})
}

// finish ends u, writes it down, and lets those who wait go on.
func (r *recorder) finish(u *run, why cause) {
	if u.phase.ended() {
		return
	}
	r.flush()
	r.touch()
	if u.storedEnd != nil { // so it is kept already: it ended well, whatever came between
		why = cause{status: catalog.StatusOK, hint: why.hint}
	}
	for _, t := range []*time.Timer{u.timeoutTimer, u.retryTimer} {
		if t != nil {
			t.Stop()
		}
	}
	if u.withdrawApproval != nil {
		u.withdrawApproval()
	}
	if r.current == u {
		r.current = nil
		r.moveOn(u) // whoever interrupted it before it was known what it is
	}
	var rec library.Execution
	u.x.update(func() {
		u.x.position = 0
		u.end(&u.x.rec, why)
		if hint := hintFor(u.x.rec, len(u.x.images), why); hint != "" || u.x.hint == "" {
			u.x.hint = hint
		}
		u.x.doubt, u.x.rec.Hint = "", u.x.hint
		rec = u.x.rec
	})
	r.advance(u, runEnded)
	if u.storedEnd == nil || !reflect.DeepEqual(rec, *u.storedEnd) {
		r.keep(u)
	}
	r.m.retire(u.x)
	r.notify(catalog.ExecutionEnded, u) // before those who wait go on and act upon it
	close(u.x.done)
}

// end puts into rec how u has ended.
func (u *run) end(rec *library.Execution, why cause) {
	rec.Status, rec.EndedAt = why.status, u.endedAt(*rec, why)
	rec.Error = nil
	if why.status != catalog.StatusOK {
		e := catalog.ExecutionError{Code: why.code, Message: why.message}
		if u.failure != nil {
			e.Type, e.Traceback = u.failure.Type, u.failure.Traceback
		}
		rec.Error = &e
	}
	rec.Truncated = u.x.truncations
}

// endedAt is when u has ended. What was not heard at its time ended when the kernel said
// that it did, by its own clock, or was last heard of.
func (u *run) endedAt(rec library.Execution, why cause) time.Time {
	now := time.Now().UTC()
	switch {
	case u.storedEnd != nil:
		return u.storedEnd.EndedAt
	case u.linkLost && u.phase == runIdle, why.status == catalog.StatusLost && u.phase.started(), u.phase == runUnconfirmed:
	default:
		return now
	}
	at := u.lastWord
	if at.Before(rec.StartedAt) { // or there is none
		at = rec.StartedAt
	}
	if at.After(now) {
		return now
	}
	return at
}

// storeEnd writes down that u has ended well, as the kernel's reply says, though its
// idle is still to come: mostly nothing comes between, and the answer need not wait for
// the disk then. Not before it has begun: a reply and a busy come over two sockets, and
// either may overtake the other.
func (r *recorder) storeEnd(u *run) {
	if u != r.current || u.phase != runRunning || u.resumed || u.failure != nil || u.stop != (cause{}) || u.reply != wire.ReplyOK {
		return
	}
	r.flush()
	u.x.mu.Lock()
	rec := u.x.rec
	u.end(&rec, cause{status: catalog.StatusOK})
	u.x.mu.Unlock()
	if err := r.m.cfg.Library.PutExecution(r.keeping(), rec); err == nil { // else finish tells
		u.storedEnd = &rec
	}
}

// leave gives up the kernel as Easel is quit. The managed server ends with it; elsewhere
// code goes on, and the next Easel takes it up.
func (r *recorder) leave() {
	if s, err := r.m.lookup(r.server); err != nil || s.managed {
		r.endAll(causeQuit)
		return
	}
	r.flush()
	queue := slices.Concat(r.awaiting, r.queue)
	r.awaiting, r.queue = nil, nil
	for _, u := range queue {
		r.finish(u, causeUnsent)
	}
	for _, u := range r.byRequest {
		if u.phase.ended() {
			continue
		}
		r.advance(u, runDetached)
		for _, t := range []*time.Timer{u.timeoutTimer, u.retryTimer} {
			if t != nil {
				t.Stop()
			}
		}
		u.x.update(func() { u.x.doubt = hintSeeking })
		r.keep(u)
		close(u.x.done)
	}
}

// endAll ends the current execution, the waiting ones and what others ran.
func (r *recorder) endAll(why cause) {
	waiting := why
	switch why.status {
	case catalog.StatusInterrupted, catalog.StatusTimeout, catalog.StatusCancelled:
		waiting = cause{status: catalog.StatusCancelled, code: catalog.CodeCancelled, message: "It never ran: " + why.message}
	case catalog.StatusLost:
		waiting = causeUnsent
	}
	if r.current != nil {
		r.finish(r.current, why)
	}
	queue := slices.Concat(r.awaiting, r.queue)
	r.awaiting, r.queue = nil, nil
	for _, u := range queue {
		r.finish(u, waiting)
	}
	for _, u := range r.byRequest {
		r.finish(u, why)
	}
}

// keep writes u's record to the library.
func (r *recorder) keep(u *run) {
	u.storedEnd = nil
	u.x.mu.Lock()
	rec := u.x.rec
	u.x.mu.Unlock()
	if err := r.m.cfg.Library.PutExecution(r.keeping(), rec); err != nil {
		u.addTruncation("history", 0, storageReason(err))
		r.log.Error("keeping an execution", "execution", rec.ID, "err", err)
	}
}

// notify notifies of u as clients see it.
func (r *recorder) notify(change catalog.ChangeName, u *run) {
	if r.m.cfg.On.Execution == nil {
		return
	}
	u.x.mu.Lock()
	v := u.x.view()
	u.x.mu.Unlock()
	r.m.cfg.On.Execution(change, v)
}

// addTruncation adds to what is said to be missing; one note for each stream and reason.
func (u *run) addTruncation(stream string, bytes int64, reason string) {
	u.x.update(func() {
		for i, n := range u.x.truncations {
			if n.Stream == stream && n.Reason == reason {
				u.x.truncations = slices.Clone(u.x.truncations)
				u.x.truncations[i].TotalBytes += bytes
				return
			}
		}
		u.x.truncations = append(slices.Clone(u.x.truncations), catalog.Truncation{Stream: stream, TotalBytes: bytes, Reason: reason})
	})
}

func storageReason(err error) string {
	if errors.Is(err, library.ErrFull) {
		return "STORAGE_FULL: the library could not keep it; free some disk space"
	}
	return fmt.Sprintf("the library could not keep it: %v", err)
}
