package gallery

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Figure returns the kind of a figure without a picture, and reports whether the image
// is one. A kind that this version does not know is treated as HTML.
func Figure(im library.Image) (picture.Interactive, bool) {
	if im.Interactive == "" {
		return picture.Interactive{}, false
	}
	kind, ok := picture.InteractiveOf(im.Interactive)
	if !ok {
		kind, _ = picture.InteractiveOf(picture.HTML)
		kind.Kind, kind.Label = im.Interactive, im.Interactive
	}
	return kind, true
}

// NotDrawn returns why a figure has no picture, or what to install to get one; empty if it
// has one or has not been drawn yet.
func NotDrawn(k *kit.Kit, im library.Image) string {
	switch d := im.NotDrawn; {
	case lacks[d.Lacks] != "":
		return k.T(lacks[d.Lacks])
	case d.Reason != "":
		return k.T("figure.not_drawn", d.Reason)
	default:
		return ""
	}
}

// NotLoaded says which hosts a figure asked in vain while Easel drew it; empty if it asked
// none. What they have, such as the tiles of a map, is missing in the picture.
func NotLoaded(k *kit.Kit, im library.Image) string {
	hosts := mimebundle.Blocked(im.Description)
	if len(hosts) == 0 {
		return ""
	}
	return k.T("figure.not_loaded", strings.Join(hosts, ", "))
}

// lacks are the keys of the texts that say what to install.
var lacks = map[string]string{
	render.LacksBrowser: "figure.lacks_browser", render.LacksPython: "figure.lacks_python", render.LacksYet: "figure.lacks_yet",
	render.LacksPlotly: "figure.lacks_plotly",
}

// A sign is what a cell shows for a figure without a picture: an icon, the kind, and a
// short explanation. It looks like a card, not like a picture or an error.
type sign struct {
	disc  *canvas.Circle
	label *canvas.Text
	words string
	kind  string // what is drawn; empty: not a figure
}

// Colours on a matte, which is white in every theme.
var (
	hollowInk = color.NRGBA{0xC9, 0xCF, 0xDA, 0xFF}
	onMatte   = color.NRGBA{0x5B, 0x64, 0x72, 0xFF}
)

// The dimensions of the sign, in Fyne units.
const (
	signEdge float32 = 26
	discEdge float32 = 48
)

func newSign(k *kit.Kit) sign {
	d := sign{disc: canvas.NewCircle(k.P.Hover), label: kit.Text("", theme.TextBody, k.P.Text, fyne.TextStyle{Bold: true}), words: k.T("figure.short")}
	d.label.Alignment = fyne.TextAlignCenter
	d.disc.Hide()
	d.label.Hide()
	return d
}

// figure makes a cell look like a card if its image is a figure without a picture, and
// like a picture otherwise.
func (c *cell) figure() {
	p := c.g.k.P
	kind, ok := Figure(c.im)
	if c.im.Broken {
		kind, ok = picture.Interactive{}, false
	}
	if c.sign.kind == kind.Kind {
		return
	}
	c.sign.kind = kind.Kind
	c.sign.disc.Hidden, c.sign.label.Hidden = !ok, !ok
	if !ok {
		c.failed.Color, c.failed.Hidden = onMatte, false
		c.hollow.Resource = theme.Icon("image", hollowInk)
		c.hollow.Refresh()
		return
	}
	c.failed.Color, c.failed.Text = p.Muted, c.sign.words
	c.sign.label.Text = kind.Label
	c.hollow.Resource = theme.Icon(kind.Icon, p.Accent)
	c.hollow.Refresh()
}

// layCard places the sign in a box of the cell. It hides the text if there is no room.
func (c *cell) layCard(x, y, w, h float32) {
	words := kit.Shorten(c.sign.words, w-8, c.failed.TextSize, c.failed.TextStyle)
	high := discEdge + 8 + 18 + 16
	if h < high+8 {
		words, high = "", discEdge+8+18
	}
	if h < high {
		high = discEdge
	}
	c.sign.label.Hidden = high == discEdge
	top := y + (h-high)/2
	kit.Place(c.sign.disc, x+(w-discEdge)/2, top, discEdge, discEdge)
	kit.Place(c.hollow, x+(w-signEdge)/2, top+(discEdge-signEdge)/2, signEdge, signEdge)
	kit.Place(c.sign.label, x, top+discEdge+8, w, 18)
	c.failed.Hidden = words == ""
	if words != "" {
		c.failed.Text = words
	}
	kit.Place(c.failed, x, top+discEdge+8+18, w, 16)
}
