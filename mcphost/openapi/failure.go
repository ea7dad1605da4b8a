package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"easel/mcphost/tool"
)

// A Problem is an error in REST's format (RFC 9457).
type Problem struct {
	Type   string       `json:"type" jsonschema:"address of a page about the code"`
	Title  string       `json:"title" jsonschema:"what the code means"`
	Status int          `json:"status" jsonschema:"the HTTP status"`
	Detail string       `json:"detail" jsonschema:"what went wrong this time"`
	Code   tool.Code    `json:"code" jsonschema:"stable name of the kind of error"`
	Hint   string       `json:"hint,omitempty" jsonschema:"what to do next"`
	Errors []tool.Field `json:"errors,omitempty" jsonschema:"each invalid parameter"`
}

const clientClosed = 499 // the status of the code Cancelled

// Statuses with which calls may fail, in addition to 401 and 403, which apply to all.
var (
	// Any call that asks the application.
	asking = []int{
		http.StatusBadRequest, clientClosed, http.StatusInternalServerError, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout,
	}
	// A call that looks up something by name, or that may not be possible in the current
	// state.
	finding = []int{http.StatusNotFound, http.StatusConflict, http.StatusInsufficientStorage}
	// A call that contacts a Jupyter server.
	remote = []int{http.StatusNotImplemented, http.StatusBadGateway}
	// A call with a body.
	posting = []int{http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

	anyToolFailures = slices.Concat(asking, finding, remote, posting, []int{http.StatusUnprocessableEntity})
)

func toolFailures(s tool.Spec) []int {
	statuses := slices.Concat(asking, finding)
	if s.Toolset != tool.Gallery {
		statuses = append(statuses, remote...)
	}
	if s.Category != tool.Info {
		statuses = append(statuses, posting...)
	}
	if s.In.Properties["variable_name"] != nil {
		statuses = append(statuses, http.StatusUnprocessableEntity)
	}
	return statuses
}

// responses returns the responses of an operation: the answer, the given failures, 401
// and 403.
func (w *writer) responses(description string, answer object, failures ...int) object {
	rs := object{"200": object{
		"description": description,
		"content":     object{"application/json": object{"schema": answer}},
	}}
	for _, status := range slices.Concat([]int{http.StatusUnauthorized, http.StatusForbidden}, failures) {
		rs[strconv.Itoa(status)] = w.failure(status)
	}
	return rs
}

// failure returns a reference to the response of an error status.
func (w *writer) failure(status int) object {
	name := "Problem" + strconv.Itoa(status)
	w.failures[name] = status
	return object{"$ref": "#/components/responses/" + name}
}

// components returns everything that the paths refer to, and the security schemes.
func (w *writer) components() (object, error) {
	problem, err := Schema(problemSchema())
	if err != nil {
		return nil, err
	}
	ref := w.refer("Problem", problem)
	responses := make(object, len(w.failures))
	for name, status := range w.failures {
		responses[name] = problemResponse(status, ref)
	}
	return object{
		"securitySchemes": object{
			"bearer": object{"type": "http", "scheme": "bearer", "description": "Easel's token. It is shown on the Connect page and stored in easel.json."},
			"apiKey": object{"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same token"},
		},
		"responses": responses,
		"schemas":   maps.Clone(w.schemas),
	}, nil
}

// problemResponse returns the response of a status. It lists the status's codes and
// gives an example.
func problemResponse(status int, schema object) object {
	var lines []string
	examples := make(object)
	for _, c := range tool.Codes {
		if c.Status != status {
			continue
		}
		lines = append(lines, fmt.Sprintf("`%s`: %s. %s", c.Code, c.Title, c.When))
		examples[string(c.Code)] = object{"summary": c.Title, "value": Problem{
			Type: ProblemPage(c.Code), Title: c.Title, Status: status, Code: c.Code, Detail: c.When,
		}}
	}
	r := object{
		"description": strings.Join(lines, "\n\n"),
		"content":     object{"application/problem+json": object{"schema": schema, "examples": examples}},
	}
	if status == http.StatusUnauthorized {
		r["headers"] = object{"WWW-Authenticate": object{"schema": object{"type": "string"}, "description": "Bearer"}}
	}
	return r
}

// ProblemPage returns the path of the page about a code, which is the type of a Problem.
func ProblemPage(c tool.Code) string { return "/problems/" + string(c) }
