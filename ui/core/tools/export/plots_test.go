package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/mask"
	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/redraw"
	"easel/ui/core/render/browser"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/export"
)

// An exporting is a library whose plots a test exports.
type exporting struct {
	t    *testing.T
	lib  *library.Library
	bus  *eventbus.Bus
	deps export.Deps
}

// exports returns a library. change may alter what exports need.
func exports(t *testing.T, change func(*export.Deps)) *exporting {
	t.Helper()
	lib := coretest.Open(t)
	x := &exporting{t: t, lib: lib, bus: eventbus.New()}
	x.deps = export.Deps{Library: collection.New(lib, slog.New(slog.DiscardHandler)), History: lib, Fonts: []string{"../../../../assets/fonts/NotoSansCJKjp-Regular-subset.otf"}}
	if change != nil {
		change(&x.deps)
	}
	export.Register(&chain.Chain{Bus: x.bus, Store: state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})}, x.deps)
	t.Cleanup(func() { require.NoError(t, x.bus.Close(context.Background())) })
	return x
}

// printing gives an export the user's browser, or skips the test.
func printing(t *testing.T) func(*export.Deps) {
	t.Helper()
	if _, err := browser.Find(""); err != nil {
		t.Skip("no browser to test with: ", err)
	}
	e := browser.New(browser.Config{TimeLimit: 5 * time.Minute})
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return func(d *export.Deps) { d.Printer = e }
}

// add adds a plot with its code, and returns its id and the hash of its pixels in RGB.
func (x *exporting) add(n int, title, code string) (id, pixels string) {
	x.t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 60, 40))
	var rgb []byte
	for y := range 40 {
		for c := range 60 {
			p := color.NRGBA{byte(n), byte(c * 4), byte(y*6 + n>>8), 255}
			m.SetNRGBA(c, y, p)
			rgb = append(rgb, p.R, p.G, p.B)
		}
	}
	var b bytes.Buffer
	require.NoError(x.t, png.Encode(&b, m))
	at := time.Now()
	run := library.Execution{ID: "x" + strconv.Itoa(n), SessionID: "s1", Status: "ok", Code: code, CreatedAt: at, StartedAt: at, EndedAt: at.Add(1200 * time.Millisecond)}
	require.NoError(x.t, x.lib.Executions.Put(x.t.Context(), run))
	im, err := x.lib.Images.Add(x.t.Context(), library.NewImage{SessionID: "s1", ExecutionID: run.ID, Title: title, Forms: []library.Form{{MIME: picture.PNG, Data: b.Bytes()}}})
	require.NoError(x.t, err)
	sum := sha256.Sum256(rgb)
	return im.ImageID, hex.EncodeToString(sum[:])
}

// A printed document, as pypdfium2 sees it.
type printed struct {
	Title    string
	Pages    []string // their text
	Sizes    [][2]float64
	Outline  []string
	Pictures []struct {
		Page   int
		Pixels string // SHA-256 of RGB
	}
}

func (x *exporting) look(path string) (saw printed) {
	x.t.Helper()
	look := exec.CommandContext(x.t.Context(), jupytertest.Python(x.t), filepath.Join("..", "..", "render", "browser", "testdata", "look_pdf.py"), path)
	look.Stderr = x.t.Output()
	said, err := look.Output()
	require.NoError(x.t, err)
	if err := json.Unmarshal(said, &saw); err != nil {
		x.t.Fatal(err, string(said))
	}
	return saw
}

