package catalog

import (
	"encoding/json"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/eventbus"
	"easel/mcphost/tool"
)

// The topics below are what the host needs beside the tools.

// ListImagesIn asks for a page of all images, newest first.
type ListImagesIn struct {
	URIPrefix string // only URIs that begin with it
	Cursor    string
	Limit     int // 0: the handler's choice
}

// A ListedImage is an image with its name in resources/list.
type ListedImage struct {
	Image
	Name string // "matplotlib output [n]", n counting within the session
}

// ListImagesOut is such a page.
type ListImagesOut struct {
	Images     []ListedImage
	NextCursor string
}

// ListImages lists all images for MCP resources/list and GET /api/resources.
var ListImages = eventbus.NewTopic[ListImagesIn, ListImagesOut]("list_images")

// ReadImageIn names an image by its URI. MaxEdge > 0 asks for a picture that a
// model can take: PNG or JPEG, at most so many pixels on the long edge, at most
// MaxBytes (0: no limit).
type ReadImageIn struct {
	URI      string
	MaxEdge  int
	MaxBytes int
}

// ReadImageOut is an image's bytes: the original as the kernel sent it, or the
// picture asked for.
type ReadImageOut struct {
	Image    Image
	MIMEType string
	Data     []byte
	ETag     string // of Data, unquoted
}

// ReadImage reads an image. The error is IMAGE_NOT_FOUND for an unknown URI.
var ReadImage = eventbus.NewTopic[ReadImageIn, ReadImageOut]("read_image")

// ReadDocument reads a document.
var ReadDocument = eventbus.NewTopic[Document, json.RawMessage]("read_document")

// A ServerHealth is how one Jupyter server does.
type ServerHealth struct {
	Name    string `json:"name" jsonschema:"as calls name it"`
	URL     string `json:"url,omitempty" jsonschema:"address of the server"`
	State   string `json:"state" enum:"installing,starting,ready,unreachable,unauthorized,failed,stopped"`
	Message string `json:"message,omitempty" jsonschema:"progress, or what is wrong"`
	Managed bool   `json:"managed" jsonschema:"Easel's own server"`
}

// HealthOut is the readiness of the parts behind the host.
type HealthOut struct {
	Window  string         `json:"window" enum:"shown,hidden,starting,none"`
	Servers []ServerHealth `json:"servers"`
}

// Health tells readiness; it answers at once and waits for nothing.
var Health = eventbus.NewTopic[struct{}, HealthOut]("health")

// ShowWindowIn asks for the window.
type ShowWindowIn struct {
	// Env is what the environment of whoever asks says of the display: an Easel without a
	// window opens it there.
	Env map[string]string `json:"env,omitempty"`
	// Hidden asks for no more than the tray, as at login.
	Hidden bool `json:"hidden,omitempty"`
}

// ShowWindow brings the window to the front, or opens it: a second start asks for it.
var ShowWindow = eventbus.NewTopic[ShowWindowIn, struct{}]("show_window")

// A Change is one thing that happened to what the window shows. Object is what
// the name says before its dot, as the tools give it.
type Change struct {
	Name   ChangeName
	Object any // marshals to JSON
}

// A ChangeName is the name of a server-sent event.
type ChangeName string

// The changes of the contract.
const (
	ImageAdded        ChangeName = "image.added"
	ImageChanged      ChangeName = "image.changed"
	ImageRemoved      ChangeName = "image.removed"
	ExecutionStarted  ChangeName = "execution.started"
	ExecutionOutput   ChangeName = "execution.output"
	ExecutionEnded    ChangeName = "execution.ended"
	SessionChanged    ChangeName = "session.changed"
	SelectionChanged  ChangeName = "selection.changed"
	ViewChanged       ChangeName = "view.changed"
	ApprovalRequested ChangeName = "approval.requested"
	ApprovalAnswered  ChangeName = "approval.answered"
	SettingsChanged   ChangeName = "settings.changed"
)

