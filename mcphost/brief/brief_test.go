package brief

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// notedError is IPython's text of an error with notes, whose cause has a message of several lines
// and a note.
const notedError = `---------------------------------------------------------------------------
BadTable                                  Traceback (most recent call last)
Cell In[2], line 6
      4 except BadTable as e:
----> 6     raise RuntimeError("loading failed") from e

BadTable: column 'price' has 3 bad values
  row 4: '12,50'
(more at the project's help page)
in the first sheet

The above exception was the direct cause of the following exception:

RuntimeError                              Traceback (most recent call last)
Cell In[2], line 6
      4 except BadTable as e:
----> 6     raise RuntimeError("loading failed") from e

RuntimeError: loading failed
while reading prices.xlsx
second note`

func TestErrorsNameTheirCauseAndNotes(t *testing.T) {
	e := catalog.Execution{Status: catalog.StatusError, Error: &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "RuntimeError", Message: "loading failed", Traceback: notedError}}
	got := execution(e, nil).Error
	if want := "loading failed\nwhile reading prices.xlsx\nsecond note"; got.Message != want {
		t.Errorf("the message is %q, want %q", got.Message, want)
	}
	want := "caused by BadTable: column 'price' has 3 bad values\n  row 4: '12,50'\n(more at the project's help page)\nin the first sheet\n" +
		"Cell In[2], line 6: raise RuntimeError(\"loading failed\") from e"
	if got.Traceback != want {
		t.Errorf("the traceback is\n%s\nwant\n%s", got.Traceback, want)
	}
	e.Error.Message = "another"
	if got := execution(e, nil).Error.Message; got != "another" {
		t.Errorf("a message that is not in the traceback became %q", got)
	}
}

