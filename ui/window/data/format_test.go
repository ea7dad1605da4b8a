package data

import (
	"encoding/json"
	"testing"
)

func TestWhatTheKernelHasShortenedIsAskedForAgain(t *testing.T) {
	for raw, want := range map[string]bool{
		`"[0, 1, 2, 3, 4, 5, … 50 items]"`: true, `"array of 2×2 float64"`: true, `"xxx…"`: true, `"b'x'… 60 bytes"`: true,
		`"[0, 1]"`: false, `1.5`: false, `null`: false, `"text"`: false,
	} {
		if got := shortened(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}
