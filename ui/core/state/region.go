package state

import (
	"image"
	"slices"
)

// A Region is a rectangle that the user drew on an image.
type Region struct {
	ID   string          // of the image
	Rect image.Rectangle // in pixels of the image
}

// mostRegions is how many images have a region. Those of the oldest are forgotten.
const mostRegions = 64

// RegionOf returns the region of an image; it is empty if there is none.
func (s *Snapshot) RegionOf(id string) image.Rectangle {
	for _, r := range s.Regions {
		if r.ID == id {
			return r.Rect
		}
	}
	return image.Rectangle{}
}

// SetRegion sets the region of an image. An empty one removes it.
func (s *Snapshot) SetRegion(id string, rect image.Rectangle) {
	s.Regions = slices.DeleteFunc(slices.Clone(s.Regions), func(r Region) bool { return r.ID == id })
	if !rect.Empty() {
		s.Regions = append(s.Regions, Region{id, rect})
		s.Regions = s.Regions[max(0, len(s.Regions)-mostRegions):]
	}
}
