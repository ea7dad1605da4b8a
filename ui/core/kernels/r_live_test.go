package kernels_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"sync/atomic"
	"testing"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
)

// inR starts a kernel of R.
func inR(t *testing.T) (*fixture, library.Session) {
	t.Helper()
	d := newFixture(t)
	s, err := d.Create(d.context(), kernels.NewSession{KernelName: "ir", Client: "test"})
	require.NoError(t, err)
	return d, library.Session{ID: s.ID, KernelID: s.KernelID}
}

const valuesInR = `
x <- 42; text <- "hé\"llo\n"; several <- c(a = 1, b = 2.5); f <- factor(c("a", "b", NA)); day <- as.Date("2026-01-03")
at <- as.POSIXct("2026-01-03 09:00:00.5", tz = "Asia/Tokyo"); yes <- TRUE; missing_ <- NA; nan <- NaN; inf <- -Inf; nothing <- NULL
m <- matrix(1:6, 2); l <- list(1, b = "x"); fn <- function(x, ...) x; q <- quote(a + b); z <- 1i
env <- new.env(); setClass("P", representation(x = "numeric")); s4 <- new("P", x = 1); r5 <- setRefClass("Acc", fields = list(b = "numeric"))$new(b = 1)
` + "`日本 語` <- 'ことば'; long <- strrep('x', 300); 売上 <- 1; 日本 <- 2; keys <- paste0('k', 1:150000)" + `
gaps <- c(1, NA, NaN, -Inf)
delayedAssign("lazy", stop("forced")); makeActiveBinding("active", function() stop("ran"), globalenv())
hostile <- structure(list(1), class = "hostile")
for (g in c("length", "print", "format", "dim", "names", "as.character", "[", "[[", "$", "str", "summary"))
  assign(paste0(g, ".hostile"), function(...) stop("a method ran"))
rm(g)
`

// TestLiveVariablesInR lists values of R's kinds, and has R's own object.size as the reference.
func TestLiveVariablesInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, valuesInR), catalog.StatusOK, "")
	vs, err := d.Variables(d.context(), s.ID, "")
	require.NoError(t, err)
	got := make(map[string]catalog.Variable)
	for _, v := range vs {
		got[v.Name] = v
	}
	for name, want := range map[string]string{
		"x": "numeric 1 item 42", "text": "character 1 item hé\"llo\n", "several": "numeric 2 items 1, 2.5", "f": "factor 3 items a, b, NA",
		"day": "Date 1 item 2026-01-03", "at": "POSIXct 1 item 2026-01-03T09:00:00.500000+09:00", "yes": "logical 1 item true",
		"missing_": "logical 1 item NA", "nan": "numeric 1 item NaN", "inf": "numeric 1 item -Infinity", "nothing": "NULL 0 items <nil>",
		"m": "matrix (2, 3) <nil>", "l": "list 2 items <nil>", "q": "call 3 items a + b", "z": "complex 1 item 0+1i", "env": "environment 0 items <nil>",
		"日本 語": "character 1 item ことば", "売上": "numeric 1 item 1", "日本": "numeric 1 item 2", "gaps": "numeric 4 items 1, NA, NaN, -Inf", "lazy": "promise  <nil>", "active": "active binding  <nil>", "hostile": "hostile 1 item <nil>",
	} {
		if v := got[name]; fmt.Sprintf("%s %s %v", v.Type, v.Size, v.Value) != want {
			t.Errorf("%s: got %+v, want %q", name, v, want)
		}
	}
	if v := got["fn"]; v.Type != "function" || v.Value != "function(x, ...)" {
		t.Errorf("a function: %+v", v)
	}
	if v := got["long"]; !v.Truncated || v.Value != strings.Repeat("x", 200) {
		t.Errorf("a long text: %+v", v)
	}
	if got["s4"].Type != "P" || got["r5"].Type != "Acc" {
		t.Errorf("objects: %+v, %+v", got["s4"], got["r5"])
	}
	var sizes map[string]int64
	said := d.run(s, "n <- c('x', 'several', 'f', 'day', 'm', 'l', 'text', 'keys'); cat(jsonlite::toJSON(lapply(mget(n), function(v) as.numeric(object.size(v))), auto_unbox = TRUE))")
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &sizes))
	for name, want := range sizes {
		if got[name].MemoryBytes != want {
			t.Errorf("%s takes %d B, object.size says %d", name, got[name].MemoryBytes, want)
		}
	}
	few, err := d.Variables(d.context(), s.ID, "MATRIX")
	if err != nil || len(few) != 1 || few[0].Name != "m" {
		t.Errorf("filtered by type: %+v, %v", few, err)
	}
}

