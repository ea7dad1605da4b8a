package state

import "slices"

// A Place is the position of the current image when it left the view, for example because
// its new rating does not match the filter. The viewer still shows the image and
// navigates from there.
type Place struct {
	ID  string   // of the image
	IDs []string // ids of the images in view before it left, in order, including ID
}

// Position returns the index of the current image in ids, the images in view now. If it
// has left the view, in is false and at is the index of the image that follows it, or
// len(ids) if none does. If its position is unknown, at is -1.
func (s *Snapshot) Position(ids []string) (at int, in bool) {
	if at = slices.Index(ids, s.Current); at >= 0 {
		return at, true
	}
	if s.Current == "" || s.Newer(s.Place.ID) != s.Current {
		return -1, false
	}
	i := slices.Index(s.Place.IDs, s.Place.ID)
	if i < 0 {
		return -1, false
	}
	index := make(map[string]int, len(ids))
	for n, id := range ids {
		index[id] = n
	}
	for _, id := range s.Place.IDs[i+1:] {
		if n, ok := index[s.Newer(id)]; ok {
			return n, false
		}
	}
	for _, id := range slices.Backward(s.Place.IDs[:i]) {
		if n, ok := index[s.Newer(id)]; ok {
			return n + 1, false
		}
	}
	return len(ids), false
}

// Depart deselects the images that left the view, so that no action applies to images
// that the user cannot see. was and now are the ids in view before and after. The viewer
// continues to show the current image. In the grid, if move is set, the image that takes
// the position of the current one becomes current. It is selected if nothing else is. If move
// is not set, the last image that is still selected becomes current.
func (s *Snapshot) Depart(was, now []string, move bool) {
	gone := departed(was, now)
	if !gone[s.Current] && !slices.ContainsFunc(s.Selection, func(id string) bool { return gone[id] }) {
		return
	}
	viewed := s.Mode == Viewer && s.Current != ""
	chosen := len(s.Selection) > 0
	s.Selection = slices.DeleteFunc(slices.Clone(s.Selection), func(id string) bool {
		return gone[id] && (!viewed || id != s.Current)
	})
	if gone[s.Current] {
		s.Place = Place{s.Current, was}
		if !viewed {
			s.settle(now, move, chosen)
		}
	}
}

// Settle updates the current image when the viewer closes. If the image is not in ids, the
// images in view, Settle deselects it and selects the image at its position, if that is
// known.
func (s *Snapshot) Settle(ids []string) {
	at, in := s.Position(ids)
	if in || s.Current == "" {
		return
	}
	s.Selection = slices.DeleteFunc(slices.Clone(s.Selection), func(id string) bool { return id == s.Current })
	s.settle(ids, at >= 0, true)
}

func (s *Snapshot) settle(ids []string, move, choose bool) {
	at, _ := s.Position(ids)
	s.Current = ""
	if !move || len(ids) == 0 {
		if n := len(s.Selection); n > 0 {
			s.Current = s.Selection[n-1] // where the keys go on
		}
		return
	}
	s.Current = ids[min(max(at, 0), len(ids)-1)]
	if choose && len(s.Selection) == 0 {
		s.Selection = []string{s.Current}
	}
}

// departed returns the set of ids that are in was but not in now.
func departed(was, now []string) map[string]bool {
	here := make(map[string]bool, len(now))
	for _, id := range now {
		here[id] = true
	}
	gone := make(map[string]bool)
	for _, id := range was {
		if !here[id] {
			gone[id] = true
		}
	}
	return gone
}
