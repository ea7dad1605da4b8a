package export

import (
	"context"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/dialogs"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

const (
	previewEdge   = 640                    // pixels of the preview's longer side
	previewPause  = 300 * time.Millisecond // after a change, before the preview is drawn
	printDPI      = 300                    // of a new export
	previewWidth  = 344
	previewHeight = 292
)

// The units of a size, with how many of them are an inch. Pixels depend on the density.
var units = []struct {
	name string
	inch float64
}{{"px", 0}, {"mm", 25.4}, {"in", 1}}

// A redrawer is the dialog that draws a plot again for a file.
//
// Invariants: at most one preview is being drawn, since a kernel draws one after the other;
// stale is set while what is drawn or shown is not what the fields say.
type redrawer struct {
	e  *Exporter
	k  *kit.Kit
	im library.Image

	// what the fields say
	format        string
	unit          int
	theme         string
	width, height float64 // in inches; 0 before the first preview, if it is not typed
	dpi           float64
	ratio         float64 // height by width, as displayed

	f                *dialogs.Form
	preview          *kit.Picture
	wide, high, dots *kit.Field
	keep             *kit.Check // the proportions
	formats, units   []*kit.Button
	themes           []*kit.Button
	note             *kit.Para
	save             *kit.Button

	timer   *time.Timer
	cancel  func() // ends the preview that is being drawn; nil if none is
	stale   bool
	closed  bool
	filling bool // the fields are being set, not typed into
}

// Redraw shows the dialog that saves a plot in another size, density or format.
func (e *Exporter) Redraw(id string) {
	var im library.Image
	var stored image.Image
	e.port.Requests.Background("export", func(ctx context.Context) error {
		data, found, err := e.port.Library.Read(ctx, id)
		if err != nil {
			return err
		}
		im = found
		if thumb, err := picture.Thumb(data, previewEdge); err == nil { // else there is no picture yet
			stored = thumb
		}
		return nil
	}, func() {
		r := &redrawer{e: e, k: e.port.Kit(), im: im, format: "png", unit: 0, dpi: printDPI}
		r.show(stored)
	})
}

func (r *redrawer) show(stored image.Image) {
	k, d := r.k, r.e.port.Dialogs()
	r.preview = kit.NewPicture()
	if stored != nil {
		r.preview.Show(stored)
	}
	r.wide, r.high, r.dots = r.number(func(v float64) { r.resize(v, true) }), r.number(func(v float64) { r.resize(v, false) }),
		r.number(r.redensify)
	r.keep = k.Check(k.T("redraw.keep"), true)
	var formats, sizes, themes fyne.CanvasObject
	r.formats, formats = r.picked([]string{"PNG", "JPEG", "SVG", "PDF"}, func(i int) { r.format = []string{"png", "jpeg", "svg", "pdf"}[i] })
	r.units, sizes = r.picked([]string{units[0].name, units[1].name, units[2].name}, func(i int) { r.unit = i })
	r.themes, themes = r.picked([]string{k.T("redraw.as_displayed"), k.T("settings.light"), k.T("settings.dark")},
		func(i int) { r.theme = []string{"", "light", "dark"}[i] })
	r.note = kit.NewPara("", 12, k.P.Muted, fyne.TextStyle{})
	half := func(key string, f fyne.CanvasObject) fyne.CanvasObject {
		return kit.Box(d.Labelled(key, f), fyne.NewSize(96, 0))
	}
	controls := k.Column(0, 12,
		d.Labelled("redraw.format", formats),
		kit.NewRow(8, -1, half("redraw.width", r.wide), half("redraw.height", r.high), half("redraw.dpi", r.dots)),
		sizes, r.keep, d.Labelled("redraw.theme", themes))
	body := &fyne.Container{
		Objects: []fyne.CanvasObject{k.Panel(k.P.Code, "tblr", kit.Inset(6, r.preview.Object())), controls},
		Layout: kit.LayoutFunc{
			Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
				left := max(min(previewWidth, s.Width-330), 60)
				kit.Place(os[0], 0, 0, left, s.Height)
				kit.Place(os[1], left+18, 0, s.Width-left-18, s.Height)
			},
			Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(400, previewHeight) },
		},
	}
	r.save = k.Button(kit.Primary, "", k.T("redraw.save"), "", r.saveAs)
	original := k.Button(kit.Quiet, "", k.T("redraw.stored"), k.T("redraw.stored_tip"), func() {
		r.close()
		r.e.SaveAs([]string{r.im.ImageID})
	})
	r.f = d.Form(k.T("redraw.title", gallery.Title(k, r.im)), fyne.NewSize(740, 480), []fyne.CanvasObject{body, r.note}, original, r.save)
	r.f.OnClosed(r.close)
	r.f.CloseOnEscape(r.wide, r.high, r.dots)
	d.Focus(r.save)
	r.update()
	r.draw()
}

