package browser

import (
	"context"
	"errors"
	"io"

	devio "github.com/chromedp/cdproto/io"
	devpage "github.com/chromedp/cdproto/page"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

// pdfPart is the size of the parts in which a PDF is read, in bytes.
const pdfPart = 1 << 20

// A Print is a document to print. It is Easel's, not a figure, but has the same isolation.
type Print struct {
	Page []byte // HTML without scripts; its style has the size and margins of the paper
	// File returns what Page loads, by its address relative to the page. It is called on
	// another goroutine, and delays the browser.
	File func(name string) (page.Document, bool)
}

// Print prints a document as a tagged PDF with bookmarks for its headings, and writes it to
// to. The errors are those of Draw, and to's.
func (e *Engine) Print(ctx context.Context, p Print, to io.Writer) error {
	if err := e.Available(); err != nil {
		return err
	}
	if err := e.begin(ctx); err != nil {
		return err
	}
	defer func() { go e.tidy(0) }()
	ctx, end := e.untilClosed(ctx)
	defer end()
	if err := e.running(ctx); err != nil {
		return cause(ctx, err)
	}
	f := newFigure(page.Page{Document: page.Document{Type: "text/html; charset=utf-8", Body: p.Page}}, e.open)
	f.file = p.File
	out := &destination{Writer: to}
	err := e.limited(ctx, func(ctx context.Context) error {
		t, err := e.tabs.take(ctx, e.browser, f)
		if err != nil {
			return cause(ctx, err)
		}
		return t.use(ctx, f, func(s session) error { return printIn(s, f, out) })
	})
	switch {
	case err == nil:
		return nil
	case out.err != nil:
		return out.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return printVerdict(err)
}

// printVerdict converts an error to one that says that a document was not printed.
func printVerdict(err error) error {
	if refused, ok := errors.AsType[*render.RefusedError](err); ok {
		return &PrintError{Reason: refused.Reason}
	}
	if _, ok := errors.AsType[*render.UnavailableError](err); ok {
		return err
	}
	return &PrintError{Reason: "the browser reports: " + err.Error()}
}

// A PrintError says why a document was not printed.
type PrintError struct{ Reason string }

func (e *PrintError) Error() string { return "the document cannot be printed: " + e.Reason }

// A destination keeps the error of its Writer.
type destination struct {
	io.Writer
	err error
}

func (d *destination) Write(p []byte) (int, error) {
	n, err := d.Writer.Write(p)
	if err != nil {
		d.err = err
	}
	return n, err
}

// printIn prints a document in a tab.
func printIn(s session, f *figure, to io.Writer) error {
	if _, err := call(s, devpage.Navigate, devpage.NavigateParams{URL: origin}); err != nil {
		return err
	}
	select {
	case <-f.loaded: // with all pictures
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	printed, err := call(s, devpage.PrintToPDF, devpage.PrintToPDFParams{
		PreferCSSPageSize: new(true), PrintBackground: new(true), GenerateTaggedPDF: new(true), GenerateDocumentOutline: new(true),
		TransferMode: devpage.PrintToPDFTransferModeReturnAsStream,
	})
	if err != nil {
		return err
	}
	return copyStream(s, printed.Stream, to)
}

// copyStream copies a stream of binary data of the browser and closes it.
func copyStream(s session, id devio.StreamHandle, to io.Writer) error {
	for {
		part, err := call(s, devio.Read, devio.ReadParams{Handle: id, Size: pdfPart})
		if err != nil {
			return err
		}
		if _, err := to.Write(part.Data); err != nil {
			return err
		}
		if part.EOF {
			return do(s, devio.Close, devio.CloseParams{Handle: id})
		}
	}
}
