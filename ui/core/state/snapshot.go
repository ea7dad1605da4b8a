package state

import (
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
)

// A Snapshot is the state of Easel at one time.
type Snapshot struct {
	// The host.
	URL      string // for example http://127.0.0.1:5149; empty until the host listens
	PortNote string // why the port is not the requested one; empty if it is

	// Jupyter.
	Servers []Server
	// OwnServers are the names of the servers that the user has added.
	OwnServers []string
	Sessions   []Session // live sessions, newest first
	// Kernels are those on this machine that no Jupyter server runs, and that Easel has not
	// joined.
	Kernels []catalog.Session
	// Projects are those whose servers run, sorted by their roots.
	Projects []command.Project
	Picked   string // id of the session that the user chose; if empty, see Shown

	// The gallery.
	Folder    Folder
	Query     Query
	Mode      Mode
	Current   string   // id of the image that the viewer shows or the grid's cursor is on
	Selection []string // image ids, in the order of selection
	Place     Place    // position of Current, if it has left the view
	Regions   []Region // that the user drew on images, the newest last
	// SelectedBy is who made the selection: catalog.ByUser, ByAssistant or ByFollow.
	SelectedBy string
	Total      int                 // images in the folder
	Matching   int                 // images in the folder that match the query
	Revision   uint64              // of the images, as in feed.Change: what the state knows of
	Newest     string              // id of the newest image in the library
	Arrivals   int                 // images added since startup
	Unseen     int                 // images added since the user last saw the newest ones
	Updates    []Update            // the latest updates of figures, oldest first
	Checks     []command.OpenCheck // checks of plots that wait or run
	Notebook   Notebook            // of the open session; zero if it has none, or it was not read yet

	// The window.
	Window          WindowState
	Focused         bool      // the window has the focus, so that the user looks at it
	Ended           EndedRuns // since startup
	Autostart       bool      // Easel starts at login
	CanAutostart    bool      // the desktop supports that
	Fullscreen      bool
	Focus           bool // the plot fills the window; only the user can want that
	PropertiesPanel bool
	FollowLatest    bool
	Settings        Settings
	Paused          bool                    // the user has paused the AI
	Approvals       []catalog.Approval      // open approval requests, oldest first
	Terminals       int                     // in which the user can answer them
	Inputs          []command.InputQuestion // that running code asks, oldest first
	Expired         []catalog.Approval      // expired ones, oldest first; an answer counts for the next one that is the same
	Trusted         []Trust                 // clients whose code needs no approval, although Access is ask
	Notices         []Notice                // banners, newest last
	Unused          []UnusedSession         // unused sessions that Easel ended, newest last
	Pressure        *Pressure               // nil if there is enough memory
	Usage           map[string]Usage        // what kernels on this machine use, by session; only while the window is shown
	ByAssistant     string                  // client and tool of the last call that acted on the window; empty if the user acted since
	Change          command.Edit            // the last change by an assistant; its Seq is 0 if the user acted since
	Undoable        int                     // changes by assistants that catalog.UndoAssistant can undo
	Edited          command.Edit            // the user's last change of plots
	Undo, Redo      command.Edit            // what catalog.Undo and catalog.Redo would take; Seq is 0 if there is nothing
	Calls           int                     // tool calls by clients since startup
	Clients         []Client                // MCP clients that connected since startup
	Resends         []Resend                // plots that wait to be sent to clients once more, oldest first
	AssistantKey    string                  // their tokens follow from it; see roster.Contents
	Assistants      []Assistant             // those that have a token of their own, and the others; sorted by their first connection
}

// A Notebook is the notebook of a session whose cells are known.
type Notebook struct {
	SessionID string
	Path      string
}

// ByCell reports whether the plots are shown in the order of the notebook's cells.
func (s *Snapshot) ByCell() bool {
	return s.Query.ByCell && s.Folder.Kind == OneSession && s.Notebook.SessionID == s.Folder.ID
}

// Arrive counts an image that was added to the library.
func (s *Snapshot) Arrive(id string) {
	s.Arrivals++
	s.Unseen++
	s.Newest = id
}

// Chosen reports whether the user or an assistant has chosen what is selected or, in the
// viewer, shown.
func (s *Snapshot) Chosen() bool {
	shown := len(s.Selection) > 0 || s.Mode == Viewer && s.Current != ""
	return shown && s.SelectedBy != catalog.ByFollow
}

// Follows reports whether the window may select the newest plot by itself. What somebody
// has chosen never moves.
func (s *Snapshot) Follows() bool { return s.FollowLatest && !s.Chosen() }

// FollowPaused reports whether following waits because somebody has chosen a plot.
func (s *Snapshot) FollowPaused() bool { return s.FollowLatest && s.Chosen() }

// An Update is the replacement of a version of a figure by a newer one.
type Update struct{ Was, Now string } // image ids

// MostUpdates is the largest number of updates in a snapshot.
const MostUpdates = 64

// Newer returns the id of the newest version of an image, according to Updates; id itself
// if they do not mention it.
func (s *Snapshot) Newer(id string) string {
	for _, u := range s.Updates {
		if u.Was == id {
			id = u.Now
		}
	}
	return id
}

// A Server is a Jupyter server and its status.
type Server struct {
	catalog.ServerHealth
	Fraction float64 // of the installation or start, 0 to 1; 0 if unknown
	Install  Install // of Easel's own server
}

