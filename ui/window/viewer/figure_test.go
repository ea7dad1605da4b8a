package viewer

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

func aFigure(t testing.TB) *uitest.Library {
	lib := twoPlots(t)
	lib.AddFigure(0, picture.Plotly, "Sales", "fig.show()")
	lib.AddFigure(0, picture.HTML, "Page", "HTML(page)")
	return lib
}

const plotly, page = "img00003", "img00004"

func TestTheViewerSaysWhatAFigureIsAndWhatCanBeDone(t *testing.T) {
	lib := aFigure(t)
	v, q, _ := newTestView(t, lib)
	var did []string
	live := true
	v.act.Copy = func(line string) { did = append(did, "copy "+line) }
	v.act.Live = func(id string) { did = append(did, "open "+id) }
	v.act.Save = func(ids []string) { did = append(did, "save "+strings.Join(ids, " ")) }
	v.act.Lab = func(id string) func() {
		if !live {
			return nil
		}
		return func() { did = append(did, "lab "+id) }
	}
	open(t, v, q, plotly, "img00001", plotly, page)
	if v.card == nil || v.stage.pixels != nil || v.shown.Title != "Sales" {
		t.Fatalf("shown: %+v, a card: %v", v.shown.Title, v.card != nil)
	}
	for _, b := range v.act.remedies(v.k, v.shown) {
		b.(*kit.Button).Tapped(nil)
	}
	want := []string{"open " + plotly, "copy fig.show(renderer='png')", "save " + plotly, "lab " + uitest.SessionID(0)}
	if !slices.Equal(did, want) {
		t.Errorf("did %q, want %q", did, want)
	}
	card := v.card
	lib.Rate(1, plotly)
	v.Open(plotly, v.ids, lib.Changes().Last()) // the rating was changed elsewhere
	if v.Settled() {
		t.Error("settled before it was read again")
	}
	q.Until(t, "it to be read again", v.Settled)
	if v.card != card {
		t.Error("the card was made anew under the pointer")
	}
	lib.Change(plotly, func(im *library.Image) { im.NotDrawn.Reason = "its data is no JSON object" })
	v.Open(plotly, v.ids, lib.Changes().Last())
	q.Until(t, "a card that says why", func() bool { return v.card != card })
	if said := test.RenderObjectToMarkup(v.card); !strings.Contains(said, "Easel could not draw it: its data") {
		t.Errorf("the card does not say why: %s", said)
	}
	v.SetLayout(true)
	if says := v.Caption(); says != "There is no picture to lay out" {
		t.Errorf("the caption of a card says %q", says)
	}
	v.SetLayout(false)
	card = v.card
	live = false
	open(t, v, q, page, "img00001", plotly, page)
	if n := len(v.act.remedies(v.k, v.shown)); v.card == nil || v.card == card || n != 2 {
		t.Errorf("for HTML of a session that has ended there are %d buttons", n)
	}
	open(t, v, q, "img00001", "img00001", plotly, page)
	if v.card != nil || v.problem != nil || v.stage.pixels == nil {
		t.Error("the card is still there over a picture")
	}
}

// TestEnterOpensAnInteractiveFigure: in the browser, while a picture is closed by it.
func TestEnterOpensAnInteractiveFigure(t *testing.T) {
	lib := aFigure(t)
	lib.AddFigure(0, picture.Widget, "Level", "slider")
	const drawn, widget = page, "img00005"
	lib.Draw(drawn, "") // it has its picture now, before its data
	v, q, _ := newTestView(t, lib)
	var opened []string
	closed := 0
	v.act.Live = func(id string) { opened = append(opened, id) }
	v.act.Close = func() { closed++ }
	for id, want := range map[string]struct{ opens, button bool }{
		plotly: {true, false}, drawn: {true, true}, widget: {}, "img00001": {},
	} {
		opened, closed = nil, 0
		open(t, v, q, id, "img00001", plotly, drawn, widget)
		if v.live.Visible() != want.button {
			t.Errorf("%s: the button is in the bar: %v", id, v.live.Visible())
		}
		v.Key(fyne.KeyReturn)
		v.Key(fyne.KeyEnter)
		if want.opens != slices.Equal(opened, []string{id, id}) || want.opens == (closed > 0) {
			t.Errorf("%s: Enter opens %q and closes %d times", id, opened, closed)
		}
		if want.button {
			v.live.Tapped(nil)
			if len(opened) != 3 {
				t.Errorf("%s: the button opens %q", id, opened)
			}
		}
		before := closed
		if v.Key(fyne.KeyEscape); closed != before+1 {
			t.Errorf("%s: Escape does not close", id)
		}
	}
}

func TestFiguresStandAmongPictures(t *testing.T) {
	lib := aFigure(t)
	v, q, _ := newTestView(t, lib)
	v.SetStrip(true)
	open(t, v, q, "img00002", "img00001", "img00002", plotly, page)
	if f := v.strip.stills[plotly]; f == nil || !f.figure || !f.sign.Object().Visible() {
		t.Error("the filmstrip does not show the figure's sign")
	}
	k := &kit.Kit{P: &theme.Dark, Tr: i18n.New("ja"), Do: q.Do}
	c := NewCompare(k, lib, CompareActions{Close: func() {}, Open: func(string) {}, Menu: func(string, fyne.Position) {}, Fullscreen: func() {}})
	t.Cleanup(c.Close)
	c.Open([]string{"img00001", plotly})
	q.Until(t, "both to be read", c.Settled)
	if c.panes[0].card != nil || c.panes[1].card == nil || c.difference() != k.T("figure.incomparable") {
		t.Errorf("compared: %q", c.difference())
	}
	s := NewScreen(k, lib)
	t.Cleanup(s.Close)
	w := test.NewWindow(s)
	t.Cleanup(w.Close)
	s.Present(plotly, 1)
	q.Until(t, "the figure to be presented", func() bool { return s.Shown() == plotly })
	if s.card == nil {
		t.Error("the presenter shows nothing of it")
	}
	s.Present("img00001", 1)
	q.Until(t, "the plot to be presented", func() bool { return s.Shown() == "img00001" })
	if s.card != nil || s.stage.pixels == nil {
		t.Error("the presenter still shows the card")
	}
}

func TestADamagedFigureIsAFaultAndNoCard(t *testing.T) {
	lib := aFigure(t)
	v, q, _ := newTestView(t, lib)
	lib.Damage(plotly)
	open(t, v, q, plotly, plotly)
	if v.card != nil || v.problem == nil {
		t.Error("it looks whole")
	}
}

func TestTheCardKeepsItsButtonsWhereThereIsLittleRoom(t *testing.T) {
	v, q, _ := newTestView(t, aFigure(t))
	v.act.Copy, v.act.Save = func(string) {}, func([]string) {}
	open(t, v, q, plotly, plotly)
	for _, size := range []fyne.Size{{Width: 800, Height: 700}, {Width: 400, Height: 420}, {Width: 300, Height: 200}} {
		v.card.Resize(size)
		ground, buttons := v.card.Objects[0], v.card.Objects[len(v.card.Objects)-1]
		if !buttons.Visible() || ground.Position().Y < 0 || ground.Size().Height > size.Height || ground.Size().Width > size.Width {
			t.Errorf("%v: the card is at %v, %v large; its buttons are visible: %v", size, ground.Position(), ground.Size(), buttons.Visible())
		}
	}
}
