package uitest

import (
	"fmt"
	"slices"
	"strings"
)

// diffContext is how many lines that are the same stand around those that differ.
const diffContext = 2

// Diff is a unified diff of the lines of two texts; empty if they are the same.
func Diff(want, got string) string {
	a, b := strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	edits := editsOf(a, b)
	var out strings.Builder
	for from := 0; from < len(edits); {
		if edits[from].kind == ' ' {
			from++
			continue
		}
		to := from + 1 // the hunk: changes with fewer than two contexts between them
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

// An edit is a line of a diff: ' ' is in both texts, '-' in the first, '+' in the second.
type edit struct {
	kind byte
	line string
	a, b int // the lines of the texts that come next
}

// editsOf gives the fewest edits, by the longest common subsequence.
func editsOf(a, b []string) []edit {
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
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
