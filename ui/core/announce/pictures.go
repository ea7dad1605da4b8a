package announce

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/state"
)

// A PictureLibrary has images and the feed of their changes. A collection.Collection is one.
type PictureLibrary interface {
	Changes() *feed.Feed
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	IDs(ctx context.Context, q library.Query) ([]string, error)
	// AssistantOf returns which assistant asked for an execution, as in tool.Caller.
	AssistantOf(ctx context.Context, execution string) string
}

// Pictures announces the changes of images, each once and in the order of the library's feed: it
// puts them into the state, then notifies the watchers. It is safe for concurrent use.
type Pictures struct {
	bus   *eventbus.Bus
	store *state.Store
	lib   PictureLibrary
	log   *slog.Logger

	turn sync.Mutex // held by Turn
	told uint64     // revision up to which changes were announced
}

// NewPictures returns a Pictures that announces later changes of lib.
func NewPictures(bus *eventbus.Bus, store *state.Store, lib PictureLibrary, log *slog.Logger) *Pictures {
	return &Pictures{bus: bus, store: store, lib: lib, log: log, told: lib.Changes().Last()}
}

// Run announces changes until ctx ends. Those that must be announced before something else are
// announced earlier, by Announce or Turn.
func (p *Pictures) Run(ctx context.Context) {
	for told := uint64(0); ; {
		select {
		case <-p.lib.Changes().More(told):
		case <-ctx.Done():
			return
		}
		p.Turn(func(announce Announcer) {
			announce(nil)
			told = p.told
		})
	}
}

// Announce announces what has changed so far.
func (p *Pictures) Announce() {
	p.Turn(func(announce Announcer) { announce(nil) })
}

// An Announcer announces what has changed so far, in one update of the state with edit, which may
// be nil.
type Announcer func(edit func(*state.Snapshot))

// Turn calls do, which may change the library. Until it returns, changes are announced only when it
// calls announce, together with an edit of the state: nobody sees one without the other. do must
// not wait for something that announces changes.
func (p *Pictures) Turn(do func(Announcer)) {
	p.turn.Lock()
	defer p.turn.Unlock()
	do(p.announce)
}

func (p *Pictures) announce(edit func(*state.Snapshot)) {
	now := p.lib.Changes().Last()
	changes, lost := p.lib.Changes().Since(p.told, now)
	if now == p.told && edit == nil {
		return
	}
	images, err := p.read(changes)
	if err != nil {
		p.log.Error("reading images that have changed", "err", err)
		lost = true
	}
	by := make(map[string]string) // assistants, by the ids of new images
	for _, c := range changes {
		if im := images[c.ID]; c.What == feed.Added && im.ExecutionID != "" {
			by[c.ID] = p.lib.AssistantOf(context.Background(), im.ExecutionID)
		}
	}
	newest, moved := p.newest(changes, lost)
	p.store.Update(func(s *state.Snapshot) {
		for _, c := range changes {
			apply(s, c, images[c.ID], by[c.ID])
		}
		if moved {
			s.Newest = newest
		}
		s.Revision = now
		if edit != nil {
			edit(s)
		}
	})
	p.told = now
	if lost {
		catalog.Changes.Skip(p.bus)
		return
	}
	for _, c := range changes {
		if name := event(c.What); name != "" {
			if im, ok := images[c.ID]; c.Was != nil {
				catalog.Changes.Notify(p.bus, catalog.Change{Name: name, Object: *c.Was})
			} else if ok {
				catalog.Changes.Notify(p.bus, catalog.Change{Name: name, Object: im.Image})
			} // otherwise it was deleted since, which is announced, too
		}
	}
}

// event returns the name of the event for a change, or "" if clients cannot see the change.
func event(what feed.What) catalog.ChangeName {
	switch {
	case what&(feed.Added|feed.Restored) != 0:
		return catalog.ImageAdded
	case what&feed.Removed != 0:
		return catalog.ImageRemoved
	case what&(feed.Replaced|feed.Rating|feed.Tags|feed.Text|feed.Picture|feed.Versions|feed.Check|feed.Findings) != 0:
		return catalog.ImageChanged
	default:
		return ""
	}
}

// read reads the images of the changes that are announced.
func (p *Pictures) read(changes []feed.Change) (map[string]library.Image, error) {
	var ids []string
	images := make(map[string]library.Image)
	for _, c := range changes {
		if _, has := images[c.ID]; !has && c.Was == nil && event(c.What) != "" {
			ids, images[c.ID] = append(ids, c.ID), library.Image{}
		}
	}
	clear(images)
	if len(ids) == 0 {
		return images, nil
	}
	all, err := p.lib.Get(context.Background(), ids...)
	for _, im := range all {
		images[im.ImageID] = im
	}
	return images, err
}

// newest returns the id of the newest image in the library, if another may be the newest now.
func (p *Pictures) newest(changes []feed.Change, lost bool) (id string, moved bool) {
	was := p.store.Snapshot().Newest
	if !lost && !slices.ContainsFunc(changes, func(c feed.Change) bool { return c.What == feed.Removed && c.ID == was }) {
		return "", false
	}
	all, err := p.lib.IDs(context.Background(), library.Query{Rating: -1})
	if err == nil && len(all) > 0 {
		id = all[0]
	}
	return id, err == nil
}

// apply puts a change into the state. im is the image, if the change is announced, and by who asked for it.
func apply(s *state.Snapshot, c feed.Change, im library.Image, by string) {
	switch {
	case c.What == feed.Replaced:
		succeed(s, c.Former, c.ID)
	case c.What == feed.Added && im.SessionID != "": // files are in folders only
		s.Arrive(c.ID)
		countPlot(s, by)
		s.Sessions = slices.Clone(s.Sessions)
		for n := range s.Sessions {
			if s.Sessions[n].SessionID == im.SessionID {
				s.Sessions[n].Images++
			}
		}
	}
}

// countPlot counts a plot that an assistant's code has made. One that the user has forgotten counts no more.
func countPlot(s *state.Snapshot, by string) {
	if by != "" && !s.Assistant(by).Gone {
		s.EditAssistant(by, func(a *state.Assistant) { a.Plots++ })
	}
}

// succeed replaces a version of a figure by its next version in the state.
func succeed(s *state.Snapshot, former, id string) {
	s.Updates = append(slices.Clone(s.Updates[max(len(s.Updates)+1-state.MostUpdates, 0):]), state.Update{Was: former, Now: id})
	if s.Newest == former {
		s.Newest = id
	}
	if s.Current == former {
		s.Current = id
	}
	if i := slices.Index(s.Selection, former); i >= 0 {
		s.Selection = slices.Clone(s.Selection)
		s.Selection[i] = id
	}
}

// Checks returns the function that puts the open checks into the state.
func Checks(store *state.Store) func([]command.OpenCheck) {
	return func(open []command.OpenCheck) {
		store.Update(func(s *state.Snapshot) { s.Checks = open })
	}
}