// squeezed returns text without spaces, since PDFium guesses where spaces and lines are.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestLiveExportPDF(t *testing.T) {
	x := exports(t, printing(t))
	first, pixels := x.add(1, "売上の推移 & more", "def plot():\n    pass  # 折れ線 </code>\n"+strings.Repeat("values = [number * 2 for number in range(100) if number % 3 == 0]\n", 300))
	second, other := x.add(2, "分布", "hist()")
	coretest.Mark(t, x.lib.Annotations, func(m *library.Marks) error { return m.SetNote("三月を見る <b>") }, first)
	to := filepath.Join(t.TempDir(), "報告.pdf")
	in := command.ExportIn{Kind: command.ExportPDF, IDs: []string{first, "gone", second}, To: to, Title: `四半期 "Q3" </style>`, Language: "ja", Code: true, Notes: true, Timings: true, Paper: "letter"}
	out, err := command.Export.Ask(t.Context(), x.bus, in)
	if err != nil || out.Plots != 2 || len(out.Missing) != 1 || out.Path != to {
		t.Fatalf("%+v, %v", out, err)
	}
	saw := x.look(to)
	text := squeezed(strings.Join(saw.Pages, ""))
	if saw.Title != in.Title || saw.Sizes[0] != [2]float64{612, 792} || len(saw.Pages) < 4 {
		t.Errorf("title %q, size %v, %d pages", saw.Title, saw.Sizes[0], len(saw.Pages))
	}
	for _, want := range []string{"売上の推移 & more", "三月を見る <b>", "# 折れ線 </code>", "hist()", "実行時間 1.2s", "分布"} {
		if !strings.Contains(text, squeezed(want)) {
			t.Errorf("the text lacks %q: %.2000q", want, text)
		}
	}
	for i, page := range saw.Pages {
		if page := squeezed(page); !strings.Contains(page, strconv.Itoa(i+1)+"/"+strconv.Itoa(len(saw.Pages))) || !strings.Contains(page, `四半期"Q3"</style>`) {
			t.Errorf("page %d has no number or title: %.200q", i+1, page)
		}
	}
	if len(saw.Pictures) != 2 || saw.Pictures[0].Pixels != pixels || saw.Pictures[1].Pixels != other {
		t.Errorf("the pictures are not those of the library: %+v", saw.Pictures)
	}
	if got := strings.Join(saw.Outline, "|"); !strings.Contains(got, "売上の推移 & more|分布") {
		t.Errorf("the bookmarks are %s", got)
	}

	in.Appendix, in.Paper = true, ""
	if _, err := command.Export.Ask(t.Context(), x.bus, in); err != nil {
		t.Fatal(err)
	}
	saw = x.look(to)
	if last := saw.Pages[len(saw.Pages)-1]; !strings.Contains(squeezed(last), "hist()") || saw.Sizes[0][0] > 600 || len(saw.Pictures) != 2 || saw.Pictures[1].Page != 0 {
		t.Errorf("the code is not at the end, or the paper not A4: %v %+v %.200q", saw.Sizes[0], saw.Pictures, last)
	}
}

// TestLiveExportPDFWithVectors prints the picture that the kernel draws instead of the bitmap.
func TestLiveExportPDFWithVectors(t *testing.T) {
	asked := 0
	browser := printing(t)
	m := mask.New()
	m.Know([]mask.Secret{{Name: "DB_PASSWORD", Value: "q7zx-9431-kk0p"}})
	x := exports(t, func(d *export.Deps) {
		browser(d)
		d.Mask = func(string) *mask.Mask { return m }
		d.Redraw = func(_ context.Context, im library.Image, q redraw.Request) (redraw.Picture, error) {
			if asked++; im.Title == "gone" || asked > 2 {
				return redraw.Picture{}, &redraw.Error{Reason: redraw.Ended}
			}
			return redraw.Picture{Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40" width="60" height="40"><text x="2" y="20">` + q.Format + ` q7zx-9431-kk0p</text></svg>`)}, nil
		}
	})
	vector, _ := x.add(1, "vector", "")
	gone, pixels := x.add(2, "gone", "")
	later, _ := x.add(3, "later", "")
	to := filepath.Join(t.TempDir(), "a.pdf")
	if _, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: command.ExportPDF, IDs: []string{vector, gone, later}, To: to, Title: "T"}); err != nil {
		t.Fatal(err)
	}
	saw := x.look(to)
	if strings.Contains(saw.Pages[0], "q7z") || !strings.Contains(saw.Pages[0], "svg [ma") {
		t.Errorf("a text of the vector picture is not hidden: %s", saw.Pages[0])
	}
	if asked != 2 || !strings.Contains(saw.Pages[0], "svg") || len(saw.Pictures) != 2 || saw.Pictures[0].Pixels != pixels {
		t.Errorf("asked the kernel %d times; %+v", asked, saw)
	}
}

