package openapi_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"easel/internal/require"
	"easel/mcphost/openapi"
)

func TestSchemaIsRewrittenFor30(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"a plain one stays":        {`{"type":"string","maxLength":3,"description":"d"}`, `{"type":"string","maxLength":3,"description":"d"}`},
		"null becomes nullable":    {`{"type":["string","null"]}`, `{"type":"string","nullable":true}`},
		"several types become any": {`{"type":["string","integer"]}`, `{}`},
		"const becomes an enum":    {`{"const":7}`, `{"enum":[7]}`},
		"examples becomes example": {`{"type":"string","examples":["a","b"]}`, `{"type":"string","example":"a"}`},
		"exclusive bounds":         {`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":9}`, `{"type":"number","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":true}`},
		"names of its own go":      {`{"$schema":"x","$id":"https://x.example/y","$comment":"c","type":"object","propertyNames":{"pattern":"a"}}`, `{"type":"object"}`},
		"a closed object":          {`{"type":"object","additionalProperties":false}`, `{"type":"object","additionalProperties":false}`},
		"an open one":              {`{"type":"object","additionalProperties":{"type":["integer","null"]}}`, `{"type":"object","additionalProperties":{"type":"integer","nullable":true}}`},
		"deep inside":              {`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"const":1},{"type":["null","string"]}]}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"enum":[1]},{"type":"string","nullable":true}]}}}}`},
		"a property named like it": {`{"type":"object","properties":{"const":{"type":"string"},"type":{"const":1}}}`, `{"type":"object","properties":{"const":{"type":"string"},"type":{"enum":[1]}}}`},
		"anything":                 {`true`, `{}`},
		"a property of any kind":   {`{"type":"object","properties":{"v":true}}`, `{"type":"object","properties":{"v":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var in jsonschema.Schema
			require.NoError(t, json.Unmarshal([]byte(c.in), &in))
			got, err := openapi.Schema(&in)
			require.NoError(t, err)
			var want map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.want), &want))
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
