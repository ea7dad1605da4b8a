package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// maxClients limits the clients in the state: a client may give itself any name.
const maxClients = 200

// WatchArrivals adds clients that connect to the state, whether or not they call a tool.
// run does so until ctx ends or the bus closes.
func WatchArrivals(ctx context.Context, d Deps) (run func()) {
	arrivals := catalog.Arrivals.Watch(ctx, d.Bus, 64)
	return func() {
		for a, err := range arrivals {
			if err != nil {
				continue // a missed client is added at its next call
			}
			d.Store.Update(func(s *state.Snapshot) { touch(s, a.Name, a.Version, a.At) })
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

func countCall(s *state.Snapshot, a catalog.Activity) {
	s.Calls++
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
	switch {
	case len(a.Inlined) > 0:
		picture.URI, picture.Inline = a.Inlined[len(a.Inlined)-1], true
	case !carriesPictures(a.Tool):
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
