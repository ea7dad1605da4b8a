package mcphost

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Values as a real Easel has them: ids and paths cost the most tokens.
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
	trace, err := os.ReadFile(filepath.Join("catalog", "testdata", "traceback_keyerror.txt"))
	if err != nil {
		t.Fatal(err)
	}
	x := realRun(0)
	x.Success, x.Status = false, catalog.StatusError
	x.Error = &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "KeyError", Message: "'b'", Traceback: string(trace)}
	return x
}

// TestResultsCostFewTokens counts what a model reads of a result, without pictures.
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
		{"session_create", catalog.SessionCreateOut{Result: catalog.OK, SessionID: realSession, KernelID: "7c1d…", Status: "idle", CreatedAt: testTime, KernelName: "python3", Server: "managed"}, 80},
		{"one star", catalog.FilesOut{Result: catalog.OK, Files: list(1, realFile)}, 120},
		{"list_session_images", catalog.ListSessionImagesOut{Result: catalog.OK, Images: list(20, realImage), NextCursor: "01kaq3v8dx5m7n2c9r4tgw6h20"}, 2_000},
		{"get_files_in_view", catalog.GetFilesInViewOut{Result: catalog.OK, Files: list(20, realFile), Total: 50, Matching: 50, NextCursor: "01kaq3v8dx5m7n2c9r4tgw6h20", View: view}, 2_000},
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

// read returns what a model reads of an output without pictures. All pictures that the
// output asks for count as inlined.
func read(t *testing.T, out any) string {
	t.Helper()
	var inlined []string
	p, pictured := out.(tool.Picturer)
	if pictured {
		inlined, _ = p.Pictures()
	}
	text, err := briefText(out, inlined, pictured)
	if err != nil {
		t.Fatal(err)
	}
	all := string(text)
	if pictured {
		for _, l := range links(out, inlined) {
			raw, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
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
