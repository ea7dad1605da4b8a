package mcphost

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"easel/internal/require"
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

func TestToolsOfPicturesAreKnown(t *testing.T) {
	want := map[string]bool{
		"execute_code": true, "get_execution": true, "get_image_resource": true, "get_selected_files": true,
		"notebook_add_cell": true, "notebook_edit_cell": true, "notebook_move_cell": true, "notebook_run_cell": true,
		"render_image": true, "check_reproducibility": true,
	}
	for _, x := range catalog.All() {
		if s := x.Spec(); s.Pictures != want[s.Name] {
			t.Errorf("%s: pictures %v", s.Name, s.Pictures)
		}
	}
}

// What a real Easel gives: ids and paths are what costs the most.
const (
	realSession   = "2f4b3c4a-7d2e-4f11-9a3b-5c6d7e8f9012"
	realExecution = "06daq3v8dx5m7n2c9r"
)

var realTitles = []string{
	"Monthly sales by region", "Distribution of order values", "Correlation of price and quantity",
	"Revenue per product line", "Share of returned orders", "売上の推移",
}

func realImage(n int) catalog.Image {
	id := fmt.Sprintf("01kaq3v8dx5m7n2c9r4tgw6h%02d", n)
	hash := fmt.Sprintf("ab3c47d2e7f119a3b5c6d7e8%08x", 7*n+1234567*n)
	title := realTitles[n%len(realTitles)]
	var rating int
	tags := []string{}
	if n%2 == 1 {
		rating, tags = 4, []string{"keep", "q3 report"}
	}
	return catalog.Image{
		Rating: rating, ResourceURI: "jupyter://sessions/" + realSession + "/images/" + id + ".png", ImageID: id, MIMEType: "image/png",
		Width: 1120, Height: 840, Bytes: 48_211, Title: title, Description: "Plot “" + title + "”",
		Path:      "/home/user/.local/share/easel/library/images/ab/" + hash + ".png",
		SessionID: realSession, ExecutionID: realExecution, CreatedAt: testTime.Add(time.Duration(n) * 123_456_789), Tags: tags,
	}
}

func realFile(n int) catalog.File { return catalog.File{Image: realImage(n), Name: realImage(n).Title} }

// realRun is an execution that drew n plots.
func realRun(n int) catalog.Execution {
	began := testTime.Add(123_456_789)
	x := catalog.Execution{
		Result: catalog.OK, ExecutionID: realExecution, SessionID: realSession, Status: catalog.StatusOK, CodeKnown: true,
		Code: "df.groupby('region').sales.sum().plot.bar()\nplt.show()", ExecutionCount: 7, CreatedAt: testTime, StartedAt: &began,
		ExecutionTimeMS: 412.345, Next: "0.0.1",
	}
	for i := range n {
		x.Images = append(x.Images, realImage(i))
		if i < catalog.MostPictures {
			x.Inline = append(x.Inline, realImage(i).ResourceURI)
		}
	}
	return x
}

func list[T any](n int, of func(int) T) []T {
	l := make([]T, n)
	for i := range l {
		l[i] = of(i)
	}
	return l
}

func keyError(t *testing.T) catalog.Execution {
	t.Helper()
	trace, err := os.ReadFile(filepath.Join("brief", "testdata", "traceback_keyerror.txt"))
	require.NoError(t, err)
	x := realRun(0)
	x.Success, x.Status = false, catalog.StatusError
	x.Error = &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "KeyError", Message: "'b'", Traceback: string(trace)}
	return x
}

