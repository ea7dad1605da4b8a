// Package announce tells the window and the clients what has changed: it puts what kernels and
// directories report into the state, and notifies the watchers of the event bus.
//
// # Goroutines
//
// The functions that are returned to kernels, directories and checks run on their callers'
// goroutines. The run functions of WatchCalls, WatchArrivals and WatchShown run on their
// caller's goroutine until their context ends.
package announce

import (
	"cmp"
	"slices"

	"easel/eventbus"
	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/state"
)

// Kernels returns the events of the kernels, which update the state and notify the
// watchers. What an execution has drawn is announced before the execution.
func Kernels(bus *eventbus.Bus, store *state.Store, pictures *Pictures) kernels.Events {
	return kernels.Events{
		Execution: func(name catalog.ChangeName, x catalog.Execution) {
			pictures.Announce()
			countEnd(store, name, x)
			catalog.Changes.Notify(bus, catalog.Change{Name: name, Object: x})
		},
		Session: func(v record.SessionView) {
			session := updateSession(store, v)
			catalog.Changes.Notify(bus, catalog.Change{Name: catalog.SessionChanged, Object: session})
		},
		Server: func(h catalog.ServerHealth) {
			store.Update(func(s *state.Snapshot) {
				s.Servers = slices.Clone(s.Servers)
				i := slices.IndexFunc(s.Servers, func(o state.Server) bool { return o.Name == h.Name })
				if i < 0 {
					s.Servers = append(s.Servers, state.Server{ServerHealth: h})
					return
				}
				s.Servers[i].ServerHealth = h
			})
		},
		Unused: unused(bus, store),
		ServerRemoved: func(name string) {
			store.Update(func(s *state.Snapshot) {
				s.Servers = slices.DeleteFunc(slices.Clone(s.Servers), func(o state.Server) bool { return o.Name == name })
			})
		},
	}
}

// countEnd counts an execution that has ended, if it failed or took long, for notifications. Code that was interrupted
// or refused has not failed.
func countEnd(store *state.Store, name catalog.ChangeName, x catalog.Execution) {
	if name != catalog.ExecutionEnded || x.Watched != "" {
		return
	}
	var add state.EndedRuns
	switch {
	case x.Status == catalog.StatusError || x.Status == catalog.StatusTimeout || x.Status == catalog.StatusKernelDied:
		add.Failed = 1
	case x.Status == catalog.StatusOK && x.ExecutionTimeMS >= float64(store.Snapshot().Settings.LongRun().Milliseconds()):
		add.Long = 1
	default:
		return
	}
	if n := len(x.Images); n > 0 {
		add.Plot = x.Images[n-1].Title
	}
	store.Update(func(s *state.Snapshot) {
		s.Ended.Failed += add.Failed
		s.Ended.Long += add.Long
		s.Ended.Plot = add.Plot
	})
}

// updateSession adds v to the live sessions, updates it there or, if it is gone, removes
// it. It returns the session for the watchers.
func updateSession(store *state.Store, v record.SessionView) catalog.Session {
	var shown catalog.Session
	store.Update(func(s *state.Snapshot) {
		i := slices.IndexFunc(s.Sessions, func(o state.Session) bool { return o.KernelID == v.KernelID })
		images := v.Images
		if i >= 0 {
			images = s.Sessions[i].Images
		}
		shown = v.Catalog(images)
		if v.Gone {
			s.Sessions = slices.DeleteFunc(slices.Clone(s.Sessions), func(o state.Session) bool { return o.KernelID == v.KernelID })
			shown.Status = "dead"
			return
		}
		next := state.Session{
			Session: shown, Name: v.Name, Program: v.Program, Project: v.Project, Client: v.Client, Colour: v.Colour,
			Queued: v.Queued, Died: v.Died, Crashed: v.Crashed, Pinned: v.Pinned, Used: v.Used,
			Sandboxed: v.Sandboxed,
		}
		next.Environment = v.Environment // the window calls Easel's own Python by its own words
		if r := v.Running; r != nil {
			next.Running = &state.RunningCode{
				ExecutionID: r.ExecutionID, Code: truncate.Runes(r.Code, 2000), Client: r.Client,
				Theirs: !r.Own, Since: r.Since, Interrupt: r.Interrupt, Unmoved: r.Unmoved, Asks: r.Asks,
			}
		}
		s.Sessions = slices.Clone(s.Sessions)
		if i >= 0 {
			s.Sessions[i] = next
			return
		}
		s.Sessions = append(s.Sessions, next)
		slices.SortStableFunc(s.Sessions, func(a, b state.Session) int { return cmp.Compare(b.CreatedAt.UnixNano(), a.CreatedAt.UnixNano()) })
	})
	return shown
}
