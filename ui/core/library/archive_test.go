package library

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/library/output"
)

// exported returns an archive of a library.
func exported(t *testing.T, l *Library) []byte {
	t.Helper()
	var b bytes.Buffer
	c, err := l.Export(t.Context(), &b, "1.2.3", nil)
	require.NoError(t, err)
	if c.Missing > 0 {
		t.Errorf("%d images are missing", c.Missing)
	}
	return b.Bytes()
}

func imported(t *testing.T, l *Library, archive []byte) ImportResult {
	t.Helper()
	got, err := l.Import(t.Context(), bytes.NewReader(archive), int64(len(archive)), nil)
	require.NoError(t, err)
	return got
}

// everything is all that a library has, as text without the paths of its files.
func everything(t *testing.T, l *Library) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	say := func(x any, err error) {
		require.NoError(t, err)
		raw, err := json.Marshal(x)
		require.NoError(t, err)
		b.WriteString(strings.ReplaceAll(string(raw), strings.Trim(strconv.Quote(l.Dir()), `"`), "DIR") + "\n")
	}
	sessions, err := l.Sessions.All(ctx)
	for _, s := range sessions {
		s.EndedAt = time.Time{} // an import ends them
		say(s, err)
	}
	for _, q := range []Query{All(), {Rating: -1, Trashed: true}} {
		images, _, err := l.Images.Page(ctx, q, Page{Limit: MaxPage})
		for _, im := range images {
			say(im, err)
			if im.Trashed.IsZero() {
				data, _, err := l.Images.Read(ctx, im.ImageID)
				say(data, err)
			}
			versions, err := l.Images.Versions(ctx, im.ImageID)
			say(versions, err)
			if im.Facts != nil {
				facts, err := l.Images.ReadFacts(ctx, im)
				say(facts, err)
			}
			questions, err := l.Questions.About(ctx, im.ImageID)
			for i := range questions {
				questions[i].AnnouncedAt = time.Time{}
			}
			say(questions, err)
			if c, err := l.Checks.Get(ctx, im.ImageID); err == nil {
				fresh, err := l.Checks.Fresh(ctx, c)
				say([]any{c, fresh}, err)
			}
		}
	}
	runs, err := l.Executions.List(ctx, ExecutionQuery{Limit: MaxPage})
	for _, x := range runs {
		say(x, err)
		for _, stream := range streams {
			text, total, err := l.Output.Read(ctx, x.ID, stream, 0, 0)
			say([]any{text, total}, err)
		}
		if env, err := l.Executions.Environment(ctx, x); err == nil {
			say(env, nil)
		}
	}
	marks, err := l.Annotations.FileAnnotations(ctx, strings.Repeat("ab", 32))
	say(marks, err)
	tags, err := l.Annotations.Tags(ctx)
	say(tags, err)
	return b.String()
}

// rich returns a library with some of everything, also versions of figures, questions, checks, output and facts.
func rich(t *testing.T) *Library {
	t.Helper()
	ctx := t.Context()
	dir, _ := written(t)
	l := open(t, dir, Options{})
	im := add(t, l, 7001, withFacts, func(n *NewImage) { n.SessionID, n.ExecutionID = "s0", "e0-0" })
	_, err := l.Annotations.SetNote(ctx, im.ImageID, "これ")
	require.NoError(t, err)
	last := update(t, l, 7002, im)
	found(t, l, last.ImageID, "wall/1/y/#1/3")
	judge(t, l, last.ImageID, "wall/1/y/#1/3", true)
	require.NoError(t, l.Output.Append(ctx, "e0-0", output.Stdout, []byte("printed\n")))
	require.NoError(t, l.Output.Append(ctx, "e0-1", output.Outputs, []byte("{}\n")))
	require.NoError(t, l.Executions.SetEnvironment(ctx, "e0-0", catalog.Environment{Version: "3.13.1"}))
	_, err = l.Questions.Add(ctx, Question{Image: im.ImageID, Session: "s0", URI: im.ResourceURI, Words: "why?"})
	require.NoError(t, err)
	putCheck(t, l, last.ImageID, "reproduced", 7003, time.Now())
	return l
}

