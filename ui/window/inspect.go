package window

import (
	"context"
	"encoding/json"
	"net"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// A Claim is what the window claims to show at a moment. A test compares it with the
// pixels on the screen.
//
// A client that connects to the socket [Config].Inspect gets one Claim as JSON. If
// Inspect is empty, there is no socket and none of this runs.
type Claim struct {
	Settled     bool             `json:"settled"` // nothing is being read, requested or rendered
	Covered     bool             `json:"covered"` // a menu or a dialog is over it
	Mode        string           `json:"mode"`
	Current     string           `json:"current"`     // the id of the current image
	Highlighted string           `json:"highlighted"` // what the filmstrip highlights
	AtNewest    bool             `json:"at_newest"`
	Stops       int              `json:"stops"`   // the number of sessions among which the interrupt button would choose
	Gallery     uint64           `json:"gallery"` // revision of the library that was rendered
	Pictures    []ClaimedPicture `json:"pictures"`
	Over        [][4]float32     `json:"over"` // x, y, width, height: messages over the pictures
}

// A ClaimedPicture is one picture on the screen. Lengths are in pixels from the window's
// upper left corner.
type ClaimedPicture struct {
	ID    string     `json:"id"`
	Place string     `json:"place"` // grid, viewer or strip
	Rect  [4]float32 `json:"rect"`  // of the whole picture: x, y, width, height
	Clip  [4]float32 `json:"clip"`  // the part of the window in which it is visible
}

// inspect serves the socket until ctx ends.
func (a *App) inspect(ctx context.Context, path string) {
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		a.cfg.Log.ErrorContext(ctx, "no inspection", "err", err)
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		claim := make(chan Claim, 1)
		a.cfg.Do(func() {
			if !a.closed {
				claim <- a.claim()
			}
		})
		select {
		case x := <-claim:
			_ = json.NewEncoder(c).Encode(x)
		case <-ctx.Done():
		}
		_ = c.Close()
	}
}

// claim returns what the window shows. It must be called on the UI goroutine.
func (a *App) claim() Claim {
	s, c := a.shell, a.shell.center
	n := a.cfg.Store.Snapshot()
	x := Claim{Covered: a.win.Canvas().Overlays().Top() != nil || c.comparing, AtNewest: c.atEnd, Pictures: []ClaimedPicture{}}
	if a.snap != nil {
		among, _ := a.snap.Stops()
		x.Stops = len(among)
	}
	if a.snap == nil || s.page != pageGallery {
		return x
	}
	x.Mode, x.Current, x.Gallery = string(c.mode), a.snap.Current, a.snap.Gallery
	x.Settled = a.snap == n && a.requests.Pending() == 0 && c.acting == 0 && c.listed && !a.tail.busy && !c.grid.Busy()
	if c.mode == state.Viewer {
		x.Settled = x.Settled && c.view.Settled()
		large, strip := c.view.Sights()
		x.Highlighted = c.view.Highlighted()
		x.add("viewer", large)
		x.add("strip", strip)
	} else {
		x.Settled = x.Settled && c.grid.Settled()
		x.add("grid", c.grid.Sights())
	}
	for _, o := range []fyne.CanvasObject{s.toast.root, c.pill} {
		if o.Visible() {
			x.Over = append(x.Over, pixels(o, fyne.Position{}, o.Size()))
		}
	}
	return x
}

func (x *Claim) add(place string, seen []kit.Sight) {
	for _, s := range seen {
		x.Pictures = append(x.Pictures, ClaimedPicture{
			ID: s.ID, Place: place, Rect: pixels(s.Of, s.At, s.Size), Clip: pixels(s.Clip, fyne.Position{}, s.Clip.Size()),
		})
	}
}

// pixels converts a part of an object to pixels of its window.
func pixels(o fyne.CanvasObject, at fyne.Position, size fyne.Size) [4]float32 {
	d := fyne.CurrentApp().Driver()
	scale := float32(1)
	if c := d.CanvasForObject(o); c != nil {
		scale = c.Scale()
	}
	p := d.AbsolutePositionForObject(o).Add(at)
	return [4]float32{p.X * scale, p.Y * scale, size.Width * scale, size.Height * scale}
}
