// Package report writes plots to one HTML file that needs no other file and no network. It
// contains the pictures with their titles, notes, tags and code. Figures stay interactive.
//
// # Goroutines
//
// The package starts none. Write runs on its caller's goroutine.
package report

import (
	"bufio"
	"cmp"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
	"unicode"

	"easel/ui/core/interactive"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

// Library is the part of the library that reports use.
type Library interface {
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
}

// Pages makes pages of figures that work offline.
type Pages = interactive.Pages

// Options describe a report.
type Options struct {
	Title       string
	IDs         []string // of the images, in order
	Language    string   // en or ja
	Code        bool     // include the code that drew each plot
	Notes       bool     // include notes, tags and stars
	Timings     bool     // include when each plot was drawn, and how long its code ran
	Interactive bool     // include the data of figures, so that they are interactive
	Print       *Print   // a document to print, instead of a page for a browser; nil: no
	Now         time.Time
	// Name returns the name of an image without a title. If nil, it is the image's id.
	Name func(library.Image) string
	// Session returns the name of a session. If nil, it is the session's id.
	Session func(id string) string
	// Ran returns how long the code of an image ran, 0 if unknown. May be nil.
	Ran func(library.Image) time.Duration
	// Environment returns what an image was drawn in, in a few words; "" if unknown. May be nil.
	Environment func(library.Image) string
	// Values returns the values that an image shows as CSV, or nil, and whether it is only a sample. May be nil.
	Values func(ctx context.Context, im library.Image) (csv []byte, sample bool)
	// Progress, if not nil, is called after each plot.
	Progress func(done, total int)
}

// A Result says what a report contains.
type Result struct {
	Plots       int
	Interactive int      // of Plots
	Missing     []string // titles of images that have been deleted or could not be read
}

//go:embed pages
var pages embed.FS

var parts = template.Must(template.New("").ParseFS(pages, "pages/*.html"))

// A plot is what the template shows of an image.
type plot struct {
	N                                  int
	Title, Note, Code, Made, Ran, From string
	Environment                        string
	Tags                               []string
	Stars                              string
	Picture                            template.URL // data; empty if it has none
	Width                              int          // CSS pixels; 0: as large as the picture
	Figure                             template.JS  // JSON string of the interactive page; empty if there is none
	Missing                            string       // addresses that the interactive figure does not get
	Data                               template.URL // the values as CSV; empty if there are none
	DataFile, DataNote                 string       // name of their file, and what is to be said of them
	Text                               *words
}

// Write writes a report. If figures is nil, no figure is interactive. Images that have been
// deleted or cannot be read are listed in Result.Missing. Write returns an error if writing
// fails, ctx ends, or no image is left.
func Write(ctx context.Context, to io.Writer, lib Library, figures Pages, o Options) (Result, error) {
	var r Result
	text := wordsOf(o.Language)
	if o.Name == nil {
		o.Name = func(im library.Image) string { return im.ImageID }
	}
	if o.Session == nil {
		o.Session = func(id string) string { return id }
	}
	o.Title = OneLine(o.Title)
	w := bufio.NewWriterSize(to, 1<<20)
	style, err := styleOf(o.Print)
	if err != nil {
		return r, err
	}
	head := map[string]any{
		"Title": o.Title, "Language": text.Language, "Style": style, "Print": o.Print != nil, "Made": o.Now.Format("2006-01-02 15:04"),
		"Count": len(o.IDs), "Text": text,
	}
	if err := parts.ExecuteTemplate(w, "head.html", head); err != nil {
		return r, err
	}
	codes, err := r.plots(ctx, w, lib, figures, text, o)
	if err != nil {
		return r, err
	}
	if r.Plots == 0 {
		return r, fmt.Errorf("report: %w: none of %d plots can be read", library.ErrNotFound, len(o.IDs))
	}
	if len(codes) > 0 {
		if err := parts.ExecuteTemplate(w, "appendix.html", map[string]any{"Plots": codes, "Text": text}); err != nil {
			return r, err
		}
	}
	var script []byte
	if o.Print == nil {
		if script, err = pages.ReadFile("pages/report.js"); err != nil {
			return r, err
		}
	}
	if err := parts.ExecuteTemplate(w, "foot.html", map[string]any{"Script": template.JS(script), "Text": text, "Missing": r.Missing}); err != nil { //nolint:gosec // ours
		return r, err
	}
	return r, w.Flush()
}

// plots writes the plots and counts them. It returns those whose code goes into the appendix.
func (r *Result) plots(ctx context.Context, w *bufio.Writer, lib Library, figures Pages, text *words, o Options) (codes []plot, err error) {
	shared := newShelf(w)
	for i, id := range o.IDs {
		p, err := read(ctx, lib, figures, shared, id, o)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			r.Missing = append(r.Missing, cmp.Or(p.Title, id))
		default:
			r.Plots++
			p.N, p.Text = r.Plots, text
			if p.Figure != "" {
				r.Interactive++
			}
			if o.Print != nil && o.Print.Appendix && p.Code != "" {
				codes = append(codes, plot{N: p.N, Title: p.Title, Code: p.Code})
				p.Code = ""
			}
			if err := parts.ExecuteTemplate(w, o.Print.plot(), p); err != nil {
				return nil, err
			}
		}
		if o.Progress != nil {
			o.Progress(i+1, len(o.IDs))
		}
	}
	return codes, nil
}

