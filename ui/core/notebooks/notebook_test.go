package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/jupyter"
	"easel/mcphost/catalog"
)

func TestEditsWhileSomebodyElseWrites(t *testing.T) {
	for name, test := range map[string]struct {
		edit  func() *Edit
		other string // what somebody else writes between our read and write
		want  []string
		fails bool
	}{
		"nobody writes":                            {edit: func() *Edit { return EditCell(Ref{ID: "id-b"}, "B") }, want: []string{"a", "B", "c"}},
		"a cell before it is new":                  {edit: func() *Edit { return EditCell(Ref{Index: new(1)}, "B") }, other: book("new", "a", "b", "c"), want: []string{"new", "a", "B", "c"}},
		"the cell has another text":                {edit: func() *Edit { return EditCell(Ref{Index: new(1)}, "B") }, other: book("a", "b else", "c"), want: []string{"a", "b else", "c"}, fails: true},
		"the cell is gone":                         {edit: func() *Edit { return EditCell(Ref{Index: new(1)}, "B") }, other: book("a", "c"), want: []string{"a", "c"}, fails: true},
		"another cell has another text":            {edit: func() *Edit { return EditCell(Ref{Index: new(1)}, "B") }, other: book("a else", "b", "c"), want: []string{"a else", "B", "c"}},
		"deleting a cell that moved":               {edit: func() *Edit { return DeleteCell(Ref{Index: new(0)}) }, other: book("c", "b", "a"), want: []string{"c", "b"}},
		"deleting a cell that was changed":         {edit: func() *Edit { return DeleteCell(Ref{Index: new(0)}) }, other: book("a else", "b", "c"), want: []string{"a else", "b", "c"}, fails: true},
		"adding at the end":                        {edit: func() *Edit { return AddCell(Code, "z", nil) }, other: book("a", "b", "c", "d"), want: []string{"a", "b", "c", "d", "z"}},
		"adding behind a cell that moved":          {edit: func() *Edit { return AddCell(Code, "z", new(1)) }, other: book("new", "a", "b"), want: []string{"new", "a", "z", "b"}},
		"adding at the start":                      {edit: func() *Edit { return AddCell(Code, "z", new(0)) }, other: book("new", "a"), want: []string{"z", "new", "a"}},
		"adding behind a cell that is gone":        {edit: func() *Edit { return AddCell(Code, "z", new(1)) }, other: book("b", "c"), want: []string{"b", "c"}, fails: true},
		"moving while a text is changed":           {edit: func() *Edit { return MoveCell(Ref{Index: new(2)}, 0) }, other: book("a", "b else", "c"), want: []string{"c", "a", "b else"}},
		"moving while others are moved":            {edit: func() *Edit { return MoveCell(Ref{Index: new(2)}, 0) }, other: book("b", "a", "c"), want: []string{"b", "a", "c"}, fails: true},
		"somebody makes another notebook of it":    {edit: func() *Edit { return EditCell(Ref{Index: new(1)}, "B") }, other: book("x"), want: []string{"x"}, fails: true},
		"a position beyond the end is at the end":  {edit: func() *Edit { return AddCell(Markdown, "z", new(99)) }, want: []string{"a", "b", "c", "z"}},
		"moving beyond the end is to the end":      {edit: func() *Edit { return MoveCell(Ref{Index: new(0)}, 99) }, want: []string{"b", "c", "a"}},
		"moving a cell down gives it that index":   {edit: func() *Edit { return MoveCell(Ref{Index: new(0)}, 1) }, want: []string{"b", "a", "c"}},
		"editing with the same text keeps outputs": {edit: func() *Edit { return EditCell(Ref{Index: new(0)}, "a") }, want: []string{"a", "b", "c"}},
	} {
		for _, hash := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, hash %t", name, hash), func(t *testing.T) {
				d := &disk{files: map[string]string{"n.ipynb": book("a", "b", "c")}, hash: hash}
				d.between = func(d *disk) {
					if test.other != "" {
						d.files["n.ipynb"] = test.other
						d.mtime++
					}
					d.between = nil
				}
				err := new(Files).Edit(t.Context(), d, "n.ipynb", yes, test.edit().Apply)
				if (err != nil) != test.fails || err != nil && !errors.Is(err, ErrChanged) {
					t.Fatalf("got %v, want failure %t", err, test.fails)
				}
				if diff := cmp.Diff(test.want, sources(t, d.files["n.ipynb"])); diff != "" {
					t.Errorf("cells (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestEditGivesUpIfSomebodyWritesAgainAndAgain(t *testing.T) {
	d := &disk{files: map[string]string{"n.ipynb": book("a")}, hash: true}
	n := 0
	d.between = func(d *disk) {
		n++
		d.files["n.ipynb"] = book("a", fmt.Sprint(n))
	}
	err := new(Files).Edit(t.Context(), d, "n.ipynb", yes, AddCell(Code, "z", nil).Apply)
	if !errors.Is(err, ErrChanged) || d.writes != 0 || n != attempts {
		t.Fatalf("got %v after %d readings and %d writes", err, n, d.writes)
	}
}

func TestAWriteThatAReaderUndidIsMadeAgain(t *testing.T) {
	for _, hash := range []bool{true, false} {
		d := &disk{files: map[string]string{"n.ipynb": book("a")}, hash: hash, undo: 2}
		var f Files
		require.NoError(t, f.Edit(t.Context(), d, "n.ipynb", yes, EditCell(Ref{ID: "id-a"}, "A").Apply))
		if got := sources(t, d.files["n.ipynb"]); !slices.Equal(got, []string{"A"}) {
			t.Errorf("got %q", got)
		}
		d.undo = 9
		if err := f.Edit(t.Context(), d, "n.ipynb", yes, EditCell(Ref{ID: "id-a"}, "B").Apply); errors.Is(err, ErrChanged) != hash {
			t.Errorf("a write that is lost again and again, with a hash %v: %v", hash, err)
		}
	}
}

func TestWhatChangesNothingIsNotWritten(t *testing.T) {
	d := &disk{files: map[string]string{"n.ipynb": book("a")}, hash: true}
	var f Files
	if err := f.Edit(t.Context(), d, "n.ipynb", yes, EditCell(Ref{ID: "id-a"}, "a").Apply); err != nil || d.writes != 0 {
		t.Errorf("%d writes, %v", d.writes, err)
	}
}

func TestNothingIsWrittenThatMayNotBe(t *testing.T) {
	d := &disk{files: map[string]string{"n.ipynb": book("a")}}
	open := errors.New("open")
	err := new(Files).Edit(t.Context(), d, "n.ipynb", func(context.Context) error { return open }, AddCell(Code, "z", nil).Apply)
	if !errors.Is(err, open) || d.writes != 0 {
		t.Fatalf("got %v, %d writes", err, d.writes)
	}
}

func TestEditsOfOneNotebookFollowEachOther(t *testing.T) {
	d := &disk{files: map[string]string{"n.ipynb": book("a")}, hash: true}
	files := new(Files)
	var wg sync.WaitGroup
	const many = 40
	for i := range many {
		wg.Go(func() {
			if err := files.Edit(t.Context(), d, "n.ipynb", yes, AddCell(Code, fmt.Sprint("cell", i), nil).Apply); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := len(sources(t, d.files["n.ipynb"])); got != many+1 {
		t.Errorf("%d cells, want %d: an edit is lost", got, many+1)
	}
	if len(files.locks) != 0 {
		t.Errorf("%d locks are left", len(files.locks))
	}
}

func TestWaitingForANotebookEndsWithItsContext(t *testing.T) {
	d := &disk{files: map[string]string{"n.ipynb": book("a")}}
	files := new(Files)
	unlock, err := files.lock(t.Context(), d, "n.ipynb")
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := files.Edit(ctx, d, "n.ipynb", yes, AddCell(Code, "z", nil).Apply); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCreateOverwritesNothing(t *testing.T) {
	d := &disk{files: map[string]string{"n.ipynb": "folder", "file": book("a")}}
	files := new(Files)
	for _, p := range []string{"n.ipynb", "file/n.ipynb"} {
		if err := files.Create(t.Context(), d, p, New(Kernel{})); !errors.Is(err, ErrExists) || d.writes != 0 {
			t.Errorf("%s: got %v, %d writes", p, err, d.writes)
		}
	}
	require.NoError(t, files.Create(t.Context(), d, "x/日本/n.ipynb", New(Kernel{Name: "k"})))
	if d.files["x"] != "folder" || d.files["x/日本"] != "folder" {
		t.Errorf("folders are missing: %v", d.files)
	}
	free, err := files.Free(t.Context(), d, "x/日本/n.ipynb")
	if err != nil || free != "x/日本/n-2.ipynb" {
		t.Errorf("free name %q, %v", free, err)
	}
	gateway := &disk{gateway: true}
	if err := files.Create(t.Context(), gateway, "n.ipynb", New(Kernel{})); !errors.Is(err, ErrNoContents) {
		t.Errorf("gateway: %v", err)
	}
}

func TestWhatIsNotUnderstoodIsKept(t *testing.T) {
	const raw = `{"nbformat":4,"nbformat_minor":5,"future":[1.0,1e5,"\ud83d"],"metadata":{"a":12345678901234567890},
		"cells":[{"cell_type":"novel","id":"x","weird":{"z":1,"a":2},"metadata":{},"source":["l1\n","l2"]}]}`
	n, err := Parse([]byte(raw))
	require.NoError(t, err)
	if got := n.Cells[0].Source(); got != "l1\nl2" {
		t.Errorf("source %q", got)
	}
	out, err := json.Marshal(n)
	require.NoError(t, err)
	for _, part := range []string{`"future":[1.0,1e5,"\ud83d"]`, `"a":12345678901234567890`, `"weird":{"z":1,"a":2}`, `"source":["l1\n","l2"]`, `"id":"x"`, `"nbformat_minor":5`} {
		if !strings.Contains(string(out), part) {
			t.Errorf("%s is lost in %s", part, out)
		}
	}
}

func TestIDsOfCellsWithoutOne(t *testing.T) {
	parse := func(raw string) (ids []string) {
		n, err := Parse([]byte(raw))
		require.NoError(t, err)
		for _, c := range n.Cells {
			if !validID.MatchString(c.id) {
				t.Errorf("bad id %q", c.id)
			}
			ids = append(ids, c.id)
		}
		return ids
	}
	const cell = `{"cell_type":"code","source":"%s"%s}`
	list := func(cells ...string) string {
		return `{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[` + strings.Join(cells, ",") + `]}`
	}
	a, b := fmt.Sprintf(cell, "a", ""), fmt.Sprintf(cell, "b", "")
	ids := parse(list(a, a, b))
	if ids[0] == ids[1] || ids[1] == ids[2] {
		t.Errorf("not unique: %v", ids)
	}
	if diff := cmp.Diff(ids[2], parse(list(b, a, a))[0]); diff != "" {
		t.Errorf("the id depends on the place: %s", diff)
	}
	dup := fmt.Sprintf(cell, "a", `,"id":"same"`)
	if ids := parse(list(dup, dup, fmt.Sprintf(cell, "a", `,"id":"bad id!"`))); ids[0] != "same" || ids[1] == "same" || ids[2] == ids[1] {
		t.Errorf("equal and bad ids: %v", ids)
	}
}

func TestWhatIsNoNotebookIsRefused(t *testing.T) {
	for name, raw := range map[string]string{
		"an array": `[]`, "null": `null`, "no version": `{"cells":[]}`, "version 3": `{"nbformat":3,"worksheets":[]}`,
		"version 5": `{"nbformat":5,"cells":[]}`, "no cells": `{"nbformat":4}`, "a cell that is none": `{"nbformat":4,"cells":[null]}`, "text": `"x"`,
	} {
		_, err := Parse([]byte(raw))
		e, ok := errors.AsType[*FormatError](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Old != strings.HasPrefix(name, "version") {
			t.Errorf("%s: old is %t", name, e.Old)
		}
	}
}

func TestOutputsOfRunsGoIntoTheirCells(t *testing.T) {
	n, err := Parse([]byte(book("a", "b", "c")))
	require.NoError(t, err)
	out := []json.RawMessage{json.RawMessage(`{"output_type":"stream","name":"stdout","text":"x"}`)}
	edit, saved := SaveRuns([]Ran{
		{CellID: "id-a", Asked: "a", Code: "a", Count: 7, Outputs: out, Language: "python", Version: "3.14"},
		{CellID: "id-b", Asked: "old b", Code: "old b", Count: 8, Outputs: out},
		{CellID: "id-c", Asked: "c", Code: "c, as the user changed it", Count: 9},
		{CellID: "gone", Asked: "x", Count: 9},
	})
	require.NoError(t, edit.Apply(n))
	if !saved("id-a") || saved("id-b") || !saved("id-c") || saved("gone") {
		t.Error("wrong cells are saved")
	}
	if n.Cells[0].ExecutionCount() != 7 || len(n.Cells[0].Outputs()) != 1 || n.Cells[1].ExecutionCount() != 0 {
		t.Errorf("cells %+v", n.Cells)
	}
	if n.Cells[2].Source() != "c, as the user changed it" || n.Kernel().Language != "python" {
		t.Errorf("source %q, kernel %+v", n.Cells[2].Source(), n.Kernel())
	}
	edit, _ = SaveRuns([]Ran{{CellID: "gone"}})
	if err := edit.Apply(n); !errors.Is(err, ErrChanged) {
		t.Errorf("nothing to save: %v", err)
	}
}

func TestViewSaysWhatItCuts(t *testing.T) {
	n := New(Kernel{})
	big := strings.Repeat("日", 40_000)
	c := n.Insert(0, Code, big)
	c.SetOutputs([]json.RawMessage{
		json.RawMessage(`{"output_type":"stream","name":"stdout","text":["` + big + `"]}`),
		json.RawMessage(`{"output_type":"display_data","data":{"image/png":"iVBORw0KGgo=","text/html":["<b>","x"],"application/json":{"a":1},"text/plain":"p"},"metadata":{}}`),
		json.RawMessage(`{"output_type":"error","ename":"E","evalue":"v","traceback":["\u001b[31mred\u001b[0m","x"]}`),
	}, 3)
	for i := range 10 {
		n.Insert(i+1, Markdown, strings.Repeat("m", 40_000))
	}
	none, _ := n.View([]int{0}, Look{Outputs: catalog.OutputsNone})
	if none[0].Outputs != nil || none[0].Cut == nil || none[0].Cut.SourceBytes != len(big) || len(none[0].Source) > viewSource+100 {
		t.Errorf("none: %+v", none[0].Cut)
	}
	brief, notes := n.View(n.All(), Look{Outputs: catalog.OutputsBrief})
	o := brief[0].Outputs
	if len(o) != 3 {
		t.Fatalf("brief: %+v", o)
	}
	if diff := cmp.Diff([]any{len(big), "p", "red\nx", "E"}, []any{o[0].TotalBytes, o[1].Text, o[2].Text, o[2].Ename}); diff != "" || len(o[0].Text) > 2*briefText {
		t.Errorf("brief: %d bytes of the first (-want +got):\n%s", len(o[0].Text), diff)
	}
	want := []catalog.OutputForm{{MIMEType: "application/json", Bytes: 7}, {MIMEType: "image/png", Bytes: 8, Sum: Sum([]byte("\x89PNG\r\n\x1a\n"))}, {MIMEType: "text/html", Bytes: 4}}
	if diff := cmp.Diff(want, o[1].Data); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
	if len(brief) >= 11 || len(notes) != 1 {
		t.Errorf("%d cells, %q: the page must end before it is too large", len(brief), notes)
	}
	full, _ := n.View([]int{0}, Look{Outputs: catalog.OutputsFull, Page: viewTotal})
	if f := full[0].Outputs; f[0].Text != big || f[1].Data[2].Text != "<b>x" || f[1].Data[1].Text != "" {
		t.Errorf("full: text of %d bytes, %+v", len(f[0].Text), f[1])
	}
	var text strings.Builder
	pages := 0
	for l := (Look{Outputs: catalog.OutputsFull, Page: 50_000}); ; pages++ {
		page, _ := n.View([]int{0}, l)
		for _, o := range page[0].Outputs {
			text.WriteString(o.Text)
		}
		if page[0].Cut == nil || page[0].Cut.NextOffset == 0 {
			break
		}
		if l.Offset = page[0].Cut.NextOffset; pages > 10 {
			t.Fatal("the pages do not end")
		}
	}
	if text.String() != big+"p"+"red\nx" || pages < 2 {
		t.Errorf("%d pages have %d bytes of %d", pages, text.Len(), len(big))
	}
}

// saving is a server on which the user's program writes a notebook until done.
type saving struct {
	disk
	done  time.Time
	early bool // it was read before
}

func (s *saving) Contents(ctx context.Context, path string, q jupyter.ContentsQuery) (jupyter.ContentsModel, error) {
	now := time.Now()
	if q.Content && now.Before(s.done) {
		s.early = true
	}
	m, err := s.disk.Contents(ctx, path, q)
	if m.LastModified = now; now.After(s.done) {
		m.LastModified = s.done
	}
	return m, err
}

func TestANotebookIsReadWhenItsFileIsNoLongerWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &saving{disk: disk{files: map[string]string{"n.ipynb": book("a")}}, done: time.Now().Add(7 * time.Second)}
		var f Files
		file, err := f.Stat(t.Context(), s, "n.ipynb")
		require.NoError(t, err)
		n, file, err := f.ReadSettled(t.Context(), s, "n.ipynb", file)
		if err != nil || len(n.Cells) != 1 || !file.LastModified.Equal(s.done) || s.early {
			t.Errorf("%+v, of %v, %v; too early: %v", n, file.LastModified, err, s.early)
		}
	})
}
