package kit

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// A Picture shows pixels: as large as fits, never stretched. It may be used again for
// other pixels. That is why it exists: Fyne keeps an image's proportions and its texture
// until the image's own Refresh, and refreshing the widget around it renews neither. What
// shows one picture after the other must do it with this and not with a [canvas.Image].
type Picture struct{ im *canvas.Image }

// NewPicture makes a picture that shows nothing yet.
func NewPicture() *Picture {
	return &Picture{&canvas.Image{FillMode: canvas.ImageFillContain, ScaleMode: canvas.ImageScaleFastest}}
}

// Object is what stands in the window.
func (p *Picture) Object() fyne.CanvasObject { return p.im }

// Pixels is what is shown now; nil if nothing is.
func (p *Picture) Pixels() image.Image { return p.im.Image }

// Show shows other pixels; none for nil.
func (p *Picture) Show(m image.Image) {
	hidden := m == nil
	if p.im.Image == m && p.im.Resource == nil && p.im.Hidden == hidden {
		return
	}
	p.im.Image, p.im.Resource, p.im.Hidden = m, nil, hidden
	p.im.Refresh()
}

// ShowIcon shows an icon.
func (p *Picture) ShowIcon(icon fyne.Resource) {
	p.im.Image, p.im.Resource, p.im.Hidden = nil, icon, false
	p.im.Refresh()
}

// A Sight is a picture that a view claims to show: of which image, and where.
type Sight struct {
	ID   string
	Of   fyne.CanvasObject // the position is relative to this
	At   fyne.Position
	Size fyne.Size
	Clip fyne.CanvasObject // nothing is seen outside this
}

// Sight is what the picture claims if it is of an image: the pixels as large as fits.
func (p *Picture) Sight(id string, clip fyne.CanvasObject) (Sight, bool) {
	if p.im.Image == nil || p.im.Resource != nil || !p.im.Visible() {
		return Sight{}, false
	}
	box, b := p.im.Size(), p.im.Image.Bounds()
	f := min(box.Width/float32(b.Dx()), box.Height/float32(b.Dy()))
	size := fyne.NewSize(float32(b.Dx())*f, float32(b.Dy())*f)
	return Sight{id, p.im, fyne.NewPos((box.Width-size.Width)/2, (box.Height-size.Height)/2), size, clip}, true
}