// read reads what a report shows of an image.
func read(ctx context.Context, lib Library, figures Pages, shared *shelf, id string, o Options) (p plot, err error) {
	images, err := lib.Get(ctx, id)
	if err != nil {
		return p, err
	}
	if len(images) == 0 {
		return p, library.ErrNotFound
	}
	im := images[0]
	p = plot{Title: OneLine(cmp.Or(im.Title, o.Name(im)))}
	if o.Notes {
		p.Note, p.Stars = im.Note, strings.Repeat("★", im.Rating)
		for _, tag := range im.Tags {
			p.Tags = append(p.Tags, OneLine(tag))
		}
	}
	if o.Timings {
		p.Made = im.CreatedAt.Local().Format("2006-01-02 15:04:05")
		if o.Ran != nil {
			p.Ran = duration(o.Ran(im))
		}
	}
	if im.SessionID != "" {
		p.From = OneLine(o.Session(im.SessionID))
	}
	if o.Code {
		p.Code = strings.TrimRight(im.Code, "\n")
		if o.Environment != nil {
			p.Environment = OneLine(o.Environment(im))
		}
	}
	data, _, err := lib.Read(ctx, id)
	if err != nil {
		return p, err
	}
	if shown(im.MIMEType) && o.Print != nil {
		p.Picture = template.URL(o.Print.Picture(ctx, im)) //nolint:gosec // ours
	} else if shown(im.MIMEType) {
		p.Picture = template.URL("data:" + im.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(data)) //nolint:gosec // a picture
	}
	if p.Picture != "" {
		p.Width = im.Width
		if drawn(im) {
			p.Width /= 2 // Easel draws figures at twice the density
		}
	}
	if o.Values != nil && o.Print == nil {
		p.addData(ctx, im, o)
	}
	if o.Interactive && figures != nil {
		if err := p.addFigure(ctx, lib, figures, shared, im); err != nil {
			return p, err
		}
	}
	return p, nil
}

// OneLine returns a name for a line of text: in one line, and without what changes the direction of text, which
// would also change the rest of the line.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
}

// mostData is how many bytes of values of one plot a report contains.
const mostData = 2 << 20

// addData adds the values that a plot shows, unless there are too many.
func (p *plot) addData(ctx context.Context, im library.Image, o Options) {
	data, sample := o.Values(ctx, im)
	text := wordsOf(o.Language)
	switch {
	case data == nil:
	case len(data) > mostData:
		p.DataNote = text.LargeData
	default:
		p.Data = template.URL("data:text/csv;charset=utf-8;base64," + base64.StdEncoding.EncodeToString(data)) //nolint:gosec // base64 cannot leave the attribute
		p.DataFile = p.Title + ".csv"
		if sample {
			p.DataNote = text.Sample
		}
	}
}

// duration returns a duration in at most three digits; empty for 0.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// shown reports whether browsers show a type as a picture.
func shown(mime string) bool {
	switch mime {
	case picture.PNG, picture.JPEG, picture.GIF, picture.WebP, picture.SVG:
		return true
	}
	return false
}

// drawn reports whether Easel drew the picture of an image.
func drawn(im library.Image) bool {
	return im.MIMEType == picture.PNG && len(im.Forms) > 1 && strings.Contains(im.Description, "drawn by Easel")
}

// addFigure adds the interactive page of a figure, if it has one.
func (p *plot) addFigure(ctx context.Context, lib Library, figures Pages, shared *shelf, im library.Image) error {
	text, missing, err := interactive.Page(ctx, lib, figures, im)
	_, refused := errors.AsType[*render.RefusedError](err)
	switch {
	case refused || errors.Is(err, interactive.ErrPicture) || errors.Is(err, library.ErrNotFound) || errors.Is(err, library.ErrDamaged):
		return nil // the picture remains
	case err != nil:
		return err
	}
	if text, err = shared.take(text); err != nil {
		return err
	}
	figure, err := json.Marshal(string(text)) // escapes "<", which could end the script
	if err != nil {
		return err
	}
	p.Figure, p.Missing = template.JS(figure), strings.Join(missing, ", ") //nolint:gosec // JSON
	return nil
}
