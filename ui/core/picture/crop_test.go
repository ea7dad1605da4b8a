package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"

	"easel/internal/require"
	"easel/ui/core/picture"
)

func TestCropKeepsThePixels(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 8, 6))
	for i := range 48 {
		m.Set(i%8, i/8, color.NRGBA{uint8(i * 5), 7, 9, 200})
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	data, err := picture.Crop(b.Bytes(), image.Rect(2, 1, 5, 99))
	require.NoError(t, err)
	part, err := png.Decode(bytes.NewReader(data))
	if err != nil || part.Bounds().Size() != image.Pt(3, 5) {
		t.Fatalf("%v %v", part.Bounds(), err)
	}
	for y := range 5 {
		for x := range 3 {
			if got, want := color.NRGBAModel.Convert(part.At(x, y)), m.NRGBAAt(x+2, y+1); got != want {
				t.Errorf("%d, %d: %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestCropOutsideOfThePicture(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))))
	if _, err := picture.Crop(b.Bytes(), image.Rect(4, 0, 9, 9)); !errors.Is(err, picture.ErrNoRaster) {
		t.Error(err)
	}
	if _, err := picture.Crop([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), image.Rect(0, 0, 1, 1)); !errors.Is(err, picture.ErrNoRaster) {
		t.Error(err)
	}
}
