package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// shownLimit is how many characters of a wrong value a message repeats.
const shownLimit = 60

func invalid(fields ...Field) *Error {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "#"), "/") + " " + f.Detail)
	}
	return &Error{Code: Validation, Detail: "Invalid parameters: " + strings.Join(lines, "; ") + ".", Fields: fields}
}

// faults lists what santhosh found, one field for each, in the order of the
// pointers.
func (v *validator) faults(err error) *Error {
	ve, ok := errors.AsType[*santhosh.ValidationError](err)
	if !ok {
		return &Error{Code: Validation, Detail: err.Error(), Err: err}
	}
	var fields []Field
	var visit func(*santhosh.ValidationError)
	visit = func(e *santhosh.ValidationError) {
		for _, c := range e.Causes {
			visit(c)
		}
		if len(e.Causes) > 0 {
			return
		}
		tokens := []string{"#"}
		for _, t := range e.InstanceLocation {
			tokens = append(tokens, escape(t))
		}
		at := strings.Join(tokens, "/")
		switch k := e.ErrorKind.(type) {
		case *kind.Required:
			for _, m := range k.Missing {
				fields = append(fields, Field{at + "/" + escape(m), "is required"})
			}
		case *kind.AdditionalProperties:
			for _, p := range k.Properties {
				fields = append(fields, Field{at + "/" + escape(shown(p)), v.unknown(len(e.InstanceLocation) == 0)})
			}
		default:
			fields = append(fields, Field{at, wording(e.ErrorKind)})
		}
	}
	visit(ve)
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Pointer < fields[j].Pointer })
	e := invalid(fields...)
	e.Err = err
	return e
}

// unknown says that there is no such parameter, and at the top which there are.
func (v *validator) unknown(top bool) string {
	switch {
	case !top:
		return "is not a member here"
	case len(v.known) == 0:
		return "is not a parameter: the tool has none"
	default:
		return "is not a parameter here; there are: " + strings.Join(v.known, ", ")
	}
}

// escape makes a name a token of a JSON pointer.
func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// wording says what was expected and what came, for a reader who has only this
// line: often a model.
func wording(k santhosh.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, not %s", article(strings.Join(k.Want, " or ")), article(k.Got))
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = value(w)
		}
		return "must be one of " + strings.Join(want, ", ") + ", not " + value(k.Got)
	case *kind.MinLength:
		if k.Want == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %d characters, not %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, not %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items, not %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items, not %d", k.Want, k.Got)
	case *kind.Minimum:
		return "must be at least " + number(k.Want) + ", not " + number(k.Got)
	case *kind.Maximum:
		return "must be at most " + number(k.Want) + ", not " + number(k.Got)
	case *kind.ExclusiveMinimum:
		return "must be more than " + number(k.Want) + ", not " + number(k.Got)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(k.Want) + ", not " + number(k.Got)
	default:
		return k.LocalizedString(message.NewPrinter(language.English))
	}
}

func article(noun string) string {
	if noun == "" || noun == "null" {
		return noun
	}
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func number(r *big.Rat) string {
	f, exact := r.Float64()
	if s := fmt.Sprint(f); exact && len(s) < shownLimit {
		return s
	}
	return shown(r.FloatString(6))
}

func value(v any) string {
	if s, ok := v.(string); ok {
		return `"` + shown(s) + `"`
	}
	b, err := json.Marshal(v)
	if err != nil { // it came from JSON
		return fmt.Sprint(v)
	}
	return shown(string(b))
}

// shown is the beginning of a caller's text.
func shown(s string) string {
	if r := []rune(s); len(r) > shownLimit {
		return string(r[:shownLimit]) + "…"
	}
	return s
}
