package mcphost

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// TestEveryToolIsTheSameOverEveryTransport calls every tool with its example. Its body must get the
// same input from all transports, and its error and its result must reach the client alike.
func TestEveryToolIsTheSameOverEveryTransport(t *testing.T) {
	bus := eventbus.New()
	t.Cleanup(func() {
		if err := bus.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	var refuses atomic.Bool
	for _, tl := range catalog.All() {
		fake(bus, tl, &refuses)
	}
	r := newRig(t, func(c *Config) { c.Bus = bus })
	for _, tl := range catalog.All() {
		t.Run(tl.Spec().Name, func(t *testing.T) {
			for _, refused := range []bool{true, false} {
				refuses.Store(refused)
				whole := transports["the generic address"](t, r, tl, tl.Spec().Example)
				if refused != (whole.code == tool.NotExecutable) {
					t.Errorf("refused %v: got %+v", refused, whole)
				}
				for name, call := range transports {
					o := call(t, r, tl, tl.Spec().Example)
					if strings.HasPrefix(name, "MCP") && o.code == "" {
						shorter(t, name, o.out, whole.out)
						continue
					}
					if d := cmp.Diff(whole, o, cmp.AllowUnexported(outcome{})); d != "" {
						t.Errorf("%s differs (-the generic address +it):\n%s", name, d)
					}
				}
			}
		})
	}
}

// fake gives a tool a body that returns a result, or an error that contains the input.
func fake(bus *eventbus.Bus, tl tool.Any, refuses *atomic.Bool) {
	words, _ := json.Marshal(firstWords(tl.Spec().Out))
	handle := reflect.ValueOf(tl).MethodByName("Handle")
	body := handle.Type().In(1)
	do := reflect.MakeFunc(body, func(args []reflect.Value) []reflect.Value {
		out, err := reflect.New(body.Out(0)), reflect.Zero(body.Out(1))
		complete(out.Elem())
		_ = json.Unmarshal(words, out.Interface())
		if refuses.Load() {
			in, _ := json.Marshal(args[1].Interface())
			err = reflect.ValueOf(tool.Errorf(tool.NotExecutable, "%s", in)).Convert(body.Out(1))
		}
		return []reflect.Value{out.Elem(), err}
	})
	handle.Call([]reflect.Value{reflect.ValueOf(bus), do, reflect.Zero(handle.Type().In(2))})
}

// firstWords returns an object in which everything that allows only certain words has the first one.
func firstWords(s *jsonschema.Schema) map[string]any {
	words := make(map[string]any)
	for name, p := range s.Properties {
		switch {
		case len(p.Enum) > 0:
			words[name] = p.Enum[0]
		case len(p.Properties) > 0 && slices.Contains(s.Required, name):
			words[name] = firstWords(p)
		}
	}
	return words
}

// complete makes an empty output one of a success, with a time and without null where there must be
// a list.
func complete(v reflect.Value) {
	switch kind := v.Kind(); {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(testTime))
	case kind == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				complete(v.Field(i))
			}
		}
		if s := v.FieldByName("Success"); s.IsValid() {
			s.SetBool(true)
		}
	case kind == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case kind == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	}
}
