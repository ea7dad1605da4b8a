package command

import "easel/eventbus"

// An Edit describes a change that can be undone, for messages.
type Edit struct {
	Seq    int64  // identifies the change; 0: there is none
	Client string // the assistant that made it; empty if the user did
	Tool   string // what made it: the name of a tool or of a topic, or trash or restore
	Images int    // the number of images whose marks it changed
	Title  string // of the image, if it is one

	Rating         int      // given, or of the filter
	Added, Removed []string // tags
}

// UndoIn says what to undo or redo.
type UndoIn struct{ Seq int64 } // of an Edit; 0: the last

// UndoOut says what was undone or redone.
type UndoOut struct {
	Edit    Edit // Images is the number of those that were changed; Seq is 0 if there was nothing to do
	Skipped int  // images that stay as they are, because somebody has changed them since
}

// Undo undoes a change by the user or an assistant. What has been changed since stays.
var Undo = eventbus.NewTopic[UndoIn, UndoOut]("undo")

// Redo makes a change again that Undo has undone.
var Redo = eventbus.NewTopic[UndoIn, UndoOut]("redo")

// UndoAssistantIn says how many changes to undo.
type UndoAssistantIn struct{ Count int } // changes; 0 means one

// UndoAssistantOut describes what was undone.
type UndoAssistantOut struct {
	Undone    []string // lines from state.ByAssistant, last change first
	Remaining int      // changes that can still be undone
}

// UndoAssistant undoes changes by assistants in the window, last change first. It keeps
// what the user has changed since then. If there is nothing to undo, the error is
// NOT_EXECUTABLE.
var UndoAssistant = eventbus.NewTopic[UndoAssistantIn, UndoAssistantOut]("undo_assistant")
