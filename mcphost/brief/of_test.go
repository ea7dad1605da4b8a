package brief

import (
	"reflect"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// wholeOutputs are the outputs of which models read each field. Of may shorten its text.
var wholeOutputs = map[reflect.Type]bool{
	reflect.TypeFor[catalog.CheckReproducibilityOut](): true,
	reflect.TypeFor[catalog.RenderImageOut]():          true,
}

// outputOf returns the type of a tool's output.
func outputOf(t *testing.T, x tool.Any) reflect.Type {
	t.Helper()
	handle, ok := reflect.TypeOf(x).MethodByName("Handle")
	if !ok {
		t.Fatalf("%s has no method Handle", x.Spec().Name)
	}
	return handle.Type.In(2).Out(0) // of the body
}

// TestEachOutputIsBrief checks that Of knows the output of each tool: one that was forgotten would
// reach models whole.
func TestEachOutputIsBrief(t *testing.T) {
	whole := make(map[reflect.Type]bool)
	for _, x := range catalog.All() {
		out := outputOf(t, x)
		if reflect.TypeOf(Of(reflect.Zero(out).Interface(), nil)) != out {
			continue
		}
		if whole[out] = true; !wholeOutputs[out] {
			t.Errorf("%s: Of does not know %s, and it is not in wholeOutputs", x.Spec().Name, out)
		}
	}
	for out := range wholeOutputs {
		if !whole[out] {
			t.Errorf("%s is in wholeOutputs, but no tool returns it whole", out)
		}
	}
}
