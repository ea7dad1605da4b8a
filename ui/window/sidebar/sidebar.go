// Package sidebar provides the sidebar next to the gallery: all plots, the best of
// them, the projects with their sessions, the other sessions, and the tags.
//
// # Goroutines
//
// A Bar belongs to the UI goroutine. Its reader has one goroutine, which runs until
// Close and passes its results to the Dispatcher.
package sidebar

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// Library is the part of the library that the bar uses.
type Library interface {
	Sessions(ctx context.Context) ([]library.Session, error)
	Tags(ctx context.Context) ([]library.TagCount, error)
	Count(ctx context.Context, q library.Query) (total, matching int, err error)
	Changes() *feed.Feed
	Subfolders() []folders.Subfolder // reads nothing
}

// Actions are called when the user does something in the bar. They are called on the UI
// goroutine and must not block.
type Actions struct {
	OpenAll      func()
	OpenBest     func() // four or five stars
	OpenUnrated  func()
	OpenTrash    func()
	OpenFindings func()                              // plots with findings
	Search       func(text string)                   // shows the plots that a search finds
	SearchMenu   func(name string, at fyne.Position) // of a saved search
	TrashMenu    func(at fyne.Position)
	OpenSession  func(id string)
	SessionMenu  func(id string, at fyne.Position)
	Connect      func(kernel catalog.Session) // connects to a kernel that no Jupyter server runs
	Tags         func(tags []string)          // filters by tags; without tags it removes the filter
	Known        func([]library.Session)      // the library's sessions were read; may be nil
	Focus        func(fyne.Focusable)         // gives the keyboard to a row
	Folders      FolderActions
	Projects     ProjectActions
	// Folded says of which projects, by their roots, days and other parts the rows are hidden. What the user has not
	// chosen is absent. The bar changes it.
	Folded map[string]bool
}

// contents is what was last read from the library.
type contents struct {
	sessions             []library.Session
	tags                 []library.TagCount
	total, best, unrated int
	trashed, findings    int // findings: the plots with some
	fresh                int // since the user last looked
}

// A Bar is the library's sidebar.
type Bar struct {
	k           *kit.Kit
	act         Actions
	lib         Library
	root        fyne.CanvasObject
	column      *kit.Column
	known       contents
	snap        *state.Snapshot
	seen        uint64
	asks        atomic.Int64  // how often the library was to be read
	due         atomic.Uint32 // what has changed since: a feed.What
	told        int64         // how many of them the last answer knows
	looked      atomic.Int64  // when the user last looked, in nanoseconds since 1970; 0: never
	fingerprint string        // of what is shown, so that an equal state is not drawn again
	stops       []stop
	rover       kit.Rover // the rows are one stop of the keyboard
	chips       []fyne.CanvasObject
	tagRover    kit.Rover       // and the tags another
	uses        map[string]use  // of the projects, by root
	whole       map[string]bool // the days of which all ended sessions are listed

	ctx    context.Context //nolint:containedctx // the life of the reader; Close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   wake.Signal
}

// New returns a bar. The caller must call Close.
func New(k *kit.Kit, lib Library, act Actions) *Bar {
	ctx, cancel := context.WithCancel(context.Background())
	b := &Bar{
		k: k, act: act, lib: lib, column: k.Column(8, 1), uses: make(map[string]use), whole: make(map[string]bool),
		ctx: ctx, cancel: cancel, wake: wake.New(),
	}
	b.root = k.Panel(k.P.Side, "r", b.column)
	b.ended.Go(b.read)
	return b
}

// Object returns the object to put into the window.
func (b *Bar) Object() fyne.CanvasObject { return b.root }

// Close stops the reader and waits for it.
func (b *Bar) Close() {
	b.cancel()
	b.ended.Wait()
}

// readAfter is how long changes are collected before the library is read. A new plot is
// shown first, and the counts follow.
const readAfter = 80 * time.Millisecond

// What the counts depend on; and the tags of files, which are known when a file was read.
const (
	ofLibrary = feed.Listed | feed.Rating | feed.Findings
	ofFiles   = feed.Detail | feed.Picture
)

func (b *Bar) read() {
	var k contents
	for gather := time.Duration(0); ; gather = readAfter { // the first time, read immediately
		select {
		case <-b.wake:
		case <-b.ctx.Done():
			return
		}
		select {
		case <-time.After(gather):
		case <-b.ctx.Done():
			return
		}
		asks, what := b.asks.Load(), feed.What(b.due.Swap(0))
		if what&feed.Listed != 0 {
			k.sessions, _ = b.lib.Sessions(b.ctx)
			k.trashed, _, _ = b.lib.Count(b.ctx, library.Query{Rating: -1, Trashed: true})
		}
		if what&(feed.Listed|feed.Rating) != 0 {
			k.total, k.best, _ = b.lib.Count(b.ctx, library.Query{Rating: 4, RatingOp: ">="})
			_, k.unrated, _ = b.lib.Count(b.ctx, library.Query{Rating: 0, RatingOp: "="})
		}
		if what&(feed.Listed|feed.Findings) != 0 {
			_, k.findings, _ = b.lib.Count(b.ctx, library.Query{Rating: -1, Findings: true})
		}
		if looked := b.looked.Load(); what&feed.Listed != 0 && looked != 0 {
			_, k.fresh, _ = b.lib.Count(b.ctx, library.Query{Rating: -1, Text: isNew, Looked: time.Unix(0, looked)})
		}
		if what&^(feed.Rating|feed.Findings) != 0 {
			k.tags, _ = b.lib.Tags(b.ctx)
		}
		k := k
		if b.ctx.Err() == nil {
			b.k.Do(func() {
				b.known, b.told = k, asks
				if b.act.Known != nil {
					b.act.Known(k.sessions)
				}
				b.draw()
			})
		}
	}
}

// Reread reads everything again: the name of an ended session is no change of plots.
func (b *Bar) Reread() {
	b.due.Or(uint32(^feed.What(0)))
	b.asks.Add(1)
	b.wake.Notify()
}

// KnownTags returns the names of the tags that are in use.
func (b *Bar) KnownTags() []string {
	names := make([]string, len(b.known.tags))
	for i, t := range b.known.tags {
		names[i] = t.Name
	}
	return names
}

// Settled reports whether the library has answered since it was last asked.
func (b *Bar) Settled() bool { return b.told > 0 && b.told == b.asks.Load() }

// Render shows a state.
func (b *Bar) Render(s *state.Snapshot) {
	was := b.snap
	b.snap = s
	ended := was != nil && (len(was.Sessions) != len(s.Sessions) || was.Folder != s.Folder) // a directory has its own tags
	what := b.lib.Changes().Summary(b.seen, s.Revision).What
	if b.seen = max(b.seen, s.Revision); was == nil || ended {
		what = ^feed.What(0)
	}
	if s.Folder.Kind != state.Directory {
		what &^= ofFiles
	}
	if last := s.Settings.Looks.Last; !last.IsZero() && b.looked.Swap(last.UnixNano()) != last.UnixNano() {
		what |= feed.Listed
	}
	if what &= ofLibrary | feed.Tags | ofFiles; what != 0 {
		b.due.Or(uint32(what))
		b.asks.Add(1)
		b.wake.Notify()
	}
	if was != nil && !ended && !b.Settled() && reflect.DeepEqual(was.Query, s.Query) && was.Settings.Searches == s.Settings.Searches {
		return // the library's answer is pending; draw everything then
	}
	b.draw()
}
