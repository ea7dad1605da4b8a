package gallery

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"reflect"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The dimensions of a cell, in Fyne units.
const (
	mattePad   float32 = 8  // between the matte's edge and the picture
	captionH   float32 = 44 // two lines of text
	cellRadius float32 = 8
	starEdge   float32 = 13
)

var (
	_ desktop.Mouseable      = (*cell)(nil)
	_ desktop.Hoverable      = (*cell)(nil)
	_ fyne.DoubleTappable    = (*cell)(nil)
	_ fyne.SecondaryTappable = (*cell)(nil)
)

// A cell shows one image: its picture on a white matte, never stretched or cropped, its
// title and its stars. Cells are reused for other images.
type cell struct {
	widget.BaseWidget
	g *Grid

	id       string
	im       library.Image
	known    bool // im is set
	colour   color.NRGBA
	selected bool
	cursor   bool
	fresh    bool // arrived since the user last looked
	hovered  bool
	over     int               // star under the pointer, 1 to 5; 0: none
	hinted   fyne.CanvasObject // the mark under the pointer that has a tip; nil if there is none

	card      *kit.Area
	matte     *kit.Area
	picture   *kit.Picture
	shown     image.Image
	hollow    *canvas.Image // shown while there is no picture
	failed    *canvas.Text
	sign      sign // shown for a figure without a picture
	bar       *canvas.Rectangle
	title     *kit.Line
	detail    *kit.Line
	stars     [5]*canvas.Image
	checked   *canvas.Image // the result of a check; hidden if there is none
	checkedOn *canvas.Circle
	stale     *canvas.Image // why the plot is stale; hidden if it is not
	staleOn   *canvas.Circle
	findings  findingSign
	badge     *canvas.Rectangle
	badgeT    *canvas.Text
	dot       *canvas.Circle
	ring      *kit.Area
	painted   cellState
}

// A cellState is everything that a cell's appearance depends on.
type cellState struct {
	im                                      library.Image
	known, selected, cursor, fresh, hovered bool
	over                                    int
	colour                                  color.NRGBA
	shown                                   image.Image
	failed                                  string
}

func (c *cell) state() cellState {
	return cellState{c.im, c.known, c.selected, c.cursor, c.fresh, c.hovered, c.over, c.colour, c.shown, c.failed.Text}
}

// repaint paints the cell if its state has changed since the last paint.
func (c *cell) repaint() {
	if now := c.state(); now.shown != c.painted.shown || !reflect.DeepEqual(now, c.painted) {
		c.paint()
	}
}

func newCell(g *Grid) *cell {
	p := g.k.P
	c := &cell{
		g: g, card: g.k.Area(p.Raised, cellRadius), matte: g.k.Area(p.Matte, cellRadius-2),
		picture: kit.NewPicture(),
		hollow:  kit.Icon("image", hollowInk, 28),
		failed:  kit.Text("", theme.TextCaption, onMatte, fyne.TextStyle{}), sign: newSign(g.k),
		bar: kit.Fill(p.Line, 1.5), ring: g.k.Area(color.Transparent, cellRadius),
		title:   kit.NewLine("", theme.TextBody, p.Text, fyne.TextStyle{}, 10),
		detail:  kit.NewLine("", theme.TextCaption, p.Muted, fyne.TextStyle{}, 10),
		checked: kit.Icon("check", p.Text, checkedEdge), checkedOn: canvas.NewCircle(p.Raised),
		stale: kit.Icon("edit", p.Warn, checkedEdge), staleOn: canvas.NewCircle(p.Raised), findings: newFindingSign(p),
		badge: kit.Fill(p.Dim, 4), badgeT: kit.Text("", 9.5, p.OnDim, fyne.TextStyle{Bold: true}),
		dot: canvas.NewCircle(p.Accent),
	}
	for i := range c.stars {
		c.stars[i] = kit.Icon("star-outline", p.Muted, starEdge)
		c.stars[i].Resource = g.hollowStar
	}
	c.failed.Alignment = fyne.TextAlignCenter
	c.ExtendBaseWidget(c)
	return c
}

// set assigns the cell to another image; empty for none.
func (c *cell) set(id string) {
	if c.id == id {
		return
	}
	c.id, c.known, c.hovered, c.over = id, false, false, 0
	c.im = library.Image{}
	c.figure()
	c.show(nil, nil)
	c.title.Set("", nil)
	c.detail.Set("", nil)
}

// describe sets the image's metadata.
func (c *cell) describe(im library.Image, colour color.NRGBA) {
	c.im, c.known, c.colour = im, true, colour
	c.figure()
	c.title.Set(Title(c.g.k, im), nil)
	c.detail.Set(Detail(c.g.k, im), nil)
}

