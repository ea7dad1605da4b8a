// Package interactive opens figures of the library in the user's browser, where they can be
// zoomed, rotated and hovered over. The browser reads the page of a figure with a ticket, which
// is valid for one image, once, and for a minute.
//
// The page contains its libraries and works offline. It shows the figure in a frame. The
// headers that the host sends with it isolate both.
//
// # Goroutines
//
// The package starts none. An Opener can be used on any goroutine.
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
	"easel/ui/core/render/page"
	"easel/ui/core/sessionname"
)

// ErrPicture is the error of opening an image that has no interactive figure.
var ErrPicture = errors.New("interactive: the image has no interactive figure")

// Has reports whether an image has a figure that can be opened: data that a browser draws. A
// widget has none, because it needs its kernel.
func Has(im library.Image) bool { return !im.Broken && len(forms(im)) > 0 }

// forms returns the forms of an image that have a page, best first.
func forms(im library.Image) []library.StoredForm {
	if im.Interactive == picture.Widget || im.SessionID == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(im.Forms), func(f library.StoredForm) bool { return !page.HasLive(f.MIME) })
}

// Library is the part of the library that an Opener uses.
type Library interface {
	Forms
	Image(ctx context.Context, idOrURI string) (library.Image, error)
}

// Words are the texts of the pages, in the user's language.
type Words struct {
	Lang     string // as in HTML
	Untitled string // a figure's title if it has none
	Origin   string // says that the page is from Easel and offline
	Blocked  string // the label of the list of what was not loaded
	Missing  string // the label of the list of libraries that were not found
	Start    string // says how to get them
	Failed   string // says that the figure could not be shown; the reason follows
	Used     string // says that the ticket is void
	Again    string // says what to do about it
}

// Config is what an Opener needs.
type Config struct {
	Library Library
	Session func(ctx context.Context, id string) (library.Session, error)
	Pages   Pages
	Words   func() Words     // may be nil
	Now     func() time.Time // nil: time.Now
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

// Issue returns a ticket for an image. The error is [ErrPicture] or the library's.
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

// Redeem makes a ticket void and returns the page of its figure. If the ticket was void, or the
// figure cannot be shown, ok is false and the page says so.
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

// A figure is what the template shows of a figure.
type figure struct {
	Words          Words
	Title, Session string
	Missing        []string // libraries
	HTML           string   // of the frame
}

// figure reads an image and returns what the template shows.
func (o *Opener) figure(ctx context.Context, id string) (figure, error) {
	im, err := o.cfg.Library.Image(ctx, id)
	if err != nil {
		return figure{}, err
	}
	text, missing, err := Page(ctx, o.cfg.Library, o.cfg.Pages, im)
	if err != nil {
		return figure{}, err
	}
	f := figure{Title: im.Title, HTML: string(text)}
	if s, err := o.cfg.Session(ctx, im.SessionID); err == nil {
		f.Session = sessionname.Of(s.Named())
	}
	for _, address := range missing {
		if !strings.Contains(address, "/") { // a library of ours; the page itself lists the others
			f.Missing = append(f.Missing, address)
		}
	}
	return f, nil
}

// Forms reads the data of images.
type Forms interface {
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
}

// Pages makes pages of figures that work offline; [page.Libraries] does.
type Pages interface {
	Live(mime string, data []byte) (text []byte, missing []string, err error)
}

// Page returns the page of an image's figure, from the first of its forms that can be converted,
// and the addresses that the page does not get. If the image has no figure, the error is
// [ErrPicture].
func Page(ctx context.Context, lib Forms, pages Pages, im library.Image) (text []byte, missing []string, err error) {
	all := forms(im)
	for i, f := range all {
		data, e := lib.ReadForm(ctx, im, f.MIME)
		if e != nil {
			err = cmp.Or(err, e)
			continue
		}
		mime, isHTML := f.MIME, f.MIME == "text/html"
		if vega, spec, ok := mimebundle.VegaSpec(data); isHTML && ok {
			mime, data = vega, spec // our page contains the libraries once
		}
		if isHTML && i < len(all)-1 && !bytes.Contains(bytes.ToLower(data), []byte("<script")) {
			continue // only the element for the script that follows, which has its own
		}
		if text, missing, e = pages.Live(mime, data); e == nil {
			return text, missing, nil
		}
		err = cmp.Or(err, e)
	}
	return nil, nil, cmp.Or(err, ErrPicture)
}

// A note is what the template shows instead of a figure.
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
