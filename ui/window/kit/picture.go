package kit

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// A Picture shows pixels as large as they fit, without distortion. It can be reused for
// other pixels, unlike a [canvas.Image]: Fyne caches an image's proportions and texture
// until the image itself is refreshed, and refreshing the widget around it is not
// enough. Use a Picture wherever one picture follows another.
type Picture struct{ im *canvas.Image }

// NewPicture returns an empty picture.
func NewPicture() *Picture {
	return &Picture{&canvas.Image{FillMode: canvas.ImageFillContain, ScaleMode: canvas.ImageScaleFastest}}
}

// Object returns the object to put into the window.
func (p *Picture) Object() fyne.CanvasObject { return p.im }

// Pixels returns what is shown, or nil.
func (p *Picture) Pixels() image.Image { return p.im.Image }

// Show shows other pixels, or nothing for nil.
func (p *Picture) Show(m image.Image) {
	hidden := m == nil
	if p.im.Image == m && p.im.Resource == nil && p.im.Hidden == hidden {
		return
	}
	p.im.Image, p.im.Resource, p.im.Hidden = m, nil, hidden
	p.im.Refresh()
}

// Exact says whether the place of the picture has exactly as many pixels as the picture. Then a pixel need not be
// computed from four, which takes a third longer without a graphics card.
func (p *Picture) Exact(exact bool) {
	mode := canvas.ImageScaleFastest
	if exact {
		mode = canvas.ImageScalePixels
	}
	if p.im.ScaleMode != mode {
		p.im.ScaleMode = mode
		p.im.Refresh() // its texture is for one mode
	}
}

// ShowIcon shows an icon.
func (p *Picture) ShowIcon(icon fyne.Resource) {
	p.im.Image, p.im.Resource, p.im.Hidden = nil, icon, false
	p.im.Refresh()
}

// A Sight says that a view shows a picture, of which image and where.
type Sight struct {
	ID   string
	Of   fyne.CanvasObject // At is relative to this
	At   fyne.Position
	Size fyne.Size
	Clip fyne.CanvasObject // nothing is visible outside this

	Frame int  // of an animation, from 1; 0 for a still picture
	Laid  bool // it was laid out again for the window, so it is not the stored picture
}

// Sight returns the picture's Sight if it shows the image id. It reports false if it
// shows nothing or an icon.
func (p *Picture) Sight(id string, clip fyne.CanvasObject) (Sight, bool) {
	if p.im.Image == nil || p.im.Resource != nil || !p.im.Visible() {
		return Sight{}, false
	}
	box, b := p.im.Size(), p.im.Image.Bounds()
	f := min(box.Width/float32(b.Dx()), box.Height/float32(b.Dy()))
	size := fyne.NewSize(float32(b.Dx())*f, float32(b.Dy())*f)
	return Sight{ID: id, Of: p.im, At: fyne.NewPos((box.Width-size.Width)/2, (box.Height-size.Height)/2), Size: size, Clip: clip}, true
}
