package viewer

import (
	"image"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

const (
	// layoutDPI is how many units of the window an inch of a figure has, as in Positron.
	layoutDPI = 100
	// leastLayout is the smallest side that a figure is laid out for, in units.
	leastLayout = 120

	// Delays until a picture is asked for: the user may go on or resize on.
	layoutSettles = 150 * time.Millisecond // after another picture is shown
	layoutResizes = 400 * time.Millisecond // after the last change of the size
	layoutRetries = time.Second            // after a kernel was busy that said it was idle

	// busyReason is the redraw.Reason that ends by itself.
	busyReason = "busy"
)

// An order is a picture to lay out, and for which size.
type order struct {
	of   *image.RGBA // the stored picture
	size image.Point // in pixels of the screen
	dpi  float64
}

func (o order) drawing() Drawing {
	return Drawing{Width: float64(o.size.X) / o.dpi, Height: float64(o.size.Y) / o.dpi, DPI: o.dpi}
}

// A layouter has the picture of the viewer laid out again for the size of the viewport, while
// the user wants that. The stage then shows these pixels instead of the stored ones. Everything
// else still refers to the stored picture: regions, copying, the other views.
//
// A picture is laid out only while it is fitted, so nothing moves after the user has zoomed.
//
// Invariants: at most one picture is asked for. An outdated one is awaited, because its kernel
// draws it to the end anyway, and is busy meanwhile. laid is nil, or it is what the stage shows,
// drawn for as. kept has what was laid out last, also while it is not shown.
type layouter struct {
	v    *View
	on   bool
	laid *image.RGBA
	as   order

	due     order // that the timer waits for, or that was asked for; zero if there is none
	timer   *time.Timer
	turn    int    // grows when earlier timers and answers no longer count
	session string // of the picture that was asked for
	asking  bool
	cancel  func()

	refused order  // the last order that could not be drawn
	why     string // the reason
	kept    layouts
	resting bool

	tool *kit.Button
	note *kit.Line
	off  *kit.Button
	row  fyne.CanvasObject
	said string // the last message in full screen
}

func newLayouter(v *View) *layouter {
	k := v.k
	l := &layouter{v: v, note: kit.NewLine("", theme.TextBody-1, k.P.Muted, fyne.TextStyle{}, 60)}
	l.tool = k.Button(kit.Ghost, "layout", "", k.T("viewer.layout"), v.ToggleLayout)
	l.off = k.Button(kit.Ghost, "", k.T("viewer.layout.off"), k.T("viewer.layout.off_tip"), v.ToggleLayout).Small()
	l.row = k.Panel(k.P.Panel, "t", &fyne.Container{Layout: kit.Row{Pad: 12, Gap: 8, Stretch: 0}, Objects: []fyne.CanvasObject{l.note, l.off}})
	return l
}

// wants returns what the stage should show instead of the stored picture; false if that is the
// stored picture.
func (l *layouter) wants() (o order, ok bool) {
	v := l.v
	if !l.on || v.act.Redraw == nil || v.still == nil || v.blank || v.small || v.problem != nil || v.movie.has() || v.versions.playing ||
		v.region.works() || v.marking() {
		return order{}, false
	}
	f := v.stage.scale()
	w, h := v.stage.viewport()
	o = order{of: v.still, size: image.Pt(int(w-2*v.stage.edge), int(h-2*v.stage.edge)), dpi: layoutDPI * f}
	return o, float64(min(o.size.X, o.size.Y)) >= leastLayout*f
}

// change is called when the picture, the viewport, the zoom, or what the kernels do may have
// changed.
func (l *layouter) change() {
	if !l.v.Visible() || l.resting {
		return
	}
	o, ok := l.wants()
	switch {
	case !ok:
		l.stop()
		l.restore()
	case !l.v.stage.fit, l.laid != nil && o == l.as:
		l.await(order{}, 0)
	case l.again(o):
		return
	case o == l.due:
	case o == l.refused && (l.why != busyReason || !l.idle()):
	case l.due.of == o.of || l.refused.of == o.of || l.laid != nil:
		l.await(o, layoutResizes)
	default:
		l.await(o, layoutSettles)
	}
	l.tell()
}

// again shows what is kept for an order. It reports false if that is nothing.
func (l *layouter) again(o order) bool {
	m := l.kept.find(layoutOf(l.v.shown, o))
	if m == nil {
		return false
	}
	l.await(order{}, 0)
	l.display(o, m)
	return true
}

// idle reports whether the kernel of the picture may be idle.
func (l *layouter) idle() bool { return l.v.act.Idle == nil || l.v.act.Idle(l.v.shown) }

// await asks for an order after a delay, and for nothing before. The zero order is for none.
func (l *layouter) await(o order, delay time.Duration) {
	l.due = o
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.asking && l.session != l.v.shown.SessionID { // another kernel would wait for nothing
		l.stop()
		l.due = o
	}
	if o == (order{}) || l.asking { // the answer is followed by change
		return
	}
	turn := l.turn
	l.timer = time.AfterFunc(delay, func() {
		l.v.k.Do(func() {
			if l.turn == turn && l.due == o {
				l.ask(o)
			}
		})
	})
}

// stop gives up what is being drawn.
func (l *layouter) stop() {
	l.turn++
	l.due, l.asking = order{}, false
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.cancel != nil {
		l.cancel()
		l.cancel = nil
	}
}

// restore shows the stored picture.
func (l *layouter) restore() {
	if l.laid != nil {
		if s := l.v.stage; !s.fit && l.v.still != nil { // the same part stays in view
			s.zoom *= float64(l.laid.Rect.Dx()) / float64(max(1, l.v.still.Rect.Dx()))
		}
		l.laid = nil
		l.v.stage.set(l.v.still, true)
	}
}

func (l *layouter) ask(o order) {
	if now, ok := l.wants(); !ok || now != o || !l.v.Visible() {
		l.due = order{}
		l.change()
		return
	}
	if !l.idle() {
		l.refuse(o, busyReason)
		return
	}
	l.asking, l.session = true, l.v.shown.SessionID
	turn, key := l.turn, layoutOf(l.v.shown, o)
	cancel := l.v.act.Redraw(l.v.shown, o.drawing(), func(m *image.RGBA, why string) {
		if l.turn == turn {
			l.asking, l.cancel = false, nil
			if m != nil {
				l.kept.keep(key, m) // also if the user has gone on meanwhile
			}
			l.take(o, m, why)
		}
	})
	if l.asking && l.turn == turn {
		l.cancel = cancel
	}
}

// take shows the answer, unless something else is wanted by now.
func (l *layouter) take(o order, m *image.RGBA, why string) {
	now, ok := l.wants()
	switch {
	case !l.v.Visible():
		l.due = order{} // Show asks again
	case !ok || now != o || !l.v.stage.fit:
		l.due = order{}
		l.change()
	case m == nil:
		l.refuse(o, why)
	default:
		l.due = order{}
		l.display(o, m)
	}
}

// display shows a picture that was laid out.
func (l *layouter) display(o order, m *image.RGBA) {
	l.refused, l.why = order{}, ""
	l.laid, l.as = m, o
	l.v.stage.set(m, false)
	l.tell()
}

// refuse shows the stored picture and says why. If only the kernel is busy, what was laid out
// for another size stays meanwhile.
func (l *layouter) refuse(o order, why string) {
	l.due, l.refused, l.why = order{}, o, why
	if why != busyReason || l.laid != nil && l.as.of != o.of {
		l.restore()
	}
	if why == busyReason && l.idle() { // it may be busy for a moment only, for example with variables
		l.await(o, layoutRetries)
	}
	l.v.sharp.change()
	l.tell()
}

// leave is called before the stage shows another picture.
func (l *layouter) leave() { l.laid, l.refused, l.why = nil, order{}, "" }

// rest takes what was drawn off the stage.
func (l *layouter) rest() {
	l.resting = true // it is not laid out again
	l.restore()
	l.resting = false
	l.stop()
}

// close gives up for good what is being drawn.
func (l *layouter) close() {
	l.on = false
	l.stop()
	l.leave()
}

// draws reports whether the stage shows a fitted picture that is, or soon will be, laid out.
func (l *layouter) draws() bool {
	return l.v.stage.fit && (l.laid != nil || l.due != (order{}))
}

// pending reports whether a picture will be laid out soon.
func (l *layouter) pending() bool { return l.due != (order{}) && l.why != busyReason }

// ToggleLayout turns the layout for the window on or off.
func (v *View) ToggleLayout() { v.SetLayout(!v.layout.on) }

// SetLayout says whether pictures are laid out for the window. A picture that is zoomed is
// fitted, because the user wants to see it in the window.
func (v *View) SetLayout(on bool) {
	l := v.layout
	if l.on == on {
		return
	}
	l.on = on
	l.tool.SetOn(on)
	l.refused, l.why = order{}, ""
	if on && !v.stage.fit {
		v.stage.toFit()
	}
	v.Refresh() // the caption takes its place from the picture
	l.change()
	if o := l.due; o != (order{}) && !l.asking {
		l.await(o, 0) // the user waits for it
	}
}

// LaysOut reports whether pictures are laid out for the window.
func (v *View) LaysOut() bool { return v.layout.on }

// LaidOut returns the size of the picture that is laid out for the window; false if the stored
// picture is shown.
func (v *View) LaidOut() (size image.Point, ok bool) {
	if v.layout.laid == nil {
		return image.Point{}, false
	}
	return v.layout.laid.Rect.Size(), true
}

// Show implements fyne.CanvasObject. The window may have another size by now.
func (v *View) Show() {
	v.BaseWidget.Show()
	v.layout.refused, v.layout.why = order{}, "" // it may be possible by now
	v.layout.change()
}
