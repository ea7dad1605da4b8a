package kernels_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
)

const tablesInR = `
df <- data.frame(n = c(3L, 1L, 2L), x = c(1.5, NA, Inf), s = c("b", NA, "a"), f = factor(c("u", NA, "t"), levels = c("u", "t")), ok = c(TRUE, NA, FALSE), check.names = FALSE)
df$when <- as.Date(c("2026-01-03", NA, "2026-01-02")); df$at <- as.POSIXct(c("2026-01-03 09:00", NA, "2026-01-02 08:30"), tz = "Asia/Tokyo")
df$took <- as.difftime(c(2, NA, 1), units = "hours"); df$l <- list("b", NULL, 1:9); df$z <- c(1i, NA, 2); ` + "df$`日 本` <- c('い', NA, 'あ')" + `
rownames(df) <- c("p", "q", "r"); tb <- tibble::as_tibble(df); m <- matrix(c(3, 1, 2, 30, 10, 20), 3); named <- matrix(1:4, 2, dimnames = list(c("u", "v"), c("a", "b")))
cube <- array(1:12, c(2, 3, 2)); v <- c(a = 3, b = 1, c = 2); texts <- c("b", NA, "a"); l <- list(3, "a", NULL); count <- table(c("x", "y", "y")); empty <- data.frame(); none <- character()
number <- function() 1; env <- new.env(); twice <- data.frame(a = 1:2, a = 3:4, check.names = FALSE); days <- as.POSIXlt(c("2026-01-03", "2026-01-02"), tz = "UTC")
`

// TestLiveTablesInR reads parts of tables, sorted by each column and filtered by a value of each.
func TestLiveTablesInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, tablesInR), catalog.StatusOK, "")
	d.run(s, traces) // it loads digest
	before := d.run(s, traces)
	for name, want := range map[string]string{
		"df": "data.frame 3×11 [\"\"]", "tb": "tibble 3×11 [\"\"]", "m": "matrix 3×2 [\"\"]", "named": "matrix 2×2 [\"\"]", "cube": "array 2×6 [\"\"]", "v": "numeric 3×1 [\"\"]",
		"texts": "character 3×1 [\"\"]", "l": "list 3×1 [\"\"]", "count": "table 2×1 [\"\"]", "empty": "data.frame 0×0 [\"\"]", "none": "character 0×1 [\"\"]",
		"twice": "data.frame 2×2 [\"\"]", "days": "POSIXlt 2×1 [\"\"]",
	} {
		r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
		shape := r.shape()
		if got := fmt.Sprintf("%s %d×%d %q", shape.Type, shape.Rows, shape.Columns, shape.Index); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		all := r.page(command.TableView{TableRef: r.ref})
		if len(all.Names) != shape.Columns || all.Matching != shape.Rows {
			t.Errorf("%s: %d columns of %d, %d rows of %d", name, len(all.Names), shape.Columns, all.Matching, shape.Rows)
		}
		for i, h := range r.heads() {
			if h.Failed != "" || h.Count != shape.Rows {
				t.Errorf("%s, %s: %+v", name, all.Names[i], h)
			}
		}
		for i := range all.Names {
			if name != "count" && name != "tb" { // its values are equal, or those of df
				r.checkColumn(all, i)
			}
		}
	}
	r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: "df", Epoch: "1"}}
	page := r.page(command.TableView{TableRef: r.ref})
	if got := fmt.Sprintf("%s %s %s %q %v", page.Cells[6], page.Cells[8], page.Cells[0], page.Index, page.Dtypes[6]); got !=
		`["2026-01-03T09:00:00+09:00" null "2026-01-02T08:30:00+09:00"] ["b" null "c(1, 2, 3, 4, 5, 6, … 9 items)"] [3 1 2] ["p" "q" "r"] {POSIXct, Asia/Tokyo date}` {
		t.Errorf("got %s", got)
	}
	many := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: "texts", Epoch: "1"}}
	if got := many.page(command.TableView{TableRef: many.ref, Sort: []command.TableSort{{}}}).Index; fmt.Sprint(got) != "[3 1 2]" {
		t.Errorf("the numbers of sorted rows: %v", got)
	}
	heads := r.heads()
	if h := heads[0]; string(h.Min) != "1" || string(h.Max) != "3" || fmt.Sprint(h.Bins) != "[1 1 1]" || *h.Mean != 2 {
		t.Errorf("numbers: %+v", h)
	}
	if h := heads[2]; h.Unique != 2 || h.Missing != 1 || string(h.Top[0][0]) != `"b"` || string(h.Top[0][1]) != "1" {
		t.Errorf("texts: %+v", h)
	}
	var found command.TableSearchOut
	r.ask("search", command.TableSearchIn{TableView: command.TableView{TableRef: r.ref}, Text: "02 08:30", Row: 0, Column: -1}, &found)
	if !found.Found || found.Row != 2 || found.Column != 6 {
		t.Errorf("found %+v", found)
	}
	r.ask("search", command.TableSearchIn{TableView: command.TableView{TableRef: r.ref}, Text: "本", Names: true}, &found)
	if !found.Found || found.Column != 10 {
		t.Errorf("a name: %+v", found)
	}
	for name, want := range map[string]error{"number": inspect.ErrNoTable, "env": inspect.ErrNoTable, "nowhere": inspect.ErrNoVariable} {
		ref := command.TableRef{SessionID: s.ID, Name: name}
		if err := kernels.Table(d.context(), d.Manager, s.ID, "shape", name, false, ref, new(command.TableShape)); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := d.run(s, traces); after.Stdout != before.Stdout {
		t.Error("reading tables changed the kernel")
	}
}

