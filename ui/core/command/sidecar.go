package command

import "easel/eventbus"

// SaveSidecarsIn asks to write the stars and tags of the open folder's pictures beside them.
type SaveSidecarsIn struct {
	Progress func(done, total int) // called from time to time, on any goroutine; may be nil
}

// SaveSidecarsOut says what was written.
type SaveSidecarsOut struct {
	Written int      // sidecars that were written
	Same    int      // that are as they should be
	Foreign []string // names of pictures whose sidecars another program has written
	Failed  []string // names of pictures whose sidecars cannot be written
	Reason  string   // why the first of Failed cannot
}

// SaveSidecars writes the stars and tags of the open folder's pictures beside them; see package sidecar. When its
// context ends, those that were written stay.
var SaveSidecars = eventbus.NewTopic[SaveSidecarsIn, SaveSidecarsOut]("save_sidecars")
