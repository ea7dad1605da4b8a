package kit

import (
	"testing"

	"fyne.io/fyne/v2"
)

// TestTheSignOfEnterIsOnTheButtonThatEnterPresses: without the focus on another button.
func TestTheSignOfEnterIsOnTheButtonThatEnterPresses(t *testing.T) {
	k := newKit(t)
	plain := k.Button(Quiet, "", "Cancel", "", nil).MinSize().Width
	cancel, yes := k.Button(Quiet, "", "Cancel", "", nil).OnEnter(), k.Button(Danger, "", "Delete", "", nil)
	w := fyne.CurrentApp().NewWindow("")
	w.SetContent(NewRow(8, -1, cancel, yes))
	w.Resize(fyne.NewSize(300, 60))
	defer w.Close()
	Answers(cancel, yes)
	shown := func(when string, want bool) {
		t.Helper()
		if cancel.sign.Visible() != want || yes.sign.Visible() {
			t.Errorf("%s, Cancel has the sign: %v, Delete: %v", when, cancel.sign.Visible(), yes.sign.Visible())
		}
	}
	shown("at first", true)
	w.Canvas().Focus(yes)
	shown("with the focus on Delete", false)
	w.Canvas().Focus(cancel)
	shown("with the focus on Cancel", true)
	if got := cancel.MinSize().Width; got <= plain || cancel.sign.Position().X+cancel.sign.Size().Width > got {
		t.Errorf("the button is %v wide, without the sign %v", got, plain)
	}
}
