package notebooks

import (
	"context"

	"easel/mcphost/catalog"
)

// A Document is a notebook that can be read and edited in one way: through its file, or
// where the user has it open.
type Document interface {
	// Via names the way, as catalog.ViaFile does.
	Via() string
	// Read returns the notebook as the user sees it, with unsaved edits if the way has
	// them.
	Read(ctx context.Context) (*Notebook, error)
	// Glance is like Read, but may leave out outputs, and the texts of all cells but the one
	// that r refers to. Reading all of a large notebook where it is open takes seconds.
	Glance(ctx context.Context, r Ref) (*Notebook, error)
	// Edit applies an edit. It returns nil only if the edit has been proved to be in the
	// document. After an error, the document is as others left it.
	Edit(ctx context.Context, e *Edit) error
}

// A file is a Document that nobody has open.
type file struct {
	files  *Files
	server Server
	path   string
	allow  func(context.Context) error
}

// Document returns the notebook at path as a file. Edit calls allow before it writes, and
// fails if that returns an error.
func (f *Files) Document(s Server, path string, allow func(context.Context) error) Document {
	return file{f, s, path, allow}
}

// Via implements Document.
func (d file) Via() string { return catalog.ViaFile }

// Read implements Document.
func (d file) Read(ctx context.Context) (*Notebook, error) {
	return d.files.Read(ctx, d.server, d.path)
}

// Glance implements Document.
func (d file) Glance(ctx context.Context, _ Ref) (*Notebook, error) { return d.Read(ctx) }

// Edit implements Document.
func (d file) Edit(ctx context.Context, e *Edit) error {
	return d.files.Edit(ctx, d.server, d.path, d.allow, e.Apply)
}
