package kit

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// A press is a mouse button that is down, and what waits until it is released.
//
// Fyne taps an object only if it is under the pointer both when the button is pressed and when it
// is released. A view that replaces its objects in between loses the click; one that gives them
// another meaning would act on something that the user has not pressed. So views wait.
type press struct {
	down    bool
	at      fyne.Position // in the window
	last    fyne.Position // where the pointer was last
	waiting []waiter
}

// A waiter is an object to change after the release.
type waiter struct {
	of     fyne.CanvasObject
	change func()
}

// Press tells that a mouse button was pressed. All objects that can be pressed call it.
func (k *Kit) Press(e *desktop.MouseEvent) {
	if e != nil {
		k.press.down, k.press.at, k.press.last = true, e.AbsolutePosition, e.AbsolutePosition
	}
}

// Release tells that the button was released. What waits changes after the tap, which follows.
func (k *Kit) Release() {
	if !k.press.down {
		return
	}
	k.press.down = false
	if len(k.press.waiting) > 0 {
		k.Do(k.changeWaiting)
	}
}

// PointerAt notices a release that no object was told: outside of all that can be pressed.
func (k *Kit) PointerAt(e *desktop.MouseEvent) {
	if e == nil {
		return
	}
	if k.press.last = e.AbsolutePosition; e.Button == 0 {
		k.Release()
	}
}

// Under reports whether the pointer is over o, as far as objects were told.
func (k *Kit) Under(o fyne.CanvasObject) bool { return contains(o, k.press.last) }

func contains(o fyne.CanvasObject, at fyne.Position) bool {
	d := fyne.CurrentApp().Driver()
	if !o.Visible() || d.CanvasForObject(o) == nil {
		return false
	}
	from := d.AbsolutePositionForObject(o)
	to := from.Add(o.Size())
	return at.X >= from.X && at.X < to.X && at.Y >= from.Y && at.Y < to.Y
}

func (k *Kit) changeWaiting() {
	if k.press.down {
		return // pressed again
	}
	all := k.press.waiting
	k.press.waiting = nil
	for _, w := range all {
		w.change()
	}
}

// Pressed reports whether the pointer is pressed on o. If so, it calls change after the release, unless
// o is changed otherwise before. A view that may change at any time asks before it does.
func (k *Kit) Pressed(o fyne.CanvasObject, change func()) bool {
	k.press.waiting = slices.DeleteFunc(k.press.waiting, func(w waiter) bool { return w.of == o })
	if !k.press.down || !contains(o, k.press.at) {
		return false
	}
	k.press.waiting = append(k.press.waiting, waiter{o, change})
	return true
}