// TestAnExportIsTheSameLibraryElsewhere imports one into an empty library, twice, and rebuilds that from its journal.
func TestAnExportIsTheSameLibraryElsewhere(t *testing.T) {
	l := rich(t)
	archive := exported(t, l)
	dir := t.TempDir()
	other, err := Open(t.Context(), dir, Options{})
	require.NoError(t, err)
	got := imported(t, other, archive)
	if got.Added != got.Contents.Records || got.Present != (Counts{}) || got.Renamed != 0 || got.Contents.Easel != "1.2.3" {
		t.Errorf("imported %+v", got)
	}
	want := everything(t, l)
	if diff := cmp.Diff(want, everything(t, other)); diff != "" {
		t.Errorf("imported (-there +here):\n%.3000s", diff)
	}
	size := other.s.journal.size
	again := imported(t, other, archive)
	if again.Added != (Counts{}) || other.s.journal.size != size {
		t.Errorf("again: added %+v, and the journal has %d bytes more", again.Added, other.s.journal.size-size)
	}
	require.NoError(t, other.Close())
	remove(t, filepath.Join(dir, databaseFile))
	if diff := cmp.Diff(want, everything(t, open(t, dir, Options{}))); diff != "" {
		t.Errorf("from the journal (-there +here):\n%.3000s", diff)
	}
}

// TestTwoLibrariesMerge covers what both have: the newer judgement is kept, whoever has it, and what only one has
// is kept, too.
func TestTwoLibrariesMerge(t *testing.T) {
	ctx := t.Context()
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	a := open(t, t.TempDir(), Options{Now: clock})
	require.NoError(t, a.Sessions.Put(ctx, Session{ID: "s1", Name: "mine", CreatedAt: clock()}))
	require.NoError(t, a.Executions.Put(ctx, Execution{ID: "e1", SessionID: "s1", Code: "plot()", Status: catalog.StatusRunning, CreatedAt: clock()}))
	x, y, z := add(t, a, 1), add(t, a, 2), add(t, a, 3)
	b := open(t, t.TempDir(), Options{Now: clock})
	imported(t, b, exported(t, a))
	if run, err := b.Executions.Get(ctx, "e1"); err != nil || run.Status != catalog.StatusLost {
		t.Errorf("what ran when it was exported: %+v, %v", run, err)
	}
	rate := func(l *Library, im Image, stars int, note string) {
		t.Helper()
		_, err := l.Annotations.SetRating(ctx, []string{im.ImageID}, stars)
		require.NoError(t, err)
		_, err = l.Annotations.SetNote(ctx, im.ImageID, note)
		require.NoError(t, err)
	}
	file := func(l *Library, stars int) {
		t.Helper()
		_, err := l.Annotations.Mark(ctx, []Target{{Path: "/p.png", Hash: strings.Repeat("cd", 32)}}, func(_ int, m *Marks) error { return m.SetRating(stars) })
		require.NoError(t, err)
	}
	rate(b, x, 1, "older")
	rate(a, x, 5, "newer")
	rate(a, y, 2, "older")
	rate(b, y, 4, "newer")
	file(a, 2)
	file(b, 3)
	require.NoError(t, b.Images.Trash(ctx, []string{z.ImageID}))
	mine := add(t, b, 4)
	theirs := update(t, a, 5, x)
	got := imported(t, b, exported(t, a))
	if want := (Counts{Images: 1, Judgements: 1}); got.Added != want {
		t.Errorf("added %+v, want %+v", got.Added, want)
	}
	for id, want := range map[string]string{theirs.ImageID: "5 newer", y.ImageID: "4 newer", mine.ImageID: "0 "} {
		if im := get(t, b, id); fmt.Sprint(im.Rating, " ", im.Note) != want {
			t.Errorf("%s is %d %s, want %s", id, im.Rating, im.Note, want)
		}
	}
	if im := get(t, b, z.ImageID); im.Trashed.IsZero() {
		t.Error("what was thrown away here is back")
	}
	if m, err := b.Annotations.FileAnnotations(ctx, strings.Repeat("cd", 32)); err != nil || m[strings.Repeat("cd", 32)].Rating != 3 {
		t.Errorf("stars of a file: %+v, %v", m, err)
	}
	if got := imported(t, a, exported(t, b)); got.Added.Images != 1 || get(t, a, mine.ImageID).Title != mine.Title {
		t.Errorf("and back: %+v", got)
	}
}