// number returns a field for a number. changed is called for each number that is typed.
func (r *redrawer) number(changed func(float64)) *kit.Field {
	f := r.k.Field("")
	f.OnSubmitted = func(string) {
		if r.save.Enabled() {
			r.saveAs()
		}
	}
	f.OnChanged = func(text string) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(text), ",", "."), 64)
		if r.filling || err != nil || v <= 0 || math.IsInf(v, 0) {
			return
		}
		changed(v)
		r.changed()
	}
	return f
}

// picked returns a row of buttons of which one is on.
func (r *redrawer) picked(names []string, pick func(int)) (buttons []*kit.Button, row fyne.CanvasObject) {
	all := kit.NewRow(4, -1)
	for i, name := range names {
		b := r.k.Button(kit.Quiet, "", name, "", func() {
			pick(i)
			r.changed()
		})
		buttons = append(buttons, b)
		all.Add(b)
	}
	return buttons, all
}

// inches is a typed length in inches.
func (r *redrawer) inches(v float64) float64 {
	if per := units[r.unit].inch; per > 0 {
		return v / per
	}
	return v / r.dpi
}

// resize takes a typed width or height.
func (r *redrawer) resize(v float64, wide bool) {
	side, other, by := &r.width, &r.height, r.ratio
	if !wide {
		side, other, by = &r.height, &r.width, 1/r.ratio
	}
	*side = r.inches(v)
	if r.keep.On() && r.ratio > 0 {
		*other = *side * by
	}
}

// redensify takes a typed density. A size in pixels stays.
func (r *redrawer) redensify(v float64) {
	if units[r.unit].inch == 0 {
		r.width, r.height = r.width*r.dpi/v, r.height*r.dpi/v
	}
	r.dpi = v
}

// changed draws the preview anew, soon.
func (r *redrawer) changed() {
	r.update()
	r.stale = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.timer = time.AfterFunc(previewPause, func() { r.e.port.Requests.Post(r.draw) })
}

// update shows in the controls what was chosen, except in the field that is typed into.
func (r *redrawer) update() {
	on := func(buttons []*kit.Button, values []string, v string) {
		for i, b := range buttons {
			b.SetOn(values[i] == v)
		}
	}
	on(r.formats, []string{"png", "jpeg", "svg", "pdf"}, r.format)
	on(r.units, []string{units[0].name, units[1].name, units[2].name}, units[r.unit].name)
	on(r.themes, []string{"", "light", "dark"}, r.theme)
	r.filling = true
	defer func() { r.filling = false }()
	for _, x := range []struct {
		f      *kit.Field
		inches float64
	}{{r.wide, r.width}, {r.high, r.height}} {
		if x.inches > 0 {
			r.fill(x.f, x.inches)
		}
	}
	if v, err := strconv.ParseFloat(r.dots.Text, 64); err != nil || v != r.dpi {
		r.dots.SetText(strconv.FormatFloat(r.dpi, 'f', -1, 64))
	}
}

// fill writes a length into a field, unless that says so already.
func (r *redrawer) fill(f *kit.Field, inches float64) {
	digits, v := 1, inches*units[r.unit].inch
	switch units[r.unit].name {
	case "px":
		digits, v = 0, inches*r.dpi
	case "in":
		digits = 2
	}
	if typed, err := strconv.ParseFloat(strings.ReplaceAll(f.Text, ",", "."), 64); err == nil &&
		math.Abs(typed-v) < math.Pow(10, -float64(digits))*0.6 {
		return
	}
	f.SetText(strconv.FormatFloat(v, 'f', digits, 64))
}

// wanted is what the file shall be.
func (r *redrawer) wanted() command.RedrawImageIn {
	return command.RedrawImageIn{Image: r.im.ImageID, Format: r.format, Width: r.width, Height: r.height, DPI: r.dpi, Theme: r.theme}
}

