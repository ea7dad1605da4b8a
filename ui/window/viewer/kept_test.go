package viewer

import (
	"fmt"
	"image"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

func TestKeptPicturesAreBoundedByBytes(t *testing.T) {
	of := func(id, edge int) loaded {
		return loaded{im: library.Image{Image: catalog.Image{ImageID: fmt.Sprint(id)}}, pixels: image.NewRGBA(image.Rect(0, 0, edge, edge))}
	}
	for name, c := range map[string]struct {
		edges []int // of pictures, the first and last of which are shown
		want  string
	}{
		"small ones by number":                    {[]int{10, 10, 10, 10, 10, 10, 10}, "[2 3 4 5 6]"},
		"a neighbour does not push out the shown": {[]int{4000, 4000, 10}, "[0 2]"},
		"the shown one pushes out the others":     {[]int{3000, 3000, 4000}, "[1 2]"},
		"one beyond the bound is kept alone":      {[]int{10, 10, 6000}, "[2]"},
	} {
		l := &loader{}
		for i, edge := range c.edges {
			l.keep(of(i, edge), i == 0 || i == len(c.edges)-1)
		}
		var kept []string
		for _, k := range l.kept {
			kept = append(kept, k.im.ImageID)
		}
		if got := fmt.Sprint(kept); got != c.want {
			t.Errorf("%s: %s are kept, want %s", name, got, c.want)
		}
	}
}
