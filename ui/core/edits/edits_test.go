package edits_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/edits"
	"easel/ui/core/library"
)

// A desk is a history on a real library.
type desk struct {
	*edits.History

	t   *testing.T
	lib *library.Library
	ids []string
}

func newDesk(t *testing.T, plots int) *desk {
	t.Helper()
	l := coretest.Open(t)
	d := &desk{t: t, lib: l, History: edits.New(l.Annotations)}
	for i := range plots {
		d.ids = append(d.ids, d.add(fmt.Sprint("Plot of ", i), ""))
	}
	return d
}

// add adds a plot, or a new version of one.
func (d *desk) add(title, replaces string) string {
	d.t.Helper()
	svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>%s %d</text></svg>`, title, len(d.ids))
	im, err := d.lib.Images.Add(d.t.Context(), library.NewImage{
		SessionID: "s1", Title: title, Replaces: replaces, Forms: []library.Form{{MIME: "image/svg+xml", Data: []byte(svg)}},
	})
	require.NoError(d.t, err)
	return im.ImageID
}

// mark changes plots; by is the assistant, or "" for the user.
func (d *desk) mark(by, tool string, edit func(*library.Marks) error, ids ...string) command.Edit {
	d.t.Helper()
	return d.typed("", by, tool, edit, ids...)
}

func (d *desk) typed(editing, by, tool string, edit func(*library.Marks) error, ids ...string) command.Edit {
	d.t.Helper()
	var targets []library.Target
	for _, id := range ids {
		targets = append(targets, library.Target{ID: id})
	}
	e, _, err := d.Mark(d.t.Context(), edits.Action{By: by, Editing: editing, Edit: command.Edit{Client: by, Tool: tool}}, targets, edit)
	require.NoError(d.t, err)
	return e
}

func stars(n int) func(*library.Marks) error {
	return func(m *library.Marks) error { return m.SetRating(n) }
}

func tagged(add, remove []string) func(*library.Marks) error {
	return func(m *library.Marks) error { return m.SetTags(add, remove) }
}

func noted(text string) func(*library.Marks) error {
	return func(m *library.Marks) error { return m.SetNote(text) }
}

func named(text string) func(*library.Marks) error {
	return func(m *library.Marks) error { return m.SetTitle(text) }
}

func judged(key string, dismiss bool) func(*library.Marks) error {
	return func(m *library.Marks) error { return m.Judge(key, dismiss) }
}

func trashed(yes bool) func(*library.Marks) error {
	return func(m *library.Marks) error { m.Trashed = yes; return nil }
}

// step is Undo or Redo of the last change.
func (d *desk) step(do func(context.Context, int64) (edits.Result, error)) edits.Result {
	d.t.Helper()
	r, err := do(d.t.Context(), 0)
	require.NoError(d.t, err)
	return r
}

// marks returns the marks of all plots.
func (d *desk) marks() (all []string) {
	d.t.Helper()
	images, err := d.lib.Images.Get(d.t.Context(), d.ids...)
	require.NoError(d.t, err)
	for _, i := range images {
		all = append(all, fmt.Sprint(i.Rating, i.Tags, i.Title, "|", i.Note, !i.Trashed.IsZero(), strings.Join(i.Judged, ",")))
	}
	return all
}

// TestEverythingGoesBackAndForth makes random changes by two people, undoes all and redoes
// all. In between it goes back and forth a little.
func TestEverythingGoesBackAndForth(t *testing.T) {
	d := newDesk(t, 12)
	r := rand.New(rand.NewPCG(3, 5)) // the same changes in each run
	tags := []string{"a", "b", "Æ", "c d", "e"}
	begin := d.marks()
	after := [][]string{begin}
	for n := range 150 {
		ids := slices.Clone(d.ids)
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:1+r.IntN(4)]
		edit := []func(*library.Marks) error{
			stars(r.IntN(6)), tagged(tags[:r.IntN(5)], tags[r.IntN(5):]), noted(fmt.Sprint("note ", n)), named(fmt.Sprint("name ", n)), trashed(r.IntN(2) == 0),
			judged([]string{"wall/1", "copies/1", "flat/1"}[r.IntN(3)], r.IntN(3) > 0),
		}[r.IntN(6)]
		if d.mark([]string{"", "agent"}[r.IntN(2)], "x", edit, ids...).Seq == 0 {
			continue // as it was
		}
		after = append(after, d.marks())
		if r.IntN(4) == 0 {
			d.step(d.Undo)
			if diff := cmp.Diff(after[len(after)-2], d.marks()); diff != "" {
				t.Fatalf("change %d undone: %s", n, diff)
			}
			d.step(d.Redo)
			if diff := cmp.Diff(after[len(after)-1], d.marks()); diff != "" {
				t.Fatalf("change %d redone: %s", n, diff)
			}
		}
	}
	for i := len(after) - 2; i >= 0; i-- {
		if res := d.step(d.Undo); res.Skipped > 0 {
			t.Fatalf("%d were skipped", res.Skipped)
		}
		if diff := cmp.Diff(after[i], d.marks()); diff != "" {
			t.Fatalf("back at %d: %s", i, diff)
		}
	}
	if res := d.step(d.Undo); res.Edit.Seq != 0 {
		t.Errorf("before the beginning: %+v", res)
	}
	for i := range after[1:] {
		d.step(d.Redo)
		if diff := cmp.Diff(after[i+1], d.marks()); diff != "" {
			t.Fatalf("forth at %d: %s", i, diff)
		}
	}
	if res := d.step(d.Redo); res.Edit.Seq != 0 {
		t.Errorf("after the end: %+v", res)
	}
}

// TestWhatSomebodyChangedSinceStays covers changes that are not undone in order: a notice
// offers to undo its own change only, and an assistant's change can be undone alone.
func TestWhatSomebodyChangedSinceStays(t *testing.T) {
	d := newDesk(t, 3)
	first := d.mark("", "set_rating", stars(3), d.ids...)
	d.mark("agent", "set_rating", stars(5), d.ids[0])
	d.mark("agent", "set_tags", tagged([]string{"theirs"}, nil), d.ids[1])
	d.mark("", "set_tags", tagged([]string{"mine"}, nil), d.ids[1])
	r, err := d.Undo(t.Context(), first.Seq)
	if err != nil || r.Skipped != 1 || r.Edit.Images != 2 || r.Edit.Seq != first.Seq {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err = d.UndoAssistant(t.Context()); err != nil || r.By != "agent" || len(r.Changed) != 1 {
		t.Errorf("the assistant's tag: %+v, %v", r, err)
	}
	if got, want := d.marks(), []string{"5[]Plot of 0|false", "0[mine]Plot of 1|false", "0[]Plot of 2|false"}; !cmp.Equal(spaceless(got), spaceless(want)) {
		t.Errorf("got %q", got)
	}
	d.mark("", "set_rating", stars(1), d.ids[0])
	if r, err = d.UndoAssistant(t.Context()); err != nil || r.Skipped != 1 || len(r.Changed) != 0 {
		t.Errorf("stars that the user has overwritten: %+v, %v", r, err)
	}
	if _, redo, n := d.Next(); n != 0 || redo.Seq != 0 {
		t.Errorf("%d changes by assistants are left; a change by the user leaves %+v to redo", n, redo)
	}
}

func spaceless(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		for _, r := range s {
			if r != ' ' {
				out[i] += string(r)
			}
		}
	}
	return out
}

func TestPlotsThatChangeMeanwhile(t *testing.T) {
	d := newDesk(t, 4)
	d.mark("", "set_rating", stars(4), d.ids...)
	d.mark("", "set_title", named("mine"), d.ids[0])
	newer := d.add("another title", "jupyter://sessions/s1/images/"+d.ids[0]+".svg")
	if im, err := d.lib.Images.Image(t.Context(), newer); err != nil || im.Title != "mine" || im.Rating != 4 {
		t.Fatalf("the newer version: %+v, %v", im, err)
	}
	d.mark("", "trash", trashed(true), d.ids[1:]...)
	require.NoError(t, d.lib.Images.Delete(t.Context(), d.ids[2:3]))
	d.Forget(d.ids[2:3])
	if r := d.step(d.Undo); r.Edit.Tool != "trash" || r.Edit.Images != 2 || r.Skipped != 0 {
		t.Errorf("from the trash: %+v", r)
	}
	d.step(d.Undo)
	if r := d.step(d.Undo); r.Edit.Tool != "set_rating" || r.Edit.Images != 3 || r.Skipped != 0 {
		t.Errorf("stars: %+v", r)
	}
	im, err := d.lib.Images.Image(t.Context(), newer)
	if err != nil || im.Rating != 0 || im.Title != "Plot of 0" {
		t.Errorf("the newer version after undo: %d stars, %q, %v", im.Rating, im.Title, err)
	}
	newest := d.add("its own title", im.ResourceURI)
	if im, err = d.lib.Images.Image(t.Context(), newest); err != nil || im.Title != "its own title" {
		t.Errorf("a version after the name was undone has the title %q, %v", im.Title, err)
	}
	if err := d.lib.Images.Delete(t.Context(), []string{d.ids[3]}); err != nil { // as when the library makes room
		t.Fatal(err)
	}
	if r := d.step(d.Redo); r.Edit.Images != 2 {
		t.Errorf("again: %+v", r)
	}
	if _, err := d.lib.Images.Get(t.Context(), d.ids...); err != nil {
		t.Error(err)
	}
}

func TestTheEditingOfATextIsOneChange(t *testing.T) {
	d := newDesk(t, 2)
	note := func(editing, text string) command.Edit {
		t.Helper()
		return d.typed(editing, "", "set_note", noted(text), d.ids[0])
	}
	d.mark("", "set_rating", stars(2), d.ids[0])
	first := note("1", "l")
	d.mark("agent", "set_rating", stars(4), d.ids[1])
	if e := note("1", "look at"); e.Seq != first.Seq {
		t.Errorf("stored again it is change %d, not %d", e.Seq, first.Seq)
	}
	if e := note("1", "look at"); e.Seq != first.Seq {
		t.Errorf("stored unchanged it is change %d, not %d", e.Seq, first.Seq)
	}
	note("2", "look at the peak")
	if e := note("2", "look at"); e.Seq != 0 {
		t.Errorf("an editing that changed nothing is %+v", e)
	}
	if r := d.step(d.Undo); r.Edit.Seq != first.Seq || spaceless(d.marks())[0] != "2[]Plotof0|false" {
		t.Errorf("undone %+v: %q", r.Edit, d.marks())
	}
	if r := d.step(d.Redo); r.Edit.Seq != first.Seq || spaceless(d.marks())[0] != "2[]Plotof0|lookatfalse" {
		t.Errorf("redone %+v: %q", r.Edit, d.marks())
	}
	if e := note("1", "look"); e.Seq == first.Seq {
		t.Error("what is typed after an undo is the same change")
	}
}

func TestWhichChangeIsTheLast(t *testing.T) {
	d := newDesk(t, 1)
	var shown []string
	view := func(name string) {
		d.Push(edits.Action{By: "agent", Edit: command.Edit{Tool: name}, View: func(_ context.Context, forward bool) bool {
			shown = append(shown, fmt.Sprint(name, forward))
			return name != "overtaken"
		}})
	}
	last := func() string { return d.step(d.Undo).Edit.Tool }
	d.mark("", "set_rating", stars(1), d.ids[0])
	view("folder")
	if got := last(); got != "folder" {
		t.Errorf("the assistant's change is the last; got %q", got)
	}
	if got := d.step(d.Redo).Edit.Tool; got != "folder" || !slices.Equal(shown, []string{"foldertrue", "folderfalse"}) && !slices.Equal(shown, []string{"folderfalse", "foldertrue"}) {
		t.Errorf("got %q, %q", got, shown)
	}
	d.Acted()
	if got := last(); got != "set_rating" {
		t.Errorf("the user has acted since; got %q", got)
	}
	view("overtaken")
	if got := last(); got != "folder" {
		t.Errorf("nothing else is left; got %q", got)
	}
	if got := last(); got != "" {
		t.Errorf("then %q", got)
	}
}

func TestOnlySoMuchIsKept(t *testing.T) {
	d, lib := &desk{t: t}, coretest.NewLibrary(t)
	d.History, d.ids = edits.New(lib), []string{lib.Add(0, "", "")}
	d.mark("", "first", stars(5), d.ids[0])
	for i := range edits.MostChanges - 1 {
		d.mark("", "x", stars(i%5), d.ids[0])
	}
	for range edits.MostViews + 10 {
		d.Push(edits.Action{By: "agent", View: func(context.Context, bool) bool { return true }})
	}
	if _, _, n := d.Next(); n != edits.MostViews {
		t.Errorf("%d changes of the view are kept", n)
	}
	n := 0
	for d.step(d.Undo).Edit.Seq != 0 {
		n++
	}
	if n != edits.MostChanges {
		t.Errorf("%d changes could be undone", n)
	}
}

// TestAFailureChangesNothing covers a full disk, for example.
func TestAFailureChangesNothing(t *testing.T) {
	d := newDesk(t, 2)
	full := errors.New("no space left on device")
	failing := &broken{Library: d.lib.Annotations}
	d.History = edits.New(failing)
	d.mark("", "set_rating", stars(1), d.ids...)
	failing.err = full
	if _, err := d.Undo(t.Context(), 0); !errors.Is(err, full) {
		t.Fatal(err)
	}
	failing.err = nil
	if r := d.step(d.Undo); r.Edit.Images != 2 {
		t.Errorf("once there is room again: %+v", r)
	}
	failing.err = full
	if _, err := d.Redo(t.Context(), 0); !errors.Is(err, full) {
		t.Fatal(err)
	}
	failing.err = nil
	if r := d.step(d.Redo); r.Edit.Images != 2 {
		t.Errorf("redo once there is room again: %+v", r)
	}
}

type broken struct {
	edits.Library

	err error
}

func (b *broken) Mark(ctx context.Context, to []library.Target, edit func(int, *library.Marks) error) ([]library.MarkEdit, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.Library.Mark(ctx, to, edit)
}

// TestACancelledChangeChangesNothing: in the middle of it; the caller hears how far it is.
func TestACancelledChangeChangesNothing(t *testing.T) {
	d := newDesk(t, 4)
	ctx, cancel := context.WithCancel(t.Context())
	var heard []tool.Progress
	ctx = tool.WithCaller(ctx, tool.Caller{Transport: tool.Window, Progress: func(p tool.Progress) {
		if heard = append(heard, p); p.Done == 2 {
			cancel()
		}
	}})
	var targets []library.Target
	for _, id := range d.ids {
		targets = append(targets, library.Target{ID: id})
	}
	_, _, err := d.Mark(ctx, edits.Action{}, targets, func(m *library.Marks) error { return m.SetRating(4) })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the error is %v", err)
	}
	if want := []tool.Progress{{Total: 4}, {Done: 1, Total: 4}, {Done: 2, Total: 4}}; !cmp.Equal(heard, want) {
		t.Errorf("the caller heard %v, want %v", heard, want)
	}
	images, err := d.lib.Images.Get(t.Context(), d.ids...)
	require.NoError(t, err)
	for _, im := range images {
		if im.Rating != 0 {
			t.Errorf("%s has %d stars", im.Title, im.Rating)
		}
	}
	if undo, _, _ := d.Next(); undo.Seq != 0 {
		t.Errorf("it can be undone: %+v", undo)
	}
}