// draw asks for a preview, unless one is being drawn.
func (r *redrawer) draw() {
	if !r.open() || r.cancel != nil {
		return
	}
	r.stale = false
	in := r.wanted()
	in.Format, in.DPI = "png", 0
	if in.Width > 0 && in.Height > 0 {
		in.DPI = min(max(previewEdge/max(in.Width, in.Height), 20), 600)
	}
	r.say(r.k.T("redraw.drawing"), false)
	r.cancel = requests.Quiet(r.e.port.Requests, command.RedrawImage, in, func(out command.RedrawImageOut, err error) { r.drawn(out, err) })
}

// drawn takes a preview.
func (r *redrawer) drawn(out command.RedrawImageOut, err error) {
	r.cancel = nil
	switch {
	case !r.open():
		return
	case err != nil:
		r.refused(r.k.T("redraw.why.failed"), tool.Explain(err))
	case out.Refused != "":
		r.refused(r.k.T("redraw.why."+out.Refused), out.Detail)
	default:
		r.shown(out)
	}
	if r.stale {
		r.draw()
	}
}

func (r *redrawer) shown(out command.RedrawImageOut) {
	if r.width == 0 && out.Inches[0] > 0 && out.Inches[1] > 0 { // the size as displayed is known now
		r.width, r.height = out.Inches[0], out.Inches[1]
		r.ratio = r.height / r.width
		r.update()
	}
	done := func(im image.Image) {
		if !r.open() {
			return
		}
		r.preview.Show(im)
		r.save.SetEnabled(true)
		r.say(r.facts()+r.origin(out), false)
	}
	r.e.port.Requests.Go(func(context.Context) {
		im, err := picture.Decode(out.Data)
		r.e.port.Requests.Post(func() {
			if err == nil {
				done(im)
			}
		})
	})
}

// origin says what has drawn the preview, and will draw the file.
func (r *redrawer) origin(out command.RedrawImageOut) string {
	if out.By == "" {
		return ""
	}
	text := "  ·  " + r.k.T("redraw.by."+out.By)
	if out.Changes != "" {
		text += " (" + out.Changes + ")"
	}
	return text
}

// facts are the sizes of the file.
func (r *redrawer) facts() string {
	size := fmt.Sprintf("%.2f × %.2f in  ·  %.0f × %.0f mm", r.width, r.height, r.width*25.4, r.height*25.4)
	if r.format == "svg" || r.format == "pdf" {
		return size
	}
	return fmt.Sprintf("%.0f × %.0f px  ·  %s", r.width*r.dpi, r.height*r.dpi, size)
}

// refused says why there is no preview.
func (r *redrawer) refused(why, detail string) {
	if detail != "" {
		why += " (" + detail + ")"
	}
	r.save.SetEnabled(false)
	r.say(why, true)
}

func (r *redrawer) say(text string, bad bool) {
	ink := r.k.P.Muted
	if bad {
		ink = r.k.P.Bad
	}
	r.note.SetInk(ink)
	r.note.Set(text)
	r.f.Arrange()
}

// saveAs asks where to save, and has the file drawn there.
func (r *redrawer) saveAs() {
	in, k := r.wanted(), r.k
	r.close()
	ending := map[string]string{"png": ".png", "jpeg": ".jpg", "svg": ".svg", "pdf": ".pdf"}[in.Format]
	r.e.SaveFile(k.T("redraw.title", gallery.Title(k, r.im)), fileName(gallery.Title(k, r.im))+ending, func(to string) {
		in.To = to
		requests.Topic(r.e.port.Requests, "export", command.RedrawImage, in, func(out command.RedrawImageOut) {
			if out.Refused != "" {
				r.e.port.Say(kit.MarkBad, k.T("redraw.why."+out.Refused))
				return
			}
			r.e.port.Offer(kit.MarkCheck, k.T("save.saved", filepath.Base(out.Path)), k.T("properties.show_in_folder"),
				func() { r.e.port.Reveal(out.Path) })
		})
	})
}

// open tells whether the dialog is open. The window itself may have closed it.
func (r *redrawer) open() bool {
	if !r.closed && !r.f.Shown() {
		r.close()
	}
	return !r.closed
}

// close closes the dialog and ends the preview.
func (r *redrawer) close() {
	if r.closed {
		return
	}
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
	if r.cancel != nil {
		r.cancel()
	}
	r.f.Close()
}
