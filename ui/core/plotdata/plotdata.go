// Package plotdata knows what the plots of the library show in numbers: what their kernels have said of them,
// or what the data of an interactive figure says.
//
// # Goroutines
//
// A Reader may be used by several goroutines. It keeps short texts in memory, and no values.
package plotdata

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"easel/mcphost/catalog"
	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
	"easel/ui/core/facts/figures"
	"easel/ui/core/facts/table"
	"easel/ui/core/facts/words"
	"easel/ui/core/library"
)

// Images is the library.
type Images interface {
	ReadFacts(ctx context.Context, im library.Image) ([]byte, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
}

// mostKept is how many texts a Reader keeps, and mostData how large the data of an interactive figure may be.
const (
	mostKept = 512
	mostData = 16 << 20
)

// A Reader reads what plots show.
type Reader struct {
	Images Images
	// On reports whether a check is on; nil: all are.
	On func(checks.Check) bool
	// All returns all values of a plot, as facts.ReadAll reads them, if its kernel has the figure or it is stored. May
	// be nil.
	All func(ctx context.Context, im library.Image) ([]byte, error)
	Log *slog.Logger // of checks that fail; may be nil

	mu       sync.Mutex
	searches map[string]*search // by the image's id
	brief    map[text]string
}

// A text names a text by what it depends on.
type text struct{ image, judged, off string }

func (r *Reader) text(im library.Image) text {
	t := text{image: source(im), judged: strings.Join(im.Judged, "\n")}
	for _, c := range checks.All {
		if r.On != nil && !r.On(c) {
			t.off += string(c) + "\n"
		}
	}
	return t
}

// source names what of a plot is read. The facts of a chart come with its drawing, after the plot.
func source(im library.Image) string {
	if im.Facts == nil {
		return im.ImageID
	}
	return im.ImageID + " " + im.Facts.Path
}

// errLater means that what a plot shows could not be read now.
var errLater = errors.New("the plot can be read another time")

// Figure returns what a plot shows. ok is false if that is not known.
func (r *Reader) Figure(ctx context.Context, im library.Image) (f facts.Figure, ok bool) {
	f, err := r.figure(ctx, im)
	return f, err == nil
}

// figure returns what a plot shows. The error is errLater if that can be read another time.
func (r *Reader) figure(ctx context.Context, im library.Image) (facts.Figure, error) {
	if im.Facts != nil {
		data, err := r.Images.ReadFacts(ctx, im)
		if err != nil && !errors.Is(err, library.ErrNotFound) && !errors.Is(err, library.ErrDamaged) {
			return facts.Figure{}, fmt.Errorf("%w: %w", errLater, err)
		}
		if f, ok := facts.Read(data); err == nil && ok {
			f.Shrunk = min(1, catalog.InlineEdge/float64(max(1, im.Width, im.Height)))
			return f, nil
		}
		return facts.Figure{}, library.ErrNotFound
	}
	for _, form := range im.Forms {
		if form.Bytes > mostData || !figures.Reads(form.MIME) {
			continue
		}
		data, err := r.Images.ReadForm(ctx, im, form.MIME)
		if err != nil {
			continue
		}
		if f, ok := figures.Read(form.MIME, data); ok {
			return f, nil
		}
	}
	return facts.Figure{}, library.ErrNotFound
}

// Brief returns the text beside the picture of a plot, or "" if nothing is known of it.
func (r *Reader) Brief(ctx context.Context, im library.Image) string {
	key := r.text(im)
	if said, known := r.known(key); known {
		return said
	}
	one := r.searchOf(source(im))
	one.reading.Lock() // a result and the counter ask at the same time, and one of them reads the plot
	defer one.reading.Unlock()
	said, known := r.known(key)
	if known {
		return said
	}
	f, err := r.figure(ctx, im)
	if errors.Is(err, errLater) || ctx.Err() != nil {
		return ""
	}
	if err == nil {
		v, found := r.verdict(im), r.find(source(im), f)
		said = words.Brief(f, v.said(f, found, false), v.silent(found))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.brief == nil || len(r.brief) >= mostKept {
		r.brief = make(map[text]string)
	}
	r.brief[key] = said
	return said
}

func (r *Reader) known(t text) (said string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	said, ok = r.brief[t]
	return said, ok
}

// Whole returns all that is to be said of a plot, and how to get its values.
func (r *Reader) Whole(ctx context.Context, im library.Image) string {
	f, ok := r.Figure(ctx, im)
	if !ok {
		return ""
	}
	v, found := r.verdict(im), r.find(source(im), f)
	said := words.Whole(f, v.said(f, found, true), v.silent(found))
	if judged := v.dismissals(f, found); judged != "" {
		said = strings.TrimSpace(said + " " + judged)
	}
	if said == "" {
		return ""
	}
	return said + " All values: " + DataURI(im)
}

// CSV returns the values of a plot as CSV, and whether it has only a sample of them. data is nil if they are
// not known. Of a plot with more values than are stored, or with none, it asks for all of its figure.
func (r *Reader) CSV(ctx context.Context, im library.Image) (data []byte, sample bool) {
	f, ok := r.Figure(ctx, im)
	if (!ok || table.Sampled(f)) && r.All != nil {
		if raw, err := r.All(ctx, im); err == nil {
			if all, read := facts.ReadAll(raw); read {
				f, ok = all, true
			}
		}
	}
	if !ok {
		return nil, false
	}
	return table.CSV(f), table.Sampled(f)
}

// StoredCSV returns what CSV returns, without asking a kernel.
func (r *Reader) StoredCSV(ctx context.Context, im library.Image) (data []byte, sample bool) {
	f, ok := r.Figure(ctx, im)
	if !ok {
		return nil, false
	}
	return table.CSV(f), table.Sampled(f)
}

// Knows reports whether the values of a plot may be known. It reads nothing.
func Knows(im library.Image) bool {
	return im.Facts != nil || im.Figure != nil || slices.ContainsFunc(im.Forms, func(f library.StoredForm) bool {
		return f.Bytes <= mostData && figures.Reads(f.MIME)
	})
}

// DataURI returns the URI of the values of a plot.
func DataURI(im library.Image) string {
	base, _, _ := strings.Cut(im.ResourceURI, im.ImageID+".")
	return base + im.ImageID + catalog.PlotDataSuffix
}

// ParseDataURI returns the plot whose values a URI names.
func ParseDataURI(uri string) (image string, ok bool) {
	rest, ok := strings.CutSuffix(uri, catalog.PlotDataSuffix)
	return rest[strings.LastIndex(rest, "/")+1:], ok
}
