package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Lengths between these are of ids and paths, which a model copies: it does not
// reach their end.
const (
	shortText = 64
	longText  = 100_000
)

// stateBounds writes range and default of each property into its description:
// several clients drop them from the schema, and a model then guesses.
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
	case p.MaxLength != nil && (*p.MaxLength <= shortText || *p.MaxLength >= longText):
		return []string{"up to " + count(float64(*p.MaxLength)) + " characters"}
	default:
		return nil
	}
}

// count is a number as a reader likes it: 86,400.
func count(f float64) string {
	if i := int64(f); float64(i) == f {
		return message.NewPrinter(language.English).Sprintf("%d", i)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// defaultOf is a default without JSON's quotes.
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
