package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// A Note lists the parameters that a call did not use as given. Every transport adds it
// to the result.
type Note struct {
	Ignored  []string           `json:"ignored,omitempty"`  // unknown parameters
	Adjusted map[string]float64 `json:"adjusted,omitempty"` // the value used instead
	// Questions are what the user asks the assistant, about plots in Easel's window.
	Questions []any `json:"questions_from_user,omitempty"`
	// Answers are what the user answered to the assistant's requests after their calls had
	// returned.
	Answers []any `json:"answers_from_user,omitempty"`
	// Plots are what the user sends the assistant again. The result has their pictures after its own.
	Plots []any `json:"plots_from_user,omitempty"`
	// Masked is how many secrets were replaced by marks.
	Masked int `json:"masked,omitempty"`
}

// Empty reports whether there is nothing to add to a result.
func (n Note) Empty() bool {
	return len(n.Ignored) == 0 && len(n.Adjusted) == 0 && len(n.Questions) == 0 && len(n.Answers) == 0 && len(n.Plots) == 0 && n.Masked == 0
}

// maxIgnored limits the number of names in a Note.
const maxIgnored = 20

// A validator checks a tool's raw parameters.
type validator struct {
	in       *jsonschema.Schema
	schema   *santhosh.Schema
	aliases  map[string]string
	other    map[string]string // aliases and mistaken names
	defaults map[string]json.RawMessage
	either   Either
}

// maxNumber is the largest number that a parameter may be. Beyond it, integers are not
// exact.
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
	at := "easel:///tools/" + s.Name // a bare name would become a file URL
	if err := c.AddResource(at, doc); err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	schema, err := c.Compile(at)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", s.Name, err))
	}
	v := &validator{
		in: s.In, schema: schema, aliases: s.Aliases, other: make(map[string]string), defaults: make(map[string]json.RawMessage),
		either: s.Either,
	}
	maps.Copy(v.other, s.Aliases)
	maps.Copy(v.other, s.Mistaken)
	for name, p := range s.In.Properties {
		if len(p.Default) > 0 {
			v.defaults[name] = p.Default
		}
	}
	return v
}