// traces is what questions to a kernel must leave as it is.
const traces = "cat(digest::digest(list(ls(all.names = TRUE), search(), Filter(Negate(is.function), options()), dev.list(), dev.cur(), get0('.Random.seed'), .Last.value, " +
	"Sys.getenv(), getwd(), sink.number(), get0('last.warning', baseenv()), RNGkind(), loadedNamespaces())))"

// TestLiveReadingRLeavesNoTrace asks a kernel with everything that could change.
func TestLiveReadingRLeavesNoTrace(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, valuesInR+"set.seed(7); pdf(NULL); df <- data.frame(a = c(2, 1, NA)); get <- assign <- function(...) stop('masked'); 1 + 41; warning('kept')"), catalog.StatusOK, "")
	d.run(s, traces) // it loads digest
	before := d.run(s, traces).Stdout
	for range 2 {
		_, err := d.Variables(d.context(), s.ID, "")
		require.NoError(t, err)
		_, err = d.DataFrame(d.context(), s.ID, "df", 5, nil)
		require.NoError(t, err)
	}
	if after := d.run(s, traces).Stdout; after != before || before == "" {
		t.Errorf("the state was %s, and is %s", before, after)
	}
	first := d.run(s, "1")
	_, err := d.Variables(d.context(), s.ID, "")
	require.NoError(t, err)
	if next := d.run(s, "2"); next.ExecutionCount != first.ExecutionCount+1 {
		t.Errorf("run %d follows %d", next.ExecutionCount, first.ExecutionCount)
	}
}

