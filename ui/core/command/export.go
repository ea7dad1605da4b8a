package command

import "easel/eventbus"

// An ExportKind is the form in which plots leave Easel together.
type ExportKind string

// The kinds of export.
const (
	ExportHTML     ExportKind = "html"     // a page that works offline
	ExportPDF      ExportKind = "pdf"      // the same, printed by the user's browser
	ExportNotebook ExportKind = "notebook" // a notebook that runs from top to bottom
	ExportFolder   ExportKind = "folder"   // the original files, with a manifest
)

// ExportIn asks for an export of images.
type ExportIn struct {
	Kind     ExportKind
	IDs      []string // ids or URIs, in order
	To       string   // path of the file, which is replaced, or of a new folder
	Title    string
	Language string // en or ja

	Code    bool // include the code that drew each plot; a notebook always has it
	Notes   bool // include titles' notes, tags and stars
	Timings bool // include when each plot was drawn, and how long its code ran

	Interactive bool   // HTML: include the data of figures, so that they are interactive
	Appendix    bool   // PDF: the code follows all plots instead of each
	Paper       string // PDF: a4 or letter; if empty, A4
	PlotsOnly   bool   // notebook: leave out cells that drew none of the plots

	Name     func(n int) string    // names the n-th plot of a session if it has no title; may be nil
	Progress func(done, total int) // called after each image, on any goroutine; may be nil
}

// ExportOut describes an export.
type ExportOut struct {
	Path        string // of the file or folder; a folder's name may have a number that was not asked for
	Bytes       int64
	Plots       int
	Interactive int      // of Plots
	Missing     []string // names of images that could not be read
	Cells       int      // of a notebook
	LeftOut     int      // executions that a notebook does not contain
}

// CanPrintOut says why there is no PDF.
type CanPrintOut struct{ Reason string } // empty if there is

// CanPrint tells the window whether Export can write a PDF.
var CanPrint = eventbus.NewTopic[struct{}, CanPrintOut]("can_print")

// Export writes an export for the window. If it fails or its context ends, no file is
// changed and none is left.
var Export = eventbus.NewTopic[ExportIn, ExportOut]("export")

// SaveDataIn asks for the values that an image shows.
type SaveDataIn struct {
	Image string // id
	To    string // the file
}

// SaveDataOut describes the file of values that was written.
type SaveDataOut struct {
	Path   string
	Sample bool // it has only a sample of the values, because the kernel no longer has the figure
}

// SaveData writes the values that an image shows to a file, as CSV.
var SaveData = eventbus.NewTopic[SaveDataIn, SaveDataOut]("save_data")

// ExportImagesIn asks for copies of images outside the library.
type ExportImagesIn struct {
	IDs      []string // ids or URIs
	To       string   // a directory, or for one image the path of the file, which is replaced
	WithCode bool     // PNGs include the code that drew them, in a text chunk
}

// An ExportedImage is a file that was written.
type ExportedImage struct {
	ID       string
	Path     string
	WithCode bool // the file includes the code
}

// ExportImagesOut lists the files that were written, in the order of the ids.
type ExportImagesOut struct{ Files []ExportedImage }

// ExportImages writes copies of images to disk, for the window's Save as and Save all.
// In a directory it overwrites nothing. On an error, Files lists the files that were
// written before.
var ExportImages = eventbus.NewTopic[ExportImagesIn, ExportImagesOut]("export_images")
