// Package export copies and saves plots, code and sessions: to the clipboard, to files
// and to notebooks.
//
// # Goroutines
//
// An Exporter belongs to the UI goroutine. Files and the library are read on the
// Sender's goroutines.
package export

import (
	"context"
	"image"
	"log/slog"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// Library is what an Exporter reads from the library.
type Library interface {
	IDs(ctx context.Context, q library.Query) ([]string, error)
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	// Questions returns the user's questions about an image's figure, oldest first.
	Questions(ctx context.Context, image string) ([]library.Question, error)
}

// A Port is what an Exporter may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Dialogs  func() *dialogs.Host
	Snapshot func() *state.Snapshot
	Library  Library
	Requests *requests.Sender
	Log      *slog.Logger

	Say       func(m kit.Mark, text string)
	Offer     func(m kit.Mark, text, label string, do func()) // Say with a button
	Settings  func(edit func(*state.Settings))                // changes the user's settings
	InView    func() []string                                 // the plots that the gallery shows
	Reveal    func(path string)                               // shows a file in the file manager
	Open      func(path string)                               // opens a page that was saved in the browser
	Clipboard func(text string)                               // replaces the clipboard's content

	SessionName func(id string) string

	// Frame returns the frame of an animation that the viewer shows; nil if it does not show
	// the image id, or that is a still picture.
	Frame func(id string) image.Image

	// Marked returns a picture with the marks of questions.
	Marked func(m image.Image, notes []library.Question) (image.Image, error)

	// CopyImage copies a PNG to the clipboard, and its file unless that is ""; may be nil.
	CopyImage func(ctx context.Context, png []byte, file string) error
}

// An Exporter exports from one window.
type Exporter struct{ port Port }

// New returns an Exporter.
func New(p Port) *Exporter { return &Exporter{port: p} }
