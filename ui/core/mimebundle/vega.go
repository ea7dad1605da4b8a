package mimebundle

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// vegaCalls are where the chart's data begins in a page of Altair's: the argument of the
// function that it calls, or a variable.
var vegaCalls = []*regexp.Regexp{
	regexp.MustCompile(`\}\)\(\s*(\{)`),
	regexp.MustCompile(`\b(?:var|let|const)\s+spec\s*=\s*(\{)`),
}

// VegaSpec finds the chart in HTML that draws one with vega-embed, as Altair's does, and gives
// it with its MIME type.
func VegaSpec(page []byte) (mime string, spec []byte, ok bool) {
	if !bytes.Contains(page, []byte("vegaEmbed")) {
		return "", nil, false
	}
	for _, call := range vegaCalls {
		for _, at := range call.FindAllSubmatchIndex(page, -1) {
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(page[at[2]:])).Decode(&raw) != nil {
				continue
			}
			var head struct {
				Schema string `json:"$schema"`
			}
			if json.Unmarshal(raw, &head) != nil {
				continue
			}
			switch version := head.Schema[strings.LastIndexByte(head.Schema, '/')+1:]; {
			case strings.Contains(head.Schema, "/vega-lite/"):
				return "application/vnd.vegalite." + major(version) + "+json", raw, true
			case strings.Contains(head.Schema, "/vega/"):
				return "application/vnd.vega." + major(version) + "+json", raw, true
			}
		}
	}
	return "", nil, false
}

// major is the first part of a version in a schema's address: v6 of v6.1.0.json.
func major(version string) string {
	first, _, _ := strings.Cut(version, ".")
	return first
}
