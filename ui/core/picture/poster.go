package picture

import (
	"context"
	"image"

	"easel/ui/core/picture/animation"
)

// Limits of Poster's search for a frame that is not empty.
const (
	posterFrames = 60
	posterPixels = 64 << 20 // of all frames together
)

// Poster decodes the picture that represents an image in lists: the image itself, or the
// first frame of an animation that does not consist of one colour. The errors are those of
// Decode.
func Poster(data []byte) (image.Image, error) {
	first, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if m := drawnFrame(data); m != nil {
		return m, nil
	}
	return first, nil
}

// drawnFrame returns the first frame of an animation that does not consist of one colour. It
// returns nil if there is none, or data is not an animation.
func drawnFrame(data []byte) image.Image {
	a, err := animation.Open(data)
	if err != nil {
		return nil
	}
	for i := range min(a.Len(), posterFrames, posterPixels/(a.Size().X*a.Size().Y)) {
		m, err := a.Frame(context.Background(), i)
		if err != nil {
			return nil
		}
		if !plain(m) {
			return m
		}
	}
	return nil
}

// plain reports whether all pixels of an image are equal.
func plain(m *image.RGBA) bool {
	for i := 4; i < len(m.Pix); i += 4 {
		if [4]byte(m.Pix[i:]) != [4]byte(m.Pix) {
			return false
		}
	}
	return true
}
