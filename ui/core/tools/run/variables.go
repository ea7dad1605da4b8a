package run

import (
	"context"
	"time"

	"easel/mcphost/catalog"
)

// variablesPatience limits the reading of variables. It is fast unless the kernel does not
// respond.
const variablesPatience = 15 * time.Second

func (v *variables) getVariables(ctx context.Context, in catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
	ctx, cancel := context.WithTimeout(ctx, variablesPatience)
	defer cancel()
	vs, err := v.kernels.Variables(ctx, in.SessionID, in.Filter)
	if err != nil {
		return catalog.GetVariablesOut{}, err
	}
	return catalog.GetVariablesOut{Result: catalog.OK, Variables: vs}, nil
}

func (v *variables) getDataFrameInfo(ctx context.Context, in catalog.GetDataFrameInfoIn) (catalog.GetDataFrameInfoOut, error) {
	ctx, cancel := context.WithTimeout(ctx, variablesPatience)
	defer cancel()
	rows := 0
	if in.IncludeHead {
		rows = in.HeadRows
	}
	return v.kernels.DataFrame(ctx, in.SessionID, in.VariableName, rows, in.Columns)
}
