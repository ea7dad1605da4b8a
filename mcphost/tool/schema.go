package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf is T's schema in the form that every model provider takes: no
// unions with null, times as date-time.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
			reflect.TypeFor[json.RawMessage](): {},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("tool: no schema for %v: %v", reflect.TypeFor[T](), err))
	}
	walk(s, func(s *jsonschema.Schema) {
		// jsonschema-go allows null for slices, maps and pointers.
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
		if len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	})
	return s
}

// open lets later fields into an output: a new field must not break a client
// that validates. Property order and required fields stay.
func open(s *jsonschema.Schema) {
	walk(s, func(s *jsonschema.Schema) {
		if isFalse(s.AdditionalProperties) {
			s.AdditionalProperties = nil
		}
	})
}

func isFalse(s *jsonschema.Schema) bool {
	b, err := json.Marshal(s)
	return s != nil && err == nil && string(b) == "false"
}

// walk calls f for s and every schema below it.
func walk(s *jsonschema.Schema, f func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	f(s)
	walk(s.Items, f)
	if !isFalse(s.AdditionalProperties) {
		walk(s.AdditionalProperties, f)
	}
	for _, p := range s.Properties {
		walk(p, f)
	}
	for _, p := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		walk(p, f)
	}
}

// A validator checks a tool's raw parameters.
type validator struct {
	schema   *santhosh.Schema
	aliases  map[string]string
	lists    map[string]bool // every parameter, and whether it is an array
	defaults map[string]json.RawMessage
	known    []string
}

// maxNumber is the largest number that a parameter may be: beyond it an integer
// is not exact.
const maxNumber = 1 << 53

var nameOf = regexp.MustCompile(`^[a-z][a-z0-9_]{2,40}$`)

func newValidator(s Spec) *validator {
	if !nameOf.MatchString(s.Name) {
		panic("tool: bad name " + s.Name)
	}
	raw, err := json.Marshal(s.In)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	c := santhosh.NewCompiler()
	c.AssertFormat()
	at := "easel:///tools/" + s.Name // a bare name would become a file's
	if err := c.AddResource(at, doc); err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	schema, err := c.Compile(at)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	v := &validator{schema: schema, aliases: s.Aliases, defaults: make(map[string]json.RawMessage), lists: make(map[string]bool)}
	for name, p := range s.In.Properties {
		v.known = append(v.known, name)
		v.lists[name] = p.Type == "array"
		if len(p.Default) > 0 {
			v.defaults[name] = p.Default
		}
	}
	sort.Strings(v.known)
	return v
}

// check gives raw with aliases renamed and defaults filled in, or an *Error
// that names every fault.
func (v *validator) check(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		raw = json.RawMessage("{}")
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, &Error{
			Code: Validation, Detail: "The parameters must be a JSON object: " + err.Error() + ".",
			Fields: []Field{{"#", "must be a JSON object"}}, Err: err,
		}
	}
	for alias, name := range v.aliases {
		a, given := args[alias]
		if !given {
			continue
		}
		if _, both := args[name]; both {
			return nil, invalid(Field{"#/" + alias, fmt.Sprintf("is another name of %q, which is given too: give one of them", name)})
		}
		if a = bytes.TrimSpace(a); v.lists[name] && len(a) > 0 && a[0] == '"' {
			a = slices.Concat([]byte("["), a, []byte("]")) // as tag for tags: the other name is of one
		}
		args[name] = a
		delete(args, alias)
	}
	for name, a := range args { // a parameter may be given as null: it is absent
		if _, known := v.lists[name]; known && string(bytes.TrimSpace(a)) == "null" {
			delete(args, name)
		}
	}
	for name, d := range v.defaults {
		if _, given := args[name]; !given {
			args[name] = d
		}
	}
	full, err := json.Marshal(args)
	if err != nil {
		return nil, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(full))
	if err != nil {
		return nil, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	doc, at := settle(doc, "#")
	if at != "" {
		return nil, invalid(Field{at, "is not a number of usable size"})
	}
	if err := v.schema.Validate(doc); err != nil {
		return nil, v.faults(err)
	}
	full, err = json.Marshal(doc)
	if err != nil {
		return nil, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	return full, nil
}

// settle writes every number in v as Go and the validator read it, which differ:
// JSON Schema takes 2.0 and 2e0 for an integer, encoding/json does not; an exponent
// of a million makes the validator panic. at is the pointer to the first number
// that no parameter can mean.
func settle(v any, pointer string) (settled any, at string) {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		switch {
		case err != nil || math.Abs(f) > maxNumber:
			return v, pointer
		case f == math.Trunc(f):
			return json.Number(strconv.FormatInt(int64(f), 10)), ""
		default:
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), ""
		}
	case map[string]any:
		for k := range v {
			if v[k], at = settle(v[k], pointer+"/"+escape(shown(k))); at != "" {
				return v, at
			}
		}
	case []any:
		for i := range v {
			if v[i], at = settle(v[i], pointer+"/"+strconv.Itoa(i)); at != "" {
				return v, at
			}
		}
	}
	return v, ""
}