// TestResultsCostFewTokens counts what a model has to read of a result, besides the
// pictures.
func TestResultsCostFewTokens(t *testing.T) {
	view := catalog.View{Folder: "jupyter://sessions/", Kind: "sessions", Mode: "grid", Count: 50, Matching: 50, Sort: catalog.ViewSort{By: "created", Order: "desc"}, Theme: "system", Window: "shown"}
	for _, c := range []struct {
		what string
		out  any
		most int
	}{
		{"one plot", realRun(1), 150},
		{"six plots", realRun(6), 400},
		{"a pandas KeyError", keyError(t), 300},
		{"session_create", catalog.SessionCreateOut{Result: catalog.OK, SessionID: realSession, KernelID: realSession, Status: "idle", CreatedAt: testTime, KernelName: "python3", AtServer: catalog.AtServer{Server: "managed"}}, 120},
		{"one star", catalog.FilesOut{Result: catalog.OK, Files: list(1, realFile)}, 120},
		{"list_session_images", catalog.ListSessionImagesOut{Result: catalog.OK, Images: list(20, realImage), NextCursor: "01kaq3v8dx5m7n2c9r4tgw6h20"}, 700},
		{"get_files_in_view", catalog.GetFilesInViewOut{Result: catalog.OK, Files: list(20, realFile), Total: 50, Matching: 50, NextCursor: "01kaq3v8dx5m7n2c9r4tgw6h20", View: view}, 700},
		{"get_variables", catalog.GetVariablesOut{Result: catalog.OK, Variables: list(20, realVariable)}, 2_000},
		{"session_list", catalog.SessionListOut{Result: catalog.OK, Sessions: list(20, realEntry)}, 2_000},
		{"file_list", catalog.FileListOut{Result: catalog.OK, Path: "data", Server: "managed", Contents: list(20, realListed)}, 2_000},
		{"filter_by_rating", catalog.ViewOut{Result: catalog.OK, View: view}, 60},
	} {
		t.Run(c.what, func(t *testing.T) {
			got := read(t, c.out)
			n := tokens(t, got)
			t.Logf("%d tokens of at most %d", n, c.most)
			if n > c.most {
				t.Errorf("%d tokens, want at most %d:\n%s", n, c.most, got)
			}
		})
	}
}

// read is what a model reads of an output besides pictures, all of which are inlined
// that the output asks for.
func read(t *testing.T, out any) string {
	t.Helper()
	var inlined []string
	p, pictured := out.(tool.Picturer)
	if pictured {
		inlined, _ = p.Pictures()
	}
	text, _, _, err := new(Host).briefText(t.Context(), out, inlined, pictured)
	require.NoError(t, err)
	all := string(text)
	if pictured {
		for _, l := range links(out, inlined) {
			raw, err := json.Marshal(l)
			require.NoError(t, err)
			all += "\n" + string(raw)
		}
	}
	return all
}

func realVariable(n int) catalog.Variable {
	switch n % 4 {
	case 0:
		return catalog.Variable{Name: fmt.Sprintf("df_%d", n), Type: "DataFrame", Size: "12480 rows × 14 cols", MemoryBytes: 3_451_220}
	case 1:
		return catalog.Variable{Name: fmt.Sprintf("region_%d", n), Type: "str", Size: "12 items", Value: strings.Repeat("大阪", 20)}
	case 2:
		return catalog.Variable{Name: fmt.Sprintf("rate_%d", n), Type: "float", Value: 0.123456789, MemoryBytes: 24}
	default:
		return catalog.Variable{Name: fmt.Sprintf("ax_%d", n), Type: "Axes", Size: "48 bytes", MemoryBytes: 48}
	}
}

func realEntry(n int) catalog.Session {
	return catalog.Session{
		SessionID: fmt.Sprintf("%08x-7d2e-4f11-9a3b-5c6d7e8f9012", 99_999*n), KernelID: realExecution, KernelName: "python3", Status: "idle",
		CreatedAt: testTime, LastActivity: testTime.Add(123_456_789), NotebookPath: fmt.Sprintf("notebooks/analysis-%d.ipynb", n),
		Server: "managed", Owner: "easel", Generation: 1, Images: n,
	}
}

func realListed(n int) catalog.FileEntry {
	at := testTime.Add(123_456_789)
	return catalog.FileEntry{Name: fmt.Sprintf("sales-2026-%02d.csv", n), Type: "file", Size: 48_211, ModifiedAt: &at}
}

// tokens counts what a model has to read of s, with the vocabulary o200k, which is
// close enough to those of the models that are not public.
func tokens(t *testing.T, s string) int {
	t.Helper()
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	n, err := o200k.Count(s)
	require.NoError(t, err)
	return n
}
