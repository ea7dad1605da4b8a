package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// A document is Easel's OpenAPI document, against which every response is validated.
type document struct {
	*openapi3.T
	routes routers.Router
}

func openAPI(t *testing.T, e *easel) *document {
	t.Helper()
	_, raw := do(t, e.request(t, http.MethodGet, "/api/v1/openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	require.NoError(t, err)
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("the document is no valid OpenAPI: %v", err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.0.") {
		t.Errorf("it is OpenAPI %s, want 3.0", doc.OpenAPI)
	}
	doc.Servers = openapi3.Servers{{URL: e.URL}}
	routes, err := gorillamux.NewRouter(doc)
	require.NoError(t, err)
	return &document{doc, routes}
}

// check sends req and validates the response against the document.
func (d *document) check(t *testing.T, req *http.Request) (int, []byte) {
	t.Helper()
	route, params, err := d.routes.FindRoute(req)
	if err != nil {
		t.Fatalf("%s %s is not in the document: %v", req.Method, req.URL.Path, err)
	}
	r, raw := do(t, req)
	in := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: r.StatusCode, Header: r.Header, Body: io.NopCloser(bytes.NewReader(raw)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
		t.Errorf("%s %s: %s is not as documented: %v\n%.500s", req.Method, req.URL, r.Status, err, raw)
	}
	return r.StatusCode, raw
}

// TestEveryWayToAToolSaysTheSame checks that all addresses of a tool return the same response,
// and that it is valid according to the OpenAPI document.
func TestEveryWayToAToolSaysTheSame(t *testing.T) {
	e := launch(t, options{jupyter: startJupyter(t)})
	doc := openAPI(t, e)
	created := e.call(t, "session_create", nil)
	session, _ := created["session_id"].(string)
	ran := e.call(t, "execute_code", map[string]any{
		"session_id": session,
		"code":       "import matplotlib.pyplot as plt, pandas as pd\nplt.plot([1, 2]); plt.show()\ndf = pd.DataFrame({'a': range(1000)})\nx = 'text'",
	})
	image, _ := ran["images"].([]any)[0].(map[string]any)
	unknown := "00000000-0000-0000-0000-000000000007"

	tests := map[string]struct {
		tool   string
		info   bool
		args   map[string]any
		status int
		again  bool // repeating the call yields the same response
	}{
		"sessions":              {"session_list", true, nil, 200, false},
		"variables":             {"get_variables", true, map[string]any{"session_id": session}, 200, true},
		"variables, filtered":   {"get_variables", true, map[string]any{"session_id": session, "filter": "text & <tags>"}, 200, true},
		"variables of nobody":   {"get_variables", true, map[string]any{"session_id": unknown}, 404, true},
		"images":                {"list_session_images", true, map[string]any{"session_id": session}, 200, true},
		"an image":              {"get_image_resource", true, map[string]any{"resource_uri": image["resource_uri"], "max_edge": 64}, 200, true},
		"no image":              {"get_image_resource", true, map[string]any{"resource_uri": "jupyter://x"}, 404, true},
		"an edge out of bounds": {"get_image_resource", true, map[string]any{"resource_uri": image["resource_uri"], "max_edge": 5}, 400, true},
		"an execution":          {"get_execution", true, map[string]any{"execution_id": ran["execution_id"]}, 200, true},
		"connect":               {"session_connect", false, map[string]any{"kernel_id": created["kernel_id"]}, 200, true},
		"connect to nothing":    {"session_connect", false, map[string]any{}, 400, true},
		"code that fails":       {"execute_code", false, map[string]any{"session_id": session, "code": "1/0"}, 200, false},
		"code that draws":       {"execute_code", false, map[string]any{"session_id": session, "code": "plt.plot([3]); plt.show()"}, 200, false},
		"no code":               {"execute_code", false, map[string]any{"session_id": session}, 400, true},
		"a misspelt parameter":  {"execute_code", false, map[string]any{"session_id": session, "code": "1", "timeout_seconds": 1}, 400, true},
		"interrupt":             {"session_interrupt", false, map[string]any{"session_id": session}, 200, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.args == nil {
				tt.args = map[string]any{}
			}
			var alias *http.Request
			reqs := []*http.Request{e.request(t, http.MethodPost, "/tools/"+tt.tool+"/execute", tt.args)}
			if tt.info {
				q := "?" + query(tt.args)
				short := strings.TrimPrefix(tt.tool, "get_")
				reqs = append(reqs, e.request(t, http.MethodGet, "/api/info/"+short+q, nil))
				if short != tt.tool { // its alias is not in the document
					alias = e.request(t, http.MethodGet, "/api/info/"+tt.tool+q, nil)
					reqs = append(reqs, alias)
				}
			} else {
				reqs = append(reqs, e.request(t, http.MethodPost, "/api/execute/"+tt.tool, tt.args))
			}
			var first any
			for i, req := range reqs {
				send := doc.check
				if req == alias {
					send = func(t *testing.T, req *http.Request) (int, []byte) {
						t.Helper()
						r, raw := do(t, req)
						return r.StatusCode, raw
					}
				}
				status, raw := send(t, req)
				if status != tt.status {
					t.Fatalf("%s %s: got %d, want %d: %.300s", req.Method, req.URL.Path, status, tt.status, raw)
				}
				var got any
				require.NoError(t, json.Unmarshal(raw, &got))
				if i == 0 {
					first = got
				} else if tt.again {
					if diff := cmp.Diff(first, got); diff != "" {
						t.Errorf("%s differs from %s:\n%s", req.URL.Path, reqs[0].URL.Path, diff)
					}
				}
			}
		})
	}
}

func query(args map[string]any) string {
	q := url.Values{}
	for k, v := range args {
		if s, ok := v.(string); ok {
			q.Set(k, s)
			continue
		}
		raw, _ := json.Marshal(v)
		q.Set(k, string(raw))
	}
	return q.Encode()
}

// TestTheDocumentIsGoodEnoughForAModel checks that each operation has a description and an
// example of its body.
func TestTheDocumentIsGoodEnoughForAModel(t *testing.T) {
	e := launch(t, options{})
	doc := openAPI(t, e)
	tools := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Description == "" && op.Summary == "" {
				t.Errorf("%s %s says nothing of itself", method, path)
			}
			if !strings.HasPrefix(path, "/api/execute/") {
				continue
			}
			tools++
			media := op.RequestBody.Value.Content.Get("application/json")
			if media == nil || media.Example == nil && len(media.Examples) == 0 && media.Schema.Value.Example == nil {
				t.Errorf("%s has no example", path)
			}
			if op.Responses.Status(http.StatusBadRequest) == nil && op.Responses.Default() == nil {
				t.Errorf("%s documents no error", path)
			}
		}
	}
	if tools < 7 {
		t.Errorf("only %d execute tools are documented", tools)
	}
}

