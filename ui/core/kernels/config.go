package kernels

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// Errors of a Manager, in addition to those of package jupyter and of contexts.
var (
	ErrSessionNotFound   = errors.New("no such session")
	ErrNotJoined         = errors.New("not connected to this session")
	ErrExecutionNotFound = errors.New("no such execution")
	ErrNotOurs           = errors.New("the kernel was not started by Easel")
	ErrNoContents        = errors.New("this server has no notebooks")
)

// Events are callbacks. Those about one kernel are called in order; those about different
// kernels and servers may be called concurrently. None may block. Each may be nil.
type Events struct {
	Execution     func(change catalog.ChangeName, x catalog.Execution) // started, had output, or ended
	Session       func(record.SessionView)                             // a live session was added, changed or removed
	Server        func(catalog.ServerHealth)
	ServerRemoved func(server string)         // a server was removed, by name
	Unused        func(ended library.Session) // Easel ended an unused session
	// Ending is called before Easel ends or restarts the kernel of a session that stores its figures. Unlike the
	// others, it may block until ctx ends.
	Ending func(ctx context.Context, session string)
	// Keeping is called when the kernel of a session that stores its figures was told to keep them, which is after Easel has
	// connected to a kernel of its own that an earlier Easel left.
	Keeping func(session string)
}

// Config configures a Manager.
type Config struct {
	Library *library.Library
	Log     *slog.Logger
	On      Events
	// Timeout returns the default timeout of code. If nil, it is one hour.
	Timeout func() time.Duration
	// Unused returns how long a session that Easel started may be unused before it is
	// ended. If it is nil or returns 0, sessions are not ended.
	Unused func() time.Duration
	// Connected returns the connected clients by identity. Their sessions are not ended.
	// If nil, no client counts as connected.
	Connected func() (map[string]catalog.Connection, error)
	// PrestartFile is the file that stores the id of the prestarted kernel, so that Easel
	// can end that kernel after a crash. If empty, the id is not stored.
	PrestartFile string
	// HiddenFile is the file that stores the ids of the hidden kernels, for the same purpose.
	HiddenFile string
	// Draw draws a figure that arrived without a picture, in the background. It returns a
	// channel that is closed when it has finished, or nil if there is nothing to draw.
	// Pass the resulting image to Manager.Drawn. If Draw is nil, nothing is drawn.
	Draw func(library.Image) <-chan struct{}
	// DrawText reports whether tables and formulas are drawn, too. If nil, they are not.
	DrawText func() bool
	// Figures reports whether the kernels of the managed server, or of others, keep the
	// figures that they display, so that DrawFigure can draw them again. If nil, kernels
	// are left as they are.
	Figures func(managed bool) bool
	// FigureKeeper are the sources of the Python modules that keep them, by name.
	FigureKeeper map[string]string
	// Project returns the root of the project that a server belongs to, and which Python of it a
	// kernelspec is; "" if none. It may be nil.
	Project func(server, kernelName string) (root, environment string)
	// Renew makes sure that a kernelspec of a project starts what the project's environment is now,
	// and returns the new name of that; "" if it is the former. It may be nil.
	Renew func(ctx context.Context, server, kernelName string) (environment string, err error)
	// ListLocal reports whether the kernels of [servers.List.AddLocal] are listed. Those that are
	// joined stay joined. If nil, they are.
	ListLocal func() bool
	// Gate decides whether code may be sent, right before it is sent. If it is nil, only the
	// user's code is sent.
	Gate *oversight.Gate
	// Starts reserves a place for another kernel of the caller in ctx, until release is called, or refuses. running counts the
	// kernels that an assistant has started and that run. If Starts is nil, anybody may start any number.
	Starts func(ctx context.Context, running func(assistant string) (int, error)) (release func(), err error)
	// Asker asks the user to approve code. If nil, code that needs approval does not run.
	Asker record.Asker
	// Input asks the user what running code asks for. If nil, no code gets input.
	Input record.InputAsker
	// Fonts are font files to suggest for characters that no other font has, if the
	// kernel can read them.
	Fonts []string
}

// An UnusedError reports that Easel ended the session because nobody used it. Session.Held
// is not nil and lists its variables.
type UnusedError struct{ Session library.Session }

// Error says how long the session was unused.
func (e *UnusedError) Error() string {
	return fmt.Sprintf("the session was ended after %s unused", e.Session.Held.Unused)
}

// Is reports whether target is ErrSessionNotFound.
func (e *UnusedError) Is(target error) bool { return target == ErrSessionNotFound }
