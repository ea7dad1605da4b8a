package catalog

import "easel/eventbus"

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
// notebook that runs from top to bottom. The window uses it.
var SaveAsNotebook = eventbus.NewTopic[SaveAsNotebookIn, SaveAsNotebookOut]("save_as_notebook")
