package export

import (
	"testing"

	"fyne.io/fyne/v2/test"
)

func TestFileName(t *testing.T) {
	test.NewTempApp(t) // for its fonts
	for title, want := range map[string]string{
		"Sine":       "Sine.png",
		"p3.png":     "p3.png", // a file on disk
		"a/b: 図":     "a-b- 図.png",
		"":           "plot.png",
		" .. ":       "plot.png",
		".png":       "plot.png",
		"report.pdf": "report.pdf.png",
	} {
		if got := FileName(title, ".png"); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}
