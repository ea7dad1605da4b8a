package library

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"easel/ui/core/library/naming"
	"easel/ui/core/sessionname"
)

// A Session is a kernel with its name, owner and users. Its images outlive it.
type Session struct {
	ID           string `json:"id"`
	KernelID     string `json:"kernel_id,omitempty"`
	KernelName   string `json:"kernel_name,omitempty"`
	Server       string `json:"server,omitempty"`
	NotebookPath string `json:"notebook_path,omitempty"`
	Directory    string `json:"directory,omitempty"`   // where its kernel works; "" if unknown
	Environment  string `json:"environment,omitempty"` // which Python it is, if it is a project's
	Project      string `json:"project,omitempty"`     // root of the project that it works in
	Name         string `json:"name,omitempty"`        // the user's name for it
	Title        string `json:"title,omitempty"`       // what its client calls it, or what was asked first
	Guessed      bool   `json:"guessed,omitempty"`     // Title is a comment of its code, until a plot has a title
	Client       string `json:"client,omitempty"`      // that created it
	Assistant    string `json:"assistant,omitempty"`   // that started its kernel, as in tool.Caller; "" for the user and others
	Owner        string `json:"owner,omitempty"`       // easel or other
	// Program is the program that runs the kernel, if no Jupyter server does.
	Program    string    `json:"program,omitempty"`
	CreatedAt  time.Time `json:"created_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"` // zero while it lives
	Generation int       `json:"generation,omitempty"`
	Colour     int       `json:"colour,omitempty"`
	// ClientSession is Easel's session id in the Jupyter protocol. A Jupyter server
	// delivers buffered messages to the client that reconnects with it.
	ClientSession string `json:"client_session,omitempty"`
	// Pinned prevents Easel from ending the session when it is unused.
	Pinned bool `json:"pinned,omitempty"`
	// Users lists the identities of the last clients that used it, newest last.
	Users string `json:"users,omitempty"`
	// Kin has the client of each of these identities, one a line: identity, tab, name. A client
	// that connects again has a new identity.
	Kin string `json:"kin,omitempty"`
	// Clients lists the names of the last clients that used it, one a line, newest last.
	Clients string `json:"clients,omitempty"`
	// Replaced says how it last lost its variables; nil if it has not. Untold lists the
	// identities of the clients that do not know it yet.
	Replaced *Replacement `json:"replaced,omitempty"`
	Untold   string       `json:"untold,omitempty"`
	// EndedBy says who or what ended it; "" if unknown. EndedByID is the client's identity.
	EndedBy   string `json:"ended_by,omitempty"`
	EndedByID string `json:"ended_by_id,omitempty"`
	// Held describes its state when Easel ended it because it was unused; otherwise nil.
	Held *EndState `json:"held,omitempty"`
	// Process identifies the kernel's process; "" if unknown.
	Process string `json:"process,omitempty"`
	Images  int    `json:"-"` // read-only: number of images that are not in the trash
}

// NotebookDir returns the directory of a session's notebook, in which its kernel runs, relative to the server's
// root; "" for the root and without a notebook.
func (s Session) NotebookDir() string {
	if dir := path.Dir(s.NotebookPath); s.NotebookPath != "" && dir != "." && dir != "/" {
		return dir
	}
	return ""
}

// Away reports whether the session's project is on another machine: its root is an address of the
// form ssh://HOST/PATH.
func (s Session) Away() bool { return strings.HasPrefix(s.Project, "ssh://") }

// Named returns what the session is named after.
func (s Session) Named() sessionname.Session {
	return sessionname.Session{
		Project: sessionname.Project(s.Server, s.Project, s.Environment),
		ID:      s.ID, KernelID: s.KernelID, KernelName: s.KernelName, Program: s.Program, Server: s.Server,
		NotebookPath: s.NotebookPath, Given: s.Name, Title: s.Title, Ended: !s.EndedAt.IsZero(),
	}
}

// A Replacement says how a session lost its variables: its kernel was restarted, died, or was
// replaced by another.
type Replacement struct {
	By   string    `json:"by"`
	ByID string    `json:"by_id,omitempty"` // identity of the client that did it; "" if none did
	At   time.Time `json:"at"`
	// Known lists the identities of the clients that had used it before, and of those that were
	// told in their stead. Passed lists those of the former.
	Known  string `json:"known,omitempty"`
	Passed string `json:"passed,omitempty"`
}

// An EndState describes the state of a session when it ended.
type EndState struct {
	Unused    time.Duration  `json:"unused"` // before the end
	Variables []HeldVariable `json:"variables,omitempty"`
	More      int            `json:"more,omitempty"`    // number of variables that are not listed
	Unknown   bool           `json:"unknown,omitempty"` // the kernel did not report its variables
}

// A HeldVariable describes a variable: its name, type, and size in words.
type HeldVariable struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size string `json:"size,omitempty"`
}

// Sessions are the sessions of the library.
type Sessions struct{ s *store }

// Put stores a session, or updates the stored one with the same id.
func (v *Sessions) Put(ctx context.Context, s Session) error {
	if err := naming.CheckKey("session", s.ID); err != nil {
		return err
	}
	return v.s.write(ctx, survivesDeath, func(t *tx) error { return t.record(record{Session: &s}) })
}

const sessionColumns = `select id, body, live from sessions`

func scanSession(row scanner) (s Session, err error) {
	var id, body string
	var live int
	if err := row.Scan(&id, &body, &live); err != nil {
		return s, err
	}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &s); err != nil {
			return s, fmt.Errorf("session %s: %w", id, err)
		}
	}
	s.ID, s.Images = id, live
	return s, nil
}

// Get finds a session by its id, or the newest one by its kernel's id.
func (v *Sessions) Get(ctx context.Context, id string) (Session, error) {
	seq, err := v.s.sessionSeq(ctx, id)
	if err != nil {
		return Session{}, err
	}
	s, err := scanSession(v.s.ro.QueryRowContext(ctx, sessionColumns+` where seq = ?`, seq))
	if errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("%w: session %.120q", ErrNotFound, id)
	}
	return s, asFull(err)
}

// All lists all sessions, including ended ones, newest first.
func (v *Sessions) All(ctx context.Context) ([]Session, error) {
	return collect(ctx, v.s, scanSession, sessionColumns+` order by seq desc`)
}

// sessionSeq returns the row of a session by its id or its kernel's id, or -1 if there is
// none.
func (s *store) sessionSeq(ctx context.Context, id string) (seq int64, err error) {
	err = s.ro.QueryRowContext(ctx, `select seq from sessions where id = ?`, id).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.ro.QueryRowContext(ctx, `select seq from sessions where kernel = ? and kernel <> '' order by seq desc limit 1`, id).Scan(&seq)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return -1, nil
	}
	return seq, asFull(err)
}