// TestTwoImagesOfOneIdAreBothKept, and the second gets the same other id each time.
func TestTwoImagesOfOneIdAreBothKept(t *testing.T) {
	ctx := t.Context()
	same := func(time.Time) string { return "0123456789abcdefghjkmnpqrs" }
	a, b := open(t, t.TempDir(), Options{NewID: same}), open(t, t.TempDir(), Options{NewID: same})
	theirs, mine := add(t, a, 1), add(t, b, 2)
	_, err := a.Annotations.SetRating(ctx, []string{theirs.ImageID}, 4)
	require.NoError(t, err)
	archive := exported(t, a)
	for range 2 {
		if got := imported(t, b, archive); got.Renamed > 1 {
			t.Errorf("renamed %d", got.Renamed)
		}
		ids, err := b.Images.IDs(ctx, All())
		require.NoError(t, err)
		if len(ids) != 2 || !slices.Contains(ids, mine.ImageID) {
			t.Fatalf("images %v", ids)
		}
		for _, id := range ids {
			im := get(t, b, id)
			if first := id == mine.ImageID; first != (im.ETag == mine.ETag) || first != (im.Rating == 0) || !first && im.ETag != theirs.ETag {
				t.Errorf("%s: %s with %d stars", id, im.ETag, im.Rating)
			}
		}
	}
}

// rezip returns an archive whose files edit has changed.
func rezip(t *testing.T, archive []byte, edit func(name string, data []byte) (string, []byte)) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range r.File {
		in, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(in)
		require.NoError(t, err)
		name, data := edit(f.Name, data)
		if name == "" {
			continue
		}
		out, err := w.Create(name)
		require.NoError(t, err)
		_, err = out.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestABrokenExportChangesNothing, wherever it is broken, and says what is wrong.
func TestABrokenExportChangesNothing(t *testing.T) {
	source := open(t, t.TempDir(), Options{})
	im := add(t, source, 1, withFacts)
	require.NoError(t, source.Executions.Put(t.Context(), Execution{ID: "e1", SessionID: "s1", Code: "plot()", Status: "ok", CreatedAt: time.Now()}))
	require.NoError(t, source.Output.Append(t.Context(), "e1", output.Stdout, []byte(strings.Repeat("printed\n", 100))))
	_, err := source.Annotations.SetRating(t.Context(), []string{im.ImageID}, 3)
	require.NoError(t, err)
	whole := exported(t, source)
	at := bytes.Index(whole, []byte("IHDR")) // in the picture, which is stored as it is
	flipped := slices.Clone(whole)
	flipped[at+20] ^= 1
	edit := func(f func(name string, data []byte) (string, []byte)) []byte { return rezip(t, whole, f) }
	only := func(part string, f func(name string, data []byte) (string, []byte)) []byte {
		return edit(func(name string, data []byte) (string, []byte) {
			if strings.Contains(name, part) {
				return f(name, data)
			}
			return name, data
		})
	}
	replaced := func(old, now string) []byte {
		return only(archiveContents, func(name string, data []byte) (string, []byte) {
			return name, bytes.Replace(data, []byte(old), []byte(now), 1)
		})
	}
	for name, c := range map[string]struct {
		archive []byte
		want    error
		says    string
	}{
		"empty":                {nil, ErrNoArchive, "no ZIP file"},
		"another file":         {picturePNG(t, 1, 0), ErrNoArchive, "no ZIP file"},
		"cut":                  {whole[:len(whole)-40], ErrNoArchive, "its end is missing"},
		"cut in half":          {whole[:len(whole)/2], ErrNoArchive, "its end is missing"},
		"a bit of a picture":   {flipped, ErrNoArchive, "is damaged"},
		"a picture is missing": {only(".png", func(string, []byte) (string, []byte) { return "", nil }), ErrNoArchive, "files of plots and output instead of"},
		"another picture":      {only(".png", func(name string, _ []byte) (string, []byte) { return name, picturePNG(t, 9, 0) }), ErrNoArchive, "is damaged"},
		"a record is missing": {only(journalFile, func(name string, d []byte) (string, []byte) {
			return name, d[:bytes.LastIndexByte(d[:len(d)-1], '\n')+1]
		}), ErrNoArchive, "not the one"},
		"a record is changed": {only(journalFile, func(name string, d []byte) (string, []byte) {
			return name, bytes.Replace(d, []byte("plot()"), []byte("evil()"), 1)
		}), ErrNoArchive, "is damaged"},
		"a newer format":          {replaced(`"easel_library_export": 1`, `"easel_library_export": 2`), ErrNewerArchive, "Update Easel"},
		"a newer schema":          {replaced(`"schema": `, `"schema": 9`), ErrNewerArchive, "Update Easel"},
		"a file outside":          {only(".png", func(name string, d []byte) (string, []byte) { return "../" + name, d }), ErrNoArchive, "which no export has"},
		"a file of another place": {only("output/", func(_ string, d []byte) (string, []byte) { return "output/../../x.stdout", d }), ErrNoArchive, "which no export has"},
		"an absolute path":        {only("output/", func(_ string, d []byte) (string, []byte) { return "/etc/x.stdout", d }), ErrNoArchive, "which no export has"},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t, t.TempDir(), Options{})
			add(t, l, 8)
			was, size := everything(t, l), l.s.journal.size
			files, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "*"))
			require.NoError(t, err)
			_, err = l.Import(t.Context(), bytes.NewReader(c.archive), int64(len(c.archive)), nil)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
			now, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "*"))
			require.NoError(t, err)
			if everything(t, l) != was || l.s.journal.size != size || len(now) != len(files) {
				t.Errorf("the library has changed: %v", now)
			}
		})
	}
}

