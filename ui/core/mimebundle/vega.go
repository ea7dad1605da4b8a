package mimebundle

import (
	"bytes"
	"encoding/json"
	"regexp"
)

var (
	// vegaCalled matches the call in Altair's HTML, (function(spec, embedOpt){…})({…}, {…});
	vegaCalled = regexp.MustCompile(`\}\)\(\s*\{`)
	// vegaEmbedded matches vegaEmbed("#id", {…}), where the specification may be a variable.
	vegaEmbedded = regexp.MustCompile(`vegaEmbed\(\s*(?:"[^"]*"|'[^']*'|[\w$.]+)\s*,\s*(\{|[\w$]+)`)
	// vegaAssigned matches variables that hold an object.
	vegaAssigned = regexp.MustCompile(`(?:var|let|const)\s+([\w$]+)\s*=\s*\{`)
	// vegaSchema matches the address of a specification's schema.
	vegaSchema = regexp.MustCompile(`/(vega-lite|vega)/v(\d{1,3})`)
)

// VegaSpec returns the specification and MIME type of the chart in HTML that uses
// vega-embed, as Altair's does. If there are several charts, it returns one of them.
func VegaSpec(html []byte) (mime string, spec []byte, ok bool) {
	if !bytes.Contains(html, []byte("vegaEmbed")) {
		return "", nil, false
	}
	for _, at := range vegaCandidates(html) {
		if mime, spec, ok = vegaSpecAt(html[at:]); ok {
			return mime, spec, true
		}
	}
	return "", nil, false
}

// maxVegaCandidates limits the places in a page, per pattern, at which a specification is
// parsed. The page may be hostile.
const maxVegaCandidates = 16

// vegaCandidates returns the offsets of objects that may be a specification, the most
// likely ones first.
func vegaCandidates(html []byte) (at []int) {
	variables := make(map[string]int)
	for _, m := range vegaAssigned.FindAllSubmatchIndex(html, -1) {
		variables[string(html[m[2]:m[3]])] = m[1] - 1
	}
	for _, m := range vegaEmbedded.FindAllSubmatchIndex(html, maxVegaCandidates) {
		name := string(html[m[2]:m[3]])
		if place, found := variables[name]; found {
			at = append(at, place)
		} else if name == "{" {
			at = append(at, m[2])
		}
	}
	for _, m := range vegaCalled.FindAllIndex(html, maxVegaCandidates) {
		at = append(at, m[1]-1)
	}
	return at
}

// vegaSpecAt decodes the object at the beginning of text. It returns false if that is not
// a specification.
func vegaSpecAt(text []byte) (mime string, spec []byte, ok bool) {
	var raw json.RawMessage
	if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) != nil {
		return "", nil, false
	}
	var s struct {
		Schema  string            `json:"$schema"`
		Marks   json.RawMessage   `json:"marks"`
		Mark    json.RawMessage   `json:"mark"`
		Layer   []json.RawMessage `json:"layer"`
		Concat  []json.RawMessage `json:"concat"`
		HConcat []json.RawMessage `json:"hconcat"`
		VConcat []json.RawMessage `json:"vconcat"`
		Spec    json.RawMessage   `json:"spec"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return "", nil, false
	}
	if m := vegaSchema.FindStringSubmatch(s.Schema); m != nil {
		if m[1] == "vega" {
			return "application/vnd.vega.v" + m[2] + "+json", raw, true
		}
		return "application/vnd.vegalite.v" + m[2] + "+json", raw, true
	}
	switch {
	case s.Mark != nil, s.Layer != nil, s.Concat != nil, s.HConcat != nil, s.VConcat != nil, s.Spec != nil:
		return "application/vnd.vegalite+json", raw, true
	case s.Marks != nil:
		return "application/vnd.vega+json", raw, true
	}
	return "", nil, false
}
