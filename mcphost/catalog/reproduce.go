package catalog

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/mcphost/tool"
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
	FoundInstall     = "install"      // it installs packages; the line was left out
	FoundUnrecorded  = "unrecorded"   // with which packages the plot was drawn
)

// A CheckFinding is what may make a replay different, or what may affect others.
type CheckFinding struct {
	Kind string `json:"kind" enum:"writes,network,shell,random,clock,reads,changed_file,missing_file,missing_cell,interrupted,repaired,output,install,unrecorded" jsonschema:"writes, network and shell are side effects; missing_cell: the kernel ran code that was not recorded; interrupted: so was the cell before; repaired: the cell had failed; output: the cell printed something else; install: the line was left out; unrecorded: the packages of the plot are unknown, so they were not compared"`
	Cell int    `json:"cell,omitempty" jsonschema:"n of In [n]"`
	Line int    `json:"line,omitempty" jsonschema:"in the cell"`
	What string `json:"what,omitempty" jsonschema:"the function, command or file"`
	Path string `json:"path,omitempty" jsonschema:"of the file or address"`
}

// SideEffect reports whether running the code affects anything outside its kernel.
func (f CheckFinding) SideEffect() bool {
	return f.Kind == "writes" || f.Kind == "network" || f.Kind == "shell"
}

// A CheckedCell is the cell at which a replay failed.
type CheckedCell struct {
	Number int             `json:"number" jsonschema:"n of In [n]"`
	Code   string          `json:"code,omitempty" jsonschema:"what was run"`
	Error  *ExecutionError `json:"error,omitempty" jsonschema:"absent if the cell did not raise it"`
}

// A Check is the result of a check.
type Check struct {
	Status   string         `json:"status" enum:"reproduced,different,not_replayable,running,needs_confirmation"`
	At       time.Time      `json:"checked_at,omitzero" jsonschema:"when it ended"`
	Exact    bool           `json:"exact,omitempty" jsonschema:"the new picture has the same bytes or data"`
	Reason   string         `json:"reason,omitempty" jsonschema:"why it is not replayable"`
	Detail   string         `json:"detail,omitempty" jsonschema:"of reason, or how far the check is"`
	Cell     *CheckedCell   `json:"cell,omitempty" jsonschema:"the cell that failed"`
	Cells    int            `json:"cells,omitempty" jsonschema:"cells that were run"`
	Changed  float64        `json:"changed_pixels,omitempty" jsonschema:"share of pixels that differ, 0 to 1"`
	Box      []int          `json:"changed_box,omitempty" jsonschema:"x, y, width and height of the part that differs, in pixels"`
	Sizes    []int          `json:"sizes,omitempty" jsonschema:"width and height of the stored and the new picture, if they differ"`
	Keys     []string       `json:"changed_keys,omitempty" jsonschema:"what differs in the figure's data"`
	Findings []CheckFinding `json:"findings,omitempty" jsonschema:"hints at causes"`

	Environment []EnvironmentChange `json:"environment_changes,omitempty" jsonschema:"what differs from the environment that the plot was drawn in"`
}

// The statuses of a call that did not wait for the end of a check, or that did not begin
// one.
const (
	CheckRunning     = "running"
	CheckUnconfirmed = "needs_confirmation"
)

// CheckReproducibilityIn names the plot to check.
type CheckReproducibilityIn struct {
	ResourceURI string `json:"resource_uri" jsonschema:"URI or image_id, latest or selected"`
	Confirm     bool   `json:"confirm,omitempty" jsonschema:"despite side effects"`
}

// CheckReproducibilityOut is the result of a check, or how far it is.
type CheckReproducibilityOut struct {
	Result
	Check
	Hint string `json:"hint,omitempty" jsonschema:"what to do next"`

	// Preview is the stored picture, the new one and their differences, beside each other,
	// and PreviewType its type. It is empty if they do not differ.
	Preview     []byte `json:"-"`
	PreviewType string `json:"-"`
	// Of is the id of the image.
	Of string `json:"-"`
}

// Inline implements tool.Inliner.
func (o CheckReproducibilityOut) Inline() (data []byte, mimeType string) {
	return o.Preview, o.PreviewType
}

// CheckReproducibility checks whether the code of a plot draws it again.
var CheckReproducibility = tool.Define[CheckReproducibilityIn, CheckReproducibilityOut](tool.Spec{
	Name: "check_reproducibility", Title: "Check reproducibility",
	Description: "Run a plot's code, and what ran before it, again in a new kernel, and compare the pictures. Call again while it runs.",
	Category:    tool.Execute, Toolset: tool.Jupyter, OpenWorld: true,
	Aliases: imageAliases,
	Example: `{"resource_uri": "latest"}`,
}, func(in *jsonschema.Schema) {
	text(in, "resource_uri", 1, maxURI)
})
