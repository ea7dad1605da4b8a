package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"easel/internal/truncate"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// shownLimit is how many characters of an invalid value a message repeats.
const shownLimit = 60

func invalid(fields ...Field) *Error {
	lines := make([]string, len(fields))
	for i, f := range fields {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "#"), "/") + " " + f.Detail)
	}
	detail := "Invalid parameters: " + strings.Join(lines, "; ")
	if !strings.HasSuffix(detail, "?") {
		detail += "."
	}
	return &Error{Code: Validation, Detail: detail, Fields: fields}
}

// faults combines what the validator found, the faults of the rule over several
// parameters, and unknown members that look misspelt, into one error. It has one field
// for each, in the order of the pointers. Without faults, it returns nil. If a parameter
// is missing, any unknown member could be the missing one, so all of them are listed.
func faults(err error, rule []Field, unknown []stranger) error {
	ve, ok := errors.AsType[*santhosh.ValidationError](err)
	if err != nil && !ok {
		return &Error{Code: Validation, Detail: err.Error(), Err: err}
	}
	missing, fields := schemaFaults(ve)
	fields = append(fields, rule...)
	for _, u := range unknown {
		switch {
		case u.meant != "":
			fields = append(fields, Field{u.pointer, "is not a parameter here; " + u.others() + "; did you mean `" + lastToken(u.meant) + "`?"})
			delete(missing, u.meant) // already reported
		case len(missing)+len(rule) > 0:
			fields = append(fields, Field{u.pointer, "is not a parameter here; " + u.others()})
		}
	}
	for at := range missing {
		fields = append(fields, Field{at, "is required"})
	}
	if len(fields) == 0 {
		return nil
	}
	sort.SliceStable(fields, func(i, j int) bool { return fields[i].Pointer < fields[j].Pointer })
	e := invalid(fields...)
	e.Err = err
	return e
}

// schemaFaults splits the validator's errors into the pointers of missing members and
// all other faults.
func schemaFaults(ve *santhosh.ValidationError) (missing map[string]bool, fields []Field) {
	missing = make(map[string]bool)
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
		if k, ok := e.ErrorKind.(*kind.Required); ok {
			for _, m := range k.Missing {
				missing[at+"/"+escape(m)] = true
			}
			return
		}
		fields = append(fields, Field{at, wording(e.ErrorKind)})
	}
	if ve != nil {
		visit(ve)
	}
	return missing, fields
}

// others lists the members that the object may have.
func (u stranger) others() string { return "there are: " + strings.Join(u.known, ", ") }

func lastToken(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// escape escapes a name for use as a token of a JSON pointer.
func escape(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// wording says what was expected and what was received, for a reader who sees only this
// line, often a model.
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
	f, _ := r.Float64()
	// Few decimals are exact as a float64, but its shortest form is the decimal again.
	if s := strconv.FormatFloat(f, 'f', -1, 64); len(s) < shownLimit {
		if back, ok := new(big.Rat).SetString(s); ok && back.Cmp(r) == 0 {
			return s
		}
	}
	return shown(r.FloatString(6))
}

func value(v any) string {
	if s, ok := v.(string); ok {
		return `"` + shown(s) + `"`
	}
	b, err := json.Marshal(v)
	if err != nil { // cannot happen: the value came from JSON
		return fmt.Sprint(v)
	}
	return shown(string(b))
}

// shown returns the beginning of a caller's text.
func shown(s string) string {
	return truncate.Runes(s, shownLimit)
}
