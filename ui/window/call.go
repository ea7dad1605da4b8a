package window

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"easel/mcphost/catalog"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A callSheet is all of one call over the window. While the call runs it follows
// it: output and pictures come as the kernel sends them.
type callSheet struct {
	s      *shell
	call   catalog.Activity
	column *kit.Column
	pop    *widget.PopUp
	seen   string // what is shown, in short
}

func openCall(s *shell, c catalog.Activity) *callSheet {
	d := &callSheet{s: s, call: c, column: s.k.Column(16, 8)}
	s.sheet(c.Tool, d.column, s.k.Button(kit.Quiet, "copy", s.k.T("activity.copy"), "", func() {
		all, _ := json.MarshalIndent(d.call, "", "  ")
		s.a.copyText(string(all), "JSON")
	}).Small())
	d.pop = s.popup
	d.render()
	return d
}

// render shows the call as it stands; false: the sheet has been closed.
func (d *callSheet) render() bool {
	if !d.pop.Visible() {
		return false
	}
	j := d.s.a.journal
	if c, ok := j.find(d.call.ID); ok {
		d.call = c
	}
	x := j.runOf(d.call)
	if seen := fmt.Sprint(d.s.stateOf(d.s.a.cfg.Store.Snapshot(), d.call), d.call.Status, x.Status, x.Next, len(x.Stdout), len(x.Stderr), len(x.Images)); seen != d.seen {
		d.seen = seen
		d.column.SetRows(d.rows(x)...)
	}
	return true
}

func (d *callSheet) rows(x catalog.Execution) []fyne.CanvasObject {
	k, c := d.s.k, d.call
	_, word, _ := d.s.callStatus(c)
	rows := []fyne.CanvasObject{kit.NewStack(0,
		k.Fact(k.T("activity.time"), c.Began.Local().Format("2006-01-02 15:04:05.000"), nil),
		k.Fact(k.T("activity.client"), c.Client+" ("+c.Transport+")", nil),
		k.Fact(k.T("activity.status"), strings.TrimSpace(word+"  "+c.Detail), nil))}
	var args struct{ Code string }
	if json.Unmarshal(c.Args, &args) == nil && args.Code != "" {
		rows = append(rows, k.Section(k.T("properties.code")), k.Code(args.Code, "python"))
	}
	if x.Stdout+x.Stderr != "" {
		rows = append(rows, k.Section(k.T("properties.output")))
		for _, o := range []struct {
			text string
			ink  color.Color
		}{{x.Stdout, k.P.Text}, {x.Stderr, k.P.Warn}} {
			if o.text != "" {
				rows = append(rows, k.Output(d.ending(o.text), o.ink))
			}
		}
	}
	images := c.Images
	if len(images) == 0 {
		for _, im := range x.Images {
			images = append(images, im.ResourceURI)
		}
	}
	if len(images) > 0 {
		rows = append(rows, k.Section(k.Tr.N("console.images", len(images))), d.pictures(images))
	}
	if c.Transport == catalog.TransportJupyter {
		return rows // no tool was called: what was asked for is the code, what came is shown
	}
	rows = append(rows, k.Section(k.T("activity.args")), k.Code(pretty(c.Args), "json"))
	if len(c.Result) > 0 {
		rows = append(rows, k.Section(k.T("activity.result")), k.Code(pretty(c.Result), "json"))
	}
	return rows
}

// followed is how many lines of what runs are shown; after the end it is more.
const followed = 100

// ending is the last lines of a text: what comes is what one watches.
func (d *callSheet) ending(text string) string {
	n := kit.MostLines
	if d.call.Ended.IsZero() {
		n = followed
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(len(lines)-n, 0):], "\n")
}

// mostPictures is how many pictures of a call its detail shows.
const mostPictures = 8

// pictures are the plots of a call, small; a click opens one. They come when they
// have been read.
func (d *callSheet) pictures(uris []string) fyne.CanvasObject {
	const w, h = 132, 99
	s := d.s
	var cells []fyne.CanvasObject
	for _, uri := range uris[:min(len(uris), mostPictures)] {
		im := kit.NewPicture()
		matte := kit.Fill(s.k.P.Matte, 4)
		matte.StrokeColor, matte.StrokeWidth = s.k.P.Line, 1
		id := ""
		cells = append(cells, kit.Box(s.k.Tap(container.NewStack(matte, container.NewPadded(im.Object())), color.Transparent, "", func() {
			if id != "" {
				s.popup.Hide()
				s.open(pageGallery)
				s.a.openViewer(id)
			}
		}), fyne.NewSize(w, h)))
		var small image.Image
		s.a.tasks.Go(func() {
			found, err := s.a.cfg.Library.Image(s.a.ctx, uri)
			kind, figure := gallery.Figure(found)
			if err == nil && !figure {
				small, err = s.a.cfg.Library.Thumb(s.a.ctx, found.ImageID, 2*w)
			}
			if err != nil {
				return // it is gone: its place stays empty
			}
			s.a.cfg.Do(func() {
				id = found.ImageID
				im.Show(small)
				if figure { // without a picture: its sign
					im.ShowIcon(theme.Icon(kind.Icon, s.k.P.Accent))
					matte.FillColor = s.k.P.Code
					matte.Refresh()
				}
			})
		})
	}
	return kit.NewFlow(8, cells...)
}
