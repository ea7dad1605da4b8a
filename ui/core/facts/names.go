package facts

import (
	"fmt"
	"slices"
	"strings"
)

// Place returns the number of the axes in which axes with a number lie, and on which side of them their own axis is: left, right, bottom
// or top. The side is empty if they have no twin there, or several that look the same.
func (f Figure) Place(number int) (base int, side string) {
	i := slices.IndexFunc(f.Axes, func(a Axes) bool { return a.Number == number })
	if i < 0 {
		return number, ""
	}
	base = number
	if f.Axes[i].Twin > 0 {
		base = f.Axes[i].Twin
	}
	sides := map[Side]int{}
	for _, a := range f.Axes {
		if a.Twin == base {
			sides[a.Side]++
		}
	}
	own := f.Axes[i].Side
	switch {
	case base != number && own != "" && sides[own] == 1:
		return base, string(own)
	case base == number && len(sides) == 1 && sides[Right] > 0:
		return base, "left"
	case base == number && len(sides) == 1 && sides[Top] > 0:
		return base, "bottom"
	}
	return number, ""
}

// Call returns what axes with a number are called in a sentence, such as "axes 2" or "right axis"; "" if the figure has no others.
func (f Figure) Call(number int) string {
	if len(f.Axes) < 2 || number == 0 {
		return ""
	}
	base, side := f.Place(number)
	var parts []string
	if side == "" || slices.ContainsFunc(f.Axes, func(a Axes) bool { other, _ := f.Place(a.Number); return other != base }) {
		parts = append(parts, fmt.Sprintf("axes %d", base))
	}
	if side != "" {
		parts = append(parts, side+" axis")
	}
	return strings.Join(parts, ", ")
}
