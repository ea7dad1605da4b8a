package report_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"image"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/core/report"
)

const plotlyMIME = "application/vnd.plotly.v1+json"

// livePages returns pages that contain the same large library.
type livePages struct{}

func (livePages) Live(_ string, data []byte) ([]byte, []string, error) {
	if string(data) == "{bad}" {
		return nil, nil, &render.RefusedError{Reason: "its data is not a JSON object"}
	}
	library := "data:text/javascript;charset=utf-8;base64," + strings.Repeat("QUFB", 2000)
	return []byte(`<script src="` + library + `"></script><script>draw(` + string(data) + `)</script>`), []string{"https://tiles.example"}, nil
}

func add(t *testing.T, lib *library.Library, n library.NewImage) string {
	t.Helper()
	n.SessionID = "s1"
	if n.Code != "" {
		n.ExecutionID = "x1"
		require.NoError(t, lib.Executions.Put(t.Context(), library.Execution{ID: n.ExecutionID, SessionID: "s1", Status: "ok", Code: n.Code, CreatedAt: time.Now()}))
	}
	im, err := lib.Images.Add(t.Context(), n)
	require.NoError(t, err)
	return im.ImageID
}

func pngOf(t *testing.T, w int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, 10))))
	return b.Bytes()
}

func TestWrite(t *testing.T) {
	lib := coretest.Open(t)
	plain := add(t, lib, library.NewImage{Title: "売上 <b>&", Code: "print('</script>')\n", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 30)}}})
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetNote("Look at\nMarch <script>alert(1)</script>") }, plain)
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetTags([]string{"keep"}, nil) }, plain)
	coretest.Mark(t, lib.Annotations, func(m *library.Marks) error { return m.SetRating(3) }, plain)
	figure := func(data string) string {
		return add(t, lib, library.NewImage{Interactive: picture.Plotly, Forms: []library.Form{{MIME: plotlyMIME, Data: []byte(data)}}})
	}
	first, second, bad := figure(`{"a":"</script>"}`), figure(`{"b":1}`), figure("{bad}")

	var b bytes.Buffer
	var steps []string
	got, err := report.Write(t.Context(), &b, lib.Images, livePages{}, report.Options{
		Title: "四半期", IDs: []string{plain, first, "gone", second, bad}, Language: "ja", Code: true, Notes: true, Timings: true, Interactive: true, Now: time.Date(2026, 11, 25, 9, 30, 0, 0, time.UTC),
		Name:     func(im library.Image) string { return fmt.Sprintf("プロット %d", im.N) },
		Progress: func(done, total int) { steps = append(steps, fmt.Sprint(done, "/", total)) },
	})
	if err != nil || got.Plots != 4 || got.Interactive != 2 || len(got.Missing) != 1 || got.Missing[0] != "gone" {
		t.Fatalf("%+v, %v", got, err)
	}
	if want := "[1/5 2/5 3/5 4/5 5/5]"; fmt.Sprint(steps) != want {
		t.Errorf("progress %v, want %s", steps, want)
	}
	text := b.String()
	for _, want := range []string{
		`<html lang="ja">`, "<title>四半期</title>", "売上 &lt;b&gt;&amp;", "★★★", "<li>keep</li>", "March &lt;script&gt;", "data:image/png;base64,",
		"print(&#39;&lt;/script&gt;&#39;)", "操作する", "プロット 2", "https://tiles.example", "<li>gone</li>", "2026-11-25 09:30",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if n := strings.Count(text, strings.Repeat("QUFB", 2000)); n != 1 {
		t.Errorf("the library of two figures is in the report %d times", n)
	}
	if n := strings.Count(text, "easel-library-0-"); n != 2 {
		t.Errorf("%d figures refer to it", n)
	}
	if strings.Contains(text, `draw({"a":"</script>`) {
		t.Error("a figure ends the script that contains it")
	}
}

// TestTheDataIsBesideThePicture follows the link to the values as a browser does.
func TestTheDataIsBesideThePicture(t *testing.T) {
	lib := coretest.Open(t)
	ids := make([]string, 4)
	for i, title := range []string{"Whole <A>", "Sample", "Large", "None"} {
		ids[i] = add(t, lib, library.NewImage{Title: title, Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 5+i)}}})
	}
	const csv = "series,x,y\r\n\"a, b\",1,0.30000000000000004\r\n"
	values := func(_ context.Context, im library.Image) ([]byte, bool) {
		switch im.ImageID {
		case ids[2]:
			return bytes.Repeat([]byte("1,2\r\n"), 1<<19), false
		case ids[3]:
			return nil, false
		}
		return []byte(csv), im.ImageID == ids[1]
	}
	var b bytes.Buffer
	o := report.Options{Title: "T", IDs: ids, Language: "en", Values: values}
	if _, err := report.Write(t.Context(), &b, lib.Images, nil, o); err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`<a class="data" download="([^"]+)" href="data:text/csv;charset=utf-8;base64,([^"]+)">Data \(CSV\)</a>(.*)</p>`).FindAllStringSubmatch(b.String(), -1)
	if len(links) != 2 {
		t.Fatalf("%d links to data, want 2", len(links))
	}
	for i, link := range links {
		data, err := base64.StdEncoding.DecodeString(html.UnescapeString(link[2]))
		if err != nil || string(data) != csv || html.UnescapeString(link[1]) != []string{"Whole <A>.csv", "Sample.csv"}[i] || strings.Contains(link[3], "a sample") != (i == 1) {
			t.Errorf("%d: %q of %q, then %q, %v", i, data, link[1], link[3], err)
		}
	}
	if !strings.Contains(b.String(), "The data is too large for this page.") {
		t.Error("it does not say that the data is too large")
	}
	o.Print = &report.Print{Picture: func(context.Context, library.Image) string { return "https://p" }}
	b.Reset()
	if _, err := report.Write(t.Context(), &b, lib.Images, nil, o); err != nil || strings.Contains(b.String(), "text/csv") {
		t.Errorf("what is printed has data: %v", err)
	}
}

func TestWriteWithoutCodeAndFigures(t *testing.T) {
	lib := coretest.Open(t)
	id := add(t, lib, library.NewImage{Title: "A", Code: "secret()", Interactive: picture.Plotly, Forms: []library.Form{{MIME: plotlyMIME, Data: []byte(`{"c":1}`)}}})
	var b bytes.Buffer
	got, err := report.Write(t.Context(), &b, lib.Images, livePages{}, report.Options{Title: "T", IDs: []string{id}, Language: "en"})
	if err != nil || got.Plots != 1 || got.Interactive != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if text := b.String(); strings.Contains(text, "secret()") || strings.Contains(text, "draw(") || !strings.Contains(text, "This figure has no picture.") {
		t.Error("the report has code or data that were not wanted, or does not say that there is no picture")
	}
	if !strings.Contains(b.String(), " · 1 plot<") {
		t.Error("one plot is not counted as one")
	}
}

func TestWriteEnds(t *testing.T) {
	lib := coretest.Open(t)
	id := add(t, lib, library.NewImage{Title: "A", Forms: []library.Form{{MIME: picture.PNG, Data: pngOf(t, 5)}}})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := report.Write(ctx, new(bytes.Buffer), lib.Images, livePages{}, report.Options{IDs: []string{id, id, id}, Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := report.Write(t.Context(), new(bytes.Buffer), lib.Images, livePages{}, report.Options{IDs: []string{"gone"}}); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("no plots: %v", err)
	}
	full := errors.New("disk full")
	if _, err := report.Write(t.Context(), failing{full}, lib.Images, livePages{}, report.Options{IDs: []string{id}}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
