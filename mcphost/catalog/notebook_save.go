package catalog

import "easel/eventbus"

// SaveAsNotebookIn says what session's history becomes a notebook.
type SaveAsNotebookIn struct {
	SessionID string // live or ended
	// Path is where, relative to the server's root; "" is a new name made from the
	// session's.
	Path string
	// Everyone takes in what others ran in the session too; else only what was
	// asked for through Easel.
	Everyone bool
	// Failed keeps what failed, marked so that a run of the whole notebook goes on
	// behind it; else it is left out.
	Failed bool
}

// SaveAsNotebookOut tells what was written.
type SaveAsNotebookOut struct {
	Path    string // relative to the server's root
	Server  string
	URL     string // of the server
	Cells   int    // code cells
	LeftOut int    // executions of the session that are not in it
}

// SaveAsNotebook writes the history of a session's kernel, since its last
// restart, as a notebook that runs from top to bottom. The window asks for it.
var SaveAsNotebook = eventbus.NewTopic[SaveAsNotebookIn, SaveAsNotebookOut]("save_as_notebook")
