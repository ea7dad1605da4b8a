package gallery

import "easel/ui/kit"

// Sights are the pictures that the grid claims to show now; see kit.Sight.
func (g *Grid) Sights() (seen []kit.Sight) {
	for id, c := range g.cells {
		if s, ok := c.picture.Sight(id, g.scroll); ok {
			seen = append(seen, s)
		}
	}
	return seen
}
