package uitest

import (
	"fmt"
	"slices"
	"strings"
)

// diffContext is the number of equal lines around those that differ.
const diffContext = 2

// Diff returns a unified diff of the lines of two texts; empty if they are the same.
func Diff(want, got string) string {
	a, b := strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	edits := editsOf(a, b)
	var out strings.Builder
	for from := 0; from < len(edits); {
		if edits[from].kind == ' ' {
			from++
			continue
		}
		to := from + 1 // the end of the hunk: changes with at most 2*diffContext equal lines in between
		for i := to; i < len(edits) && i <= to+2*diffContext; i++ {
			if edits[i].kind != ' ' {
				to = i + 1
			}
		}
		hunk := edits[max(from-diffContext, 0):min(to+diffContext, len(edits))]
		old, now := 0, 0
		for _, e := range hunk {
			if e.kind != '+' {
				old++
			}
			if e.kind != '-' {
				now++
			}
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", hunk[0].a+1, old, hunk[0].b+1, now)
		for _, e := range hunk {
			fmt.Fprintf(&out, "%c%s\n", e.kind, e.line)
		}
		from = min(to+diffContext, len(edits))
	}
	return out.String()
}

// An edit is a line of a diff. Its kind is ' ' if the line is in both texts, '-' if it
// is only in the first, and '+' if it is only in the second.
type edit struct {
	kind byte
	line string
	a, b int // index of the next line of each text
}

// editsOf returns the shortest list of edits, found by the longest common subsequence.
func editsOf(a, b []string) []edit {
	common := make([][]int, len(a)+1) // length of the longest common subsequence of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i], i, j})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			edits = append(edits, edit{'-', a[i], i, j})
			i++
		default:
			edits = append(edits, edit{'+', b[j], i, j})
			j++
		}
	}
	return edits
}
