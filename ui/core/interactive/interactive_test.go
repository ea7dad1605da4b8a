package interactive

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render/page"
)

const (
	plotly = "application/vnd.plotly.v1+json"
	script = "application/javascript"
)

// A shelf is a library with few images.
type shelf map[string]map[string]string // id, type, data

func (s shelf) Image(_ context.Context, id string) (library.Image, error) {
	kept, ok := s[id]
	if !ok {
		return library.Image{}, library.ErrNotFound
	}
	im := library.Image{Image: catalog.Image{ImageID: id, SessionID: "s1", Title: `Sales </title><script>alert("x")</script>`}}
	for _, mime := range []string{picture.PNG, picture.SVG, plotly, "application/vnd.jupyter.widget-view+json", "application/vnd.bokehjs_exec.v0+json", "text/html", script} {
		if _, ok := kept[mime]; ok {
			im.Forms = append(im.Forms, library.StoredForm{MIME: mime})
		}
	}
	if len(im.Forms) > 0 && im.Forms[0].MIME == "application/vnd.jupyter.widget-view+json" {
		im.Interactive = picture.Widget
	}
	return im, nil
}

func (s shelf) ReadForm(_ context.Context, im library.Image, mime string) ([]byte, error) {
	return []byte(s[im.ImageID][mime]), nil
}

func (s shelf) Session(context.Context, string) (library.Session, error) {
	return library.Session{NotebookPath: "売上.ipynb"}, nil
}

var images = shelf{
	"plotly":  {picture.PNG: "", plotly: `{"data":[]}`},
	"nothing": {plotly: `[]`},
	"html":    {"text/html": `<p id="x">"quoted" &amp; <b>bold</b></p>`},
	"bokeh":   {"application/vnd.bokehjs_exec.v0+json": "", "text/html": `<div id="p1"></div>`, script: `embed({"roots":{"p1":"e1"}})`},
	"picture": {picture.PNG: "", picture.SVG: "<svg/>"},
	"widget":  {"application/vnd.jupyter.widget-view+json": "{}", "text/html": "<p>a widget"},
}

func opener(now func() time.Time) *Opener {
	return New(Config{Library: images, Session: images.Session, Pages: new(page.Libraries), Now: now, Words: func() Words {
		return Words{Lang: "ja", Untitled: "プロット", Origin: "オフライン", Used: "used", Again: "again", Failed: "failed", Missing: "missing:", Start: "start one"}
	}})
}

func issue(t *testing.T, o *Opener, id string) string {
	t.Helper()
	ticket, err := o.Issue(t.Context(), id)
	require.NoError(t, err)
	return ticket
}

func redeem(t *testing.T, o *Opener, ticket string) (text string, ok bool) {
	t.Helper()
	body, ok, err := o.Redeem(t.Context(), ticket)
	require.NoError(t, err)
	return string(body), ok
}

func TestATicketIsGoodOnceForOneImageAndAMinute(t *testing.T) {
	now := time.Unix(0, 0)
	o := opener(func() time.Time { return now })
	a, b := issue(t, o, "plotly"), issue(t, o, "html")
	if len(a) < 26 || a == b {
		t.Errorf("tickets %q and %q", a, b)
	}
	for _, wrong := range []string{"", "x", a[:len(a)-1], a + "A", strings.ToLower(a), "plotly"} {
		if _, ok := redeem(t, o, wrong); ok {
			t.Errorf("%q is good", wrong)
		}
	}
	if text, ok := redeem(t, o, b); !ok || strings.Contains(text, "easelDraw(") || !strings.Contains(text, "quoted") {
		t.Errorf("the ticket of another figure gives %v %s", ok, text)
	}
	if text, ok := redeem(t, o, b); ok || !strings.Contains(text, "used") || !strings.Contains(text, "again") || strings.Contains(text, "quoted") {
		t.Errorf("a second time: %v %s", ok, text)
	}
	now = now.Add(ticketLife - time.Nanosecond)
	late := issue(t, o, "plotly")
	if _, ok := redeem(t, o, a); !ok {
		t.Error("it dies too early")
	}
	now = now.Add(ticketLife)
	if _, ok := redeem(t, o, late); ok {
		t.Error("it lives too long")
	}
	if len(o.tickets.unused) != 0 {
		t.Errorf("%d tickets are kept", len(o.tickets.unused))
	}
}

func TestAFloodOfTicketsIsBounded(t *testing.T) {
	o := opener(nil)
	var all []string
	for range mostTickets + 3 {
		all = append(all, issue(t, o, "plotly"))
	}
	if n := len(o.tickets.unused); n != mostTickets {
		t.Errorf("%d tickets are good", n)
	}
	for i, ticket := range all {
		if _, ok := redeem(t, o, ticket); ok != (i >= 3) {
			t.Errorf("ticket %d is good: %v", i, ok)
		}
	}
}

func TestOnlyFiguresGetATicket(t *testing.T) {
	o := opener(nil)
	for _, id := range []string{"picture", "widget"} {
		if _, err := o.Issue(t.Context(), id); !errors.Is(err, ErrPicture) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := o.Issue(t.Context(), "gone"); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("gone: %v", err)
	}
	if im, _ := images.Image(t.Context(), "html"); !Has(im) {
		t.Error("HTML has no figure")
	} else if im.Broken = true; Has(im) {
		t.Error("a damaged one has a figure")
	}
}

func TestThePageHoldsTheFigureInAFrame(t *testing.T) {
	o := opener(nil)
	text, ok := redeem(t, o, issue(t, o, "html"))
	title := "<title>" + html.EscapeString(`Sales </title><script>alert("x")</script>`)
	if !ok || !strings.Contains(text, `<html lang="ja">`) || !strings.Contains(text, title) || !strings.Contains(text, "売上.ipynb") {
		t.Errorf("%v %.600s", ok, text)
	}
	_, frame, ok := strings.Cut(text, `<iframe sandbox="allow-scripts"`)
	_, frame, _ = strings.Cut(frame, `srcdoc="`)
	frame, _, closed := strings.Cut(frame, `"`)
	if frame = html.UnescapeString(frame); !ok || !closed || !strings.Contains(frame, `<p id="x">"quoted" &amp; <b>bold</b></p>`) {
		t.Errorf("the frame is %.300s", frame)
	}
	text, _ = redeem(t, o, issue(t, o, "bokeh"))
	if !strings.Contains(text, html.EscapeString(`<div id="e1">`)) || !strings.Contains(text, "embed(") {
		t.Error("Bokeh's script has no place")
	}
	text, _ = redeem(t, o, issue(t, o, "plotly")) // no Python has its library
	if !strings.Contains(text, "missing: plotly.min.js · start one") {
		t.Error("the page does not say what is missing")
	}
	if text, ok := redeem(t, o, issue(t, o, "nothing")); ok || !strings.Contains(text, "failed") {
		t.Errorf("of no figure: %v %s", ok, text)
	}
}

func TestAFigureThatIsDeletedMeanwhileIsSaidToBeGone(t *testing.T) {
	images["brief"] = map[string]string{plotly: `{"data":[]}`}
	o := opener(nil)
	ticket := issue(t, o, "brief")
	delete(images, "brief")
	if text, ok := redeem(t, o, ticket); ok || !strings.Contains(text, "failed") || !strings.Contains(text, fmt.Sprint(library.ErrNotFound)) {
		t.Errorf("%v %s", ok, text)
	}
}
