package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// shortText is the longest text whose length bound goes into the description. A model
// may exceed the bound of a tag, but hardly that of a path or a cell.
const shortText = 64

// stateBounds adds the range and the default of each property to its description.
// Several clients drop them from the schema, and their models then guess.
func stateBounds(s *jsonschema.Schema) {
	for _, p := range s.Properties {
		bounds := boundsOf(p)
		if p.Items != nil && len(bounds) == 0 {
			bounds = boundsOf(p.Items)
			if len(bounds) > 0 {
				bounds[0] += " each"
			}
		}
		if len(p.Default) > 0 {
			bounds = append(bounds, "default "+defaultOf(p.Default))
		}
		if len(bounds) > 0 && p.Description != "" {
			p.Description += " (" + strings.Join(bounds, ", ") + ")"
		}
	}
}

func boundsOf(p *jsonschema.Schema) []string {
	switch {
	case p.Minimum != nil && p.Maximum != nil:
		return []string{count(*p.Minimum) + "–" + count(*p.Maximum)}
	case p.ExclusiveMinimum != nil && p.Maximum != nil:
		return []string{"over " + count(*p.ExclusiveMinimum) + ", up to " + count(*p.Maximum)}
	case p.MaxLength != nil && *p.MaxLength <= shortText:
		return []string{"up to " + count(float64(*p.MaxLength)) + " characters"}
	default:
		return nil
	}
}

// Listed returns the input schema as models read it. It omits bounds that models do not
// exceed, because each bound costs tokens in every conversation. Invoke still checks
// them.
func (s Spec) Listed() *jsonschema.Schema {
	in := s.In.CloneSchemas()
	for _, name := range s.Unlisted {
		delete(in.Properties, name)
		in.PropertyOrder = slices.DeleteFunc(slices.Clone(in.PropertyOrder), func(p string) bool { return p == name })
	}
	walk(in, func(p *jsonschema.Schema) {
		p.MinLength, p.MinItems, p.MaxItems = nil, nil, nil
		if p.Maximum == nil {
			p.Minimum = nil // of an index
		}
		if p.MaxLength != nil && *p.MaxLength > shortText {
			p.MaxLength = nil
		}
	})
	return in
}

// count formats a number with thousands separators, for example 86,400.
func count(f float64) string {
	if i := int64(f); float64(i) == f {
		return message.NewPrinter(language.English).Sprintf("%d", i)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// defaultOf returns a default without JSON's quotes.
func defaultOf(raw json.RawMessage) string {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(fmt.Sprintf("tool: the default %s: %v", raw, err))
	}
	if f, ok := v.(float64); ok {
		return count(f)
	}
	return fmt.Sprint(v)
}
