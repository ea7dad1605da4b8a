package browser

import (
	"bytes"
	"image"
	"image/png"
	"math"

	"github.com/chromedp/cdproto/cdp"
	devpage "github.com/chromedp/cdproto/page"
)

// A box is a rectangle of a page, in CSS pixels.
type box struct{ X, Y, Width, Height float64 }

// measure returns the bounding box of the page's content, with a margin for pages that are
// not ours. It returns nil if the page shows nothing.
func (d *drawing) measure() (*box, error) {
	tree, err := call(d.s, devpage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	world, err := call(d.s, devpage.CreateIsolatedWorld,
		devpage.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "easel"})
	if err != nil {
		return nil, err
	}
	found, err := evaluate[*box](d.s, measureScript, world.ExecutionContextID)
	if err != nil || found == nil {
		return nil, err
	}
	around := float64(margin)
	if d.figure.page.Own {
		around = 0
	}
	left, top := max(0, found.X-around), max(0, found.Y-around)
	right, bottom := min(found.X+found.Width+around, left+maxEdge), min(found.Y+found.Height+around, top+maxEdge)
	if right-left < 1 || bottom-top < 1 {
		return nil, nil //nolint:nilnil // nothing is shown
	}
	return &box{left, top, right - left, bottom - top}, nil
}

// shoot returns a picture, in PNG, of a part of the page; nil is the viewport. A picture that
// would be too large is scaled down.
func (d *drawing) shoot(part *box) ([]byte, error) {
	d.part = part
	shot := devpage.CaptureScreenshotParams{Format: devpage.CaptureScreenshotFormatPng}
	if part != nil {
		width, height := part.Width*d.scale, part.Height*d.scale
		shrink := min(1, maxEdge/width, maxEdge/height)
		if area := width * height * shrink * shrink; area > maxPixels {
			shrink *= math.Sqrt(maxPixels / area)
		}
		d.shrink = shrink
		shot.Clip = &devpage.Viewport{X: part.X, Y: part.Y, Width: part.Width, Height: part.Height, Scale: shrink}
		shot.CaptureBeyondViewport = new(true)
	}
	result, err := call(d.s, devpage.CaptureScreenshot, shot)
	if err != nil {
		return nil, err
	}
	return result.Data, nil
}

// blank reports whether all pixels of a PNG have the same colour. Such a PNG is small, so a
// large one need not be decoded.
func blank(data []byte) bool {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || len(data) > 4<<10+size.Width*size.Height/20 {
		return false
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return false
	}
	return oneColour(decoded)
}

func oneColour(m image.Image) bool {
	b := m.Bounds()
	if b.Empty() {
		return true
	}
	first := m.At(b.Min.X, b.Min.Y)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if m.At(x, y) != first {
				return false
			}
		}
	}
	return true
}
