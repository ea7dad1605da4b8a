package announce

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"easel/eventbus"
	"easel/internal/mask"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// Deps are the dependencies of WatchCalls, WatchArrivals and WatchShown.
type Deps struct {
	Bus     *eventbus.Bus
	Store   *state.Store
	Library CallLog
	Log     *slog.Logger
	Mask    *mask.Mask // hides tokens in the stored log of calls; may be nil
}

// A CallLog stores the log of calls.
type CallLog interface {
	Put(ctx context.Context, a catalog.Activity) error
}

// maxClients limits the clients in the state: a client may give itself any name.
const maxClients = 200

// WatchCalls writes the log of calls to the library and counts calls in the state. run
// does so until ctx ends or the bus closes. It misses no call that begins after
// WatchCalls has returned. It also stores notifications sent before ctx ended, for
// example of calls that were running when Easel quit.
func WatchCalls(ctx context.Context, d Deps) (run func()) {
	activities := catalog.Activities.WatchToTheLast(ctx, d.Bus, 1024)
	ctx = context.WithoutCancel(ctx)
	return func() {
		for a, err := range activities {
			if err != nil {
				d.Log.WarnContext(ctx, "the log of calls has a gap", "err", err)
				continue
			}
			stored := a
			stored.Args, stored.Detail = d.Mask.JSON(a.Args), d.Mask.String(a.Detail)
			if err := d.Library.Put(ctx, stored); err != nil {
				d.Log.ErrorContext(ctx, "keeping the log of calls", "err", err)
			}
			switch {
			case a.Transport == string(tool.Window):
			case a.Ended.IsZero() && a.ExecutionID != "": // the call was counted when it began
			case a.Ended.IsZero():
				d.Store.Update(func(s *state.Snapshot) { countCall(s, a) })
			case a.Transport == string(tool.MCP) && len(a.Images) > 0:
				d.Store.Update(func(s *state.Snapshot) { notePicture(s, a) })
			}
		}
	}
}

// WatchArrivals adds clients that connect to the state, whether or not they call a tool.
// run does so until ctx ends or the bus closes.
func WatchArrivals(ctx context.Context, d Deps) (run func()) {
	arrivals := catalog.Arrivals.Watch(ctx, d.Bus, 64)
	return func() {
		for a, err := range arrivals {
			if err != nil {
				continue // a missed client is added at its next call
			}
			d.Store.Update(func(s *state.Snapshot) {
				touch(s, a.Name, a.Version, a.At)
				note(s, a.Assistant, strings.TrimSpace(a.Name+" "+a.Version), a.At)
			})
		}
	}
}

// touch clones s.Clients, finds or adds the client, and sets the time it was last seen. If
// the list is full, it removes the oldest entry.
func touch(s *state.Snapshot, name, version string, at time.Time) *state.Client {
	s.Clients = slices.Clone(s.Clients)
	i := slices.IndexFunc(s.Clients, func(c state.Client) bool { return c.Name == name && c.Version == version })
	if i < 0 {
		if len(s.Clients) >= maxClients {
			s.Clients = s.Clients[1:]
		}
		i = len(s.Clients)
		s.Clients = append(s.Clients, state.Client{Name: name, Version: version, First: at})
	}
	s.Clients[i].Last = at
	return &s.Clients[i]
}

// note sets when an assistant was last seen, and as which client. It clones s.Assistants, and returns nil if id is "" or the user has
// forgotten the assistant meanwhile.
func note(s *state.Snapshot, id, client string, at time.Time) (x *state.Assistant) {
	if id == "" || s.Assistant(id).Gone {
		return nil
	}
	s.EditAssistant(id, func(a *state.Assistant) {
		if a.First.IsZero() {
			a.First = at.UTC()
		}
		a.Client, a.Last, x = client, at.UTC(), a
	})
	return x
}

func countCall(s *state.Snapshot, a catalog.Activity) {
	s.Calls++
	if x := note(s, a.Assistant, a.Client, time.Now()); x != nil {
		x.Calls++
	}
	if a.Transport == string(tool.MCP) {
		touch(s, nameOf(a), a.Version, time.Now()).Calls++
	}
}

// nameOf returns the name of a caller. If it gave none, that is the name of its transport.
func nameOf(a catalog.Activity) string {
	if a.Name != "" {
		return a.Name
	}
	return a.Client
}

// notePicture stores in the state how the client received the last picture of a result.
func notePicture(s *state.Snapshot, a catalog.Activity) {
	picture := state.SentPicture{URI: a.Images[len(a.Images)-1], At: a.Ended}
	for _, uri := range a.Images {
		id := catalog.ImageIDOf(uri)
		if slices.ContainsFunc(a.Sent, func(x catalog.SentImage) bool { return x.ImageID == id && x.How == catalog.SentInline }) {
			picture.URI, picture.Inline = uri, true
		}
	}
	if !picture.Inline && !carriesPictures(a.Tool) {
		return // a list names images; it does not send them
	}
	touch(s, nameOf(a), a.Version, a.Ended).Picture = picture
}

// carriesPictures reports whether results of a tool bring what was drawn to the model.
func carriesPictures(name string) bool {
	switch name {
	case catalog.ExecuteCode.Spec().Name, catalog.GetExecution.Spec().Name, catalog.GetImageResource.Spec().Name:
		return true
	default:
		return strings.HasPrefix(name, "notebook_")
	}
}