// TestLiveDataFramesInR describes frames, with R's own figures as the reference.
func TestLiveDataFramesInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, `
df <- data.frame(n = 1:3, x = c(1.5, NA, Inf), s = c("b", NA, "a"), f = factor(c("u", "v", "u")), when = as.Date("2026-01-03") + 0:2, ok = c(TRUE, NA, FALSE))
df$at <- as.POSIXct("2026-01-03 09:00", tz = "Asia/Tokyo") + 0:2; names(df)[2] <- "n"; df$l <- list(1, "a", NULL); df$m <- matrix(1:6, 3); `+"df$`日 本` <- 1:3"+`
tb <- tibble::tibble(a = 1:2, b = list(1:3, "x")); dt <- data.table::data.table(k = c("v", "u"), n = 2:1, key = "k");
suppressMessages(library(dplyr)); by <- group_by(mtcars, cyl); cars2 <- mtcars; empty <- data.frame(); one <- 7
wide <- as.data.frame(matrix(0, 2, 2000))
`), catalog.StatusOK, "")
	info, err := d.DataFrame(d.context(), s.ID, "df", 2, nil)
	require.NoError(t, err)
	head, _ := json.Marshal(info.Head)
	if want := `[{"n":1,"n.1":1.5,"s":"b","f":"u","when":"2026-01-03","ok":true,"at":"2026-01-03T09:00:00+09:00","l":"1","m":"c(1, 4)","日 本":1},` +
		`{"n":2,"n.1":null,"s":null,"f":"v","when":"2026-01-04","ok":null,"at":"2026-01-03T09:00:01+09:00","l":"a","m":"c(2, 5)","日 本":2}]`; string(head) != want {
		t.Errorf("got  %s\nwant %s", head, want)
	}
	if got := fmt.Sprint(info.Type, info.Shape, info.Dtypes["at"], info.Dtypes["f"], info.Index == nil); got != "data.frame[3 10]POSIXct, Asia/Tokyofactortrue" {
		t.Errorf("got %s", got)
	}
	if got := info.Describe["s"]; got["count"] != 2.0 || got["nulls"] != 1.0 || got["unique"] != 2.0 {
		t.Errorf("texts: %v", got)
	}
	cars, err := d.DataFrame(d.context(), s.ID, "cars2", 1, []string{"m*", "zz"})
	require.NoError(t, err)
	var want map[string]float64
	said := d.run(s, "q <- quantile(mtcars$mpg); cat(jsonlite::toJSON(lapply(list(count = 32, nulls = 0, mean = mean(mtcars$mpg), std = sd(mtcars$mpg), min = q[[1]], `25%` = q[[2]], `50%` = q[[3]], `75%` = q[[4]], max = q[[5]], size = as.numeric(object.size(cars2))), function(x) structure(sprintf('%.17g', x), class = 'json')), json_verbatim = TRUE))")
	require.NoError(t, json.Unmarshal([]byte(said.Stdout), &want))
	if cars.MemoryBytes != int64(want["size"]) {
		t.Errorf("%d B, object.size says %v", cars.MemoryBytes, want["size"])
	}
	delete(want, "size")
	for key, v := range want {
		if cars.Describe["mpg"][key] != v {
			t.Errorf("%s: got %v, R says %v", key, cars.Describe["mpg"][key], v)
		}
	}
	if len(cars.Describe) != 1 || cars.Index == nil || string(cars.Index.Head[0]) != `"Mazda RX4"` || fmt.Sprint(cars.Notes) != "[no column is named zz]" {
		t.Errorf("chosen columns: %+v", cars)
	}
	tb, err := d.DataFrame(d.context(), s.ID, "tb", 1, nil)
	if err != nil || tb.Type != "tibble" || string(tb.Head[0]) != `{"a":1,"b":"c(1, 2, 3)"}` {
		t.Errorf("a tibble: %+v, %v", tb, err)
	}
	if dt, err := d.DataFrame(d.context(), s.ID, "dt", 2, nil); err != nil || dt.Type != "data.table" || string(dt.Head[0]) != `{"k":"u","n":1}` {
		t.Errorf("a data.table: %+v, %v", dt, err)
	}
	if by, err := d.DataFrame(d.context(), s.ID, "by", 1, []string{"mpg"}); err != nil || by.Type != "grouped tibble" || string(by.Head[0]) != `{"mpg":21}` {
		t.Errorf("a grouped tibble: %+v, %v", by, err)
	}
	if empty, err := d.DataFrame(d.context(), s.ID, "empty", 5, nil); err != nil || fmt.Sprint(empty.Shape) != "[0 0]" {
		t.Errorf("an empty one: %+v, %v", empty, err)
	}
	if wide, err := d.DataFrame(d.context(), s.ID, "wide", 1, nil); err != nil || len(wide.Columns) != 2000 || len(wide.Describe) > 500 {
		t.Errorf("a wide one: %d columns, %d described, %v", len(wide.Columns), len(wide.Describe), err)
	}
	if _, err := d.DataFrame(d.context(), s.ID, "one", 5, nil); !errors.Is(err, inspect.ErrNoFrame) || !strings.Contains(err.Error(), "numeric") {
		t.Errorf("a number: %v", err)
	}
	if _, err := d.DataFrame(d.context(), s.ID, "nowhere", 5, nil); !errors.Is(err, inspect.ErrNoVariable) {
		t.Errorf("nothing: %v", err)
	}
}

