// Package interactive opens figures of the library in the user's browser, where they can be
// zoomed, turned and pointed at. The browser reads the page of a figure with a ticket, which is
// good for one image, once, and for a minute.
//
// The page needs no network: its libraries are in it. It is Easel's, with the figure in a frame.
// What isolates both are the headers that the host sends with it.
//
// # Goroutines
//
// There are none. An Opener may be used on any goroutine.
package interactive

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

// ErrPicture is the error of opening an image that has no interactive figure.
var ErrPicture = errors.New("interactive: the image has no interactive figure")

// Has tells whether an image has a figure that can be opened: data that a browser draws. A
// widget talks to its kernel, and shows nothing without.
func Has(im library.Image) bool { return !im.Broken && len(forms(im)) > 0 }

// forms are the data of a figure that have a page, the best first.
func forms(im library.Image) []library.StoredForm {
	if im.Interactive == picture.Widget || im.SessionID == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(im.Forms), func(f library.StoredForm) bool { return !page.HasLive(f.MIME) })
}

// Library is what an Opener reads figures from.
type Library interface {
	Image(ctx context.Context, idOrURI string) (library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	Session(ctx context.Context, id string) (library.Session, error)
}

// Words are the texts of the pages, in the user's language.
type Words struct {
	Lang     string // as in HTML
	Untitled string // a figure's title if it has none
	Origin   string // says that the page is Easel's and offline
	Blocked  string // label of the list of what was not loaded
	Missing  string // says that libraries are missing, before their names
	Failed   string // says that the figure was not drawn, before the reason
	Used     string // says that the ticket is void
	Again    string // says what to do then
}

// Config is what an Opener needs.
type Config struct {
	Library   Library
	Libraries *page.Libraries
	Words     func() Words     // may be nil
	Now       func() time.Time // nil: time.Now
}

// An Opener opens figures.
type Opener struct {
	cfg     Config
	tickets tickets
}

// New makes an Opener.
func New(cfg Config) *Opener {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Words == nil {
		cfg.Words = func() Words { return Words{Lang: "en"} }
	}
	return &Opener{cfg: cfg, tickets: tickets{now: cfg.Now}}
}

// Issue makes a ticket for an image. The error is [ErrPicture] or the library's.
func (o *Opener) Issue(ctx context.Context, idOrURI string) (ticket string, err error) {
	im, err := o.cfg.Library.Image(ctx, idOrURI)
	if err != nil {
		return "", err
	}
	if !Has(im) {
		return "", ErrPicture
	}
	return o.tickets.issue(im.ImageID), nil
}

// Redeem takes a ticket and gives the page for it. If the ticket is void, or the figure cannot be
// shown any more, that is a page that says so, and not ok.
func (o *Opener) Redeem(ctx context.Context, ticket string) (html []byte, ok bool, err error) {
	words := o.cfg.Words()
	id, ok := o.tickets.redeem(ticket)
	if !ok {
		html, err = fill(notePage, note{words, words.Used, words.Again})
		return html, false, err
	}
	f, err := o.figure(ctx, id)
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if err != nil {
		html, err = fill(notePage, note{words, words.Failed, err.Error()})
		return html, false, err
	}
	f.Words = words
	f.Title = cmp.Or(f.Title, words.Untitled)
	html, err = fill(figurePage, f)
	return html, true, err
}

// A figure is what the page of one shows.
type figure struct {
	Words          Words
	Title, Session string
	Missing        []string // libraries
	HTML           string   // the page in the frame
}

// figure reads an image's figure and makes its page.
func (o *Opener) figure(ctx context.Context, id string) (figure, error) {
	im, err := o.cfg.Library.Image(ctx, id)
	if err != nil {
		return figure{}, err
	}
	text, missing, err := o.page(ctx, im)
	if err != nil {
		return figure{}, err
	}
	f := figure{Title: im.Title, HTML: string(text)}
	if s, err := o.cfg.Library.Session(ctx, im.SessionID); err == nil {
		f.Session = cmp.Or(s.Name, s.NotebookPath, s.KernelName)
	}
	for _, address := range missing {
		if !strings.Contains(address, "/") { // a library that the figure's page is made for
			f.Missing = append(f.Missing, address)
		}
	}
	return f, nil
}

// page makes the page of an image's figure, from the first of its forms that has one.
func (o *Opener) page(ctx context.Context, im library.Image) (text []byte, missing []string, err error) {
	all := forms(im)
	for i, f := range all {
		data, e := o.cfg.Library.ReadForm(ctx, im, f.MIME)
		if e != nil {
			err = cmp.Or(err, e)
			continue
		}
		mime := f.MIME
		if vega, spec, ok := mimebundle.VegaSpec(data); mime == "text/html" && ok {
			mime, data = vega, spec // the page of Altair's loads its libraries by a script
		}
		if i < len(all)-1 && mime == "text/html" && !bytes.Contains(bytes.ToLower(data), []byte("<script")) {
			continue // the place for the script that follows, which makes its own
		}
		if text, missing, e = o.cfg.Libraries.Live(mime, data); e == nil {
			return text, missing, nil
		}
		err = cmp.Or(err, e)
	}
	return nil, nil, cmp.Or(err, error(&render.RefusedError{Reason: "it has no data"}))
}

// A note is what the page shows that stands in for a figure's.
type note struct {
	Words      Words
	Head, Text string
}

var (
	//go:embed pages/figure.html
	figureSource string
	//go:embed pages/note.html
	noteSource string
	//go:embed pages/style.css
	style string

	figurePage = template.Must(template.New("figure").Funcs(parts).Parse(figureSource))
	notePage   = template.Must(template.New("note").Funcs(parts).Parse(noteSource))
	parts      = template.FuncMap{"style": func() template.CSS { return template.CSS(style) }} //nolint:gosec // it is our own
)

func fill(t *template.Template, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("making the page %s: %w", t.Name(), err)
	}
	return b.Bytes(), nil
}
