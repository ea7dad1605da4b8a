package brief

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

func getVariablesOut(o catalog.GetVariablesOut) any {
	const most, large = 100, 10 << 20
	b := struct {
		catalog.Result
		catalog.SessionNews
		Variables []catalog.Variable `json:"variables"`
		Omitted   string             `json:"omitted,omitempty"`
	}{Result: o.Result, SessionNews: o.SessionNews, Variables: []catalog.Variable{}}
	for _, v := range o.Variables[:min(len(o.Variables), most)] {
		if v.MemoryBytes < large {
			v.MemoryBytes = 0
		}
		v.Name, v.Type = truncate.Middle(v.Name, 200), truncate.Middle(v.Type, 200)
		b.Variables = append(b.Variables, v)
	}
	if over := len(o.Variables) - most; over > 0 {
		b.Omitted = fmt.Sprintf("%d more: narrow the list with filter", over)
	}
	return b
}

// sixDigits rounds a number to the precision that a model needs. It returns other values
// unchanged.
func sixDigits(v any) any {
	f, ok := v.(float64)
	if !ok || f == math.Trunc(f) || math.IsNaN(f) || math.IsInf(f, 0) {
		return v
	}
	if size := math.Abs(f); size >= 1e5 && size < 1e15 { // its integer part is kept
		return json.Number(strconv.FormatFloat(f, 'f', 1, 64))
	}
	return json.Number(strconv.FormatFloat(f, 'g', 6, 64))
}
