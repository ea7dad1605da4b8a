package tray

import (
	"testing"

	"golang.org/x/sys/windows"
)

func TestCutKeepsWholeCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"":       "",
		"abc":    "abc",
		"abcdef": "abcd",
		"プロット完了": "プロット",
		"abc😀":   "abc", // two units, and there is room for one
		"ab😀c":   "ab😀",
	} {
		to := []uint16{1, 1, 1, 1, 1}
		if cut(to, text); windows.UTF16ToString(to) != want {
			t.Errorf("%q: got %q, want %q", text, windows.UTF16ToString(to), want)
		}
	}
}

func TestWithoutAnIconThereIsAnError(t *testing.T) {
	if err := showBalloon("title", "text"); err == nil {
		t.Error("it claims to have shown a notification")
	}
}
