package kernels

import (
	"context"
	"hash/fnv"

	"easel/ui/core/library"
)

// colours is the number of session colours, which is that of the window's palette.
const colours = 8

// colour returns the colour of a session. A new session gets a colour that none of the
// latest sessions has, so that neighbours in a list differ.
func colour(ctx context.Context, lib *library.Library, id string) int {
	if kept, err := lib.Sessions.Get(ctx, id); err == nil {
		return kept.Colour
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	first := int(h.Sum32() % colours)
	all, err := lib.Sessions.All(ctx) // newest first
	if err != nil {
		return first
	}
	return unlike(first, all[:min(len(all), colours-1)])
}

// unlike returns the first colour, counting from first, that no session has; first if all
// are used.
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