// check returns raw with aliases renamed and defaults filled in, or an *Error that lists
// every fault. With clamp, a parameter of [clamped] above its maximum becomes the maximum.
func (v *validator) check(raw json.RawMessage, clamp bool) (json.RawMessage, Note, error) {
	var note Note
	args, err := objectOf(raw)
	if err != nil {
		return nil, note, err
	}
	if err := v.rename(args); err != nil {
		return nil, note, err
	}
	unknown := v.unknown(args)
	if clamp {
		note.Adjusted = v.clamp(args)
	}
	for name, d := range v.defaults {
		if _, given := args[name]; !given {
			args[name] = d
		}
	}
	full, err := json.Marshal(args)
	if err != nil {
		return nil, note, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(full))
	if err != nil {
		return nil, note, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	doc, at := normaliseNumbers(doc, "#")
	if at != "" {
		return nil, note, invalid(Field{at, "is too large a number"})
	}
	unknown = append(unknown, prune(doc, v.in, "#")...)
	if err := faults(v.schema.Validate(doc), v.either.faults(args, unknown), unknown); err != nil {
		return nil, note, err
	}
	for _, u := range unknown {
		if name := u.path(); len(note.Ignored) < maxIgnored && !slices.Contains(note.Ignored, name) {
			note.Ignored = append(note.Ignored, name)
		}
	}
	full, err = json.Marshal(doc)
	if err != nil {
		return nil, note, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	return full, note, nil
}

// objectOf decodes raw. Empty input and null mean no parameters.
func objectOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if t := bytes.TrimSpace(raw); len(t) == 0 || string(t) == "null" {
		return make(map[string]json.RawMessage), nil
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, &Error{
			Code: Validation, Detail: "The parameters must be a JSON object: " + err.Error() + ".",
			Fields: []Field{{"#", "must be a JSON object"}}, Err: err,
		}
	}
	return args, nil
}

// rename replaces aliases by the names of the parameters. It removes known parameters
// that are null.
func (v *validator) rename(args map[string]json.RawMessage) error {
	for alias, name := range v.aliases {
		a, given := args[alias]
		if !given {
			continue
		}
		if _, both := args[name]; both {
			return invalid(Field{"#/" + alias, fmt.Sprintf("is an alias of %q, which was also given: give only one", name)})
		}
		if a = bytes.TrimSpace(a); v.in.Properties[name].Type == "array" && len(a) > 0 && a[0] == '"' {
			a = slices.Concat([]byte("["), a, []byte("]")) // for example tag for tags: an alias may be for a single value
		}
		args[name] = a
		delete(args, alias)
	}
	for name, a := range args { // null means not given
		if v.in.Properties[name] != nil && string(bytes.TrimSpace(a)) == "null" {
			delete(args, name)
		}
	}
	return nil
}

// unknown removes unknown parameters from args and returns them.
func (v *validator) unknown(args map[string]json.RawMessage) []stranger {
	found := strangers(slices.Sorted(maps.Keys(args)), v.in, v.other, "#")
	for _, u := range found {
		delete(args, u.name)
	}
	return found
}

// clamped lists the parameters that models set too high because their clients drop the
// maximum from the schema.
var clamped = []string{"wait", "limit", "max_edge"}

// clamp lowers parameters that are above their maximum.
func (v *validator) clamp(args map[string]json.RawMessage) map[string]float64 {
	var adjusted map[string]float64
	for _, name := range clamped {
		p, a := v.in.Properties[name], args[name]
		if p == nil || p.Maximum == nil || a == nil {
			continue
		}
		var n json.Number
		if a[0] == '"' || json.Unmarshal(a, &n) != nil {
			continue // the schema says what it must be
		}
		// Beyond float64 the value is +Inf, which is above every maximum.
		if f, _ := strconv.ParseFloat(string(n), 64); f > *p.Maximum {
			if adjusted == nil {
				adjusted = make(map[string]float64)
			}
			adjusted[name] = *p.Maximum
			args[name] = json.RawMessage(strconv.FormatFloat(*p.Maximum, 'f', -1, 64))
		}
	}
	return adjusted
}

// A stranger is a member of an object that is not in its schema.
type stranger struct {
	name    string
	pointer string   // JSON pointer to it
	meant   string   // pointer to the member that it resembles, if any
	known   []string // what the object may have
}

// strangers returns the given names that s does not have. s describes the object at
// pointer.
func strangers(given []string, s *jsonschema.Schema, other map[string]string, pointer string) []stranger {
	var found []stranger
	known := slices.Sorted(maps.Keys(s.Properties))
	free := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return slices.Contains(given, name) })
	for _, name := range given {
		if s.Properties[name] != nil {
			continue
		}
		u := stranger{name: name, pointer: pointer + "/" + escape(shown(name)), known: known}
		if m := meant(name, free, other); m != "" { // a member that was also given is not misspelt
			u.meant = pointer + "/" + escape(m)
		}
		found = append(found, u)
	}
	return found
}

// path returns the name of the member for a Note: without the indexes of list items.
func (u stranger) path() string {
	var names []string
	for token := range strings.SplitSeq(strings.TrimPrefix(u.pointer, "#/"), "/") {
		if _, err := strconv.Atoi(token); err != nil {
			names = append(names, token)
		}
	}
	if len(names) == 0 {
		return shown(u.name)
	}
	return strings.Join(names, "/")
}

// prune removes unknown members from the objects below the top level of doc, which s
// describes. For example, a cell that was copied from a notebook has metadata.
func prune(doc any, s *jsonschema.Schema, pointer string) []stranger {
	var found []stranger
	switch doc := doc.(type) {
	case map[string]any:
		if pointer != "#" { // Invoke has handled the top level
			found = strangers(slices.Sorted(maps.Keys(doc)), s, nil, pointer)
			for _, u := range found {
				delete(doc, u.name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(doc)) {
			if p := s.Properties[name]; p != nil {
				found = append(found, prune(doc[name], p, pointer+"/"+escape(name))...)
			}
		}
	case []any:
		for i, item := range doc {
			if s.Items != nil {
				found = append(found, prune(item, s.Items, pointer+"/"+strconv.Itoa(i))...)
			}
		}
	}
	return found
}

// normaliseNumbers rewrites every number in v so that Go and the validator read it alike. JSON
// Schema accepts 2.0 and 2e0 as integers, but encoding/json does not. An exponent of a
// million makes the validator panic. at is the pointer to the first number that no
// parameter can hold.
func normaliseNumbers(v any, pointer string) (normalised any, at string) {
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
			if v[k], at = normaliseNumbers(v[k], pointer+"/"+escape(shown(k))); at != "" {
				return v, at
			}
		}
	case []any:
		for i := range v {
			if v[i], at = normaliseNumbers(v[i], pointer+"/"+strconv.Itoa(i)); at != "" {
				return v, at
			}
		}
	}
	return v, ""
}