// show sets the picture, or the error if there is none.
func (c *cell) show(m image.Image, err error) {
	c.shown = m
	c.picture.Show(m)
	c.failed.Text = ""
	switch {
	case c.sign.kind != "":
		c.failed.Text = c.sign.words
	case err != nil && c.known: // else it may be a figure without a picture
		c.failed.Text = c.g.k.T(trouble(c.im))
	}
	c.hollow.Hidden = m != nil
}

// paint updates the objects of the cell from its state and redraws them.
func (c *cell) paint() {
	c.painted = c.state()
	p := c.g.k.P
	fill, edge := p.Raised, p.Line
	if c.hovered {
		fill, edge = theme.Over(color.NRGBA{p.Hover.R, p.Hover.G, p.Hover.B, 0x90}, p.Raised), p.Edge
	}
	if c.selected {
		fill = p.Selected
	}
	c.card.Paint(fill, edge, 1)
	c.paintMatte(fill)
	c.ring.Hidden = !c.selected && !c.cursor
	width := float32(2)
	if c.cursor && !c.selected {
		width = 1
	}
	c.ring.Paint(color.Transparent, p.Accent, width)
	c.bar.FillColor = c.colour
	c.bar.Hidden = !c.known
	c.dot.Hidden = !c.fresh
	c.checked.Hidden, c.checkedOn.Hidden = c.im.Checked == "", c.im.Checked == ""
	if c.im.Checked != "" {
		icon, ink := CheckIcon(c.g.k, c.im.Checked)
		c.checked.Resource = kit.Icon(icon, ink, checkedEdge).Resource
		c.checked.Refresh()
	}
	c.paintStale()
	c.findings.set(c.im.Findings)
	text := badgeOf(c.im)
	c.badgeT.Text = text
	c.badge.Hidden, c.badgeT.Hidden = text == "", text == ""
	c.paintStars()
	c.Refresh()
}

// paintMatte paints the matte, unless it would look like the card around it.
func (c *cell) paintMatte(card color.Color) {
	p := c.g.k.P
	switch {
	case c.sign.kind != "":
		c.matte.Paint(p.Code, p.Line, 1)
	case card == p.Matte:
		c.matte.Paint(color.Transparent, nil, 0)
	default:
		c.matte.Paint(p.Matte, nil, 0)
	}
}

func (c *cell) paintStars() {
	n := c.im.Rating
	if c.over > 0 {
		n = c.over
	}
	for i, s := range c.stars {
		s.Hidden = i >= n && !c.hovered && !c.selected || !c.known
		res := c.g.hollowStar
		if i < n {
			res = c.g.fullStar
		}
		if s.Resource != res {
			s.Resource = res
			s.Refresh()
		}
	}
}

// starAt returns the star at a position of the cell, 1 to 5; 0 if there is none.
func (c *cell) starAt(pos fyne.Position) int {
	x0, y0 := c.starsAt(c.Size())
	if pos.Y < y0-4 || pos.Y > y0+starEdge+5 || pos.X < x0-2 || pos.X > x0+5*(starEdge+1)+2 {
		return 0
	}
	return min(max(int((pos.X-x0)/(starEdge+1))+1, 1), 5)
}

func (c *cell) starsAt(s fyne.Size) (x, y float32) {
	return s.Width - 8 - 5*(starEdge+1), s.Height - 8 - starEdge
}

// CreateRenderer implements fyne.Widget.
func (c *cell) CreateRenderer() fyne.WidgetRenderer {
	r := &cellRenderer{c: c, objects: []fyne.CanvasObject{
		c.card, c.matte, c.sign.disc, c.hollow, c.sign.label, c.failed,
		c.picture.Object(), c.bar, c.title, c.detail,
	}}
	for _, s := range c.stars {
		r.objects = append(r.objects, s)
	}
	r.objects = append(r.objects, c.badge, c.badgeT, c.checkedOn, c.checked, c.staleOn, c.stale)
	r.objects = append(r.objects, c.findings.ground, c.findings.icon, c.findings.count, c.dot, c.ring)
	return r
}

type cellRenderer struct {
	c       *cell
	objects []fyne.CanvasObject
}

