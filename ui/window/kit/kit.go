// Package kit provides the widgets that all views are made of: buttons, lines of text
// that shorten themselves, code, stars, chips, empty states. They take their colours
// from a palette when they are created. When the language or the theme changes, the
// views are created again.
//
// # Goroutines
//
// Everything belongs to the UI goroutine, except a Dispatcher, which may be called from
// any goroutine.
package kit

import (
	"image/color"
	"math"
	"time"
	"weak"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/window/i18n"
	"easel/ui/window/theme"
)

// A Dispatcher runs f later on the UI goroutine and never blocks its caller. In the app
// it is fyne.Do; in tests, a queue that the test drains.
type Dispatcher func(f func())

// A Kit contains what is needed to create a view.
type Kit struct {
	P    *theme.Palette
	Tr   *i18n.Catalog
	Do   Dispatcher
	Now  func() time.Time
	Tips *Tips // shows tooltips; may be nil

	Shaders bool // the canvas supports custom shaders, as OpenGL's does

	Keys func(*fyne.KeyEvent)                            // gets the keys that a widget with the focus does not use; may be nil
	Menu func(at fyne.Position, items ...*fyne.MenuItem) // shows a menu; may be nil
	Key  func(action string) string                      // the user's key of an action, as it is shown; may be nil

	scrolls []weak.Pointer[Scroll] // all that VScroll returned
	press   press
}

// T returns the text of a message in the kit's language; see [i18n.Catalog.T].
func (k *Kit) T(key string, args ...any) string { return k.Tr.T(key, args...) }

// A renderer draws a widget with a fixed set of objects.
type renderer struct {
	objects []fyne.CanvasObject
	layout  func(fyne.Size)
	min     func() fyne.Size
	refresh func()
}

func (r *renderer) Layout(s fyne.Size) {
	if r.layout != nil {
		r.layout(s)
	}
}

func (r *renderer) MinSize() fyne.Size {
	if r.min == nil {
		return fyne.Size{}
	}
	return r.min()
}

func (r *renderer) Refresh() {
	if r.refresh != nil {
		r.refresh()
	}
	for _, o := range r.objects {
		canvas.Refresh(o)
	}
}
func (r *renderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *renderer) Destroy()                     {}

// Text returns a line of text in a colour.
func Text(s string, size float32, c color.Color, style fyne.TextStyle) *canvas.Text {
	t := canvas.NewText(s, c)
	t.TextSize, t.TextStyle = size, style
	return t
}

// Fill returns a rectangle with rounded corners.
func Fill(c color.Color, radius float32) *canvas.Rectangle {
	r := canvas.NewRectangle(c)
	r.CornerRadius = radius
	return r
}

// Outline returns a rectangle that is only an edge.
func Outline(c color.Color, width, radius float32) *canvas.Rectangle {
	r := canvas.NewRectangle(color.Transparent)
	r.StrokeColor, r.StrokeWidth, r.CornerRadius = c, width, radius
	return r
}

// Icon returns one of our icons as a square object.
func Icon(name string, c color.NRGBA, size float32) *canvas.Image {
	m := canvas.NewImageFromResource(theme.Icon(name, c))
	m.FillMode = canvas.ImageFillContain
	m.SetMinSize(fyne.NewSquareSize(size))
	m.Resize(fyne.NewSquareSize(size))
	return m
}

// Box returns a container that gives o at least the size s.
func Box(o fyne.CanvasObject, s fyne.Size) fyne.CanvasObject {
	return fyne.NewContainerWithLayout(&minLayout{s}, o) //nolint:staticcheck // the short form of a container literal
}

type minLayout struct{ size fyne.Size }

func (m *minLayout) Layout(os []fyne.CanvasObject, s fyne.Size) {
	for _, o := range os {
		o.Resize(s)
		o.Move(fyne.Position{})
	}
}

func (m *minLayout) MinSize(os []fyne.CanvasObject) fyne.Size {
	s := m.size
	for _, o := range os {
		s = s.Max(o.MinSize())
	}
	return s
}

// Place moves and resizes o. It rounds the position to whole units, because text
// between two pixels is blurred.
func Place(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(float32(math.Round(float64(x))), float32(math.Round(float64(y)))))
	o.Resize(fyne.NewSize(w, h))
}

