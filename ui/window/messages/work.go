package messages

import (
	"slices"

	"easel/ui/window/kit"
)

// Works has what is being done that takes long. It outlives a Board, which is new in another
// language.
type Works struct {
	board *Board
	list  []*Work
}

// A Work is something that takes long. A message says so until it ends.
type Work struct {
	of     *Works
	text   func(*kit.Kit) string // in the current language
	cancel func()                // nil if it cannot be cancelled
}

// Begin adds a work. text is what its message says; cancel runs when the user cancels, and may
// be nil.
func (w *Works) Begin(text func(*kit.Kit) string, cancel func()) *Work {
	x := &Work{of: w, text: text, cancel: cancel}
	w.list = append(w.list, x)
	w.board.update()
	return x
}

// Say shows what the text says now.
func (x *Work) Say() { x.of.board.update() }

// End removes the message. Another call does nothing.
func (x *Work) End() {
	x.of.list = slices.DeleteFunc(x.of.list, func(o *Work) bool { return o == x })
	x.of.board.update()
}
