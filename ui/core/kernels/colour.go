package kernels

import (
	"context"
	"hash/fnv"

	"easel/ui/core/library"
)

// colours is how many colours sessions have; the window's palette has as many.
const colours = 8

// colour gives a session its colour: the one that it has; a new one gets one that none
// of the sessions before it has, so that those beside each other can be told apart.
func (m *Manager) colour(ctx context.Context, id string) int {
	if kept, err := m.cfg.Library.Session(ctx, id); err == nil {
		return kept.Colour
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	first := int(h.Sum32() % colours)
	all, err := m.cfg.Library.Sessions(ctx) // newest first
	if err != nil {
		return first
	}
	return unlike(first, all[:min(len(all), colours-1)])
}

// unlike is a colour that no session has, if there is one: first, or the next.
func unlike(first int, sessions []library.Session) int {
	var used [colours]bool
	for _, s := range sessions {
		used[((s.Colour%colours)+colours)%colours] = true
	}
	for i := range colours {
		if c := (first + i) % colours; !used[c] {
			return c
		}
	}
	return first
}
