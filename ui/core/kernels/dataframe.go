package kernels

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"

	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
)

//go:embed dataframe.py
var dataframeSource string

// Errors of DataFrame.
var (
	ErrNoVariable = errors.New("no such variable")
	ErrNoFrame    = errors.New("not a DataFrame")
)

// DataFrame describes a pandas or polars DataFrame of a session and returns its first head
// rows. The errors are ErrNoVariable, ErrNoFrame and those of Variables.
func (m *Manager) DataFrame(ctx context.Context, id, name string, head int) (catalog.GetDataFrameInfoOut, error) {
	var answer struct {
		catalog.GetDataFrameInfoOut
		Missing bool   `json:"missing"`
		Wrong   string `json:"wrong"` // the type of a variable that is not a DataFrame
	}
	call := "dataframe(ns, " + quote(name) + ", " + strconv.Itoa(head) + ")"
	err := m.ask(ctx, id, oversight.ReadDataFrame, expression(variablesSource+dataframeSource, call), &answer)
	switch {
	case err != nil:
		return answer.GetDataFrameInfoOut, err
	case answer.Missing:
		return answer.GetDataFrameInfoOut, fmt.Errorf("%w: %q", ErrNoVariable, name)
	case answer.Wrong != "":
		return answer.GetDataFrameInfoOut, fmt.Errorf("%w: %s is of type %s", ErrNoFrame, name, answer.Wrong)
	}
	answer.Result = catalog.OK
	return answer.GetDataFrameInfoOut, nil
}
