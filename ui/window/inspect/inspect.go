// Package inspect lets a test read, over a socket, what the window claims to show.
//
// # Goroutines
//
// Serve runs on its caller's goroutine until its context ends. A Claim is made on the UI
// goroutine.
package inspect

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// A Claim is what the window claims to show at one moment. A test compares it with the
// pixels on the screen.
//
// A client that connects to the socket gets one Claim as JSON.
type Claim struct {
	Settled     bool             `json:"settled"` // nothing is being read, requested or rendered
	Covered     bool             `json:"covered"` // a menu, a dialog or the comparison covers the pictures
	Mode        string           `json:"mode"`
	Current     string           `json:"current"`     // the id of the current image
	Highlighted string           `json:"highlighted"` // what the filmstrip highlights
	AtNewest    bool             `json:"at_newest"`
	Stops       int              `json:"stops"`   // the number of sessions among which the interrupt button would choose
	Input       string           `json:"input"`   // the execution whose question can be answered now; "" if there is none
	Gallery     uint64           `json:"gallery"` // revision of the library that was rendered
	Pictures    []ClaimedPicture `json:"pictures"`
	Over        [][4]float32     `json:"over"` // x, y, width, height: messages over the pictures
}

// A ClaimedPicture is one picture on the screen. Lengths are in pixels from the window's
// upper left corner.
type ClaimedPicture struct {
	ID    string     `json:"id"`
	Place string     `json:"place"`           // grid, viewer or strip
	Rect  [4]float32 `json:"rect"`            // the whole picture: x, y, width, height
	Clip  [4]float32 `json:"clip"`            // the part of the window in which it is visible
	Frame int        `json:"frame,omitempty"` // of an animation, from 1
	Laid  bool       `json:"laid,omitempty"`  // laid out again for the window; else it is the stored picture
}

// Serve serves the socket at path until ctx ends. claim calls answer with what the window
// shows, later and on the UI goroutine.
func Serve(ctx context.Context, path string, log *slog.Logger, claim func(answer func(Claim))) {
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		log.ErrorContext(ctx, "the inspection socket cannot be opened", "err", err)
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		answer := make(chan Claim, 1)
		claim(func(x Claim) { answer <- x })
		select {
		case x := <-answer:
			_ = json.NewEncoder(c).Encode(x)
		case <-ctx.Done():
		}
		_ = c.Close()
	}
}

// Add adds the pictures of one place.
func (x *Claim) Add(place string, seen []kit.Sight) {
	for _, s := range seen {
		x.Pictures = append(x.Pictures, ClaimedPicture{
			ID: s.ID, Place: place, Rect: Pixels(s.Of, s.At, s.Size), Clip: Pixels(s.Clip, fyne.Position{}, s.Clip.Size()), Frame: s.Frame,
			Laid: s.Laid,
		})
	}
}

// Pixels converts a part of an object to pixels of its window.
func Pixels(o fyne.CanvasObject, at fyne.Position, size fyne.Size) [4]float32 {
	d := fyne.CurrentApp().Driver()
	scale := float32(1)
	if c := d.CanvasForObject(o); c != nil {
		scale = c.Scale()
	}
	p := d.AbsolutePositionForObject(o).Add(at)
	return [4]float32{p.X * scale, p.Y * scale, size.Width * scale, size.Height * scale}
}
