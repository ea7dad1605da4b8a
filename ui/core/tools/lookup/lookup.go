// Package lookup implements what clients look up: the search of earlier work, documents, prompts
// and completions.
//
// # Goroutines
//
// Calls run on goroutines of the bus. They share nothing.
package lookup

import (
	"context"
	"log/slog"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// Deps are the dependencies of the package.
type Deps struct {
	Bus     *eventbus.Bus // prompts and completions call tools on behalf of their client
	Store   *state.Store
	Library *library.Library
	// Known returns the id of a running session, given its id or its kernel's id.
	Known func(ctx context.Context, id string) (string, error)
	// SessionID returns the id of a session, running or not, given the same.
	SessionID func(ctx context.Context, id string) (string, error)
	Log       *slog.Logger
}

type lookup struct{ Deps }

// Register registers the bodies.
func Register(c *chain.Chain, d Deps) {
	l := &lookup{d}
	chain.Register(c, catalog.SearchHistory, l.searchHistory)
	chain.Register(c, catalog.ReadDocument, l.readDocument)
	chain.Register(c, catalog.GetPrompt, l.getPrompt)
	chain.Register(c, catalog.Complete, l.complete)
}
