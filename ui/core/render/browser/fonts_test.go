package browser

import (
	"bytes"
	"testing"

	"easel/assets"
)

// TestLiveJapaneseIsDrawn checks that Japanese text is drawn with Easel's font. A font without the
// characters draws the same box for each.
func TestLiveJapaneseIsDrawn(t *testing.T) {
	fonts := t.TempDir()
	if _, err := assets.WriteFonts(fonts); err != nil {
		t.Fatal(err)
	}
	e := engine(t, func(c *Config) { c.FontDirs = []string{fonts} })
	picture := func(text string) []byte {
		return draw(t, e, htmlRequest(`<p style="font: 40px Arial">`+text+`</p>`)).PNG
	}
	if bytes.Equal(picture("日本語"), picture("語本日")) || bytes.Equal(picture("日日日"), picture("\ue000\ue000\ue000")) {
		t.Error("the characters are not drawn")
	}
}