// TestLiveRIsBusy asks while code runs, and after it was interrupted.
func TestLiveRIsBusy(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	d.run(s, "kept <- 5")
	x := d.start(s, "cat('begun'); while (TRUE) Sys.sleep(0.05)")
	d.until(x, hasStdout)
	if _, err := d.Variables(d.context(), s.ID, ""); !errors.Is(err, jupyter.ErrKernelBusy) {
		t.Errorf("while a loop runs: %v", err)
	}
	_, err := d.InterruptSession(d.context(), s.ID, false)
	require.NoError(t, err)
	if v := d.wait(x); v.Status != catalog.StatusInterrupted {
		t.Errorf("got %s, %+v", v.Status, v.Error)
	}
	if vs, err := d.Variables(d.context(), s.ID, ""); err != nil || len(vs) != 1 || vs[0].Name != "kept" {
		t.Errorf("afterwards: %+v, %v", vs, err)
	}
}

// TestLiveTitlesInR draws with base graphics and ggplot2.
func TestLiveTitlesInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	v := d.run(s, "plot(1:3, main = 'Rain')\nhist(c(1, 2, 2), main = \"Wind\")\nlibrary(ggplot2)\nggplot(mtcars, aes(wt, mpg)) +\n  geom_point() +\n  labs(title = \"Weight\")")
	var titles []string
	for _, im := range v.Images {
		titles = append(titles, im.Title)
	}
	if got := fmt.Sprintf("%q", titles); got != `["Rain" "Wind" "Weight"]` {
		t.Errorf("got %s, %+v", got, v.Error)
	}
}

// TestLivePlotsOfRAreDrawnAgain keeps plots of base graphics, lattice and ggplot2, and draws them in other sizes and formats.
func TestLivePlotsOfRAreDrawnAgain(t *testing.T) {
	t.Parallel()
	base := newFixture(t)
	var keeps atomic.Bool
	keeps.Store(true)
	d := openFixtureOf(t, base.client, 1, func(m *kernels.Manager) { m.KeepFigures(nil, func(bool) bool { return keeps.Load() }) })
	v, err := d.Create(d.context(), kernels.NewSession{KernelName: "ir", Client: "test"})
	require.NoError(t, err)
	s := library.Session{ID: v.ID, KernelID: v.KernelID}
	poll(d, "plots are kept", func(context.Context) (string, bool) {
		err := d.FindFigure(d.context(), s.ID, []string{"00"})
		none, ok := errors.AsType[*inspect.NoFigureError](err)
		return fmt.Sprint(err), ok && none.Reason == inspect.FigureUnknown
	})
	if !d.Unmarked(s.ID) {
		t.Error("the kernel is not known to draw plots again")
	}
	for code, title := range map[string]string{
		"main <- paste('Rain in', 2026)\nplot(1:9, main = main)":                                          "Rain in 2026", // the code does not say it
		"par(mfrow = c(1, 2)); hist(c(1, 2, 2), main = 'A'); hist(1:3, main = 'B'); par(mfrow = c(1, 1))": "A · B",
		"library(ggplot2); ggplot(mtcars, aes(wt, mpg)) + geom_point() + ggtitle(paste('Weight', 1))":     "Weight 1",
		"lattice::xyplot(mpg ~ wt, mtcars, main = paste('Lattice', 1))":                                   "Lattice 1",
	} {
		im, data := d.shown(t, s, code)
		if im.Title != title {
			t.Errorf("%s: the title is %q", code, im.Title)
		}
		hash := fmt.Sprintf("%x", sha256.Sum256(data))
		same, err := d.DrawFigure(d.context(), s.ID, inspect.FigureRequest{Hashes: []string{hash}, Format: "png"})
		if err != nil || !bytes.Equal(same.Data, data) {
			t.Errorf("%s: as displayed: %d bytes of %d, %v", code, len(same.Data), len(data), err)
		}
		other, err := d.DrawFigure(d.context(), s.ID, inspect.FigureRequest{Hashes: []string{hash}, Format: "png", Width: 4, Height: 2, DPI: 100, Look: 200})
		require.NoError(t, err)
		size, err := png.DecodeConfig(bytes.NewReader(other.Data))
		if err != nil || size.Width != 400 || size.Height != 200 || other.PreviewDPI != 50 {
			t.Errorf("%s: %d×%d, %v, preview %v", code, size.Width, size.Height, err, other.PreviewDPI)
		}
		for format, sign := range map[string]string{"svg": "<svg", "pdf": "%PDF", "jpeg": "\xff\xd8"} {
			drawn, err := d.DrawFigure(d.context(), s.ID, inspect.FigureRequest{Hashes: []string{hash}, Format: format, Width: 5})
			if err != nil || !bytes.Contains(drawn.Data[:min(len(drawn.Data), 200)], []byte(sign)) || drawn.Width != 5 {
				t.Errorf("%s as %s: %.20q, %v", code, format, drawn.Data, err)
			}
		}
	}
	_, data := d.shown(t, s, "plot(3:1, main = 'Last')")
	d.run(s, "pdf(NULL); pdf(NULL); invisible(dev.set(2)); set.seed(1)")
	d.run(s, traces)
	was := d.run(s, traces).Stdout
	if _, err := d.DrawFigure(d.context(), s.ID, inspect.FigureRequest{Hashes: []string{fmt.Sprintf("%x", sha256.Sum256(data))}, Format: "svg"}); err != nil {
		t.Error(err)
	}
	if now := d.run(s, traces).Stdout; now != was {
		t.Error("drawing a plot changed the kernel")
	}
	for _, q := range []struct {
		inspect.FigureRequest
		why inspect.NoFigure
	}{{inspect.FigureRequest{Theme: "dark"}, inspect.FigureFixed}, {inspect.FigureRequest{Part: [4]float64{0, 0, 0.5, 0.5}}, inspect.FigureSlow}} {
		q.Hashes, q.Format = []string{fmt.Sprintf("%x", sha256.Sum256(data))}, "png"
		_, err := d.DrawFigure(d.context(), s.ID, q.FigureRequest)
		if none, ok := errors.AsType[*inspect.NoFigureError](err); !ok || none.Reason != q.why {
			t.Errorf("%+v: %v", q, err)
		}
	}
	if v := d.run(s, "for (i in 1:40) plot(i)"); len(v.Images) != 40 {
		t.Errorf("%d plots of 40, %+v", len(v.Images), v.Error)
	}
	err = d.FindFigure(d.context(), s.ID, []string{fmt.Sprintf("%x", sha256.Sum256(data))})
	if none, ok := errors.AsType[*inspect.NoFigureError](err); !ok || none.Reason != inspect.FigureOld {
		t.Errorf("after 40 others: %v", err)
	}
}

