package kit

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A part is a run at a place of a line.
type part struct {
	run
	x float32
}

// farApart is the largest gap, in characters, that parts of a line are joined across. Each text that Fyne draws takes as
// long as a gap of about eight characters.
const farApart = 8

// joined returns the parts of a line in as few texts as possible: those of one colour in one text, with spaces where
// the others are. char is the width of a character. Parts that are not ASCII may have other widths and stay alone.
// Blanks at the ends of a text are left out, as they show nothing.
func joined(line []part, char float32) (texts []part) {
	last := make(map[any]int) // by colour: the text that goes on
	for _, p := range line {
		if !ascii(p.text) {
			texts = append(texts, p)
			continue
		}
		bare := strings.TrimLeft(p.text, " ")
		p.x += float32(len(p.text)-len(bare)) * char
		if p.text = strings.TrimRight(bare, " "); p.text == "" {
			continue
		}
		if n, ok := last[p.ink]; ok {
			t := &texts[n]
			columns := float64((p.x - t.x) / char)
			at := math.Round(columns)
			// after wide characters, p is between the columns of t
			if gap := int(at) - len(t.text); gap <= farApart && math.Abs(columns-at) < 0.05 {
				t.text += strings.Repeat(" ", gap) + p.text
				continue
			}
		}
		last[p.ink] = len(texts)
		texts = append(texts, p)
	}
	return texts
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
