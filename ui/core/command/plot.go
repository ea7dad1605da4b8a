package command

import "easel/eventbus"

// SetTextIn sets a text of an image.
type SetTextIn struct {
	ID, Text string
	// Editing is not empty if the text is stored while it is typed. Changes with the same
	// value are undone together.
	Editing string
}

// SetTextOut describes the change, with what the editing has changed before. Its Seq is 0 if
// the text is as it was.
type SetTextOut struct{ Edit Edit }

// SetTitle sets the user's title of an image in the library.
var SetTitle = eventbus.NewTopic[SetTextIn, SetTextOut]("set_title")

// SetNote sets the user's note on an image in the library.
var SetNote = eventbus.NewTopic[SetTextIn, SetTextOut]("set_note")

// A Fate is what happens to images.
type Fate string

// The fates.
const (
	FateTrash   Fate = "trash"   // into the trash; only the trash view shows them
	FateRestore Fate = "restore" // out of the trash
	FateDelete  Fate = "delete"  // deleted permanently
	FateEmpty   Fate = "empty"   // deletes everything in the trash permanently; IDs are ignored
)

// DisposeIn says what happens to which images of the library.
type DisposeIn struct {
	Fate Fate
	IDs  []string
	// Stopped says whether to delete no more. Those that were deleted are in the result. It may be nil, and is called on any goroutine.
	Stopped func() bool `json:"-"`
}

// DisposeOut says how many images were affected.
type DisposeOut struct{ Images int }

// Dispose moves images to or out of the trash, or deletes them.
var Dispose = eventbus.NewTopic[DisposeIn, DisposeOut]("dispose")

// OpenTrash shows the trash instead of a folder.
var OpenTrash = eventbus.NewTopic[struct{}, struct{}]("open_trash")
