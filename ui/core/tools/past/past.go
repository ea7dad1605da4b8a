// Package past reads what sessions ran, for notebooks that are made of it.
//
// # Goroutines
//
// It has no state, and its functions may be called from any goroutine.
package past

import (
	"context"
	"fmt"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
)

// Limits of a session's outputs in a saved notebook, in bytes.
const (
	mostText     = 1 << 20  // for each stream of an execution
	MostPictures = 64 << 20 // for all pictures together
)

// Executions returns all executions of a session in the order in which they ran.
func Executions(ctx context.Context, lib *library.Library, session string) ([]library.Execution, error) {
	const page = 500
	var all []library.Execution
	seen := make(map[string]bool)
	q := library.ExecutionQuery{SessionID: session, Limit: page}
	for {
		xs, err := lib.Executions.List(ctx, q)
		if err != nil {
			return nil, err
		}
		fresh := 0
		for _, x := range xs {
			if !seen[x.ID] {
				seen[x.ID] = true
				all = append(all, x)
				fresh++
			}
		}
		if len(xs) < page || fresh == 0 {
			break
		}
		q.Before = xs[len(xs)-1].CreatedAt.Add(time.Nanosecond) // repeat executions of the same time rather than miss one
	}
	library.SortRan(all)
	return all, nil
}

// Run reads the outputs of an execution. It subtracts the bytes of its pictures from
// *pictures, and leaves out those that do not fit.
func Run(ctx context.Context, lib *library.Library, x library.Execution, pictures *int) (notebooks.HistoryRun, error) {
	run := notebooks.HistoryRun{Code: x.Code, Client: x.Client, Failed: x.Status != catalog.StatusOK, Result: x.Result}
	for stream, to := range map[string]*string{"stdout": &run.Stdout, "stderr": &run.Stderr} {
		text, total, err := lib.Output.Read(ctx, x.ID, stream, 0, mostText)
		if err != nil {
			continue // save the rest if an old output is lost
		}
		*to = strings.ToValidUTF8(string(text), "\ufffd")
		if total > int64(len(text)) {
			*to += fmt.Sprintf("\n… %d bytes left out …\n", total-int64(len(text)))
		}
	}
	if x.Error != nil {
		run.Ename, run.Evalue, run.Traceback = x.Error.Type, x.Error.Message, x.Error.Traceback
	}
	images, err := lib.Images.OfExecution(ctx, x.ID)
	if err != nil {
		return run, err
	}
	for _, i := range images {
		forms := make(map[string][]byte)
		for _, f := range i.Forms {
			if int(f.Bytes) > *pictures {
				continue
			}
			if data, err := lib.Images.ReadForm(ctx, i, f.MIME); err == nil {
				forms[f.MIME] = data
				*pictures -= len(data)
			}
		}
		if len(forms) > 0 {
			run.Pictures = append(run.Pictures, forms)
		}
	}
	return run, nil
}
