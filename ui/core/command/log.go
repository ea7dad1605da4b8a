package command

import "easel/eventbus"

// WriteLogIn says what of the log of calls to write to a file.
type WriteLogIn struct {
	To         string // the file, which is replaced
	Session    string // id; "": all sessions
	Report     bool   // a page in HTML for people; otherwise, JSON Lines
	Thumbnails bool   // the report shows the plots
	Language   string // of the report: en or ja
}

// WriteLogOut says what was written.
type WriteLogOut struct {
	Entries int
	Masked  int // secrets that were hidden
}

// WriteLog writes the log of calls for the user.
var WriteLog = eventbus.NewTopic[WriteLogIn, WriteLogOut]("write_log")
