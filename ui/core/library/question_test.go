package library

import (
	"encoding/json"
	"errors"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

// TestQuestionsHaveNumbersAndStates: a number is not given twice while its question is there, and
// an assistant is not told what is done.
func TestQuestionsHaveNumbersAndStates(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	im, other := addFigure(t, l, `{"data":[1]}`), addFigure(t, l, `{"data":[2]}`)
	ask := func(im Image, m catalog.Mark) Question {
		t.Helper()
		q, err := l.Questions.Add(ctx, Question{Image: im.ImageID, URI: im.ResourceURI, Mark: m, Words: "Why?"})
		require.NoError(t, err)
		return q
	}
	arrow := catalog.Mark{Shape: catalog.Arrow, Rect: image.Rect(0, 0, 40, 30), From: image.Pt(5, 6), To: image.Pt(30, 20)}
	first, second, third := ask(im, catalog.Mark{Rect: image.Rect(1, 2, 3, 4)}), ask(im, arrow), ask(im, catalog.Mark{Shape: catalog.Point, To: image.Pt(7, 8)})
	if elsewhere := ask(other, arrow); first.Number != 1 || second.Number != 2 || third.Number != 3 || elsewhere.Number != 1 {
		t.Errorf("numbers %d, %d, %d, and %d in another figure", first.Number, second.Number, third.Number, elsewhere.Number)
	}
	require.NoError(t, l.Questions.Delete(ctx, first.ID))
	require.NoError(t, l.Questions.SetState(ctx, second.ID, catalog.QuestionAnswered))
	require.NoError(t, l.Questions.SetState(ctx, second.ID, catalog.QuestionDone))
	require.NoError(t, l.Questions.SetState(ctx, "none", catalog.QuestionDone))
	if err := l.Questions.SetState(ctx, third.ID, "lost"); !errors.Is(err, ErrInvalid) {
		t.Errorf("a state that does not exist: %v", err)
	}
	if fourth := ask(im, arrow); fourth.Number != 4 {
		t.Errorf("after a deletion, the next has number %d", fourth.Number)
	}
	require.NoError(t, l.Close())
	remove(t, filepath.Join(dir, databaseFile))
	l = open(t, dir, Options{})
	all, err := l.Questions.About(ctx, im.ImageID)
	if err != nil || len(all) != 3 || all[0].Mark != arrow || all[0].State != catalog.QuestionDone || all[1].State != catalog.QuestionOpen {
		t.Fatalf("%+v %v", all, err)
	}
	waiting, err := l.Questions.Open(ctx)
	if err != nil || len(waiting) != 3 || waiting[0].ID != third.ID {
		t.Errorf("to announce: %+v %v", waiting, err)
	}
}

// TestAQuestionAboutATableIsKept: also if the library is made anew from its journal. It has no number.
func TestAQuestionAboutATableIsKept(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	im := addFigure(t, l, `{"data":[1]}`)
	place := catalog.TablePlace{
		SessionID: "s", Variable: "sales", Shape: []int{5, 2}, Column: "price", Number: 1,
		Row:  &catalog.TableRow{Label: "north", Number: 3, Value: json.RawMessage(`-1.5`)},
		Sort: []catalog.TableOrder{{Column: "price", Descending: true}},
	}
	q, err := l.Questions.Add(ctx, Question{Session: "s", Table: &place, Region: "the cell", Words: "Why is it negative?"})
	require.NoError(t, err)
	for _, bad := range []Question{{Words: "?"}, {Words: "?", Image: im.ImageID, Table: &place}} {
		if _, err := l.Questions.Add(ctx, bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	require.NoError(t, l.Close())
	remove(t, filepath.Join(dir, databaseFile))
	l = open(t, dir, Options{})
	for variable, want := range map[string]int{"sales": 1, "other": 0} {
		if all, err := l.Questions.OfTable(ctx, "s", variable); err != nil || len(all) != want {
			t.Errorf("about %s: %+v %v", variable, all, err)
		}
	}
	waiting, err := l.Questions.Open(ctx)
	if diff := cmp.Diff([]Question{q}, waiting); err != nil || diff != "" || q.Number != 0 {
		t.Errorf("to announce: %s %v", diff, err)
	}
	told, err := l.Questions.Announce(ctx, []string{q.ID}, "claude-code")
	if err != nil || len(told) != 1 || told[0].Table.Row.Label != "north" {
		t.Errorf("told %+v %v", told, err)
	}
	require.NoError(t, l.Questions.Delete(ctx, q.ID))
	if all, err := l.Questions.OfTable(ctx, "s", "sales"); err != nil || len(all) != 0 {
		t.Errorf("after the deletion: %+v %v", all, err)
	}
}

// TestAQuestionIsKept: also if Easel dies at once, or the library is made anew from its journal,
// or that from the library.
func TestAQuestionIsKept(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l := open(t, dir, Options{})
	im := addFigure(t, l, `{"data":[1]}`)
	ask := func(words string) Question {
		t.Helper()
		q, err := l.Questions.Add(ctx, Question{Image: im.ImageID, Session: im.SessionID, URI: im.ResourceURI, Mark: catalog.Mark{Rect: image.Rect(1, 2, 3, 4)}, Region: "x 1–2 of axes 1", Words: words})
		require.NoError(t, err)
		return q
	}
	first, second, third := ask(" Why? "), ask("How?"), ask("When?")
	if first.Words != "Why?" || first.ID == second.ID || first.CreatedAt.IsZero() {
		t.Errorf("%+v", first)
	}
	require.NoError(t, l.Questions.Delete(ctx, second.ID))
	told, err := l.Questions.Announce(ctx, []string{first.ID, second.ID}, "tester 1")
	if err != nil || len(told) != 1 || told[0].AnnouncedTo != "tester 1" || told[0].AnnouncedAt.IsZero() {
		t.Fatalf("%+v %v", told, err)
	}
	if again, err := l.Questions.Announce(ctx, []string{first.ID}, "other"); err != nil || len(again) != 0 {
		t.Errorf("told twice: %+v %v", again, err)
	}
	want := []Question{told[0], third}
	check := func(when string, l *Library) {
		t.Helper()
		got, err := l.Questions.About(ctx, im.ImageID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", when, err, diff)
		}
		if open, err := l.Questions.Open(ctx); err != nil || len(open) != 1 || open[0].ID != third.ID {
			t.Errorf("%s: still to announce: %+v %v", when, open, err)
		}
	}
	check("at once", l)
	require.NoError(t, l.s.rewriteJournal(ctx))
	for _, lost := range []string{"", databaseFile} {
		require.NoError(t, l.Close())
		if lost != "" {
			remove(t, filepath.Join(dir, lost))
		}
		l = open(t, dir, Options{})
		check("opened again, without "+lost, l)
	}
}

func TestAQuestionGoesWithItsImage(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := addFigure(t, l, `{"data":[1]}`)
	if _, err := l.Questions.Add(ctx, Question{Image: im.ImageID, Words: "Why?"}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, l.Images.Trash(ctx, []string{im.ImageID}))
	require.NoError(t, l.Images.Delete(ctx, []string{im.ImageID}))
	if open, err := l.Questions.Open(ctx); err != nil || len(open) != 0 {
		t.Errorf("%+v %v", open, err)
	}
}

func TestAQuestionNeedsWords(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	for _, words := range []string{"", " \n", strings.Repeat("x", MaxQuestion+1)} {
		if _, err := l.Questions.Add(t.Context(), Question{Image: "id", Words: words}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%.10q: %v", words, err)
		}
	}
}

// TestTheQuotaKeepsPlotsWithQuestions: such a plot is not removed, although it is the oldest.
func TestTheQuotaKeepsPlotsWithQuestions(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{QuotaBytes: 200_000, KeepPerSession: 1})
	put := func(seed int) Image {
		return add(t, l, seed, func(n *NewImage) { n.Forms = []Form{{"image/png", picturePNG(t, seed, 40_000)}} })
	}
	asked, plain := put(1), put(2)
	if _, err := l.Questions.Add(ctx, Question{Image: asked.ImageID, Words: "Why?"}); err != nil {
		t.Fatal(err)
	}
	for seed := range 5 {
		put(seed + 3)
	}
	images, err := l.Images.Get(ctx, asked.ImageID, plain.ImageID)
	if err != nil || len(images) != 1 || images[0].ImageID != asked.ImageID {
		t.Errorf("%d images are left: %v", len(images), err)
	}
}

// TestAQuestionAboutTheTrashWaits: no assistant is told of a plot that it cannot read.
func TestAQuestionAboutTheTrashWaits(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := addFigure(t, l, `{"data":[1]}`)
	if _, err := l.Questions.Add(ctx, Question{Image: im.ImageID, Words: "Why?"}); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, l.Images.Trash(ctx, []string{im.ImageID}))
	if open, err := l.Questions.Open(ctx); err != nil || len(open) != 0 {
		t.Errorf("in the trash: %+v %v", open, err)
	}
	require.NoError(t, l.Images.Restore(ctx, []string{im.ImageID}))
	if open, err := l.Questions.Open(ctx); err != nil || len(open) != 1 {
		t.Errorf("restored: %+v %v", open, err)
	}
}
