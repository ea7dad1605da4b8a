package catalog

import "easel/eventbus"

// The topics below are the user's alone: no tool reaches them.

// SetTextIn gives an image a text.
type SetTextIn struct{ ID, Text string }

// SetTextOut tells what the text was, for undo.
type SetTextOut struct{ Before string }

// SetTitle gives an image of the library the user's title.
var SetTitle = eventbus.NewTopic[SetTextIn, SetTextOut]("set_title")

// SetNote gives an image of the library the user's note.
var SetNote = eventbus.NewTopic[SetTextIn, SetTextOut]("set_note")

// A Fate is what becomes of images.
type Fate string

// The fates.
const (
	FateTrash   Fate = "trash"   // no view shows them but the trash
	FateRestore Fate = "restore" // out of the trash
	FateDelete  Fate = "delete"  // gone for good
	FateEmpty   Fate = "empty"   // all that is in the trash, for good; IDs do not count
)

// DisposeIn says what becomes of which images of the library.
type DisposeIn struct {
	Fate Fate
	IDs  []string
}

// DisposeOut tells how many images that were.
type DisposeOut struct{ Images int }

// Dispose moves images to the trash and out of it.
var Dispose = eventbus.NewTopic[DisposeIn, DisposeOut]("dispose")

// OpenTrash shows the trash in place of a folder.
var OpenTrash = eventbus.NewTopic[struct{}, struct{}]("open_trash")
