package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/theme"
)

// A Kind is the visual weight of a button.
type Kind int

// The kinds of button.
const (
	Ghost   Kind = iota // no background until the pointer is over it
	Quiet               // an outline
	Primary             // filled; at most one in a view
	Danger              // an outline and red text
)

var (
	_ fyne.Widget       = (*Button)(nil)
	_ fyne.Tappable     = (*Button)(nil)
	_ fyne.Focusable    = (*Button)(nil)
	_ desktop.Hoverable = (*Button)(nil)
	_ desktop.Mouseable = (*Button)(nil)
)

// A Button has an icon, a text, or both.
type Button struct {
	widget.BaseWidget
	OnEsc func() // what Escape does while the button has the focus; nil: it loses the focus

	k        *Kit
	kind     Kind
	icon     string
	bare     bool // the text is hidden
	text     string
	tip      string
	small    bool
	on       bool // a toggle that is on
	off      bool // disabled
	mouse    bool // the keyboard does not stop at it
	hovered  bool
	focused  bool
	tap      func()
	ground   *canvas.Rectangle
	ring     *canvas.Rectangle
	label    *canvas.Text
	image    *canvas.Image
	iconSize float32
	enter    enterSign
	sign     *canvas.Image // of Enter
	drawn    color.NRGBA   // the icon's current colour
	drawnAs  string
}

// Button returns a button. icon or text may be empty. tip is shown while the pointer
// rests on the button.
func (k *Kit) Button(kind Kind, icon, text, tip string, tap func()) *Button {
	b := &Button{
		k: k, kind: kind, icon: icon, text: text, tip: tip, tap: tap, iconSize: 16,
		ground: Fill(color.Transparent, theme.Radius), ring: Outline(k.P.Accent, 2, theme.Radius+1),
		label: Text(text, theme.TextBody, k.P.Text, fyne.TextStyle{Bold: kind == Primary}),
		image: &canvas.Image{FillMode: canvas.ImageFillContain}, sign: &canvas.Image{FillMode: canvas.ImageFillContain},
	}
	b.sign.Hide()
	b.ring.Hide()
	b.ExtendBaseWidget(b)
	b.paint()
	return b
}

// Small makes the button as high as a line of text and returns b.
func (b *Button) Small() *Button {
	b.small, b.iconSize = true, 14
	b.label.TextSize = theme.TextBody - 1
	return b
}

// SetText changes the text.
func (b *Button) SetText(s string) {
	if b.text != s {
		b.text = s
		b.SetBare(b.bare)
	}
}

// SetBare hides the text, for example if there is only room for the icon.
func (b *Button) SetBare(bare bool) {
	label := b.text
	if bare {
		label = ""
	}
	if b.bare = bare; b.label.Text != label {
		b.label.Text = label
		b.Refresh()
	}
}

// Text returns the text, even if it is hidden.
func (b *Button) Text() string { return b.text }

// SetIcon changes the icon.
func (b *Button) SetIcon(name string) {
	if b.icon != name {
		b.icon = name
		b.Refresh()
	}
}

// Tip returns the tip.
func (b *Button) Tip() string { return b.tip }

// SetTip changes the tip.
func (b *Button) SetTip(s string) { b.tip = s }

// SetKind changes the kind.
func (b *Button) SetKind(kind Kind) {
	if b.kind != kind {
		b.kind = kind
		b.Refresh()
	}
}

// SetOn sets whether a toggle is on.
func (b *Button) SetOn(on bool) {
	if b.on != on {
		b.on = on
		b.Refresh()
	}
}

// On reports whether a toggle is on.
func (b *Button) On() bool { return b.on }

// SetEnabled enables or disables the button.
func (b *Button) SetEnabled(ok bool) {
	if b.off == ok {
		b.off = !ok
		b.Refresh()
	}
}

// MouseOnly makes the keyboard pass over the button and returns b. There must be another way to do
// the same by keyboard.
func (b *Button) MouseOnly() *Button {
	b.mouse = true
	return b
}

// Disabled implements fyne.Disableable: Tab passes over it.
func (b *Button) Disabled() bool { return b.off || b.mouse }

// Enable implements fyne.Disableable.
func (b *Button) Enable() { b.SetEnabled(true) }

// Disable implements fyne.Disableable.
func (b *Button) Disable() { b.SetEnabled(false) }

// Enabled reports whether the button is enabled.
func (b *Button) Enabled() bool { return !b.off }

// Tapped implements fyne.Tappable.
func (b *Button) Tapped(*fyne.PointEvent) {
	if !b.off && b.tap != nil {
		b.k.Tips.Hide()
		b.tap()
	}
}

// FocusGained implements fyne.Focusable.
func (b *Button) FocusGained() { b.focus(true) }

// FocusLost implements fyne.Focusable.
func (b *Button) FocusLost() { b.focus(false) }