func (r *cellRenderer) Layout(s fyne.Size) {
	c := r.c
	kit.Place(c.card, 0, 0, s.Width, s.Height)
	kit.Place(c.ring, 0, 0, s.Width, s.Height)
	matteW, matteH := s.Width-8, s.Height-captionH-4
	kit.Place(c.matte, 4, 4, matteW, matteH)
	if c.sign.kind != "" {
		c.layCard(4, 4, matteW, matteH)
	} else {
		kit.Place(c.hollow, 4+(matteW-28)/2, 4+(matteH-28)/2, 28, 28)
		kit.Place(c.failed, 4, 4+matteH/2+16, matteW, 16)
	}
	w, h := matteW-2*mattePad, matteH-2*mattePad
	if c.shown != nil { // at its size in pixels: scaling again would blur it
		scale := kit.Scale(c.g)
		b := c.shown.Bounds()
		pw, ph := float32(b.Dx())/scale, float32(b.Dy())/scale
		f := min(w/pw, h/ph)
		if f < 1 {
			pw, ph = pw*f, ph*f
		}
		c.picture.Exact(f >= 1)
		x, y := 4+mattePad+(w-pw)/2, 4+mattePad+(h-ph)/2
		kit.Place(c.picture.Object(), snap(x, scale), snap(y, scale), pw, ph)
	}
	y := s.Height - captionH + 3
	kit.Place(c.bar, 9, y+4, 3, 30)
	starsX, starsY := c.starsAt(s)
	kit.Place(c.title, 18, y, s.Width-18-8, 19)
	detailW := s.Width - 18 - 8
	if c.hovered || c.selected || c.im.Rating > 0 {
		first := 5
		if !c.hovered && !c.selected {
			first = c.im.Rating
		}
		detailW = starsX - 18 - 4
		if first < 5 {
			detailW = s.Width - 8 - float32(first)*(starEdge+1) - 18 - 4
		}
	}
	kit.Place(c.detail, 18, y+19, detailW, 17)
	shift := float32(0)
	if n := c.im.Rating; !c.hovered && !c.selected { // the full stars are at the right end
		shift = float32(5-n) * (starEdge + 1)
	}
	for i, st := range c.stars {
		kit.Place(st, starsX+shift+float32(i)*(starEdge+1), starsY, starEdge, starEdge)
	}
	c.layMarks(s)
}

// snap rounds a position to whole pixels.
func snap(v, scale float32) float32 { return float32(int(v*scale+0.5)) / scale }

func (r *cellRenderer) MinSize() fyne.Size           { return fyne.NewSize(80, 80+captionH) }
func (r *cellRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *cellRenderer) Destroy()                     {}
func (r *cellRenderer) Refresh() {
	r.Layout(r.c.Size())
	canvas.Refresh(r.c) // the images in it are refreshed where they change
}

// Title returns the title of an image: the figure's title or, if it has none, the
// plot's number.
func Title(k *kit.Kit, im library.Image) string {
	if t := strings.TrimSpace(strings.ReplaceAll(im.Title, "\n", " ")); t != "" {
		return t
	}
	return k.T("gallery.untitled", im.N)
}

// Detail returns a plot's number or cell, whether it is stale, its time and tags. A file has
// no number; it has its dimensions, or its size in bytes if they are unknown.
func Detail(k *kit.Kit, im library.Image) string {
	what := fmt.Sprintf("#%d", im.N)
	if im.N == 0 {
		what = i18n.Bytes(im.Bytes)
		if im.Width > 0 {
			what = fmt.Sprintf("%d×%d", im.Width, im.Height)
		}
	}
	parts := []string{cmp.Or(CellName(k, im), what)}
	if stale, _ := Stale(k, im); stale != "" {
		parts = append(parts, stale)
	}
	return strings.Join(append(append(parts, when(k, im.CreatedAt)), im.Tags...), " · ")
}

func when(k *kit.Kit, t time.Time) string {
	now := time.Now
	if k.Now != nil {
		now = k.Now
	}
	return k.Tr.When(t, now())
}

// badgeOf returns the number of versions if a figure has several; else the number of frames
// of an animation; else the format of an image, if it is not PNG or has the wrong extension;
// else an empty string.
func badgeOf(im library.Image) string {
	kind, ok := strings.CutPrefix(im.MIMEType, "image/")
	renamed := im.Problem == library.ProblemMisnamed
	switch {
	case im.Versions > 1:
		return fmt.Sprintf("↻ %d", im.Versions)
	case im.Frames > 1 && !im.Broken:
		return fmt.Sprintf("▸ %d", im.Frames)
	case ok && (kind != "png" || renamed) && !im.Broken:
		return strings.ToUpper(strings.TrimSuffix(kind, "+xml"))
	default:
		return ""
	}
}

// troubles maps the library's problems to message IDs.
var troubles = map[string]string{
	library.ProblemTooLarge: "gallery.too_large", library.ProblemEmpty: "gallery.empty_file", library.ProblemNoPicture: "gallery.no_picture",
	library.ProblemCut: "gallery.cut_off", library.ProblemDamaged: "gallery.damaged",
}

// trouble returns the message ID that says why an image cannot be shown.
func trouble(im library.Image) string {
	if key := troubles[im.Problem]; im.Broken && key != "" {
		return key
	}
	if library.Undrawn(im) { // an SVG that no engine has drawn yet
		return "gallery.not_drawn"
	}
	return "gallery.unreadable"
}
