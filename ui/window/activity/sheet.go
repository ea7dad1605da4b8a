package activity

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"easel/mcphost/catalog"
	"easel/ui/window/assistants"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/outputs"
	"easel/ui/window/theme"
)

// A callSheet shows one call in full, over the window. While the call runs, the sheet adds
// output and pictures as the kernel sends them.
type callSheet struct {
	d      *Dock
	call   catalog.Activity
	column *kit.Column
	pop    Overlay
	seen   string // a fingerprint of what is shown
}

func openCall(d *Dock, c catalog.Activity) *callSheet {
	s := &callSheet{d: d, call: c, column: d.k.Column(16, 8)}
	s.pop = d.port.Sheet(toolName(d.k.Tr, c.Tool), s.column, d.k.Button(kit.Quiet, "copy", d.k.T("activity.copy"), "", func() {
		all, _ := json.MarshalIndent(s.call, "", "  ")
		d.port.Copy(string(all), "JSON")
	}).Small())
	s.render()
	return s
}

// render shows the current state of the call. It returns false if the sheet was closed.
func (s *callSheet) render() bool {
	if !s.pop.Visible() {
		return false
	}
	h := s.d.history
	if c, ok := h.find(s.call.ID); ok {
		s.call = c
	}
	x := h.runOf(s.call)
	if seen := fmt.Sprint(s.d.stateOf(s.d.port.Snapshot(), s.call), s.call.Status, x.Status, x.Next, len(x.Stdout), len(x.Stderr),
		len(x.Outputs), len(x.Images), s.d.sentWords(s.call)); seen != s.seen {
		s.seen = seen
		s.column.SetRows(s.rows(x)...)
	}
	return true
}

func (s *callSheet) rows(x catalog.Execution) []fyne.CanvasObject {
	k, c := s.d.k, s.call
	_, word, _ := s.d.callStatus(c)
	facts := []fyne.CanvasObject{
		k.Fact(k.T("activity.time"), c.Began.Local().Format("2006-01-02 15:04:05.000"), nil),
		k.Fact(k.T("activity.client"), s.d.clientName(c.Client, c.Transport)+" ("+c.Transport+")", nil).
			Dot(assistants.Dot(k.P, s.d.port.Snapshot(), c.Assistant)),
	}
	if session := s.d.sessionName(c); session != "" {
		facts = append(facts, k.Fact(k.T("activity.session"), session, nil))
	}
	rows := []fyne.CanvasObject{kit.NewStack(0, append(facts, k.Fact(k.T("activity.status"), strings.TrimSpace(word+"  "+c.Detail), nil))...)}
	if n, last := s.d.history.polls(c); n > 0 {
		rows = append(rows, k.Fact(k.T("activity.polls"), k.Tr.N("activity.polls_value", n, last.Local().Format("15:04:05")), nil))
	}
	if words := s.d.sentWords(c); words != "" {
		rows = append(rows, k.Fact(k.T("activity.sent"), words, nil))
	}
	if names := s.d.maskedTimes(s.d.history.withPolls(c)); names != "" {
		rows = append(rows, k.Fact(k.T("activity.masked"), names, nil))
	}
	if id := s.d.asking(c); id != "" {
		rows = append(rows, kit.NewFlow(8, k.Button(kit.Primary, "edit", k.T("activity.answer"), "", func() {
			s.pop.Hide()
			s.d.port.AnswerInput(id)
		}).Small()))
	}
	var args struct{ Code string }
	if json.Unmarshal(c.Args, &args) == nil && args.Code != "" {
		rows = append(rows, k.Section(k.T("properties.code")), k.Code(args.Code, s.d.port.Language(s.d.sessionIn(c))))
	}
	if parts := outputs.Of(k, x); len(parts) > 0 {
		n := kit.MostLines
		if c.Ended.IsZero() {
			n = followed
		}
		rows = append(rows, k.Section(k.T("properties.output")), outputs.View(k, outputs.Ending(parts, n)))
	}
	if images := s.d.history.imagesOf(c); len(images) > 0 {
		rows = append(rows, k.Section(k.Tr.N("console.images", len(images))), s.pictures(images))
	}
	if c.Transport == catalog.TransportJupyter {
		return rows // no tool was called, so there are no parameters and no result
	}
	rows = append(rows, k.Section(k.T("activity.args")), k.Code(pretty(c.Args), "json"))
	if len(c.Result) > 0 {
		rows = append(rows, k.Section(k.T("activity.result")), k.Code(pretty(c.Result), "json"))
	}
	return rows
}

// followed is the number of lines of output that are shown while the call runs: the last ones,
// because the user watches the new ones.
const followed = 100

// mostPictures is the maximum number of pictures in a sheet.
const mostPictures = 8

// pictures shows the plots of a call as thumbnails; a click opens one. Each appears when
// it has been read.
func (s *callSheet) pictures(uris []string) fyne.CanvasObject {
	const w, h = 132, 99
	d := s.d
	var cells []fyne.CanvasObject
	for _, uri := range uris[:min(len(uris), mostPictures)] {
		im := kit.NewPicture()
		matte := kit.Fill(d.k.P.Matte, 4)
		matte.StrokeColor, matte.StrokeWidth = d.k.P.Line, 1
		id := ""
		cells = append(cells, kit.Box(d.k.Stop(container.NewStack(matte, container.NewPadded(im.Object())), color.Transparent, "", func() {
			if id != "" {
				s.pop.Hide()
				d.port.OpenImage(id)
			}
		}), fyne.NewSize(w, h)))
		var small image.Image
		d.port.Go(func(ctx context.Context) {
			found, err := d.lib.Image(ctx, uri)
			kind, figure := gallery.Figure(found)
			if err == nil && !figure {
				small, err = d.lib.Thumb(ctx, found.ImageID, 2*w)
			}
			if err != nil {
				return // the image was deleted; leave its place empty
			}
			d.k.Do(func() {
				id = found.ImageID
				im.Show(small)
				if figure { // it has no picture: show its icon
					im.ShowIcon(theme.Icon(kind.Icon, d.k.P.Accent))
					matte.FillColor = d.k.P.Code
					matte.Refresh()
				}
			})
		})
	}
	return kit.NewFlow(8, cells...)
}
