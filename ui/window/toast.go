package window

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// toastTime is how long a message is shown. An error is shown twice as long.
const toastTime = 4 * time.Second

// offerTime is how long a message with a button is shown.
const offerTime = 12 * time.Second

// A toast is a message that disappears by itself.
type toast struct {
	s      *shell
	root   *fyne.Container
	ground *canvas.Rectangle
	mark   *kit.Slot
	inset  float32 // of text, which follows the mark if there is one
	text   *kit.Para
	act    *kit.Button // hidden unless there is an action
	offer  func()
	holds  func(*state.Snapshot) bool // whether the message is still true; nil if it always is
	timer  *time.Timer
	shown  int
	at     fyne.Position
	area   fyne.Size
	foot   float32 // height of the lower edge of area that must stay free
	works  bool    // it says what is being done
}

func newToast(s *shell) *toast {
	p := s.k.P
	t := &toast{s: s, ground: kit.Fill(p.Raised, 8), mark: s.k.Slot()}
	t.ground.StrokeColor, t.ground.StrokeWidth = p.Edge, 1
	t.text = kit.NewPara("", theme.TextBody, p.Text, fyne.TextStyle{}).Most(4)
	t.act = s.k.Button(kit.Quiet, "", "", "", func() {
		offer := t.offer
		t.hide()
		if offer != nil {
			offer()
		}
	}).Small()
	t.root = &fyne.Container{
		Objects: []fyne.CanvasObject{t.ground, t.mark, t.text, t.act},
		Layout:  kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}},
	}
	t.root.Hide()
	return t
}

// show shows a message. With a label, it has a button for an action and stays longer.
func (t *toast) show(m kit.Mark, text, label string, offer func()) {
	if t.s.k.Pressed(t.root, func() { t.show(m, text, label, offer) }) {
		return
	}
	t.offer, t.holds, t.works = offer, nil, false
	t.set(m, text, label)
	stand := toastTime
	switch {
	case label != "":
		stand = offerTime
	case m == kit.MarkBad:
		stand *= 2
	}
	if t.s.a.cfg.stand > 0 {
		stand = t.s.a.cfg.stand
	}
	shown := t.shown
	t.timer = time.AfterFunc(stand, func() {
		t.s.k.Do(func() {
			if shown == t.shown {
				t.hide()
			}
		})
	})
}

// set sets what the message says.
func (t *toast) set(m kit.Mark, text, label string) {
	kit.SetVisible(t.act, label != "")
	t.act.SetText(label)
	t.shown++
	t.text.Set(text)
	t.mark.Set(m)
	if t.inset = 32; m == kit.MarkNone {
		t.inset = 14
	}
	t.root.Show()
	t.arrange()
	kit.Repaint(t.s.a.win.Canvas())
	if t.timer != nil {
		t.timer.Stop()
	}
}

// hide hides the message. If something is being done, it says so.
func (t *toast) hide() {
	t.root.Hide()
	t.work()
}

// work says what is being done, if anything is, for as long as it is done.
func (t *toast) work() {
	text := t.s.a.works.text(t.s.k)
	if t.works = text != ""; t.works {
		t.offer, t.holds = nil, nil
		t.set(kit.MarkBusy, text, "")
	}
}

// worked ends what work says.
func (t *toast) worked() {
	if t.works {
		t.hide()
	}
}

// render hides a message that is no longer true, and moves it if the controls below the
// picture have changed.
func (t *toast) render(n *state.Snapshot) {
	if t.root.Visible() && t.foot != t.s.gallery.foot() {
		t.arrange()
	}
	if t.holds != nil && !t.holds(n) {
		t.holds = nil
		t.hide()
	}
	if !t.root.Visible() {
		t.work() // the shell may be new
	}
}

func (t *toast) stop() {
	t.shown++
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *toast) place(at fyne.Position, area fyne.Size) {
	t.at, t.area = at, area
	t.arrange()
}

func (t *toast) arrange() {
	act := float32(0)
	if t.act.Visible() {
		act = t.act.MinSize().Width + 12
	}
	t.foot = t.s.gallery.foot()
	preferred := fyne.MeasureText(t.text.Text(), theme.TextBody, fyne.TextStyle{}).Width
	w := min(preferred+2, 420, max(t.area.Width-80-act, 120))
	h := t.text.HeightFor(w)
	total := fyne.NewSize(t.inset+w+12+act, h+20)
	kit.Place(t.root, t.at.X+(t.area.Width-total.Width)/2, t.at.Y+t.area.Height-t.foot-total.Height-16, total.Width, total.Height)
	kit.Place(t.ground, 0, 0, total.Width, total.Height)
	kit.Place(t.mark, 14, 10, 14, 18)
	kit.Place(t.text, t.inset, 10, w, h)
	kit.Place(t.act, total.Width-act, (total.Height-24)/2, act-12, 24)
}
