package catalog

import (
	"time"
)

// The outcomes of a check: whether the code of a plot, run again in a new kernel, draws the
// same picture.
const (
	CheckReproduced    = "reproduced"
	CheckDifferent     = "different"
	CheckNotReplayable = "not_replayable"
)

// The reasons of CheckNotReplayable.
const (
	CheckCellFailed = "cell_failed" // a cell failed that had succeeded
	CheckNoPicture  = "no_picture"  // the cell drew fewer figures
	CheckKernelDied = "kernel_died"
	CheckTooLong    = "too_long"   // the time limit of a check
	CheckCancelled  = "cancelled"  // by the user or the caller
	CheckNoKernel   = "no_kernel"  // no such kernel could be started
	CheckNoHistory  = "no_history" // the library does not have what ran
	CheckUnreadable = "unreadable" // a picture cannot be compared
)

// The kinds of findings that a check has in addition to those of package pycode.
const (
	FoundChangedFile = "changed_file" // a file that the code reads has changed since
	FoundMissingFile = "missing_file" // it does not exist
	FoundMissingCell = "missing_cell" // the kernel ran code that Easel has not recorded
	FoundInterrupted = "interrupted"  // a cell had been interrupted; so was its replay
	FoundRepaired    = "repaired"     // a cell that had failed succeeded
	FoundOutput      = "output"       // a cell printed something else
)

// A CheckFinding is what may make a replay different, or what may affect others.
type CheckFinding struct {
	Kind string `json:"kind"`
	Cell int    `json:"cell,omitempty" jsonschema:"n of In [n]"`
	Line int    `json:"line,omitempty" jsonschema:"in the cell"`
	What string `json:"what,omitempty" jsonschema:"the function, command or file"`
	Path string `json:"path,omitempty"`
}

// SideEffect reports whether running the code affects anything outside its kernel.
func (f CheckFinding) SideEffect() bool {
	return f.Kind == "writes" || f.Kind == "network" || f.Kind == "shell"
}

// A CheckedCell is the cell at which a replay failed.
type CheckedCell struct {
	Number int             `json:"number" jsonschema:"n of In [n]"`
	Code   string          `json:"code,omitempty"`
	Error  *ExecutionError `json:"error,omitempty"`
}

// A Check is the result of a check.
type Check struct {
	Status   string         `json:"status" enum:"reproduced,different,not_replayable"`
	At       time.Time      `json:"checked_at"`
	Exact    bool           `json:"exact,omitempty" jsonschema:"the new picture has the same bytes or data"`
	Reason   string         `json:"reason,omitempty" jsonschema:"why it is not replayable"`
	Detail   string         `json:"detail,omitempty"`
	Cell     *CheckedCell   `json:"cell,omitempty" jsonschema:"the cell that failed"`
	Cells    int            `json:"cells,omitempty" jsonschema:"cells that were run"`
	Changed  float64        `json:"changed_pixels,omitempty" jsonschema:"share of pixels that differ, 0 to 1"`
	Box      []int          `json:"changed_box,omitempty" jsonschema:"x, y, width and height of the part that differs, in pixels"`
	Sizes    []int          `json:"sizes,omitempty" jsonschema:"width and height of the stored and the new picture, if they differ"`
	Keys     []string       `json:"changed_keys,omitempty" jsonschema:"what differs in the figure's data"`
	Findings []CheckFinding `json:"findings,omitempty" jsonschema:"hints at causes"`
}

// An OpenCheck is a check that waits or runs.
type OpenCheck struct {
	Image       string // id
	Running     bool
	Cell, Cells int // that have been run, and that there are
}
