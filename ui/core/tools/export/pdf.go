package export

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/redraw"
	"easel/ui/core/render"
	"easel/ui/core/render/browser"
	"easel/ui/core/render/page"
	"easel/ui/core/report"
	"easel/ui/core/tools/outfile"
)

// A Printer prints a document as PDF; a browser.Engine does.
type Printer interface {
	// Available returns nil, or a render.UnavailableError.
	Available() error
	Print(ctx context.Context, p browser.Print, to io.Writer) error
}

// Vector pictures in a PDF. A picture with more paths than that is slow to print and to
// show, so the bitmap replaces it.
const (
	mostVector  = 2 << 20  // bytes of one
	mostVectors = 64 << 20 // of all, which are kept in memory until the document is printed
	// mostWait is how long the stored figures of a document may take in all. Each session's take a kernel.
	mostWait = time.Minute
)

func (e *exporter) canPrint(context.Context, struct{}) (out command.CanPrintOut, err error) {
	if e.Printer == nil {
		out.Reason = "this Easel cannot print"
	} else if missing := e.Printer.Available(); missing != nil {
		out.Reason = missing.Error()
	}
	return out, nil
}

// exportPDF writes a report as PDF.
func (e *exporter) exportPDF(ctx context.Context, in command.ExportIn) (out command.ExportOut, err error) {
	if e.Printer == nil {
		return out, tool.Errorf(tool.Unsupported, "This Easel cannot print.")
	}
	p := &pdfPictures{e: e, silent: make(map[string]bool)}
	o := e.reportOptions(ctx, in)
	o.Interactive = false
	o.Print = &report.Print{Picture: p.picture, Paper: in.Paper, Appendix: in.Appendix, Title: in.Title}
	var text bytes.Buffer
	r, err := report.Write(ctx, &text, e.Library, nil, o)
	if err != nil {
		return out, err
	}
	out, err = outfile.Replace(in.To, func(w io.Writer) error {
		return e.Printer.Print(ctx, browser.Print{
			Page: text.Bytes(),
			File: func(name string) (page.Document, bool) { return p.file(ctx, name) },
		}, w)
	})
	out.Plots, out.Missing = r.Plots, r.Missing
	if unavailable, ok := errors.AsType[*render.UnavailableError](err); ok {
		err = &tool.Error{
			Code: tool.NotExecutable, Detail: "A PDF needs a browser: " + unavailable.Reason + ".",
			Hint: "To export a PDF, " + unavailable.Remedy + ".", Err: err,
		}
	}
	if failed, ok := errors.AsType[*browser.PrintError](err); ok {
		err = &tool.Error{
			Code: tool.NotExecutable, Detail: "The PDF was not made: " + failed.Reason + ".",
			Hint: "Export fewer plots at once, or an HTML report.", Err: err,
		}
	}
	return out, err
}

// pdfPictures provide the pictures of one document. The browser asks for the pictures after
// the document is written, so its methods are not called at the same time.
type pdfPictures struct {
	e       *exporter
	sources []source
	vectors int             // bytes of vector pictures
	silent  map[string]bool // sessions whose kernels have not drawn a figure
	waited  time.Duration   // for kernels that draw stored figures
}

// A source is where a picture comes from.
type source struct {
	id, mime string
	vector   []byte // instead; nil: a bitmap
}

// picture returns the address of the best picture of an image: the vector picture in which it
// was displayed or that its kernel draws, or else the bitmap.
func (p *pdfPictures) picture(ctx context.Context, im library.Image) string {
	s := source{id: im.ImageID, mime: im.MIMEType}
	if im.MIMEType != picture.SVG {
		if data := p.vector(ctx, im); len(data) > 0 && len(data) <= mostVector && p.vectors+len(data) <= mostVectors {
			s.mime, s.vector = picture.SVG, data
			p.vectors += len(data)
		}
	}
	p.sources = append(p.sources, s)
	return "picture/" + strconv.Itoa(len(p.sources)-1)
}

// vector returns an image as SVG; nil if that is impossible. A kernel that is busy or has
// ended is asked once, unless the figure is stored.
func (p *pdfPictures) vector(ctx context.Context, im library.Image) []byte {
	for _, f := range im.Forms {
		if strings.HasPrefix(f.MIME, picture.SVG) && f.Bytes <= mostVector {
			if data, err := p.e.Library.ReadForm(ctx, im, f.MIME); err == nil {
				return data
			}
		}
	}
	stored := im.Figure != nil && p.waited < mostWait
	if p.e.Redraw == nil || im.SessionID == "" || im.MIMEType != picture.PNG || len(im.Forms) > 1 || p.silent[im.SessionID] && !stored {
		return nil
	}
	began := time.Now()
	drawn, err := p.e.Redraw(ctx, im, redraw.Request{Format: redraw.SVG, Stored: stored})
	if stored {
		p.waited += time.Since(began)
	}
	if refused, ok := errors.AsType[*redraw.Error](err); ok {
		p.silent[im.SessionID] = slices.Contains([]redraw.Reason{redraw.Busy, redraw.Ended, redraw.Slow, redraw.Language}, refused.Reason)
	}
	if err != nil {
		return nil
	}
	return drawn.Data
}

// file returns what the document loads.
func (p *pdfPictures) file(ctx context.Context, name string) (d page.Document, ok bool) {
	if name == report.FontName {
		if len(p.e.Fonts) == 0 {
			return d, false
		}
		data, err := os.ReadFile(p.e.Fonts[0])
		return page.Document{Type: "font/otf", Body: data}, err == nil
	}
	number, is := strings.CutPrefix(name, "picture/")
	i, err := strconv.Atoi(number)
	if !is || err != nil || i < 0 || i >= len(p.sources) {
		return d, false
	}
	s := p.sources[i]
	if s.vector != nil {
		return page.Document{Type: s.mime, Body: s.vector}, true
	}
	data, _, err := p.e.Library.Read(ctx, s.id)
	return page.Document{Type: s.mime, Body: data}, err == nil
}
