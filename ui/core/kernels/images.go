package kernels

import (
	"errors"
	"fmt"

	"easel/jupyter/wire"
	"easel/ui/core/library"
	outputfile "easel/ui/core/library/output"
	"easel/ui/core/mimebundle"
)

// keepData stores the data of a display that is neither a picture nor a figure. If Easel
// cannot show it, it adds a note to the execution.
func (r *recorder) keepData(u *run, d wire.DisplayData) {
	size := mimebundle.RichSize(d.Data)
	if size == 0 || u.displaysFull {
		return
	}
	text, _ := mimebundle.Displayed(d.Data)
	if kind, ok := mimebundle.Unrendered(d.Data); ok && (text == "" || text == mimebundle.Text(d.Data, "text/plain")) && !r.widgets.quiet(widgetIn(d)) {
		u.x.Truncate("images", size, fmt.Sprintf("%s was shown; it has no picture here: %s. Its data is kept", kind.Name, kind.Remedy()))
	}
	line, err := DisplayJSON(d)
	if err == nil {
		err = r.env.cfg.Library.Output.Append(r.keeping(), u.x.ID(), outputfile.Displays, append(line, '\n'))
	}
	u.displaysFull = errors.Is(err, outputfile.ErrLimit)
	if err != nil {
		u.x.Truncate("displays", size, storageReason(err))
		r.log.Error("storing a display", "err", err)
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

// numbered returns the description of the plot with the 0-based index n in its execution.
// of is the number of plots, or 0 while more may come. Without "in this run", the number
// could be taken for the plot's number in its session, which the window shows.
func numbered(n, of int) string {
	if of > 1 {
		return fmt.Sprintf("Plot %d of %d in this run", n+1, of)
	}
	return fmt.Sprintf("Plot %d in this run", n+1)
}
