package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/collection"
	"easel/ui/core/coretest"
	"easel/ui/core/export"
	"easel/ui/core/library"
	"easel/ui/core/picture"
)

var now = time.Date(2026, 11, 25, 9, 30, 0, 0, time.UTC)

func add(t *testing.T, lib *library.Library, n library.NewImage) string {
	t.Helper()
	n.SessionID = "s1"
	im, err := lib.Images.Add(t.Context(), n)
	require.NoError(t, err)
	return im.ImageID
}

// pngOf returns a picture that differs for each shade.
func pngOf(t *testing.T, shade int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 30, 10))
	m.Set(shade%30, shade/30%10, color.RGBA{R: byte(shade), G: byte(shade >> 8), B: 9, A: 255})
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func manifestOf(t *testing.T, dir string) (m export.Manifest) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&m))
	return m
}

// intact checks that a file has the size and hash that the manifest says.
func intact(t *testing.T, dir string, f export.File) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, f.Name))
	require.NoError(t, err)
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 || int64(len(data)) != f.Bytes {
		t.Errorf("%s is not the file that the manifest describes", f.Name)
	}
	return data
}

func TestFolder(t *testing.T) {
	lib := coretest.Open(t)
	require.NoError(t, lib.Sessions.Put(t.Context(), library.Session{ID: "s1", KernelName: "python3", Name: "解析", CreatedAt: now}))
	run := library.Execution{ID: "x1", SessionID: "s1", Status: "ok", Code: "plot('売上')\n\n", CreatedAt: now, StartedAt: now, EndedAt: now.Add(2 * time.Second)}
	require.NoError(t, lib.Executions.Put(t.Context(), run))
	original := pngOf(t, 1)
	first := add(t, lib, library.NewImage{Title: `売上 a/b: "x"?.`, ExecutionID: "x1", Client: "claude", Forms: []library.Form{{MIME: picture.PNG, Data: original}}})
	figure := []byte(`{"data":[],"layout":{}}`)
	second := add(t, lib, library.NewImage{Interactive: picture.Plotly, Forms: []library.Form{
		{MIME: picture.PNG, Data: pngOf(t, 2)}, {MIME: "application/vnd.plotly.v1+json", Data: figure}, {MIME: "text/html", Data: []byte("<p>")},
	}})
	third := add(t, lib, library.NewImage{Title: "=1+1", Forms: []library.Form{{MIME: picture.SVG, Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="4"/>`)}}})
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetNote("三月\n\"見る\"") }, first)
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetRating(4) }, first)
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetTags([]string{"keep"}, nil) }, first)

	to := filepath.Join(t.TempDir(), "図")
	var steps []string
	o := export.Options{
		Title: "四半期", IDs: []string{first, "gone", second, third}, Code: true, Notes: true, Timings: true, Made: "Easel", Now: now,
		Name:     func(im library.Image) string { return fmt.Sprintf("プロット %d", im.N) },
		Progress: func(done, total int) { steps = append(steps, fmt.Sprint(done, "/", total)) },
	}
	got, err := export.Folder(t.Context(), to, collection.New(lib, slog.New(slog.DiscardHandler)), o)
	if err != nil || got.Path != to || got.Plots != 3 || !slices.Equal(got.Missing, []string{"gone"}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if want := "[1/4 2/4 3/4 4/4]"; fmt.Sprint(steps) != want {
		t.Errorf("progress %v, want %s", steps, want)
	}
	const a, b, c = "001 売上 a-b- -x--", "002 プロット 2", "003 =1+1"
	want := []string{a + ".png", a + ".py", b + ".html", b + ".plotly.json", b + ".png", c + ".svg", "index.csv", "manifest.json"}
	if all := names(t, to); !slices.Equal(all, want) {
		t.Fatalf("files %q, want %q", all, want)
	}
	var size int64
	for _, name := range want {
		info, err := os.Stat(filepath.Join(to, name))
		require.NoError(t, err)
		size += info.Size()
	}
	if size != got.Bytes {
		t.Errorf("%d bytes, reported %d", size, got.Bytes)
	}

	m := manifestOf(t, to)
	parts := []any{1, "四半期", "Easel", 3, []string{"gone"}}
	if diff := cmp.Diff(parts, []any{m.Version, m.Title, m.Made, len(m.Plots), m.Missing}); diff != "" || !m.Created.Equal(now) {
		t.Errorf("manifest of %v (-want +got):\n%s", m.Created, diff)
	}
	if len(m.Sessions) != 1 || m.Sessions[0].ID != "s1" || m.Sessions[0].Name != "解析" || m.Sessions[0].Kernel != "python3" {
		t.Errorf("sessions %+v", m.Sessions)
	}
	p := m.Plots[0]
	parts = []any{first, 30, 10, "s1", "x1", "claude", 4, []string{"keep"}, "三月\n\"見る\""}
	if diff := cmp.Diff(parts, []any{p.ImageID, p.Width, p.Height, p.Session, p.Execution, p.Client, p.Rating, p.Tags, p.Note}); diff != "" {
		t.Errorf("plot (-want +got):\n%s", diff)
	}
	if p.Started == nil || p.Ended.Sub(*p.Started) != 2*time.Second {
		t.Errorf("its execution ran from %v to %v", p.Started, p.Ended)
	}
	if !bytes.Equal(intact(t, to, p.File), original) {
		t.Error("the picture is not the original")
	}
	if code, err := os.ReadFile(filepath.Join(to, p.Code)); err != nil || string(code) != "plot('売上')\n" {
		t.Errorf("code %q, %v", code, err)
	}
	if q := m.Plots[1]; len(q.Others) != 2 || !bytes.Equal(intact(t, to, q.Others[0]), figure) {
		t.Errorf("the figure's data: %+v", q.Others)
	}
	table, err := os.ReadFile(filepath.Join(to, "index.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(table, []byte("\ufeff")))).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][1] != a+".png" || rows[1][11] != "三月\n\"見る\"" || rows[3][2] != "'=1+1" {
		t.Errorf("table %q, %v", rows, err)
	}
}

func TestFolderLeavesOut(t *testing.T) {
	lib := coretest.Open(t)
	require.NoError(t, lib.Executions.Put(t.Context(), library.Execution{ID: "x1", SessionID: "s1", Status: "ok", Code: "secret()", CreatedAt: now, StartedAt: now}))
	id := add(t, lib, library.NewImage{Title: "A", ExecutionID: "x1", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 1)}}})
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetNote("private") }, id)
	got, err := export.Folder(t.Context(), filepath.Join(t.TempDir(), "a"), collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: []string{id}, Now: now})
	require.NoError(t, err)
	for _, name := range names(t, got.Path) {
		data, err := os.ReadFile(filepath.Join(got.Path, name))
		if err != nil || bytes.Contains(data, []byte("secret")) || bytes.Contains(data, []byte("private")) || bytes.Contains(data, []byte("started")) {
			t.Errorf("%s has what was not wanted, or: %v", name, err)
		}
	}
}

// TestFolderNames exports titles that would collide or that some file system does not allow.
func TestFolderNames(t *testing.T) {
	lib := coretest.Open(t)
	titles := []string{"Same", "same", "CON", "a\u202egnp.exe", strings.Repeat("長", 100), "...", "tab\there", "e\u0301", "\u00e9"}
	var ids []string
	for i, title := range titles {
		ids = append(ids, add(t, lib, library.NewImage{Title: title, Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, i)}}}))
	}
	got, err := export.Folder(t.Context(), filepath.Join(t.TempDir(), "a"), collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: ids, Now: now})
	require.NoError(t, err)
	want := []string{
		"001 Same.png", "002 same.png", "003 CON.png", "004 agnp.exe.png", "005 " + strings.Repeat("長", 40) + ".png", "006.png", "007 tab here.png",
		"008 \u00e9.png", "009 \u00e9.png", "index.csv", "manifest.json",
	}
	if all := names(t, got.Path); !slices.Equal(all, want) {
		t.Errorf("files %q, want %q", all, want)
	}
}

// TestFolderExists does not change a folder or file that is already there.
func TestFolderExists(t *testing.T) {
	lib, dir := coretest.Open(t), t.TempDir()
	id := add(t, lib, library.NewImage{Title: "A", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 1)}}})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a (2)"), []byte("mine"), 0o600))
	got, err := export.Folder(t.Context(), filepath.Join(dir, "a"), collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: []string{id}, Now: now})
	if err != nil || got.Path != filepath.Join(dir, "a (3)") || len(names(t, filepath.Join(dir, "a"))) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFolderEnds leaves nothing behind when an export is cancelled or fails, and removes what
// a crash has left.
func TestFolderEnds(t *testing.T) {
	name := "[draft] *"
	if runtime.GOOS == "windows" {
		name = "[draft]" // a name contains no asterisk
	}
	lib, dir := coretest.Open(t), filepath.Join(t.TempDir(), name)
	require.NoError(t, os.Mkdir(dir, 0o700))
	id := add(t, lib, library.NewImage{Title: "A", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 1)}}})
	to := filepath.Join(dir, "a")
	crashed, running := filepath.Join(dir, ".easel-export-1"), filepath.Join(dir, ".easel-export-2")
	for path, at := range map[string]time.Time{crashed: now.Add(-25 * time.Hour), running: now.Add(-time.Hour)} {
		require.NoError(t, errors.Join(os.Mkdir(path, 0o700), os.Chtimes(path, at, at)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := export.Folder(ctx, to, collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: []string{id, id, id}, Now: now, Progress: func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := export.Folder(t.Context(), to, collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: []string{"gone"}, Now: now}); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("no plots: %v", err)
	}
	if _, err := export.Folder(t.Context(), filepath.Join(dir, "none", "a"), collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: []string{id}, Now: now}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if all := names(t, dir); !slices.Equal(all, []string{filepath.Base(running)}) {
		t.Errorf("left %q", all)
	}
}

func TestFolderOfManyPlots(t *testing.T) {
	lib := coretest.Open(t)
	const many = 200
	var ids []string
	for i := range many {
		ids = append(ids, add(t, lib, library.NewImage{Title: "図", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, i)}}}))
	}
	got, err := export.Folder(t.Context(), filepath.Join(t.TempDir(), "a"), collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{IDs: ids, Now: now})
	if err != nil || got.Plots != many {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, p := range manifestOf(t, got.Path).Plots {
		data, _, err := lib.Images.Read(t.Context(), ids[i])
		if err != nil || !bytes.Equal(intact(t, got.Path, p.File), data) {
			t.Errorf("plot %d is not the library's: %v", i, err)
		}
	}
}

// TestTheValuesOfPlotsAreBesideThem checks that the folder has them for the plots of which they are known.
func TestTheValuesOfPlotsAreBesideThem(t *testing.T) {
	lib := coretest.Open(t)
	known := add(t, lib, library.NewImage{Title: "A", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 1)}}, Facts: []byte("facts")})
	none := add(t, lib, library.NewImage{Title: "B", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 2)}}})
	to := filepath.Join(t.TempDir(), "out")
	values := func(_ context.Context, im library.Image) []byte {
		if im.Facts == nil {
			return nil
		}
		return []byte("x,y\r\n1,2\r\n")
	}
	if _, err := export.Folder(t.Context(), to, collection.New(lib, slog.New(slog.DiscardHandler)), export.Options{
		IDs: []string{known, none}, Made: "Easel", Now: now, Values: values,
	}); err != nil {
		t.Fatal(err)
	}
	m := manifestOf(t, to)
	if p := m.Plots[0]; len(p.Others) != 1 || p.Others[0].Name != "001 A.data.csv" && p.Others[0].Name != "1 A.data.csv" ||
		string(intact(t, to, p.Others[0])) != "x,y\r\n1,2\r\n" {
		t.Errorf("got %+v", m.Plots[0].Others)
	}
	if len(m.Plots[1].Others) != 0 {
		t.Errorf("a plot without values has %+v", m.Plots[1].Others)
	}
}
