// Package differences says what is different between two plots: lines of their code, and what they show
// in numbers.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package differences

import (
	"slices"
	"strings"
)

// A Line is a line of code that one of two plots lacks.
type Line struct {
	Added bool   // the second has it, the first does not
	Text  string // without the space around it
}

// mostLines is how many lines of each code are compared one by one.
const mostLines = 1500

// Lines returns the lines of code that differ, in their order. Space around a line and empty lines do not count.
func Lines(before, after string) (list []Line) {
	a, b := lines(before), lines(after)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > mostLines || len(b) > mostLines { // only what occurs in one of them
		return append(missing(a, b, false), missing(b, a, true)...)
	}
	common := longest(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			list = append(list, Line{Text: a[i]})
			i++
		default:
			list = append(list, Line{Added: true, Text: b[j]})
			j++
		}
	}
	return list
}

func lines(code string) (list []string) {
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// longest returns how many lines the rests of a and b have in common, from each place on.
func longest(a, b []string) [][]int16 {
	common := make([][]int16, len(a)+1)
	for i := range common {
		common[i] = make([]int16, len(b)+1)
	}
	for i, line := range slices.Backward(a) {
		for j, other := range slices.Backward(b) {
			if line == other {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}

// missing returns the lines of one that the other does not have as often.
func missing(one, other []string, added bool) (list []Line) {
	left := make(map[string]int)
	for _, line := range other {
		left[line]++
	}
	for _, line := range one {
		if left[line]--; left[line] < 0 {
			list = append(list, Line{added, line})
		}
	}
	return list
}
