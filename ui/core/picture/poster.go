package picture

import (
	"context"
	"image"

	"easel/ui/core/picture/animation"
	"easel/ui/core/picture/webp"
)

// How far Poster looks for a frame with something on it.
const (
	posterFrames = 60
	posterPixels = 64 << 20 // of all frames together
)

// Poster decodes the picture that stands for an image where nothing moves: the image itself,
// and of an animation the first frame that is not of one colour. The errors are Decode's.
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

// drawnFrame is the first frame of an animation that is not of one colour; nil if there is
// none, or it is no animation.
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

// plain tells whether all pixels of an image are the same.
func plain(m *image.RGBA) bool {
	for i := 4; i < len(m.Pix); i += 4 {
		if [4]byte(m.Pix[i:]) != [4]byte(m.Pix) {
			return false
		}
	}
	return true
}

// decodeWebP decodes a WebP; of an animated one, the first frame.
func decodeWebP(data []byte) (image.Image, error) {
	a, err := animation.Open(data)
	if err != nil {
		return webp.Decode(data)
	}
	return a.Frame(context.Background(), 0)
}