// TestLiveViewsAsCodeInR compares the rows of views with those that R selects, also by the code that Easel writes.
func TestLiveViewsAsCodeInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, tablesInR+"df$row <- 0:2; set.seed(1); many <- data.frame(g = sample(c('u', 'V', NA), 500, TRUE), x = round(rnorm(500), 1), d = as.Date('2026-01-01') + sample(0:90, 500, TRUE), row = 0:499)\n"+
		"many$at <- as.POSIXct('2026-03-29 00:00', tz = 'Europe/Berlin') + 3600 * sample(0:99, 500, TRUE); one <- data.frame(row = c(2, 0, 1))"), catalog.StatusOK, "")
	text := func(v string) json.RawMessage { return json.RawMessage(v) }
	for i, c := range []struct {
		name    string
		sort    []command.TableSort
		filters []command.TableFilter
		rows    string // R's own code for it; "": Easel writes code
	}{
		{"df", []command.TableSort{{Column: 1, Down: true}}, nil, ""},
		{"df", []command.TableSort{{Column: 3}}, nil, ""},
		{"one", []command.TableSort{{Column: 0}}, []command.TableFilter{{Column: 0, Op: command.FilterRange, Low: "1"}}, ""},
		{"many", []command.TableSort{{Column: 0}, {Column: 1, Down: true}}, nil, ""},
		{"many", []command.TableSort{{Column: 2, Down: true}}, []command.TableFilter{{Column: 0, Op: command.FilterNot, Value: text(`"u"`)}}, ""},
		{"many", nil, []command.TableFilter{{Column: 1, Op: command.FilterRange, Low: "-0.5", High: "0.5"}, {Column: 0, Op: command.FilterPresent}}, ""},
		{"many", nil, []command.TableFilter{{Column: 0, Op: command.FilterContains, Value: text(`"v"`)}}, ""},
		{"many", nil, []command.TableFilter{{Column: 2, Op: command.FilterIs, Value: text(`"2026-01-05"`)}}, ""},
		{"many", nil, []command.TableFilter{{Column: 1, Op: command.FilterIs, Value: text("0.1")}}, ""},
		{"many", nil, []command.TableFilter{{Column: 2, Op: command.FilterRange, Low: "2026-02", High: "2026-03"}}, "which(format(many$d, '%Y-%m') %in% c('2026-02', '2026-03'))"},
		{"many", nil, []command.TableFilter{{Column: 4, Op: command.FilterRange, Low: "2026-03-29", High: "2026-03-30"}}, "which(format(many$at, '%d') %in% c('29', '30'))"},
	} {
		r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: c.name, Epoch: fmt.Sprint(i)}}
		view := command.TableView{TableRef: r.ref, Sort: c.sort, Filters: c.filters}
		var page command.TablePage
		r.ask("page", command.TablePageIn{TableView: view, Rows: 500, Columns: 9}, &page)
		var out command.TableCode
		r.ask("code", view, &out)
		rows := c.rows + " - 1"
		if c.rows == "" {
			rows = "(" + out.Code + ")$row"
			if c.name == "one" {
				rows = "match((" + out.Code + ")$row, one$row) - 1"
			}
		}
		if x := d.run(s, "cat("+rows+")"); x.Stdout != strings.Trim(fmt.Sprint(page.At), "[]") || (out.Code == "") != (c.rows != "") {
			t.Errorf("%+v: %v, but %s (%q) is %q, %+v", c, page.At, rows, out.Code, x.Stdout, x.Error)
		}
	}
}

// TestLiveLargeTablesInR times a frame of a million rows and one of 2,000 columns.
func TestLiveLargeTablesInR(t *testing.T) {
	t.Parallel()
	d, s := inR(t)
	expect(t, d.run(s, "long <- data.frame(n = 1:1e6, x = (1:1e6) %% 1013 / 7, s = rep(c('a', 'b', NA, 'd'), 250000)); long$t <- as.POSIXct('2026-01-01', tz = 'UTC') + long$n; wide <- as.data.frame(matrix(1, 1000, 2000))"), catalog.StatusOK, "")
	for _, name := range []string{"long", "wide"} {
		r := tableReader{t, d, command.TableRef{SessionID: s.ID, Name: name, Epoch: "1"}}
		for what, ask := range map[string]func(){
			"shape": func() { r.shape() }, "page": func() { r.page(command.TableView{TableRef: r.ref}) }, "heads": func() { r.heads() },
			"sort": func() { r.page(command.TableView{TableRef: r.ref, Sort: []command.TableSort{{Column: 1, Down: true}}}) },
		} {
			began := time.Now()
			ask()
			took := time.Since(began)
			t.Logf("%s of %s: %v", what, name, took.Round(time.Millisecond))
			if took > 5*time.Second {
				t.Errorf("%s of %s took %v", what, name, took)
			}
		}
	}
	began := time.Now()
	if _, err := d.DataFrame(d.context(), s.ID, "long", 5, nil); err != nil {
		t.Error(err)
	}
	t.Logf("get_dataframe_info of long: %v", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	if vs, err := d.Variables(d.context(), s.ID, ""); err != nil || len(vs) != 2 {
		t.Errorf("%+v, %v", vs, err)
	}
	t.Logf("get_variables: %v", time.Since(began).Round(time.Millisecond))
}