// LayoutFunc is a layout made of two functions. Min may be nil.
type LayoutFunc struct {
	Arrange func(os []fyne.CanvasObject, s fyne.Size)
	Min     func(os []fyne.CanvasObject) fyne.Size
}

// Layout implements fyne.Layout.
func (l LayoutFunc) Layout(os []fyne.CanvasObject, s fyne.Size) { l.Arrange(os, s) }

// MinSize implements fyne.Layout.
func (l LayoutFunc) MinSize(os []fyne.CanvasObject) fyne.Size {
	if l.Min == nil {
		return fyne.Size{}
	}
	return l.Min(os)
}

// Panel puts o on a background, with hairlines on the sides given in lines, which
// consists of the letters "tblr" for top, bottom, left and right.
func (k *Kit) Panel(ground color.Color, lines string, o fyne.CanvasObject) fyne.CanvasObject {
	parts := []fyne.CanvasObject{k.Area(ground, 0), o}
	for range lines {
		parts = append(parts, canvas.NewRectangle(k.P.Line))
	}
	return &fyne.Container{Objects: parts, Layout: LayoutFunc{
		Arrange: func(os []fyne.CanvasObject, s fyne.Size) {
			Place(os[0], 0, 0, s.Width, s.Height)
			Place(os[1], 0, 0, s.Width, s.Height)
			for i, side := range lines {
				switch line := os[i+2]; side {
				case 't':
					Place(line, 0, 0, s.Width, 1)
				case 'b':
					Place(line, 0, s.Height-1, s.Width, 1)
				case 'l':
					Place(line, 0, 0, 1, s.Height)
				case 'r':
					Place(line, s.Width-1, 0, 1, s.Height)
				}
			}
		},
		Min: func(os []fyne.CanvasObject) fyne.Size { return os[1].MinSize() },
	}}
}

var _ fyne.Widget = (*Line)(nil)

// A Line is one line of text. It ends in … if it does not fit.
type Line struct {
	widget.BaseWidget
	full  string
	text  *canvas.Text
	least float32
}

// NewLine returns a line. least is its minimum width.
func NewLine(s string, size float32, c color.Color, style fyne.TextStyle, least float32) *Line {
	l := &Line{full: s, text: Text(s, size, c, style), least: least}
	l.ExtendBaseWidget(l)
	return l
}

// Align sets the alignment and returns l.
func (l *Line) Align(a fyne.TextAlign) *Line {
	l.text.Alignment = a
	return l
}

// Set changes the text and the colour. If the colour is nil, it stays the same.
func (l *Line) Set(s string, c color.Color) {
	if c == nil {
		c = l.text.Color
	}
	if l.full == s && l.text.Color == c {
		return
	}
	l.full, l.text.Color = s, c
	l.fit(l.Size().Width)
	l.text.Refresh()
}

// Full returns the whole text.
func (l *Line) Full() string { return l.full }

// PreferredWidth returns the width at which nothing is cut off.
func (l *Line) PreferredWidth() float32 {
	return fyne.MeasureText(l.full, l.text.TextSize, l.text.TextStyle).Width
}

func (l *Line) fit(w float32) {
	l.text.Text = Shorten(l.full, w, l.text.TextSize, l.text.TextStyle)
}

// Shorten returns s if it fits into the width w or w is not positive, else the part
// that fits, with … at its end.
func Shorten(s string, w, size float32, style fyne.TextStyle) string {
	if w <= 0 || fyne.MeasureText(s, size, style).Width <= w {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if fyne.MeasureText(string(runes[:mid])+"…", size, style).Width <= w {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return string(runes[:lo]) + "…"
}

// CreateRenderer implements fyne.Widget.
func (l *Line) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{l.text},
		layout: func(s fyne.Size) {
			l.fit(s.Width)
			h := l.text.MinSize().Height
			Place(l.text, 0, (s.Height-h)/2, s.Width, h)
		},
		min: func() fyne.Size {
			return fyne.NewSize(l.least, fyne.MeasureText("Ag", l.text.TextSize, l.text.TextStyle).Height)
		},
	}
}
