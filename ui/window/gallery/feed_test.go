package gallery

import (
	"testing"

	"easel/ui/core/library"
	"easel/ui/window/uitest"
)

// TestWhatWasReadBeforeALaterRevisionIsNotShown: a plot that came in is read at once,
// and rated before the window has shown it. What was read then has no stars, and
// nothing would have it read again.
func TestWhatWasReadBeforeALaterRevisionIsNotShown(t *testing.T) {
	lib := uitest.NewLibrary()
	lib.AddSession(0, "s", "c")
	lib.Add(0, "", "")
	q := uitest.NewQueue()
	shown, answers := map[string]bool{}, 0
	f := NewFeed(lib, q.Do, func(library.Query, []string, error) { answers++ }, func(images []library.Image) {
		for _, im := range images {
			shown[im.ImageID] = true
		}
	})
	t.Cleanup(f.Close)
	f.ahead = func([]library.Image) {}
	read := make(chan struct{})
	ask := func(revision uint64) {
		t.Helper()
		if !f.AskOnce(library.Query{Rating: -1}, revision, func() { read <- struct{}{} }) {
			t.Fatal("it was not asked")
		}
		<-read
	}
	ask(1)
	q.Until(t, "the first answer", func() bool { return answers == 1 })

	late := lib.Add(0, "", "")
	ask(2)
	ask(3) // before the window came to show the answer
	q.Until(t, "both answers", func() bool { return answers == 3 })
	if shown[late] {
		t.Error("what was read of it before the last revision is shown")
	}
	soon := lib.Add(0, "", "")
	ask(4)
	q.Until(t, "the last answer", func() bool { return answers == 4 })
	if !shown[soon] {
		t.Error("a plot that nothing has changed since does not come with the answer")
	}
}