// Install is the state of the installation of Easel's own Jupyter. The zero value means
// that nothing is being installed.
type Install struct {
	Step        string // as managed.Step
	Package     string // that is being downloaded
	Done, Total int64  // bytes downloaded and to download
	After       int64  // bytes that will be downloaded later, while the server runs
	Python      string // the interpreter, for example Python 3.13.1

	Later   bool   // it goes on in the background, while the server runs
	Upgrade bool   // it is for the next start
	Failed  string // why the installation in the background failed

	Cancelled bool   // the user cancelled the start
	Kind      string // if the start failed, as managed.Kind
	Command   string // that installs what is missing
	Free      int64  // bytes, if the disk is full; 0 if unknown
	Need      int64
}

// A Session is a live session and its status.
type Session struct {
	catalog.Session
	Name    string // the name that the user gave; empty if none
	Program string // that runs the kernel, if no Jupyter server does
	Project string // root of the project that it works in; empty if none
	title   string // what it is called among the live sessions
	Client  string // that created it
	Colour  int    // 0-based index of the colour of its bar
	Running *RunningCode
	Queued  int
	Died    string    // how the kernel died; empty if it did not
	Crashed time.Time // when the kernel died and was restarted; zero if it was restarted otherwise since
	Pinned  bool      // Easel does not end it when it is unused
	// Sandboxed means that its kernel runs in a sandbox.
	Sandboxed bool
	Used      time.Time
}

// Unserved reports whether no Jupyter server runs the session's kernel, so that only its own
// program can restart or end it.
func (x Session) Unserved() bool { return x.Server == catalog.ThisMachine }

// An UnusedSession is a session that Easel ended because nobody used it.
type UnusedSession struct {
	SessionID string
	Name      string
	At        time.Time
	After     time.Duration // how long it was unused
	Variables []string      // the variables that were lost: name, type and size
}

// Looked reports whether the user looks at the window.
func (s *Snapshot) Looked() bool { return s.Focused && s.Window == WindowShown }

// EndedRuns counts executions that have ended: those that failed, and others that took long.
type EndedRuns struct {
	Failed, Long int
	Plot         string // the title of the last plot of the latest of them; "" if it has none
}

// A Usage is what a kernel uses, rounded to what the window shows.
type Usage struct {
	Memory int64 // bytes
	CPU    int   // percent of one processor
	GPU    int64 // bytes; 0 if none, or unknown
}

// Pressure is a shortage of memory, with the session that uses most and the idle kernels whose end would free some.
type Pressure struct {
	Available, Total int64     // bytes
	Since            time.Time // when it began
	Most             MemoryUser
	Idle             []IdleKernel // largest first
}

// A MemoryUser is a session that uses memory, and its largest variables, if its kernel told them.
type MemoryUser struct {
	SessionID string
	Bytes     int64
	Variables []LargeVariable // largest first
}

// A LargeVariable is a variable and the memory that it uses.
type LargeVariable struct {
	Name  string
	Bytes int64
}

// An IdleKernel is the kernel of an idle session and the memory that it uses.
type IdleKernel struct {
	SessionID string
	Bytes     int64
	Used      time.Time
}

// RunningCode is the code that a session executes now.
type RunningCode struct {
	ExecutionID string // empty if Easel did not start it
	Code        string // at most 2,000 characters
	Client      string
	Theirs      bool // it was not started through Easel
	Since       time.Time
	Interrupt   time.Time // when an interrupt was requested; zero if none was
	Unmoved     bool      // it has not reacted to the interrupt
	Asks        bool      // it asks the user for input
}

// A FolderKind is a kind of folder.
type FolderKind string

// The kinds of folder, as named in the API.
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

// A Query filters and sorts a folder.
type Query struct {
	Rating   int    // compared by RatingOp; -1 for no filter
	RatingOp string // ">=", "=", "<="
	Tags     []string
	AnyTag   bool   // any of Tags instead of all
	Findings bool   // only plots with open findings; see library.Image.Findings
	Text     string // a search: words in title, code, tags and output, and terms; see package search
	SortBy   string // created, name, modified, rating, size, session
	Asc      bool
	ByCell   bool // sorts a session with a notebook by cell instead; see Snapshot.ByCell
}

// Narrows reports whether the query has a filter.
func (q Query) Narrows() bool {
	return q.RatingOp != "" && q.Rating >= 0 || len(q.Tags) > 0 || q.Findings || q.Text != ""
}

// Mode is how the gallery shows the folder.
type Mode string

// The modes.
const (
	Grid   Mode = "grid"
	Viewer Mode = "viewer"
)

// WindowState is the state of the window.
type WindowState string

// The states of the window, as named in the API. Only health reports WindowStarting.
const (
	WindowShown    WindowState = "shown"
	WindowHidden   WindowState = "hidden"
	WindowNone     WindowState = "none"
	WindowStarting WindowState = "starting"
)

// A Notice is a banner.
type Notice struct {
	ID    string // a notice replaces one with the same ID
	Level Level
	Text  string // in English; the window translates known texts
	Hint  string
	At    time.Time
}

// NoticeRisky is the ID of the notice about the mode that asks only about risky code.
const NoticeRisky = "ask_risky"

// A Level is the severity of a notice.
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
	First, Last   time.Time // times of its first and last message
	Calls         int
	Picture       SentPicture // the last picture sent to it
}

// A SentPicture is a picture in a result that a client got.
type SentPicture struct {
	URI    string // empty if no picture was sent
	At     time.Time
	Inline bool // sent as a picture; otherwise as a link
}
