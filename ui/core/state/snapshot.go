package state

import (
	"time"

	"easel/mcphost/catalog"
)

// A Snapshot is everything that is open now.
type Snapshot struct {
	// The host.
	URL      string // as http://127.0.0.1:5149; empty until it listens
	PortNote string // why this is not the port that was asked for, if so

	// Jupyter.
	Servers []Server
	// OwnServers are the names of those that the user has added.
	OwnServers []string
	Sessions   []Session // live ones, newest first
	Picked     string    // id of the one that the user chose in the session picker; empty: none, one is shown by itself

	// The gallery.
	Folder    Folder
	Query     Query
	Mode      Mode
	Current   string   // image id that the viewer shows or the grid's cursor is on
	Selection []string // image ids, in the order of selection
	Place     Place    // of Current, if it has left the view
	// SelectedBy is who selected them: catalog.ByUser, ByAssistant or ByFollow.
	SelectedBy string
	Total      int      // images in the folder
	Matching   int      // of those, the ones that pass the query
	Gallery    uint64   // grows when an image of the library came, changed or went
	Newest     string   // id of the newest image in the library
	Unseen     int      // images that came since the user last looked at the newest end
	Updates    []Update // of figures, the latest ones, oldest first

	// The window.
	Window          WindowState
	Autostart       bool // the desktop starts Easel at login
	CanAutostart    bool // it can be told to
	Fullscreen      bool
	PropertiesPanel bool
	FollowLatest    bool
	Settings        Settings
	Paused          bool               // the user has paused the AI
	Approvals       []catalog.Approval // open questions, oldest first
	Trusted         []Trust            // who runs code without being asked about, though Access is ask
	Notices         []Notice           // banners, newest last
	Unused          []UnusedSession    // sessions that Easel ended, newest last
	Pressure        *Pressure          // memory is short; nil: it is not
	ByAssistant     string             // the last thing that an assistant did in the window, as a line; empty if the user acted since
	Change          Change             // the same, as views tell it; zero if it changed nothing
	Undoable        int                // changes by assistants that catalog.UndoAssistant can take back
	Calls           int                // tool calls served since the start
	Clients         []Client           // MCP clients seen since the start
}

// An Update tells that a version of a figure took the place of another one.
type Update struct{ Was, Now string } // image ids

// MostUpdates is how many updates a snapshot knows.
const MostUpdates = 64

// Newer is the newest version of an image's figure, as far as the latest updates tell.
func (s *Snapshot) Newer(id string) string {
	for _, u := range s.Updates {
		if u.Was == id {
			id = u.Now
		}
	}
	return id
}

// A Server is a Jupyter server and how it does.
type Server struct {
	catalog.ServerHealth
	Fraction float64 // of the installation or start, 0 to 1; 0 if unknown
	Remedy   string  // what the user can do about a failure
}

// A Session is a live session and what it does.
type Session struct {
	catalog.Session
	Name    string // the user's name for it, else the notebook's or the kernel's
	Client  string // who made it
	Colour  int    // 0-based, for the session's colour bar
	Running *Running
	Queued  int
	Died    string // how the kernel died, if it did
	Pinned  bool   // it is not ended for want of use
	Used    time.Time
}

// An UnusedSession is one that Easel ended as nobody used it.
type UnusedSession struct {
	SessionID string
	Name      string
	At        time.Time
	After     time.Duration // unused
	Variables []string      // that it had: name, type and size
}

// Pressure tells that memory is short, and what would free some.
type Pressure struct {
	Available int64        // bytes
	Idle      []IdleKernel // the largest first
}

// An IdleKernel is what an idle session's kernel holds.
type IdleKernel struct {
	SessionID string
	Bytes     int64
	Used      time.Time
}

// Running is what a session executes now.
type Running struct {
	ExecutionID string // empty if somebody else's
	Code        string // at most 2,000 characters
	Client      string
	Theirs      bool // it was not begun through Easel
	Since       time.Time
	Interrupt   time.Time // when an interrupt was asked for; zero if not
}

// A Change is a change by an assistant that can be undone.
type Change struct {
	Changed        bool // anything
	Client         string
	Tool           string   // its name
	Images         int      // that got stars or tags
	Rating         int      // given, or filtered by
	Added, Removed []string // tags
}

// A Trust is a client that the user lets run what it wants in a session.
type Trust struct {
	SessionID string
	Client    string // as catalog.Approval has it
}

// A FolderKind is a kind of folder.
type FolderKind string

// The kinds of folder, as the contract names them.
const (
	AllSessions FolderKind = "sessions"
	OneSession  FolderKind = "session"
	Directory   FolderKind = "directory"
	Trash       FolderKind = "trash" // no tool opens it
)

// A Folder is what the gallery shows.
type Folder struct {
	Kind FolderKind
	ID   string // session id, or the directory's absolute path; empty for all sessions
}

// A Query narrows and orders a folder.
type Query struct {
	Rating   int    // with RatingOp; -1: no filter
	RatingOp string // ">=", "=", "<="
	Tags     []string
	AnyTag   bool   // any of Tags instead of all
	Text     string // in title, code, tags or output
	SortBy   string // created, name, modified, rating, size, session
	Asc      bool
}

// Narrows tells whether the query leaves images of the folder out.
func (q Query) Narrows() bool {
	return q.RatingOp != "" && q.Rating >= 0 || len(q.Tags) > 0 || q.Text != ""
}

// Mode is how the gallery shows the folder.
type Mode string

// The modes.
const (
	Grid   Mode = "grid"
	Viewer Mode = "viewer"
)

// WindowState is where the window is.
type WindowState string

// The states of the window, as the contract names them; Starting is told only
// by health.
const (
	WindowShown    WindowState = "shown"
	WindowHidden   WindowState = "hidden"
	WindowNone     WindowState = "none"
	WindowStarting WindowState = "starting"
)

// Settings are the user's choices. They are kept in settings.json; none is a
// secret.
type Settings struct {
	catalog.Settings
	// DeliveryBy is what the user decided for single clients; it beats Delivery.
	DeliveryBy Deliveries `json:"delivery_by_client,omitzero"`
	Layout     Layout     `json:"layout,omitzero"` // of the window, as the user left it
}

// MostOutputKB bounds Settings.OutputKB: what REST gives.
const MostOutputKB = 20

// MostUnusedHours bounds Settings.UnusedHours: a year.
const MostUnusedHours = 8760

// DefaultSettings are what a new user has.
func DefaultSettings() Settings {
	return Settings{Settings: catalog.Settings{
		Theme: "system", ThumbSize: 176, Port: 5149, Timeout: 3600, Prestart: true, LocalServers: true, UnusedHours: 4,
		Access: "allow", AskFor: 600, OutputKB: 8,
		TrashDays: 30, OnClose: "hide", Notify: "hidden",
	}}
}

// A Notice is a banner.
type Notice struct {
	ID    string // replaces a notice of the same id
	Level Level
	Text  string // in English; views translate what they know
	Hint  string
	At    time.Time
}

// A Level says how grave a notice is.
type Level string

// The levels.
const (
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// A Client is an MCP client that has connected.
type Client struct {
	Name, Version string
	First, Last   time.Time // that it was heard of
	Calls         int
	Picture       SentPicture // the last one that it was sent
}

// A SentPicture is a picture in a result, as a client got it.
type SentPicture struct {
	URI    string // empty: there is none
	At     time.Time
	Inline bool // as a picture; otherwise as a link
}
