package command

import "easel/eventbus"

// PinSessionIn says whether a session is kept no matter how long it is unused.
type PinSessionIn struct {
	SessionID string
	Pinned    bool
}

// PinSession pins or unpins a session.
var PinSession = eventbus.NewTopic[PinSessionIn, struct{}]("pin_session")

// SaveAsNotebookIn says which session's history to save as a notebook.
type SaveAsNotebookIn struct {
	SessionID string // live or ended
	// Path is the path of the notebook, relative to the server's root. If it is empty, a
	// new name is derived from the session's.
	Path string
	// Everyone includes what others ran in the session. Otherwise only what was run
	// through Easel is included.
	Everyone bool
	// Failed includes failed code, marked so that a run of the whole notebook continues
	// after it.
	Failed bool
}

// SaveAsNotebookOut describes what was written.
type SaveAsNotebookOut struct {
	Path    string // relative to the server's root
	Server  string
	URL     string // of the server
	Cells   int    // code cells
	LeftOut int    // executions of the session that were left out
}

// SaveAsNotebook writes the history of a session's kernel since its last restart as a
// notebook that runs from top to bottom.
var SaveAsNotebook = eventbus.NewTopic[SaveAsNotebookIn, SaveAsNotebookOut]("save_as_notebook")

// ShowCellIn names the image whose cell is to be shown.
type ShowCellIn struct {
	Image   string // id
	Opening bool   // the browser is opening the notebook, so wait for its tab
}

// ShowCellOut says where a cell was shown, or can be. It is zero if it cannot be shown.
type ShowCellOut struct {
	Shown   bool   // in a JupyterLab tab
	Address string // of the notebook in JupyterLab, for the user's browser only: it may contain a token
}

// ShowCell shows the cell that drew an image in the JupyterLab tab that shows its notebook. If
// there is none, the caller opens the address, and asks again.
var ShowCell = eventbus.NewTopic[ShowCellIn, ShowCellOut]("show_cell")

// RenameSessionIn is the user's name for a session, live or ended; empty takes it back.
type RenameSessionIn struct {
	SessionID string
	Name      string
}

// RenameSession names a session.
var RenameSession = eventbus.NewTopic[RenameSessionIn, struct{}]("rename_session")

// CancelRun cancels an execution, by its id: code that waits does not run, code that runs is interrupted.
var CancelRun = eventbus.NewTopic[string, struct{}]("cancel_run")
