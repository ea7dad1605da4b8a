package record

import (
	"encoding/json"

	"easel/jupyter/wire"
	"easel/ui/core/outputlog"
)

// A scope is a place of outputs that is cleared by itself: the cell, or an Output widget.
type scope struct {
	clearNext bool     // clear_output(wait=True) was received
	cleared   []string // URIs of cleared images, which the next images replace
}

// in returns the scope of an Output widget, or that of the cell if widget is "".
func (u *queuedExecution) in(widget string) *scope {
	s := u.scopes[widget]
	if s == nil {
		if u.scopes == nil {
			u.scopes = make(map[string]*scope)
		}
		s = new(scope)
		u.scopes[widget] = s
	}
	return s
}

// clear removes the outputs of u so far in a widget, or in the cell if widget is "", as
// clear_output requires. Their images stay in the library, and the next images there become
// new versions of them.
func (out *outputs) clear(u *queuedExecution, widget string) {
	out.storeImages()
	s := u.in(widget)
	s.clearNext = false
	if widget == "" {
		out.flushText()
		for _, stream := range []string{"stdout", "stderr"} {
			if err := out.journal.env.Library.Output.Replace(out.journal.keeping(), u.x.ID(), stream, nil); err != nil {
				out.journal.log.Error("clearing output", "err", err)
			}
		}
	}
	s.cleared = append(s.cleared, u.x.Clear(widget)...)
	out.dirty[u] = true
}

// recordComm handles a message about a widget. What the kernel itself puts into an Output widget
// replaces what the widget shows, or is added to it.
func (out *outputs) recordComm(m *wire.Message, u *queuedExecution) {
	widget, outputs, all := out.widgets.record(m)
	if widget == "" || u == nil {
		return
	}
	if all {
		out.clear(u, widget)
	}
	for _, raw := range outputs {
		var o struct {
			Kind string          `json:"output_type"`
			Name string          `json:"name"`
			Text json.RawMessage `json:"text"`
			wire.ErrorContent
		}
		if json.Unmarshal(raw, &o) != nil {
			continue
		}
		switch o.Kind {
		case "stream":
			if text, err := wire.Text(o.Text); err == nil {
				out.write(u, widget, o.Name, text)
			}
		case "error":
			failure := executionError(o.Ename, o.Evalue, o.Traceback)
			out.add(u, outputlog.Entry{Kind: outputlog.Error, Widget: widget, Text: failure.Traceback})
		case "display_data", "execute_result":
			var d wire.DisplayData
			if (&wire.Message{Content: raw}).Decode(&d) == nil {
				out.display(u, d, shownAs{widget: widget})
			}
		}
	}
}
