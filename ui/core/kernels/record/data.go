package record

import (
	"errors"
	"fmt"

	"easel/jupyter/wire"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
	outputfile "easel/ui/core/library/output"
	"easel/ui/core/mimebundle"
)

// keepData stores the data of a display that is neither a picture nor a figure. If Easel
// cannot show it, it adds a note to the execution.
func (out *outputs) keepData(u *queuedExecution, d wire.DisplayData) {
	size := mimebundle.RichSize(d.Data)
	if size == 0 || u.displaysFull {
		return
	}
	text, _ := mimebundle.Displayed(d.Data)
	if kind, ok := mimebundle.Unrendered(d.Data); ok && (text == "" || text == mimebundle.Text(d.Data, "text/plain")) &&
		!out.widgets.quiet(widgetIn(d)) {
		u.x.Truncate("images", size, fmt.Sprintf("%s was shown; it has no picture here: %s. Its data is kept", kind.Name, kind.Remedy()))
	}
	line, err := execution.DisplayJSON(d)
	if err == nil {
		err = out.journal.env.Library.Output.Append(out.journal.keeping(), u.x.ID(), outputfile.Displays, append(line, '\n'))
	}
	u.displaysFull = errors.Is(err, outputfile.ErrLimit)
	if err != nil {
		u.x.Truncate("displays", size, storageReason(err))
		out.journal.log.Error("storing a display", "err", err)
	}
}

// libraryForms converts the forms of a display to those of the library.
func libraryForms(forms []mimebundle.Form) []library.Form {
	fs := make([]library.Form, len(forms))
	for i, f := range forms {
		fs[i] = library.Form(f)
	}
	return fs
}

// keepForCell adds an output message of u to the outputs of its cell, as nbclient does. A
// message with a known display_id also updates the displays with that id, including those
// in the cells of earlier executions. What an Output widget shows is not an output of the cell.
func (out *outputs) keepForCell(m *wire.Message, u *queuedExecution, widget string) {
	if !u.x.Cell().Kept() && (m.Header.MsgType == "stream" || out.ledger.cells == 0) {
		return // avoids decoding; this is the usual case
	}
	var c wire.ClearOutput
	o, ok := execution.DecodeCellOutput(m)
	if ok {
		for other := range out.ledger.all() {
			other.x.Cell().Update(o)
		}
	}
	switch {
	case widget != "":
	case m.Header.MsgType == "clear_output":
		if m.Decode(&c) == nil {
			u.x.Cell().Clear(c.Wait)
		}
	case ok && m.Header.MsgType != "update_display_data":
		u.x.Cell().Add(o)
	}
}