// TestResourcesOverREST checks that images are listed newest first, in pages, and by prefix.
func TestResourcesOverREST(t *testing.T) {
	e := launch(t, options{jupyter: startJupyter(t)})
	doc := openAPI(t, e)
	session := e.call(t, "session_create", nil)["session_id"].(string)
	e.call(t, "execute_code", map[string]any{
		"session_id": session, "images": "none",
		"code": "import matplotlib.pyplot as plt\nfor i in range(5):\n    plt.figure(figsize=(1, 1)); plt.plot([i]); plt.show()",
	})

	type page struct {
		Resources  []struct{ URI, Name, MIMEType string }
		NextCursor string `json:"next_cursor"`
	}
	read := func(q string) page {
		t.Helper()
		_, raw := doc.check(t, e.request(t, http.MethodGet, "/api/resources?"+q, nil))
		var p page
		require.NoError(t, json.Unmarshal(raw, &p))
		return p
	}
	var names []string
	cursor := ""
	for range 5 {
		p := read("limit=2&uri_prefix=" + url.QueryEscape("jupyter://sessions/"+session+"/") + "&cursor=" + url.QueryEscape(cursor))
		for _, r := range p.Resources {
			names = append(names, r.Name)
		}
		if cursor = p.NextCursor; cursor == "" {
			break
		}
	}
	want := []string{"matplotlib output [5]", "matplotlib output [4]", "matplotlib output [3]", "matplotlib output [2]", "matplotlib output [1]"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
	if p := read("uri_prefix=" + url.QueryEscape("jupyter://sessions/none/")); len(p.Resources) != 0 {
		t.Errorf("a prefix that fits nothing gave %v", p.Resources)
	}
	for _, name := range []string{"settings", "history", "state"} {
		status, raw := doc.check(t, e.request(t, http.MethodGet, "/api/resources/"+name, nil))
		if status != http.StatusOK || bytes.Contains(raw, []byte(e.Token)) {
			t.Errorf("%s: %d, with the token: %v", name, status, bytes.Contains(raw, []byte(e.Token)))
		}
	}
}

// TestHealth checks that the response contains the version and the states of the window and of
// each server.
func TestHealth(t *testing.T) {
	e := launch(t, options{})
	status, raw := openAPI(t, e).check(t, e.request(t, http.MethodGet, "/api/health", nil))
	var h map[string]any
	if err := json.Unmarshal(raw, &h); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, raw)
	}
	if h["version"] != e.Version {
		t.Errorf("version %v, want %s", h["version"], e.Version)
	}
	if bytes.Contains(raw, []byte(e.Token)) {
		t.Error("health has the token")
	}
}