// TestLiveExportPDFWithStoredFigures: the session has ended, but not for the plots whose figures are stored.
func TestLiveExportPDFWithStoredFigures(t *testing.T) {
	var asked []bool
	browser := printing(t)
	x := exports(t, func(d *export.Deps) {
		browser(d)
		d.Redraw = func(_ context.Context, _ library.Image, q redraw.Request) (redraw.Picture, error) {
			if asked = append(asked, q.Stored); !q.Stored {
				return redraw.Picture{}, &redraw.Error{Reason: redraw.Ended}
			}
			return redraw.Picture{Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40" width="60" height="40"><text x="2" y="20">stored</text></svg>`)}, nil
		}
	})
	gone, pixels := x.add(1, "gone", "")
	stored, _ := x.add(2, "stored", "")
	later, _ := x.add(3, "gone, too", "")
	data, _, err := x.lib.Images.Read(t.Context(), stored)
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	if n, err := x.lib.Images.KeepFigure(t.Context(), hex.EncodeToString(sum[:]), []byte("a figure")); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	to := filepath.Join(t.TempDir(), "a.pdf")
	_, err = command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: command.ExportPDF, IDs: []string{gone, stored, later}, To: to, Title: "T"})
	require.NoError(t, err)
	saw := x.look(to)
	if !slices.Equal(asked, []bool{false, true}) || len(saw.Pictures) != 2 || saw.Pictures[0].Pixels != pixels || !strings.Contains(strings.Join(saw.Pages, " "), "stored") {
		t.Errorf("asked for stored figures: %v; %+v", asked, saw)
	}
}

func TestLiveExportPDFOfManyPlots(t *testing.T) {
	x := exports(t, printing(t))
	const many = 200
	var ids, pixels []string
	for i := range many {
		id, hash := x.add(i, "図 "+strconv.Itoa(i), "plot()")
		ids, pixels = append(ids, id), append(pixels, hash)
	}
	to := filepath.Join(t.TempDir(), "a.pdf")
	out, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: command.ExportPDF, IDs: ids, To: to, Title: "T", Code: true})
	if err != nil || out.Plots != many {
		t.Fatalf("%+v, %v", out, err)
	}
	saw := x.look(to)
	if len(saw.Pictures) != many {
		t.Fatalf("%d pictures", len(saw.Pictures))
	}
	for i, p := range saw.Pictures {
		if p.Pixels != pixels[i] {
			t.Errorf("picture %d of page %d is %d", i, p.Page, slices.Index(pixels, p.Pixels))
		}
	}
}

func TestLiveExportPDFIsCancelled(t *testing.T) {
	x := exports(t, printing(t))
	id, _ := x.add(1, "a", "")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := command.Export.Ask(ctx, x.bus, command.ExportIn{Kind: command.ExportPDF, IDs: []string{id, id}, To: filepath.Join(dir, "a.pdf"), Title: "T", Progress: func(done, _ int) {
		if done == 2 { // the document is written, and the browser starts
			cancel()
		}
	}})
	if err == nil {
		t.Error("a cancelled export succeeded")
	}
	if err := x.bus.Close(t.Context()); err != nil { // waits for the body, which Ask has left
		t.Fatal(err)
	}
	empty(t, dir)
}

func TestExportPDFWithoutABrowser(t *testing.T) {
	x := exports(t, func(d *export.Deps) { d.Printer = browser.New(browser.Config{Path: "/no/such/browser"}) })
	id, _ := x.add(1, "a", "")
	dir := t.TempDir()
	_, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: command.ExportPDF, IDs: []string{id}, To: filepath.Join(dir, "a.pdf")})
	failed, ok := errors.AsType[*tool.Error](err)
	if !ok || failed.Code != tool.NotExecutable || !strings.Contains(failed.Detail, "/no/such/browser") {
		t.Errorf("%v", err)
	}
	empty(t, dir)
}

func TestExportFolder(t *testing.T) {
	x := exports(t, nil)
	id, _ := x.add(1, "図", "plot()")
	to := filepath.Join(t.TempDir(), "a")
	in := command.ExportIn{Kind: command.ExportFolder, IDs: []string{id}, To: to, Title: "T", Code: true}
	out, err := command.Export.Ask(t.Context(), x.bus, in)
	if err != nil || out.Path != to || out.Plots != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	in.To = filepath.Join(to, "none", "a")
	_, err = command.Export.Ask(t.Context(), x.bus, in)
	if failed, ok := errors.AsType[*tool.Error](err); !ok || failed.Code != tool.FileNotFound {
		t.Errorf("no folder to write to: %v", err)
	}
}
