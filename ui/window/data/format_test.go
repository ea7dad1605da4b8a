package data

import (
	"encoding/json"
	"testing"

	"easel/ui/core/command"
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

// TestARangeHasEndsThatTheKernelReads, because another one would be an error there.
func TestARangeHasEndsThatTheKernelReads(t *testing.T) {
	for text, want := range map[string]bool{
		"2026": true, "2026-02": true, "2026-02-28": true, "2026-02-28 09": true, "2026-02-28T09:30": true, "2026-02-28 09:30:15.5": true,
		"2026-02-30": false, "2026-13": false, "2026-02-28 25:00": false, "26-02-28": false, "soon": false, "": false,
	} {
		if got := (&column{kind: command.KindDate}).fits(text); got != want {
			t.Errorf("the date %q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"1": true, "-1.5": true, ".5": true, "1e308": true, "-Infinity": true, "inf": true,
		"1_0": false, "0x10": false, "0x1p-2": false, "nan": false, "１": false, "one": false,
	} {
		if got := (&column{kind: command.KindNumber}).fits(text); got != want {
			t.Errorf("the number %q: %v", text, got)
		}
	}
}
