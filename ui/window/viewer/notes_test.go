package viewer

import (
	"image"
	"reflect"
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/window/uitest"
)

// TestMarksAreDrawnInTheirShapes: a box by a drag, an arrow by a drag, a point by a click.
func TestMarksAreDrawnInTheirShapes(t *testing.T) {
	v, kept := newMarkedView(t, 1.5)
	s := v.stage
	at := func(x, y float64) fyne.Position { return s.positionOf(x, y) }
	near := func(a, b image.Point) bool { d := a.Sub(b); return max(d.X, -d.X, d.Y, -d.Y) <= 1 }

	v.SelectRegion()
	v.region.picks.buttons[catalog.Arrow].Tapped(nil)
	press(s, at(100, 60), at(300, 200), 0)
	m := v.region.mark
	if m.Shape != catalog.Arrow || !near(m.From, image.Pt(100, 60)) || !near(m.To, image.Pt(300, 200)) || !m.From.In(m.Rect) || !m.To.In(m.Rect) {
		t.Errorf("an arrow is %+v", m)
	}
	v.ShowRegion() // the state has only the rectangle
	if kept["img00001"] != m.Rect || v.region.mark != m || len(s.notes) != 1 || !v.region.line[0].Hidden {
		t.Errorf("the state has %v, the viewer %+v, drawn are %v", kept["img00001"], v.region.mark, s.notes)
	}

	v.SelectRegion()
	v.region.picks.buttons[catalog.Point].Tapped(nil)
	press(s, at(150, 80), at(150, 80), 0)
	if m := v.region.mark; m.Shape != catalog.Point || !near(m.To, image.Pt(150, 80)) || v.region.mode {
		t.Errorf("a point is %+v; another is expected: %v", m, v.region.mode)
	}

	press(s, at(100, 60), at(300, 200), fyne.KeyModifierShift)
	if m := v.region.mark; m.Shape != catalog.Box || m.Rect.Dx() < 199 {
		t.Errorf("Shift and a drag give %+v", m)
	}
}

// TestNumbersStayAtTheirMarks, if they are in the viewport, and are hidden on demand.
func TestNumbersStayAtTheirMarks(t *testing.T) {
	v, _ := newMarkedView(t, 1)
	s := v.stage
	v.notes.take([]library.Question{
		{ID: "a", Number: 1, Mark: catalog.Mark{Rect: image.Rect(10, 20, 60, 50)}, Words: "Why?"},
		{ID: "b", Number: 3, Mark: catalog.Mark{Shape: catalog.Arrow, From: image.Pt(300, 300), To: image.Pt(320, 200)}, Words: "This?"},
		{ID: "c", Number: 4, Mark: catalog.Mark{Shape: catalog.Point, To: image.Pt(600, 400)}, State: catalog.QuestionDone, Words: "Fine"},
	})
	if got := v.Notes(); !slices.Equal(got, []int{1, 3, 4}) || len(s.notes) != 2 {
		t.Errorf("numbers %v, %d marks are drawn; what is done has only its number", got, len(s.notes))
	}
	where := func() fyne.Position { return v.notes.badges[0].at.Position().AddXY(badgeEdge/2, badgeEdge/2) }
	if d := where().Subtract(s.positionOf(10, 20)); max(d.X, -d.X, d.Y, -d.Y) > 1 {
		t.Errorf("a number is at %v, its box at %v", where(), s.positionOf(10, 20))
	}
	s.zoomTo(3, s.positionOf(30, 30))
	if d := where().Subtract(s.positionOf(10, 20)); max(d.X, -d.X, d.Y, -d.Y) > 1 {
		t.Errorf("zoomed, a number is at %v, its box at %v", where(), s.positionOf(10, 20))
	}
	if got := v.Notes(); !slices.Equal(got, []int{1}) {
		t.Errorf("zoomed, the numbers are %v", got)
	}
	s.toFit()
	v.ToggleNotes()
	if got := v.Notes(); len(got) > 0 || len(s.notes) > 0 {
		t.Errorf("hidden, the numbers are %v, and %d marks are drawn", got, len(s.notes))
	}
}

// TestMarksAreDrawnIntoAPicture, with their numbers, also at its edges; the picture itself stays as it is.
func TestMarksAreDrawnIntoAPicture(t *testing.T) {
	plain := uitest.Plot(3, 640, 480)
	got, err := Marked(plain, []library.Question{
		{Number: 1, Mark: catalog.Mark{Rect: image.Rect(0, 0, 200, 120)}},
		{Number: 3, Mark: catalog.Mark{Shape: catalog.Arrow, From: image.Pt(500, 400), To: image.Pt(420, 300)}, State: catalog.QuestionAnswered},
		{Number: 12, Mark: catalog.Mark{Shape: catalog.Point, To: image.Pt(639, 200)}},
		{Number: 13, Mark: catalog.Mark{Shape: catalog.Point, To: image.Pt(300, 100)}, State: catalog.QuestionDone},
	})
	require.NoError(t, err)
	uitest.GoldenPicture(t, "marked", got)
	if again := uitest.Plot(3, 640, 480); !reflect.DeepEqual(plain, again) {
		t.Error("the picture itself has changed")
	}
}