// TestAnImportThatIsInterruptedGoesOn from where it was, also if Easel has died.
func TestAnImportThatIsInterruptedGoesOn(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	var all []NewImage
	for i := range 2*mostMerged + 10 {
		all = append(all, NewImage{SessionID: "s1", Forms: []Form{{"image/svg+xml", fmt.Appendf(nil, `<svg width="%d" height="3"/>`, i+1)}}})
	}
	_, err := l.Images.AddAll(t.Context(), all)
	require.NoError(t, err)
	archive := exported(t, l)
	a, err := openArchive(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	bytesOf := a.contents.Bytes
	dir := t.TempDir()
	other, err := Open(t.Context(), dir, Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = other.Import(ctx, bytes.NewReader(archive), int64(len(archive)), func(done, all int64) {
		if done > all-bytesOf/2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	_, some, err := other.Images.Count(t.Context(), All())
	if err != nil || some == 0 || some == len(all) {
		t.Errorf("%d of %d images, %v", some, len(all), err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, imagesDir, "cut"), []byte("half"), 0o600))
	require.NoError(t, other.Close())
	other = open(t, dir, Options{})
	if got := imported(t, other, archive); got.Added.Images != len(all)-some || got.Present.Images != some {
		t.Errorf("then %+v", got)
	}
	if diff := cmp.Diff(everything(t, l), everything(t, other)); diff != "" {
		t.Errorf("(-there +here):\n%.2000s", diff)
	}
}

// TestAFullQuotaIsToldBeforeAnImport changes anything.
func TestAFullQuotaIsToldBeforeAnImport(t *testing.T) {
	l := open(t, t.TempDir(), Options{})
	add(t, l, 1, func(n *NewImage) { n.Forms = []Form{{"image/png", picturePNG(t, 1, 3<<20)}} })
	archive := exported(t, l)
	other := open(t, t.TempDir(), Options{QuotaBytes: 2 << 20})
	_, err := other.Import(t.Context(), bytes.NewReader(archive), int64(len(archive)), nil)
	if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "needs 3 MB") {
		t.Errorf("got %v", err)
	}
}
