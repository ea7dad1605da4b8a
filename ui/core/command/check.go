package command

import (
	"easel/eventbus"
	"easel/mcphost/catalog"
)

// An OpenCheck is a check that waits or runs.
type OpenCheck struct {
	Image       string // id
	Running     bool
	Cell, Cells int // that have been run, and that there are
}

// CheckPlotsIn names plots that the user wants to check.
type CheckPlotsIn struct {
	IDs       []string
	Confirmed bool // the user has seen the side effects
}

// CheckPlotsOut says what was started.
type CheckPlotsOut struct {
	SideEffects []catalog.CheckFinding // if there are some and they are not confirmed, nothing was started
	Started     int
	Unknown     int // of the plots, whose code is not known or still runs
}

// CheckPlots starts checks for the window.
var CheckPlots = eventbus.NewTopic[CheckPlotsIn, CheckPlotsOut]("check_plots")

// CancelChecks cancels the checks of plots, by id, or all.
var CancelChecks = eventbus.NewTopic[[]string, struct{}]("cancel_checks")

// ReadCheckOut is the result of the last check of a plot. Found is false if there is none.
type ReadCheckOut struct {
	Found     bool
	Check     catalog.Check
	Fresh     []byte // the picture that the code drew; nil if there is none
	FreshType string
}

// ReadCheck reads the result of the last check of a plot, by its id.
var ReadCheck = eventbus.NewTopic[string, ReadCheckOut]("read_check")
