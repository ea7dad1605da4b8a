package uitest

import (
	"image/color"
	"testing"
)

func TestContrastIsThatOfWCAG(t *testing.T) {
	if got := Contrast(color.Black, color.White); got < 20.99 || got > 21.01 {
		t.Errorf("black on white: got %.3f, want 21", got)
	}
	if got := Contrast(color.Gray{0x77}, color.White); got < 4.47 || got > 4.49 {
		t.Errorf("#777 on white: got %.3f, want 4.48", got)
	}
}
