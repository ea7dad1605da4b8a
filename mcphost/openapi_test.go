package mcphost

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

var update = flag.Bool("update", false, "write the golden files anew")

func init() { //nolint:gochecknoinits // the library requires the declaration
	for _, t := range []string{"image/png", "image/svg+xml"} {
		openapi3filter.RegisterBodyDecoder(t, openapi3filter.FileBodyDecoder)
	}
}

// documented loads the document as an independent validator does.
var documented = sync.OnceValues(func() (routers.Router, error) {
	h, err := New(Config{Bus: nothingBus(), Tools: catalog.All(), Version: "1.2.3", Token: func() string { return "" }})
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(h.site.document())
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
})

// checkDocumented checks an answer against the document, if the address is in it.
func (r *rig) checkDocumented(t *testing.T, res *reply, body []byte) {
	t.Helper()
	router, err := documented()
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	req := res.Request.Clone(t.Context())
	req.URL.Scheme, req.URL.Host = "", "" // the document's server is "/"
	route, params, err := router.FindRoute(req)
	if _, is := errors.AsType[*routers.RouteError](err); is {
		return // not an address of REST, or none at all
	}
	require.NoError(t, err)
	if res.StatusCode == http.StatusForbidden && strings.Contains(string(body), "FORBIDDEN") && route.Operation.Security != nil {
		return // an answer of the guard, which is not documented for each address
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 res.StatusCode, Header: res.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if req.Method == http.MethodHead {
		return
	}
	if err := openapi3filter.ValidateResponse(t.Context(), in); err != nil {
		t.Errorf("%s %s answered what the OpenAPI document does not have: %v", req.Method, req.URL, err)
	}
}

func TestDocumentIsGolden(t *testing.T) {
	r := newRig(t)
	res, got := r.do(t, "GET", "/api/v1/openapi.json", "", "Authorization: ")
	if res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, got)
	}
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, got, "", " "))
	got = indented.Bytes()
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got)+"\n", "\n")); d != "" {
		t.Errorf("the document changed; if that is meant, run the test with -update:\n%s", d)
	}
	if strings.Contains(string(got), testToken) {
		t.Error("the token is in the document")
	}
}

// TestDocumentIsGoodEnoughForAModel checks that each operation has a description and an
// example, and each parameter a description.
func TestDocumentIsGoodEnoughForAModel(t *testing.T) {
	r := newRig(t)
	_, raw := r.do(t, "GET", "/api/v1/openapi.json", "")
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	require.NoError(t, err)
	seen := make(map[string]string)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			at := method + " " + path
			if op.Description == "" || op.Summary == "" || len(op.Tags) == 0 {
				t.Errorf("%s has no description, summary or tag", at)
			}
			if other, twice := seen[op.OperationID]; twice || op.OperationID == "" {
				t.Errorf("%s and %s have the operationId %q", at, other, op.OperationID)
			}
			seen[op.OperationID] = at
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s: parameter %s has no description", at, p.Value.Name)
				}
			}
			if op.RequestBody != nil {
				c := op.RequestBody.Value.Content.Get("application/json")
				if c == nil || c.Example == nil {
					t.Errorf("%s has no example", at)
				} else if err := c.Schema.Value.VisitJSON(c.Example); err != nil {
					t.Errorf("%s: its example is not valid: %v", at, err)
				}
			}
			if op.Responses.Value("500") == nil || op.Responses.Value("200") == nil {
				t.Errorf("%s does not say what it answers", at)
			}
		}
	}
	for _, d := range catalog.All() {
		s := d.Spec()
		_, path := s.Address()
		if doc.Paths.Value(path) == nil {
			t.Errorf("%s is missing", path)
		}
		if seen[s.Name] == "" {
			t.Errorf("no operation has the name of %s", s.Name)
		}
	}
}

// TestEveryMemberIsExplained checks that each member has a description or a
// self-explanatory name.
func TestEveryMemberIsExplained(t *testing.T) {
	r := newRig(t)
	_, raw := r.do(t, "GET", "/api/v1/openapi.json", "")
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	require.NoError(t, err)
	for name, s := range doc.Components.Schemas {
		for member, p := range s.Value.Properties {
			if p.Ref == "" && p.Value.Description == "" && len(p.Value.Enum) == 0 {
				t.Errorf("%s.%s says nothing", name, member)
			}
		}
		if last := name[len(name)-1]; last >= '0' && last <= '9' {
			t.Errorf("%s: two types have one name", name)
		}
	}
}

func TestSwaggerWorksOffline(t *testing.T) {
	r := newRig(t)
	_, page := r.do(t, "GET", "/api/swagger/", "", "Authorization: ")
	links := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(string(page), -1)
	if len(links) < 4 {
		t.Errorf("only %d links in the page", len(links))
	}
	for _, l := range links {
		if !strings.HasPrefix(l[1], "/api/swagger/") {
			t.Errorf("the page leads to %s", l[1])
		} else if res, b := r.do(t, "GET", l[1], "", "Authorization: "); res.StatusCode != 200 || len(b) == 0 {
			t.Errorf("%s: %d", l[1], res.StatusCode)
		}
	}
	for _, want := range []string{"/api/v1/openapi.json", "preauthorizeApiKey", "swagger-ui-bundle.js"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not have %s", want)
		}
	}
}

func TestImagesOverREST(t *testing.T) {
	r := newRig(t)
	_, b := r.do(t, "GET", "/api/resources?limit=2", "")
	var page struct {
		Resources []struct {
			URI, Name, Href string
			ResourceURI     string `json:"resource_uri"`
		}
		NextCursor string `json:"next_cursor"`
	}
	if err := json.Unmarshal(b, &page); err != nil || len(page.Resources) != 2 || page.NextCursor == "" {
		t.Fatalf("%s: %v", b, err)
	}
	first := page.Resources[0]
	if first.URI != testImage("s1", imageCount).ResourceURI || first.URI != first.ResourceURI {
		t.Errorf("the newest first: %+v", first)
	}
	if _, b := r.do(t, "GET", "/resources?limit=2&cursor="+page.NextCursor, ""); !strings.Contains(string(b), "img0005") {
		t.Errorf("the second page: %s", b)
	}
	if _, b := r.do(t, "GET", "/api/resources?uri_prefix=jupyter://sessions/other/", ""); string(b) != `{"success":true,"resources":[]}`+"\n" {
		t.Errorf("none: %s", b)
	}
	res, whole := r.do(t, "GET", first.Href, "")
	etag := res.Header.Get("ETag")
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(string(whole), "\x89PNG") || etag != `"img0007-0"` {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") {
		t.Errorf("an SVG could run its scripts: %q", csp)
	}
	if res, b := r.do(t, "GET", first.Href, "", "If-None-Match: "+etag); res.StatusCode != 304 || len(b) != 0 {
		t.Errorf("If-None-Match: %d with %d bytes", res.StatusCode, len(b))
	}
	if res, b := r.do(t, "GET", first.Href, "", "Range: bytes=1-3"); res.StatusCode != 206 || string(b) != "PNG" {
		t.Errorf("Range: %d %q", res.StatusCode, b)
	}
	if _, b := r.do(t, "GET", "/api/info/image_resource?resource_uri="+first.URI, ""); !strings.Contains(string(b), `"data":"QUJD"`) {
		t.Errorf("over REST the picture is in data: %.200s", b)
	}
}
