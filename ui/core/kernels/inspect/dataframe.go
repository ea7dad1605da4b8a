package inspect

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
)

//go:embed dataframe.py
var dataframeSource string

// Errors of DataFrame and Table.
var (
	ErrNoVariable = errors.New("no such variable")
	ErrNoFrame    = errors.New("not a DataFrame")
	ErrNoTable    = errors.New("not a table")
)

// DataFrame describes a table of a kernel and returns its first head rows. If columns is not
// empty, only the columns with these names or patterns are described. The errors are
// ErrNoVariable, ErrNoFrame and those of Variables.
func DataFrame(ctx context.Context, k Kernel, name string, head int, columns []string) (catalog.GetDataFrameInfoOut, error) {
	var answer struct {
		catalog.GetDataFrameInfoOut
		Keys    []string `json:"keys"`
		Shown   []string `json:"shown"`
		Missing bool     `json:"missing"`
		Wrong   string   `json:"wrong"` // the type of a variable that is not a DataFrame
	}
	wanted := make([]string, len(columns))
	for i, c := range columns {
		wanted[i] = Quote(c)
	}
	call := "dataframe(ns, " + Quote(name) + ", " + strconv.Itoa(head) + ", [" + strings.Join(wanted, ", ") + "])"
	err := k.Ask(ctx, oversight.ReadDataFrame, Question{
		Task: "describe a table", Python: Expression(call, dataframeSource), Function: "dataframe", Args: []any{name, head, columns},
	}, &answer)
	switch {
	case err != nil:
		return answer.GetDataFrameInfoOut, err
	case answer.Missing:
		return answer.GetDataFrameInfoOut, fmt.Errorf("%w: %q", ErrNoVariable, name)
	case answer.Wrong != "":
		return answer.GetDataFrameInfoOut, fmt.Errorf("%w: %s is of type %s", ErrNoFrame, name, answer.Wrong)
	}
	out := answer.GetDataFrameInfoOut
	out.Result, out.Keys, out.Shown = catalog.OK, answer.Keys, answer.Shown
	return out, nil
}
