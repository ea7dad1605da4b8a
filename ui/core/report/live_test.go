package report_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render/page"
	"easel/ui/core/report"
)

// TestLiveReportInABrowser opens a report with a real Plotly figure in a real browser that
// has no network.
func TestLiveReportInABrowser(t *testing.T) {
	python := jupytertest.Python(t)
	if _, err := exec.LookPath("chromium-headless-shell"); err != nil {
		t.Skip("no browser to test with: ", err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").Output()
	require.NoError(t, err)
	libraries := &page.Libraries{Packages: func() []string { return []string{strings.TrimSpace(string(out))} }}
	lib := coretest.Open(t)
	plain := add(t, lib, library.NewImage{Title: "減衰振動", Code: "plot('</script>')", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 30)}}})
	figure := add(t, lib, library.NewImage{Title: "Bars", Interactive: picture.Plotly, Forms: []library.Form{
		{MIME: plotlyMIME, Data: []byte(`{"data":[{"type":"bar","x":["a","b"],"y":[4713,2]}],"layout":{"title":{"text":"Bars"}}}`)},
	}})
	if _, err := lib.Images.AddDrawing(t.Context(), figure, library.Drawing{PNG: pngOf(t, 60), Description: "Picture of an interactive Plotly figure, drawn by Easel"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "レポート & more.html")
	file, err := os.Create(path)
	require.NoError(t, err)
	got, err := report.Write(t.Context(), file, lib.Images, libraries, report.Options{Title: "四半期 & Q3", IDs: []string{plain, figure}, Language: "ja", Code: true, Notes: true, Timings: true, Interactive: true, Now: time.Now()})
	if err != nil || got.Interactive != 1 {
		t.Fatal(got, err)
	}
	require.NoError(t, file.Close())
	picture := filepath.Join(t.TempDir(), "report.png")
	if dir := os.Getenv("EASEL_TEST_PICTURES"); dir != "" {
		picture = filepath.Join(dir, "report.png")
	}
	look := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "look.py"), path, picture)
	look.Stderr = t.Output()
	said, err := look.Output()
	require.NoError(t, err)
	var saw struct {
		Title                                 string
		Pictures                              []int
		Headings                              []string
		Code, Hover, Outside, Origin, Network string
		Folded, Back                          bool
		Problems                              []string
	}
	if err := json.Unmarshal(said, &saw); err != nil {
		t.Fatal(err, string(said))
	}
	if saw.Title != "四半期 & Q3" || len(saw.Pictures) != 2 || saw.Pictures[0] != 30 || saw.Pictures[1] != 60 || strings.Join(saw.Headings, "|") != "減衰振動|Bars" {
		t.Errorf("the page shows %+v", saw)
	}
	if saw.Code != "plot('</script>')" || !saw.Folded {
		t.Errorf("the code is %q, folded %v", saw.Code, saw.Folded)
	}
	if !strings.Contains(saw.Hover, "4,713") && !strings.Contains(saw.Hover, "4713") || !saw.Back {
		t.Errorf("the interactive figure says %q, and the picture comes back: %v", saw.Hover, saw.Back)
	}
	if saw.Outside != "SecurityError" || saw.Origin != "null" || saw.Network != "TypeError" || len(saw.Problems) != 0 {
		t.Errorf("the figure reaches its page (%s), has origin %s, the network (%s); problems: %v", saw.Outside, saw.Origin, saw.Network, saw.Problems)
	}
}