// ChangeKinds tells of each change when it comes and what its object is.
var ChangeKinds = []struct {
	Name         ChangeName
	When, Object string
	Schema       *jsonschema.Schema // of the object
}{
	{ImageAdded, "a kernel drew an image, or an image was restored from the trash", "the image", tool.SchemaOf[Image]()},
	{ImageChanged, "its stars, tags, title or note changed, or a figure was updated: the new version has its own ID, `replaces` and `versions`, and replaces the previous one in lists", "the image", tool.SchemaOf[Image]()},
	{ImageRemoved, "it was moved to the trash", "the image", tool.SchemaOf[Image]()},
	{ExecutionStarted, "the kernel started it", "the execution so far", tool.SchemaOf[Execution]()},
	{ExecutionOutput, "it printed something; sent at most a few times a second", "the execution so far", tool.SchemaOf[Execution]()},
	{ExecutionEnded, "it ended, successfully or not", "the execution", tool.SchemaOf[Execution]()},
	{SessionChanged, "a session started or ended, or its kernel's state changed", "the session; its status is dead if it ended", tool.SchemaOf[Session]()},
	{SelectionChanged, "the selection changed", "the list of files", tool.SchemaOf[[]File]()},
	{ViewChanged, "the folder, filters, order or display of the gallery changed", "the view", tool.SchemaOf[View]()},
	{ApprovalRequested, "code waits for the user's approval", "the approval", tool.SchemaOf[Approval]()},
	{ApprovalAnswered, "the user answered, or did not answer in time", "the approval, with outcome", tool.SchemaOf[Approval]()},
	{SettingsChanged, "a setting changed", "the settings, as GET /api/resources/settings gives them", tool.SchemaOf[Settings]()},
}

// Changes carries every Change: /api/events and MCP's list_changed and updated
// are made from it.
var Changes = eventbus.NewEvent[Change]("changes")

// An Activity is one call of a tool, begun or ended, for the window's log.
type Activity struct {
	ID        uint64 // grows; the same when the call begins and ends
	Began     time.Time
	Ended     time.Time // zero while it runs
	Transport string
	Client    string // name and version
	Name      string `json:",omitzero"` // of the client, alone
	Version   string `json:",omitzero"`
	Tool      string
	// ExecutionID is the execution that the call started. It is empty in the first
	// notification of a call, and always for a call that starts none.
	ExecutionID string          `json:",omitzero"`
	Args        json.RawMessage // as sent, at most 64 KiB
	Status      string          // running, ok, failed, or an error code
	Detail      string          // the error's detail
	Result      json.RawMessage // structured result, at most 64 KiB
	Images      []string        // URIs
	Inlined     []string        // URIs of those that went out as pictures, for a model to see
}

// Activities carries every call that the host serves: when it begins, when it has started
// an execution, and when it ends.
var Activities = eventbus.NewEvent[Activity]("activities")

// ExportImagesIn asks for copies of images outside the library.
type ExportImagesIn struct {
	IDs      []string // ids or URIs
	To       string   // a directory, or, for one image, the path of the file to write, which is replaced
	WithCode bool     // let PNGs carry the code that drew them, in a text chunk
}

// An ExportedImage is a file that was written.
type ExportedImage struct {
	ID       string
	Path     string
	WithCode bool // it carries its code
}

// ExportImagesOut is what was written, in the order of the ids.
type ExportImagesOut struct{ Files []ExportedImage }

// ExportImages writes copies of images to disk: the window's Save as and Save all.
// In a directory nothing is overwritten. On an error Files are those written before
// it.
var ExportImages = eventbus.NewTopic[ExportImagesIn, ExportImagesOut]("export_images")

// UndoAssistantIn says how far to go back.
type UndoAssistantIn struct{ Count int } // changes; 0: one

// UndoAssistantOut tells what was undone.
type UndoAssistantOut struct {
	Undone    []string // lines as state.ByAssistant had them, last change first
	Remaining int      // changes that can still be undone
}

// UndoAssistant takes back what assistants did in the window, last change first.
// What the user has changed since stays as the user wants it. It is
// NOT_EXECUTABLE when there is nothing to undo.
var UndoAssistant = eventbus.NewTopic[UndoAssistantIn, UndoAssistantOut]("undo_assistant")