// TestLiveNamesInR lists variables whose names R marks with no encoding, so that its order() refuses them.
func TestLiveNamesInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, "売上 <- 1; 日本 <- 2; `é` <- 3; naïve <- 4"), catalog.StatusOK, "")
	vs, err := d.Variables(d.context(), s.ID, "")
	require.NoError(t, err)
	if len(vs) != 4 || vs[0].Name != "naïve" || vs[3].Name != "日本" {
		t.Errorf("got %+v", vs)
	}
}

// TestLiveRSaysWhatHappened after quit(), a plot that cannot be drawn, and an error in a function of an earlier cell.
func TestLiveRSaysWhatHappened(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	d.run(s, "kept <- 1\nf <- function(a) {\n  stop('bad ', a)\n}")
	for code, want := range map[string]string{
		"quit()": "The code asked to end its kernel, which still runs, with all variables. ",
		"library(ggplot2); ggplot(mtcars, aes(nope, mpg)) + geom_point()": "A value, such as a plot, could not be displayed: stderr says why.",
		"1\nf(2)": "The error is in the function f, line 3 of the cell that defined it\nIt was called from line 2 of the code: f(2)",
	} {
		x := d.run(s, code)
		if !strings.HasPrefix(x.Hint, want) {
			t.Errorf("%s: %s, hint %q", code, x.Status, x.Hint)
		}
	}
	if x := d.run(s, "kept"); x.Status != catalog.StatusOK {
		t.Errorf("after quit(): %+v", x)
	}
}
