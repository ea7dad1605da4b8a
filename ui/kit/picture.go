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