// TypedRune implements fyne.Focusable.
func (b *Button) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		b.Tapped(nil)
	case fyne.KeyEscape:
		if b.OnEsc != nil {
			b.OnEsc()
			return
		}
		Unfocus(b)
	default:
		b.k.Unused(e)
	}
}

// Unfocus removes the keyboard focus on o's canvas, so that the window gets the keys.
func Unfocus(o fyne.CanvasObject) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil {
		c.Unfocus()
	}
}

// MouseDown implements desktop.Mouseable.
func (b *Button) MouseDown(e *desktop.MouseEvent) { b.k.Press(e) }

// MouseUp implements desktop.Mouseable.
func (b *Button) MouseUp(*desktop.MouseEvent) { b.k.Release() }

// MouseIn implements desktop.Hoverable.
func (b *Button) MouseIn(e *desktop.MouseEvent) {
	b.k.PointerAt(e)
	b.hovered = true
	b.Refresh()
	b.k.Tips.Show(b, b.tip)
}

// MouseMoved implements desktop.Hoverable.
func (b *Button) MouseMoved(e *desktop.MouseEvent) { b.k.PointerAt(e) }

// MouseOut implements desktop.Hoverable.
func (b *Button) MouseOut() {
	b.hovered = false
	b.Refresh()
	b.k.Tips.Hide()
}

// paint sets the colours for the current state.
func (b *Button) paint() {
	p := b.k.P
	var ground, edge color.Color = color.Transparent, color.Transparent
	ink := p.Text
	switch b.kind {
	case Ghost:
		if ink = p.Text; b.text == "" && !b.on {
			ink = p.Muted
		}
	case Quiet:
		ground, edge = p.Raised, p.Edge
	case Primary:
		ground, ink = p.Accent, p.OnAccent
	case Danger:
		ground, edge, ink = p.Raised, p.Edge, p.Bad
	}
	if b.on {
		ground, ink = p.AccentBg, p.Accent
	}
	if b.hovered && !b.off {
		switch b.kind {
		case Primary:
			if !b.on {
				ground = p.PrimaryHover()
			}
		case Danger:
			ground, edge = p.BadBg, p.Bad
		case Ghost, Quiet:
			if !b.on {
				ground = p.Hover
			}
		}
	}
	if b.off {
		ink, edge = p.Faint, color.Transparent
		ground = color.Transparent
	}
	b.ground.FillColor, b.ground.StrokeColor, b.ground.StrokeWidth = ground, edge, 0
	if edge != color.Color(color.Transparent) {
		b.ground.StrokeWidth = 1
	}
	b.label.Color = ink
	if b.icon != "" && (b.drawn != ink || b.drawnAs != b.icon) {
		b.image.Resource = theme.Icon(b.icon, ink)
		b.drawn, b.drawnAs = ink, b.icon
		b.image.Refresh()
	}
	b.ring.Hidden = !b.focused
	b.paintSign(ink)
}

// CreateRenderer implements fyne.Widget.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{b.ground, b.image, b.label, b.sign, b.ring}
	if b.enter.ctrl != nil {
		objects = append(objects, b.enter.ctrl)
	}
	return &renderer{
		objects: objects,
		layout:  b.layout, min: b.min,
		refresh: func() { b.paint(); b.layout(b.Size()) },
	}
}

func (b *Button) layout(s fyne.Size) {
	Place(b.ground, 0, 0, s.Width, s.Height)
	out := float32(1)
	if b.kind == Primary {
		out = 4 // the ring has the colour of the button; a gap sets it off
	}
	Place(b.ring, -out, -out, s.Width+2*out, s.Height+2*out)
	gap, w := float32(6), float32(0)
	b.image.Hidden, b.label.Hidden = b.icon == "", b.label.Text == ""
	if b.icon != "" {
		w += b.iconSize
	}
	if b.label.Text != "" {
		if w > 0 {
			w += gap
		}
		w += b.label.MinSize().Width
	}
	w += b.signWidth()
	x := (s.Width - w) / 2
	if b.icon != "" {
		Place(b.image, x, (s.Height-b.iconSize)/2, b.iconSize, b.iconSize)
		x += b.iconSize + gap
	}
	if b.label.Text != "" {
		m := b.label.MinSize()
		Place(b.label, x, (s.Height-m.Height)/2, m.Width, m.Height)
		x += m.Width + gap
	}
	b.layoutSign(x, s.Height)
}

func (b *Button) min() fyne.Size {
	h, pad := float32(30), float32(11)
	if b.small {
		h, pad = 24, 8
	}
	if b.label.Text == "" {
		return fyne.NewSquareSize(h)
	}
	w := b.label.MinSize().Width + 2*pad
	if b.icon != "" {
		w += b.iconSize + 6
	}
	w += b.signWidth()
	return fyne.NewSize(w, max(h, b.label.MinSize().Height+6))
}