func TestTracebacksAreBrief(t *testing.T) {
	for name, want := range map[string]string{
		"keyerror": `Cell In[2], line 7: g()
Cell In[2], line 6, in g(): return f(df)
Cell In[2], line 3, in f(d): return d['b']
File pandas/core/indexes/base.py:3823, in Index.get_loc(self, key): raise KeyError(key) from err`,
		"lambda": `Cell In[3], line 1: df.apply(lambda r: r['zz'], axis=1)
Cell In[3], line 1, in <lambda>(r): df.apply(lambda r: r['zz'], axis=1)
File pandas/core/indexes/base.py:3823, in Index.get_loc(self, key): raise KeyError(key) from err`,
		"chained": `caused by ZeroDivisionError: division by zero
Cell In[5], line 4: raise ValueError('bad') from e`,
		"open": `Cell In[8], line 1: open('data/missing.csv')`,
		"syntax": `Cell In[4], line 1
    x = = 1
        ^
SyntaxError: invalid syntax`,
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", "traceback_"+name+".txt"))
		require.NoError(t, err)
		if got := Traceback(string(raw)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestDeepRecursionIsOneLine(t *testing.T) {
	text := "RecursionError   Traceback (most recent call last)\nCell In[4], line 2\n----> 2 r(0)\n\n" +
		strings.Repeat("Cell In[4], line 1, in r(n)\n----> 1 def r(n): return r(n+1)\n\n", 2_000) + "RecursionError: maximum recursion depth exceeded"
	want := "Cell In[4], line 2: r(0)\nCell In[4], line 1, in r(n): def r(n): return r(n+1) (2000 times)"
	if got := Traceback(text); got != want {
		t.Errorf("got\n%.500s", got)
	}
	var mutual strings.Builder
	for i := range 1_000 {
		mutual.WriteString("Cell In[4], line " + strings.Repeat("1", i%7+1) + ", in f(n)\n----> 1 g(n)\n")
	}
	if got := Traceback(mutual.String()); strings.Count(got, "\n") != 2*mostFrames || !strings.Contains(got, "988 frames left out") {
		t.Errorf("got\n%s", got)
	}
}

func TestTextsOfOtherKernelsStay(t *testing.T) {
	for _, text := range []string{"", "Error in eval(expr): object 'x' not found\nTraceback:\n1. eval(x)", "UndefVarError: x not defined"} {
		if got := Traceback(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := tool.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

func TestBriefExecutions(t *testing.T) {
	x := catalog.Execution{
		Result: catalog.OK, ExecutionID: "e", SessionID: "s", Status: catalog.StatusOK, Code: "1 + 1", CodeKnown: true, ExecutionCount: 1,
		Text: "2", Images: []catalog.Image{}, Next: "0.0.0", ExecutionTimeMS: 12.5,
	}
	if got := marshal(t, Of(x, nil)); got != `{"success":true,"status":"ok","execution_id":"e","result":"2"}` {
		t.Errorf("got %s", got)
	}
	x.CodeKnown, x.Status, x.Hint = false, catalog.StatusRunning, "wait"
	if got := marshal(t, Of(x, nil)); got != `{"success":true,"status":"running","execution_id":"e","hint":"wait","code":"1 + 1","result":"2","next":"0.0.0"}` {
		t.Errorf("edited, running: %s", got)
	}
	x.Error = &catalog.ExecutionError{Code: catalog.CodeExecution, Message: strings.Repeat("m", 20_000)}
	x.Truncated = []catalog.Truncation{{Stream: "error.message", TotalBytes: 5_000_000, Reason: "cut"}, {Stream: "stdout", TotalBytes: 9, Reason: "dropped"}}
	b := execution(x, nil)
	if len(b.Error.Message) > mostMessage+100 || len(b.Truncated) != 2 || b.Truncated[1].TotalBytes != 5_000_000 || b.Truncated[0].Stream != "stdout" {
		t.Errorf("a long message: %d bytes, %+v", len(b.Error.Message), b.Truncated)
	}
	x.Error, x.Truncated = nil, []catalog.Truncation{{Stream: "output", Reason: "lost"}}
	if got := marshal(t, Of(x, nil)); !strings.Contains(got, `"truncated":[{"stream":"output","reason":"lost"}]`) {
		t.Errorf("of an unknown length: %s", got)
	}
}

func TestPicturesThatAreNotThereAreNamed(t *testing.T) {
	png := catalog.Image{ResourceURI: "jupyter://sessions/s/images/1.png", ImageID: "1", MIMEType: "image/png", Title: "A", Description: "Plot “A”", Path: "/1.png"}
	svg := catalog.Image{ResourceURI: "jupyter://sessions/s/images/2.svg", ImageID: "2", MIMEType: "image/svg+xml", Title: "B", Path: "/2.svg"}
	figure := catalog.Image{ResourceURI: "jupyter://sessions/s/images/3.json", ImageID: "3", MIMEType: "application/json", Title: "C", Description: "No picture: do this", Interactive: "plotly", Path: "/3.json"}
	for what, c := range map[string]struct {
		images []catalog.Image
		d      delivery
		want   string
		line   string
	}{
		"one that is there": {[]catalog.Image{png}, delivery{inlined: []string{png.ResourceURI}}, `[{"resource_uri":"jupyter://sessions/s/images/1.png","title":"A"}]`, ""},
		"one that is not":   {[]catalog.Image{png}, delivery{}, `[{"resource_uri":"jupyter://sessions/s/images/1.png","title":"A","path":"/1.png"}]`, "0 of 1 shown; get the others, which have a path, with get_image_resource"},
		"nothing wanted":    {[]catalog.Image{png}, delivery{unlinked: true}, `[{"resource_uri":"jupyter://sessions/s/images/1.png","title":"A"}]`, ""},
		"an SVG":            {[]catalog.Image{svg}, delivery{}, `[{"resource_uri":"jupyter://sessions/s/images/2.svg","title":"B","mime_type":"image/svg+xml","path":"/2.svg"}]`, "not shown, as it is an SVG: draw it as PNG with render_image, or read the file at path"},
		"a figure":          {[]catalog.Image{figure}, delivery{failed: true}, `[{"resource_uri":"jupyter://sessions/s/images/3.json","title":"C","description":"No picture: do this","path":"/3.json"}]`, ""},
		"a blind client":    {[]catalog.Image{png}, delivery{blind: true}, `[{"resource_uri":"jupyter://sessions/s/images/1.png","title":"A","path":"/1.png"}]`, "0 of 1 shown, as this client shows you none: view the file at path"},
	} {
		list, line := pictured(c.images, c.d)
		if got := marshal(t, list); got != c.want || line != c.line {
			t.Errorf("%s: got %s and %q", what, got, line)
		}
	}
}

func TestSelectedFilesHaveTheirCodeOnce(t *testing.T) {
	of := func(id, code string) catalog.SelectedFile {
		return catalog.SelectedFile{File: catalog.File{Image: catalog.Image{ResourceURI: "jupyter://sessions/s/images/" + id + ".png", MIMEType: "image/png", Title: id}}, Code: code, Client: "c"}
	}
	got := marshal(t, Of(catalog.GetSelectedFilesOut{Result: catalog.OK, SelectedBy: catalog.ByUser, Files: []catalog.SelectedFile{of("1", "a"), of("2", "a"), of("3", "")}}, nil))
	want := `{"success":true,"selected_by":"user","files":[` +
		`{"resource_uri":"jupyter://sessions/s/images/1.png","title":"1","code":"a","client":"c"},` +
		`{"resource_uri":"jupyter://sessions/s/images/2.png","title":"2","same_code_as_file":0},` +
		`{"resource_uri":"jupyter://sessions/s/images/3.png","title":"3","client":"c"}]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNotebookPagesAreBounded(t *testing.T) {
	o := catalog.NotebookReadOut{Result: catalog.OK, Total: 30}
	for i := range 30 {
		o.Cells = append(o.Cells, catalog.NotebookCell{Index: i, CellID: "c", CellType: "code", Source: strings.Repeat("x", 3_000)})
	}
	got := marshal(t, Of(o, nil))
	if len(got) > mostPage+2_000 || !strings.Contains(got, `"next_start":7,`) || !strings.Contains(got, "7 cells fit into this page; read on with start") {
		t.Errorf("%d bytes: …%s", len(got), got[len(got)-200:])
	}
}

func TestFailedChecksAreBrief(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "traceback_keyerror.txt"))
	require.NoError(t, err)
	whole := catalog.CheckReproducibilityOut{Check: catalog.Check{Cell: &catalog.CheckedCell{Error: &catalog.ExecutionError{Traceback: string(raw)}}}}
	brief, ok := Of(whole, nil).(catalog.CheckReproducibilityOut)
	if !ok || brief.Cell.Error.Traceback != Traceback(string(raw)) {
		t.Errorf("got %+v", brief)
	}
	if whole.Cell.Error.Traceback != string(raw) {
		t.Error("the result for other programs is brief, too")
	}
}

// TestBriefFormsKeepWhatClientsRelyOn covers the fields that a result has over MCP, too,
// however short it is.
func TestBriefFormsKeepWhatClientsRelyOn(t *testing.T) {
	at := time.Date(2026, 11, 27, 9, 30, 0, 5, time.UTC)
	for _, c := range []struct {
		out  any
		want string
	}{
		{
			catalog.SessionCreateOut{Result: catalog.OK, SessionID: "s", KernelID: "k", Status: "idle", CreatedAt: at, KernelName: "ir"},
			`{"success":true,"session_id":"s","kernel_id":"k","status":"idle","created_at":"2026-11-27T09:30:00Z","kernel_name":"ir"}`,
		},
		{
			catalog.SessionConnectOut{Result: catalog.OK, SessionID: "s", KernelID: "k", NotebookPath: "a.ipynb", Status: "busy", Connected: true},
			`{"success":true,"session_id":"s","kernel_id":"k","notebook_path":"a.ipynb","status":"busy","connected":true}`,
		},
		{
			catalog.GetVariablesOut{Result: catalog.OK, Variables: []catalog.Variable{{Name: "gen", Type: "generator", Size: "208 bytes", MemoryBytes: 208}}},
			`{"success":true,"variables":[{"name":"gen","type":"generator","size":"208 bytes"}]}`,
		},
		{
			catalog.GetCurrentFolderOut{Result: catalog.OK, Folder: "jupyter://sessions/s/", View: catalog.View{Folder: "jupyter://sessions/s/", Theme: "system", Window: "shown", Sort: catalog.ViewSort{By: "created", Order: "desc"}}},
			`{"success":true,"folder":"jupyter://sessions/s/","view":{"folder":"jupyter://sessions/s/","count":0,"matching":0}}`,
		},
	} {
		if got := marshal(t, Of(c.out, nil)); got != c.want {
			t.Errorf("%T\ngot  %s\nwant %s", c.out, got, c.want)
		}
	}
}

func TestTheServerIsNamedIfThereAreSeveral(t *testing.T) {
	for _, several := range []bool{false, true} {
		at := catalog.AtServer{Server: "gpu", Several: several}
		for _, o := range []any{
			catalog.SessionCreateOut{AtServer: at},
			catalog.SessionConnectOut{AtServer: at},
			catalog.NotebookCreateOut{AtServer: at},
			catalog.NotebookReadOut{AtServer: at},
			catalog.CellChanged{AtServer: at},
			catalog.NotebookDeleteCellOut{AtServer: at},
		} {
			if got := marshal(t, Of(o, nil)); strings.Contains(got, `"server":"gpu"`) != several {
				t.Errorf("%T with several servers %v: %s", o, several, got)
			}
			if got := marshal(t, o); !strings.Contains(got, `"server":"gpu"`) {
				t.Errorf("%T for other programs: %s", o, got)
			}
		}
	}
}

// TestNotebookToolsTakeAServer covers the parameter that models are not told of.
func TestNotebookToolsTakeAServer(t *testing.T) {
	for _, x := range []tool.Any{catalog.NotebookRead, catalog.NotebookAddCell, catalog.NotebookEditCell, catalog.NotebookMoveCell, catalog.NotebookDeleteCell, catalog.NotebookRunCell} {
		s := x.Spec()
		if s.In.Properties["server"] == nil || s.Listed().Properties["server"] != nil || s.Listed().Properties["path"] == nil {
			t.Errorf("%s: takes %v, listed %v", s.Name, s.In.Properties, s.Listed().Properties)
		}
	}
}

// TestRangesShowWhatEachCellDisplayed checks that models read the outputs of all cells of a range.
func TestRangesShowWhatEachCellDisplayed(t *testing.T) {
	ran := []catalog.RanCell{
		{Index: 1, Outputs: []catalog.Output{{Type: "stdout", Text: "loaded\n"}, {Type: "image", ImageID: "i1"}, {Type: "display", Text: "a <b>"}, {Type: "result", Text: "3"}}},
		{Index: 2},
		{Index: 3, ExecutionID: "x3", Cut: true, Outputs: []catalog.Output{{Type: "stdout", Text: "1"}, {Type: "stderr", Text: "2"}, {Type: "stdout", Text: "3"}}},
		{Index: 4, ExecutionID: "x4", Cut: true},
		{Index: 5},
	}
	want := `[{"cell":1,"stdout":"loaded\n","display":"a <b>","result":"3"},` +
		`{"cell":3,"outputs":[{"stdout":"1"},{"stderr":"2"},{"stdout":"3"}],"shortened":"get_execution x3 has all of it"},` +
		`{"cell":4,"shortened":"get_execution x4 has all of it"}]`
	if got, err := unescaped(earlierOf(ran)); err != nil || string(got) != want {
		t.Errorf("got %s, want %s: %v", got, want, err)
	}
}

func TestRangesAreBrief(t *testing.T) {
	ran := []catalog.RanCell{
		{Index: 1, Status: catalog.StatusOK, ExecutionID: "x1"},
		{Index: 3, Status: catalog.StatusOK, ExecutionID: "x3", Images: 2, Unsaved: true},
		{Index: 4, Status: catalog.StatusError, ExecutionID: "x4", Images: 1, Unsaved: true},
	}
	want := "cell 1 ok, cell 3 ok (outputs not saved into the notebook: get_execution x3), cell 4 failed"
	if got := ranOf(ran); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestErrorsThatAreOnlyShown is about errors with which the execution did not end, as in a captured cell.
func TestErrorsThatAreOnlyShown(t *testing.T) {
	shown := catalog.Output{Type: "error", Text: "KeyError   Traceback (most recent call last)\nCell In[1], line 2\n----> 2 a[1]\nKeyError: 'station 17'"}
	last := catalog.Output{Type: "error", Text: "ValueError: the end"}
	for name, test := range map[string]struct {
		e    catalog.Execution
		want string
	}{
		"one":         {catalog.Execution{Status: catalog.StatusOK, Outputs: []catalog.Output{{Type: "stdout", Text: "before\n"}, shown}}, "KeyError: 'station 17'"},
		"and the end": {catalog.Execution{Status: catalog.StatusError, Error: &catalog.ExecutionError{Type: "ValueError", Message: "the end"}, Outputs: []catalog.Output{shown, last}}, "KeyError: 'station 17'"},
		"the end":     {catalog.Execution{Status: catalog.StatusError, Error: &catalog.ExecutionError{Type: "ValueError", Message: "the end"}, Outputs: []catalog.Output{last}}, "the end"},
	} {
		raw, err := json.Marshal(execution(test.e, nil))
		require.NoError(t, err)
		if n := strings.Count(string(raw), test.want); n != 1 || strings.Count(string(raw), "the end") > 1 {
			t.Errorf("%s: %s", name, raw)
		}
	}
}
