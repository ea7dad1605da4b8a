package brief

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// Limits on what a model gets of an execution, in bytes. A setting has already limited
// its streams.
const (
	mostMessage   = 2_000
	mostNotes     = 1_000
	mostTraceback = 4_000
	mostSource    = 8_000
)

// A executionForm is the form of an execution for models. The outcome comes first.
type executionForm struct {
	catalog.Result
	catalog.SessionNews
	Status          string                `json:"status"`
	ExecutionID     string                `json:"execution_id"`
	Error           *errorForm            `json:"error,omitempty"`
	AwaitingInput   *catalog.AwaitedInput `json:"awaiting_input,omitempty"`
	Hint            string                `json:"hint,omitempty"`
	QueuePosition   int                   `json:"queue_position,omitempty"`
	Code            string                `json:"code,omitempty"`
	Shown           outputsForm           `json:"-"` // its members are here
	Pictures        string                `json:"pictures,omitempty"`
	Truncated       []truncationForm      `json:"truncated,omitempty"`
	ExecutionTimeMS float64               `json:"execution_time_ms,omitempty"`
	Usage           *catalog.KernelUsage  `json:"usage,omitempty"`
	Next            string                `json:"next,omitempty"`
}

// A truncationForm is the form of a truncation for models: without a length that is not known.
type truncationForm struct {
	Stream     string `json:"stream"`
	TotalBytes int64  `json:"total_bytes,omitempty"`
	Reason     string `json:"reason"`
	After      string `json:"after,omitempty"`
	Path       string `json:"path,omitempty"`
}

// A errorForm is the form of an execution's error for models.
type errorForm struct {
	Code      string `json:"code"`
	Type      string `json:"type,omitempty"`
	Message   string `json:"message"`
	Traceback string `json:"traceback,omitempty"`
}

func execution(e catalog.Execution, inlined []string) executionForm {
	b := executionForm{
		Result: e.Result, SessionNews: e.SessionNews, Status: e.Status, ExecutionID: e.ExecutionID, AwaitingInput: e.AwaitingInput, Hint: e.Hint,
		QueuePosition: e.QueuePosition,
	}
	total := make(map[string]int64) // of what is shortened further here
	for _, t := range e.Truncated {
		if t.Stream == "error.message" || t.Stream == "traceback" {
			total[t.Stream] = max(total[t.Stream], t.TotalBytes)
			continue
		}
		b.Truncated = append(b.Truncated, truncationForm{t.Stream, t.TotalBytes, t.Reason, t.After, t.Path})
	}
	cut := func(what, text string, most int, rest string) string {
		if len(text) > most {
			b.Truncated = append(b.Truncated, truncationForm{Stream: what, TotalBytes: max(total[what], int64(len(text))), Reason: rest})
		}
		return truncate.Middle(text, most)
	}
	if e.Error != nil {
		b.Error = &errorForm{Code: e.Error.Code, Type: e.Error.Type}
		b.Error.Message = cut("error.message", e.Error.Message, mostMessage, inKernel)
		if notes := notesOf(*e.Error); notes != "" {
			b.Error.Message += "\n" + truncate.Middle(notes, mostNotes)
		}
		b.Error.Traceback = truncate.Middle(Traceback(e.Error.Traceback), mostTraceback)
	}
	if !e.CodeKnown {
		b.Code = cut("code", e.Code, mostSource, "Easel's window shows all of it")
	}
	var images []imageForm
	images, b.Pictures = pictured(e.Images, deliveryOf(e, inlined))
	b.Shown = outputs(e, images)
	if e.ExecutionTimeMS >= 5000 { // shorter times are not worth reporting
		b.ExecutionTimeMS = math.Round(e.ExecutionTimeMS)
	}
	if !catalog.Ended(e.Status) {
		b.Next, b.Usage = e.Next, e.Usage
	}
	return b
}

// deliveryOf says how the caller gets the pictures.
func deliveryOf(e catalog.Execution, inlined []string) delivery {
	return delivery{inlined, e.Unlinked, e.Blind, catalog.Ended(e.Status) && !e.Success}
}

// inKernel says where a Python kernel keeps the whole text of an error.
const inKernel = "the whole text is str(sys.last_value) in the session, until another error"

func cellChanged(c catalog.CellChanged, inlined []string) any {
	b := struct {
		catalog.Result
		catalog.SessionNews
		CellID    string         `json:"cell_id"`
		Index     int            `json:"index"`
		Saved     *bool          `json:"outputs_saved,omitempty"`
		Via       string         `json:"via"`
		Server    string         `json:"server,omitempty"`
		Note      string         `json:"note,omitempty"`
		Ran       string         `json:"ran,omitempty"`
		Earlier   []ranCellForm  `json:"earlier,omitempty"`
		Left      int            `json:"left,omitempty"`
		Reason    string         `json:"reason,omitempty"`
		Images    []imageForm    `json:"images,omitempty"`
		Pictures  string         `json:"pictures,omitempty"`
		Execution *executionForm `json:"execution,omitempty"`
	}{
		Result: c.Result, SessionNews: c.SessionNews, CellID: c.CellID, Index: c.Index, Via: c.Via, Server: serverOf(c.AtServer),
		Note: c.Note, Ran: ranOf(c.Ran), Earlier: earlierOf(c.Ran), Left: c.Left, Reason: c.Reason,
	}
	if c.Saved != nil && !*c.Saved {
		b.Saved = c.Saved
	}
	if c.Execution != nil {
		x := execution(*c.Execution, inlined)
		if len(c.Images) > 0 { // one line for all pictures
			var all []imageForm
			all, b.Pictures = pictured(c.Drawn(), deliveryOf(*c.Execution, inlined))
			b.Images, x.Pictures = all[:min(len(all), len(c.Images))], ""
		}
		b.Execution = &x
	}
	return b
}

// A ranCellForm is what a cell of a range displayed.
type ranCellForm struct {
	Index int
	Shown outputsForm
	More  string // the id of an execution, if there is more
}

// earlierOf returns what the cells of a range displayed. The result of the last one is an execution.
func earlierOf(ran []catalog.RanCell) (list []ranCellForm) {
	for _, c := range ran {
		if shown := outputs(catalog.Execution{Outputs: c.Outputs}, nil); len(shown) > 0 || c.Cut {
			b := ranCellForm{Index: c.Index, Shown: shown}
			if c.Cut {
				b.More = c.ExecutionID
			}
			list = append(list, b)
		}
	}
	return list
}

// MarshalJSON puts the outputs between the other members.
func (b ranCellForm) MarshalJSON() ([]byte, error) {
	list := slices.Concat(outputsForm{{"cell", b.Index}}, b.Shown)
	if b.More != "" {
		list = append(list, member{"shortened", "get_execution " + b.More + " has all of it"})
	}
	out := []byte("{")
	for i, m := range list {
		value, err := unescaped(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, `"`+m.name+`":`...), value...)
	}
	return append(out, '}'), nil
}

// ranOf describes the cells of a range that have run, by index. All but the last, which
// the result shows, name the execution that has outputs which are nowhere else.
func ranOf(ran []catalog.RanCell) string {
	words := make([]string, len(ran))
	for i, c := range ran {
		status := c.Status
		if status == catalog.StatusError {
			status = "failed"
		}
		words[i] = fmt.Sprintf("cell %d %s", c.Index, status)
		if c.Unsaved && i < len(ran)-1 { // the last one's note says so
			words[i] += fmt.Sprintf(" (outputs not saved into the notebook: get_execution %s)", c.ExecutionID)
		}
	}
	return strings.Join(words, ", ")
}
