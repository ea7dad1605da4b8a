package record

import (
	"cmp"
	"strings"
	"time"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/mimebundle"
	"easel/ui/core/outputlog"
)

// outputs records what executions print and show. Text and pictures are stored in batches.
type outputs struct {
	journal journal
	ledger  *ledger
	session string // id
	midway  bool   // the kernel ran before it was joined, so it may update unknown displays

	provenance        *provenance
	displays          map[string]display
	widgets           widgets
	dirty             map[*queuedExecution]bool // runs with text that is not yet stored
	pendingImages     []pendingImage            // pictures that are not yet stored
	pendingImageBytes int
	imagesStored      time.Time // when the last batch of pictures was stored
}

func newOutputs(j journal, l *ledger, session string, p *provenance) *outputs {
	return &outputs{
		journal: j, ledger: l, session: session, provenance: p, displays: make(map[string]display),
		dirty: make(map[*queuedExecution]bool),
	}
}

// renew forgets what the kernel's former process has shown.
func (out *outputs) renew() {
	out.displays = make(map[string]display)
	out.widgets.reset()
}

// recordOutput records one output message of u, with the effect that it has in a notebook
// (Jupyter messaging protocol 5.4, "Messages on the IOPub channel").
func (out *outputs) recordOutput(m *wire.Message, u *queuedExecution) {
	widget := out.widgets.taker(m.Parent.MsgID)
	out.keepForCell(m, u, widget)
	if m.Header.MsgType == "clear_output" {
		var c wire.ClearOutput
		if m.Decode(&c) == nil {
			if c.Wait {
				u.in(widget).clearNext = true
			} else {
				out.clear(u, widget)
			}
		}
		return
	}
	if m.Header.MsgType != "update_display_data" && u.in(widget).clearNext {
		out.clear(u, widget)
	}
	switch m.Header.MsgType {
	case "stream":
		var s wire.Stream
		if m.Decode(&s) == nil {
			out.write(u, widget, s.Name, s.Text)
		}
	case "error":
		var e wire.ErrorContent
		if m.Decode(&e) == nil {
			out.fail(u, widget, e)
		}
	case "execute_result":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			text := mimebundle.Text(d.Data, "text/plain")
			if text != "" && widget == "" {
				text, dropped := execution.Kept(text)
				if dropped > 0 {
					u.x.Truncate("result", dropped, "a result is kept up to 1 MiB; this much of its middle was dropped")
				}
				u.x.SetResult(text)
			}
			out.display(u, d, shownAs{widget: widget, result: true})
		}
	case "display_data", "update_display_data":
		var d wire.DisplayData
		if m.Decode(&d) == nil {
			out.display(u, d, shownAs{widget: widget, update: m.Header.MsgType == "update_display_data"})
		}
	}
}

// fail records an exception. In a widget, as in a callback of it, it is not the end of u.
func (out *outputs) fail(u *queuedExecution, widget string, e wire.ErrorContent) {
	failure := u.exception(e.Ename, e.Evalue, e.Traceback)
	out.add(u, outputlog.Entry{Kind: outputlog.Error, Widget: widget, Text: cmp.Or(failure.Traceback, failure.Message)})
	u.failure = failure
	if !u.phase.ended() { // for example, a restart first interrupts u, whose end is reported already
		u.x.Fail(failure)
	}
}

// add adds an entry to the outputs of u.
func (out *outputs) add(u *queuedExecution, e outputlog.Entry) {
	u.x.Add(e)
	out.dirty[u] = true
}

// write buffers text of a stream until the next flush. What a widget shows is not part of the
// cell's streams.
func (out *outputs) write(u *queuedExecution, widget, stream, text string) {
	if stream != "stderr" {
		stream = "stdout"
	} else if why := rateLimited(text); why != "" {
		u.x.Truncate("stdout", 0, why)
	}
	if text == "" {
		return
	}
	if widget != "" {
		u.x.PrintIn(widget, stream, text)
		out.dirty[u] = true
		return
	}
	if u.pending == nil {
		u.pending = make(map[string][]byte)
	}
	u.x.Print(stream, int64(len(u.pending[stream])))
	u.pending[stream] = append(u.pending[stream], text...)
	out.dirty[u] = true
	if len(u.pending[stream]) > 1<<20 {
		out.flush()
	}
}

// rateLimited returns the reason for a truncation if text is jupyter-server's notice that
// it dropped output, or "" otherwise
// (jupyter_server/services/kernels/connection/channels.py).
func rateLimited(text string) string {
	for _, notice := range []string{"IOPub data rate exceeded", "IOPub message rate exceeded"} {
		if strings.Contains(text, notice) {
			return "the Jupyter server dropped output: " + notice + " (its own limit; start it with --ZMQChannelsWebsocketConnection.limit_rate=False to lift it)"
		}
	}
	return ""
}

// flush writes pending pictures and text to the library and notifies of them.
func (out *outputs) flush() {
	out.storeImages()
	out.flushText()
}

// flushText writes pending text to the library and notifies of it.
func (out *outputs) flushText() {
	for u := range out.dirty {
		for _, stream := range []string{"stdout", "stderr"} {
			text := u.pending[stream]
			if len(text) == 0 {
				continue
			}
			out.journal.store(u, stream, text)
			u.pending[stream] = text[:0]
		}
		out.journal.storeLog(u)
		if u.phase.ended() {
			out.journal.keep(u) // a thread wrote it after the end
		}
		out.journal.notify(catalog.ExecutionOutput, u)
	}
	clear(out.dirty)
}
