package mcphost

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// object decodes the JSON object in the first text of a result.
func object(t *testing.T, m map[string]any) map[string]any {
	t.Helper()
	text, ok := at(m, "result", "content", 0, "text").(string)
	var o map[string]any
	if err := json.Unmarshal([]byte(text), &o); !ok || err != nil {
		t.Fatalf("no JSON in %v", m)
	}
	return o
}

func TestResultsCarryPictures(t *testing.T) {
	r := newRig(t)
	s := r.initialize(t, "x")
	for _, c := range []struct {
		what, code string
		pictures   int
		links      int
		failed     bool   // isError
		says       string // the line about pictures
	}{
		{"none", "1", 0, 0, false, ""},
		{"one", "plots 1", 1, 0, false, ""},
		{"four", "plots 4", 4, 0, false, ""},
		{"more than four", "plots 6", 4, 2, false, "4 of 6 shown; get the others, which have a path, with get_image_resource"},
		{"more than are listed", "plots 300", 4, 16, false, "4 of 300 shown; get the others, which have a path, with get_image_resource; 280 more are listed by list_session_images"},
		{"links alone", "links 2", 0, 2, false, "0 of 2 shown; get the others, which have a path, with get_image_resource"},
		{"a client that shows none", "blind 2", 0, 2, false, "0 of 2 shown, as this client shows you none: view the file at path"},
		{"neither", "unlinked 2", 0, 0, false, ""},
		{"a failure", "fail", 0, 0, true, ""},
		{"a failure behind a plot", "failplots 1", 1, 0, false, "drawn before the code failed"},
		{"a failure behind six plots", "failplots 6", 4, 2, false, "4 of 6 shown; get the others, which have a path, with get_image_resource; drawn before the code failed"},
		{"a picture beside much output", "printplots 600000", 1, 0, false, ""},
		{"much output", "print 950000", 0, 0, false, ""},
		{"output that quotes badly", "quotes 950000", 0, 0, false, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			res, b := r.do(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"session_id":"s1","code":%q}}}`, c.code), "Mcp-Session-Id: "+s)
			if len(b) > maxResult {
				t.Errorf("the answer has %d bytes", len(b))
			}
			m := messages(t, res, b)[0]
			result := m["result"]
			checkPictures(t, blocks(result, "image"), c.pictures)
			text := object(t, m)
			if text["execution_id"] != "e1" || text["pictures"] != nil && text["pictures"] != c.says || text["pictures"] == nil && c.says != "" {
				t.Errorf("pictures: %q, want %q", text["pictures"], c.says)
			}
			if len(blocks(result, "text")) != 1 || at(result, "structuredContent") != nil {
				t.Errorf("a result with pictures is one text and no structured content: %.300v", result)
			}
			links := blocks(result, "resource_link")
			if len(links) != c.links || (at(result, "isError") == true) != c.failed {
				t.Errorf("%d links, isError %v", len(links), at(result, "isError"))
			}
			raw, _ := json.Marshal(text)
			for _, l := range links {
				path := "/data/" + strings.TrimPrefix(l["uri"].(string), "jupyter://sessions/s1/images/")
				if !strings.Contains(string(raw), path) || !strings.Contains(string(raw), l["name"].(string)) {
					t.Errorf("the text does not name %v and %s", l, path)
				}
			}
			if strings.Contains(string(raw), "iVBOR") {
				t.Error("base64 in the text")
			}
		})
	}
}

// checkPictures checks that there are n pictures, within the budget.
func checkPictures(t *testing.T, pictures []map[string]any, n int) {
	t.Helper()
	total := 0
	for _, p := range pictures {
		data := p["data"].(string)
		total += len(data)
		if raw, err := base64.StdEncoding.DecodeString(data); err != nil || !strings.HasPrefix(string(raw), "\x89PNG") || p["mimeType"] != "image/png" {
			t.Errorf("a picture of type %v is no PNG: %v", p["mimeType"], err)
		}
	}
	if len(pictures) != n || total > maxBase64 {
		t.Errorf("%d pictures with %d bytes of base64, want %d with at most %d", len(pictures), total, n, maxBase64)
	}
}

func TestTextForModelsIsNotEscaped(t *testing.T) {
	r := newRig(t)
	m := r.rpc(t, r.initialize(t, "x"), "tools/call", `{"name":"execute_code","arguments":{"session_id":"s1","code":"echo <a> & </a>"}}`)
	if text := at(m, "result", "content", 0, "text").(string); !strings.Contains(text, "<a> & </a>") {
		t.Errorf("got %s", text)
	}
	m = r.rpc(t, r.initialize(t, "x"), "tools/call", `{"name":"get_image_resource","arguments":{"resource_uri":"<&>"}}`)
	if text := at(m, "result", "content", 0, "text").(string); !strings.Contains(text, "<&>") || at(m, "result", "isError") != true {
		t.Errorf("an error: %s", text)
	}
}

func TestLinksComeOnlyWithPictures(t *testing.T) {
	r := newRig(t)
	m := r.rpc(t, r.initialize(t, "x"), "tools/call", `{"name":"list_session_images","arguments":{"session_id":"s1"}}`)
	if n := len(at(m, "result", "content").([]any)); n != 1 {
		t.Errorf("%d blocks for a list", n)
	}
	if uri := at(object(t, m), "images", 0, "resource_uri"); uri != testImage("s1", 1).ResourceURI || at(m, "result", "structuredContent", "images", 0, "resource_uri") != uri {
		t.Errorf("got %v", m)
	}
}

func TestWhateverIsTooLargeIsCut(t *testing.T) {
	wide := make([]string, 100_000)
	for i := range wide {
		wide[i] = strings.Repeat("<", 20)
	}
	deep := make(map[string]string)
	for i := range 50_000 {
		deep[fmt.Sprintf("name %d", i)] = strings.Repeat("\x01", 30)
	}
	for what, out := range map[string]any{
		"a long text":             map[string]any{"success": true, "text": strings.Repeat("é", 2_000_000)},
		"what quotes to six":      map[string]any{"success": true, "text": strings.Repeat("\x01", 400_000)},
		"a long list":             map[string]any{"success": true, "list": wide},
		"a large object":          map[string]any{"success": true, "object": deep},
		"a large object of lists": map[string]any{"success": true, "object": map[string]any{"a": wide, "b": wide}},
	} {
		for _, beside := range []bool{true, false} {
			text, err := briefText(out, nil, beside)
			var o map[string]any
			if err != nil || json.Unmarshal(text, &o) != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if o["success"] != true || !strings.Contains(o["cut"].(string), "too large for MCP") {
				t.Errorf("%s: %.200s", what, text)
			}
			size := quotedLen(text)
			if !beside {
				size += len(text)
			}
			if size > maxResult || beside && size > maxBeside || size < 1000 {
				t.Errorf("%s: %d bytes are left", what, size)
			}
		}
	}
	small, err := briefText(catalog.SessionListOut{Result: catalog.OK}, nil, false)
	if err != nil || string(small) != `{"success":true,"sessions":[]}` {
		t.Errorf("what fits stays: %s, %v", small, err)
	}
}

func TestToolsOfPicturesAreKnown(t *testing.T) {
	want := map[string]bool{
		"execute_code": true, "get_execution": true, "get_image_resource": true, "get_selected_files": true,
		"notebook_add_cell": true, "notebook_edit_cell": true, "notebook_move_cell": true, "notebook_run_cell": true,
	}
	for _, x := range catalog.All() {
		if s := x.Spec(); s.Pictures != want[s.Name] {
			t.Errorf("%s: pictures %v", s.Name, s.Pictures)
		}
	}
	if tool.Shorten("abc", 3) != "abc" {
		t.Error("what fits is shortened")
	}
}
