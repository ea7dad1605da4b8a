package activity

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/pycode"
)

// An outcome is what the list says of an execution.
type outcome struct {
	status, session string
	about           string // what the code is about
	plots           int
	titles          []string              // of the plots, each once
	failure         string                // the exception
	asks            *catalog.AwaitedInput // what it asks the user; nil if nothing
	took            time.Duration
}

// mostTitles is the maximum number of plots that the list names in a row.
const mostTitles = 4

func outcomeOf(x catalog.Execution) outcome {
	o := outcome{status: x.Status, session: x.SessionID, about: subject(x.Code), failure: failureOf(x.Error), asks: x.AwaitingInput}
	o.draw(x.Images)
	if catalog.Ended(x.Status) {
		o.took = time.Duration(x.ExecutionTimeMS * float64(time.Millisecond))
	}
	return o
}

// outcomeBefore reads the outcome of an execution from the library.
func outcomeBefore(ctx context.Context, lib *library.Library, id string) (outcome, error) {
	x, err := lib.Executions.Get(ctx, id)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{status: x.Status, session: x.SessionID, about: subject(x.Code), failure: failureOf(x.Error)}
	if !x.StartedAt.IsZero() && !x.EndedAt.IsZero() {
		o.took = x.EndedAt.Sub(x.StartedAt)
	}
	images, err := lib.Images.OfExecution(ctx, id)
	if err != nil {
		return outcome{}, err
	}
	drawn := make([]catalog.Image, len(images))
	for i, im := range images {
		drawn[i] = im.Image
	}
	o.draw(drawn)
	return o, nil
}

func (o *outcome) draw(images []catalog.Image) {
	o.plots = len(images)
	seen := make(map[string]bool)
	for _, im := range images {
		if im.Title != "" && !seen[im.Title] && len(o.titles) < mostTitles {
			o.titles = append(o.titles, im.Title)
			seen[im.Title] = true
		}
	}
}

// subject says what code is about: in the words of its first comment, else in its first line that
// says something.
func subject(code string) string { return cmp.Or(pycode.Subject(code), tellingLine(code)) }

// failureOf returns the exception in one line, as at the end of its traceback.
func failureOf(e *catalog.ExecutionError) string {
	if e == nil || e.Type == "" {
		return ""
	}
	message, _, _ := strings.Cut(strings.TrimSpace(e.Message), "\n")
	return strings.TrimSuffix(e.Type+": "+message, ": ")
}

// failedRun reports whether an execution with a status has failed, and not because the user or its client
// wanted that.
func failedRun(status string) bool {
	switch status {
	case catalog.StatusError, catalog.StatusTimeout, catalog.StatusKernelDied, catalog.StatusLost:
		return true
	}
	return false
}

// sessionOf returns the id of the session that a call is about, or that of its kernel; empty if it
// names none.
func sessionOf(c catalog.Activity) string {
	if c.SessionID != "" {
		return c.SessionID
	}
	var args, result struct {
		SessionID string `json:"session_id"`
		KernelID  string `json:"kernel_id"`
	}
	_ = json.Unmarshal(c.Args, &args) // an error means that they name none
	if args.SessionID != "" {
		return args.SessionID
	}
	_ = json.Unmarshal(c.Result, &result) // a call that failed has none
	return cmp.Or(result.SessionID, args.KernelID)
}
