package catalog

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/eventbus"
	"easel/mcphost/tool"
)

// The topics below are what the host needs in addition to the tools.

// ListImagesIn asks for a page of all images, newest first.
type ListImagesIn struct {
	URIPrefix string // only URIs that begin with it
	Cursor    string
	Limit     int // 0 means the handler's default
}

// A ListedImage is an image with its name in resources/list.
type ListedImage struct {
	Image
	Name string // "matplotlib output [n]", where n counts within the session
}

// ListImagesOut is a page of images.
type ListImagesOut struct {
	Images     []ListedImage
	NextCursor string
}

// ListImages lists all images for MCP resources/list and GET /api/resources.
var ListImages = eventbus.NewTopic[ListImagesIn, ListImagesOut]("list_images")

// ReadImageIn names an image by its URI. MaxEdge > 0 asks for a picture that a model can
// read: PNG or JPEG, at most MaxEdge pixels on the long edge and at most MaxBytes (0
// means no limit).
type ReadImageIn struct {
	URI      string
	MaxEdge  int
	MaxBytes int
}

// ReadImageOut is an image's bytes: the original as the kernel sent it, or the requested
// picture.
type ReadImageOut struct {
	Image    Image
	MIMEType string
	Data     []byte
	ETag     string // of Data, unquoted
}

// ReadImage reads an image. The error is IMAGE_NOT_FOUND for an unknown URI.
var ReadImage = eventbus.NewTopic[ReadImageIn, ReadImageOut]("read_image")

// ReadPlotDataOut is the values that a plot shows, as CSV. Sample means that it has only a part of them.
type ReadPlotDataOut struct {
	Image  Image
	CSV    []byte
	Sample bool
}

// ReadPlotData reads the values of a plot by their URI or the plot's id. The error is IMAGE_NOT_FOUND for an unknown plot and
// NOT_EXECUTABLE for one whose values are not known.
var ReadPlotData = eventbus.NewTopic[string, ReadPlotDataOut]("read_plot_data")

// PlotDataSuffix ends the URI of a plot's values, after the plot's id.
const PlotDataSuffix = "/data.csv"

// ReadDocument reads a document.
var ReadDocument = eventbus.NewTopic[Document, json.RawMessage]("read_document")

// A ServerHealth is the state of one Jupyter server.
type ServerHealth struct {
	Name    string `json:"name" jsonschema:"as calls name it"`
	URL     string `json:"url,omitempty" jsonschema:"address of the server"`
	State   string `json:"state" enum:"installing,starting,ready,unreachable,unauthorized,failed,stopped"`
	Message string `json:"message,omitempty" jsonschema:"progress, what is wrong, or which of several servers on another machine is used"`
	Reason  string `json:"reason,omitempty" jsonschema:"one word about a server that is reached with ssh, for example denied"`
	Managed bool   `json:"managed" jsonschema:"Easel's own server"`
}

// HealthOut is the readiness of what is behind the host.
type HealthOut struct {
	Window  string         `json:"window" enum:"shown,hidden,starting,none"`
	Servers []ServerHealth `json:"servers"`
}

// Health returns the readiness. It answers immediately.
var Health = eventbus.NewTopic[struct{}, HealthOut]("health")

// ShowWindowIn asks to show the window.
type ShowWindowIn struct {
	// Env is what the caller's environment says about the display. An Easel without a
	// window opens it there.
	Env map[string]string `json:"env,omitempty"`
	// Hidden asks only for the tray icon, as at login.
	Hidden bool `json:"hidden,omitempty"`
	// Open is a directory or a picture on disk to show, absolute; "" for none.
	Open string `json:"open,omitempty"`
}

// ShowWindow brings the window to the front, or opens it. Only a second start of Easel asks
// it, through package handover: a client must not choose where the window appears.
var ShowWindow = eventbus.NewTopic[ShowWindowIn, struct{}]("show_window")

// A Change is one change of what the window shows. Object is what the part of the name
// before the dot says, in the form that the tools return.
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

// ChangeKinds says for each change when it is sent and what its object is.
var ChangeKinds = []struct {
	Name         ChangeName
	When, Object string
	Schema       *jsonschema.Schema // of the object
}{
	{ImageAdded, "a kernel drew an image, or an image was restored from the trash", "the image", tool.SchemaOf[Image]()},
	{ImageChanged, "its stars, tags, title or note changed, or a figure was updated: the new version has its own ID, `replaces` and `versions`, and replaces the previous one in lists", "the image", tool.SchemaOf[Image]()},
	{ImageRemoved, "it was moved to the trash", "the image", tool.SchemaOf[Image]()},
	{ExecutionStarted, "the kernel started it", "the execution so far", tool.SchemaOf[Execution]()},
	{ExecutionOutput, "it printed something, or asks the user for input or no longer does; sent at most a few times a second", "the execution so far", tool.SchemaOf[Execution]()},
	{ExecutionEnded, "it ended, successfully or not", "the execution", tool.SchemaOf[Execution]()},
	{SessionChanged, "a session started or ended, or its kernel's state changed", "the session; its status is dead if it ended", tool.SchemaOf[Session]()},
	{SelectionChanged, "the selection changed", "the list of files", tool.SchemaOf[[]File]()},
	{ViewChanged, "the folder, filters, order or display of the gallery changed", "the view", tool.SchemaOf[View]()},
	{ApprovalRequested, "code waits for the user's approval", "the approval", tool.SchemaOf[Approval]()},
	{ApprovalAnswered, "the user answered, or did not answer in time; again if the user answers after that", "the approval, with outcome", tool.SchemaOf[Approval]()},
	{SettingsChanged, "a setting changed", "the settings, as GET /api/resources/settings gives them", tool.SchemaOf[Settings]()},
}

// Changes carries every Change. /api/events and MCP's list_changed and updated
// notifications are derived from it.
var Changes = eventbus.NewEvent[Change]("changes")
