package command

import (
	"easel/eventbus"
	"easel/ui/core/facts/checks"
)

// A PlotFinding is something that a check counted in a plot.
type PlotFinding struct {
	Key   string // names it in the figure; see JudgeFindingIn
	Check checks.Check
	// English and Japanese are the sentence about it.
	English, Japanese string
	Axes              int // their number, from 1
	// Side is which of several axes that lie on each other it is: left, right, bottom or top; else empty.
	Side string
	// Where is where it is in the picture; empty if that is not known.
	Where []Region
	// Dismissed means that the user has judged it to be no problem.
	Dismissed bool
}

// A Region is a point or a rectangle in a picture, in pixels from its top left corner. Of a point, both corners
// are the same.
type Region struct{ X0, Y0, X1, Y1 float64 }

// IsPoint reports whether the region is a point.
func (r Region) IsPoint() bool { return r.X0 == r.X1 && r.Y0 == r.Y1 }

// FindingsOf returns the findings of a plot, given by its id or URI, the most important first: those that are
// dismissed, too, but none of the checks that are turned off. A picture that is no plot has none.
var FindingsOf = eventbus.NewTopic[string, []PlotFinding]("findings_of")

// JudgeFindingIn names a finding of an image, and says whether it is no problem.
type JudgeFindingIn struct {
	ImageID, Key string
	Dismiss      bool
}

// JudgeFindingOut describes the change. Its Seq is 0 if the finding was judged so before.
type JudgeFindingOut struct{ Edit Edit }

// JudgeFinding stores that a finding is no problem, or takes that back, for all versions of the figure. Undo undoes it.
var JudgeFinding = eventbus.NewTopic[JudgeFindingIn, JudgeFindingOut]("judge_finding")
