package library

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"easel/ui/core/library/disk"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"easel/internal/require"
)

// written fills a library with some of everything, closes it, and returns its
// directory and what Images answers.
func written(t *testing.T) (dir string, want []Image) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	must := func(err error) {
		t.Helper()
		require.NoError(t, err)
	}
	var added []NewImage
	for s := range 3 {
		session := fmt.Sprintf("s%d", s)
		must(l.Sessions.Put(ctx, Session{ID: session, KernelID: "k" + session, Name: "analysis " + session, CreatedAt: time.Unix(int64(s), 0).UTC()}))
		for i := range 15 {
			run := fmt.Sprintf("e%d-%d", s, i)
			must(l.Executions.Put(ctx, Execution{ID: run, SessionID: session, Code: strings.Repeat("plot(x) # 気温\n", 40) + run, Status: "ok", CreatedAt: time.Now(), EndedAt: time.Now()}))
			added = append(added, NewImage{SessionID: session, ExecutionID: run, Title: fmt.Sprintf("Figure %d of %s", i, session), Forms: []Form{
				{"image/png", picturePNG(t, s*1000+i, 0)}, {"image/svg+xml", fmt.Appendf(nil, `<svg width="%d" height="3"/>`, i+1)},
			}})
		}
	}
	_, err = l.Images.AddAll(ctx, added)
	must(err)
	ids, err := l.Images.IDs(ctx, All())
	must(err)
	for i := range 6 {
		var some []string
		for k := i; k < len(ids); k += 6 {
			some = append(some, ids[k])
		}
		_, err := l.Annotations.SetRating(ctx, some, i)
		must(err)
		_, err = l.Annotations.SetTags(ctx, some, []string{fmt.Sprintf("tag %d", i%4), "Ærø"}, nil)
		must(err)
	}
	_, err = l.Annotations.SetTitle(ctx, ids[3], "mine")
	must(err)
	_, err = l.Annotations.SetNote(ctx, ids[4], "look\nhere")
	must(err)
	must(l.Images.Trash(ctx, ids[30:33]))
	_, err = l.Annotations.Mark(ctx, []Target{{Path: "/tmp/a.png", Hash: strings.Repeat("ab", 32)}}, func(_ int, m *Marks) error { return m.SetRating(3) })
	must(err)
	want, _, err = l.Images.Page(ctx, All(), Page{Limit: 500})
	must(err)
	if len(want) != 42 {
		t.Fatalf("%d images", len(want))
	}
	must(l.Close())
	return dir, want
}

func setFile(t *testing.T, path string, edit func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, edit(data), 0o600))
	// The clock of the file system may stand still between the last writing and this.
	later := time.Now().Add(time.Second)
	require.NoError(t, os.Chtimes(path, later, later))
}

func garble(data []byte, from, to int) []byte {
	for i := from; i < min(to, len(data)); i++ {
		data[i] = byte(i*7 + 13)
	}
	return data
}

func TestDamageIsReportedAndTheRestOpens(t *testing.T) {
	db, jl := databaseFile, journalFile
	for name, tc := range map[string]struct {
		hurt  func(t *testing.T, dir string)
		kinds []DamageKind
	}{
		"the database is missing": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, db)) }, []DamageKind{DamagedDatabase}},
		"the database is empty":   {func(t *testing.T, dir string) { setFile(t, filepath.Join(dir, db), func([]byte) []byte { return nil }) }, []DamageKind{DamagedDatabase}},
		"the database is a text": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, db), func([]byte) []byte { return bytes.Repeat([]byte("hello "), 9000) })
		}, []DamageKind{DamagedDatabase}},
		"the database is cut off": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, db), func(b []byte) []byte { return b[:len(b)/2] })
		}, []DamageKind{DamagedDatabase}},
		"the database is cut within a page": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, db), func(b []byte) []byte { return b[:5000] })
		}, []DamageKind{DamagedDatabase}},
		"the database's header is garbled": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, db), func(b []byte) []byte { return garble(b, 0, 100) })
		}, []DamageKind{DamagedDatabase}},
		"the database's middle is garbled": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, db), func(b []byte) []byte { return garble(b, len(b)/3, len(b)/2) })
		}, []DamageKind{DamagedDatabase}},
		"the database's second page is wrong": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, db), func(b []byte) []byte { return garble(b, 4096, 8192) })
		}, []DamageKind{DamagedDatabase}},
		"the journal is missing": {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, jl)) }, []DamageKind{DamagedJournal}},
		"the journal is cut within a line": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, jl), func(b []byte) []byte { return b[:len(b)-3000] })
		}, []DamageKind{DamagedJournal}},
		"the journal's end is garbled": {func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, jl), func(b []byte) []byte { return garble(b, len(b)-90, len(b)) })
		}, []DamageKind{DamagedJournal}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, want := written(t)
			tc.hurt(t, dir)
			for round := range 2 {
				l, err := Open(t.Context(), dir, Options{})
				require.NoError(t, err)
				var kinds []DamageKind
				for _, d := range l.Damage() {
					kinds = append(kinds, d.Kind)
				}
				wantKinds := tc.kinds
				if round > 0 {
					wantKinds = nil
				}
				if diff := cmp.Diff(wantKinds, kinds); diff != "" {
					t.Errorf("round %d: damage (-want +got):\n%s\n%+v", round, diff, l.Damage())
				}
				sameLibrary(t, l, want)
				require.NoError(t, l.Close())
			}
		})
	}
}

func TestDamageThatIsOnlyFoundInUseIsMendedAtTheNextOpen(t *testing.T) {
	ctx := t.Context()
	dir, want := written(t)
	path := filepath.Join(dir, databaseFile)
	info, err := os.Stat(path)
	require.NoError(t, err)
	setFile(t, path, func(b []byte) []byte { // the pages with code: Open does not look at them
		for page := 0; page < len(b); page += 4096 {
			if bytes.Contains(b[page:page+4096], []byte("plot(x)")) {
				garble(b, page, page+100)
			}
		}
		return b
	})
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil { // as a failing disk would do it
		t.Fatal(err)
	}
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	if _, err = l.Executions.List(ctx, ExecutionQuery{}); !errors.Is(err, ErrDamaged) || len(l.Damage()) != 1 {
		t.Errorf("got %v, %+v", err, l.Damage())
	}
	if err := l.Close(); err != nil {
		t.Logf("close: %v", err)
	}
	l = open(t, dir, Options{})
	if d := l.Damage(); len(d) != 1 || d[0].Kind != DamagedDatabase {
		t.Errorf("damage %+v", d)
	}
	sameLibrary(t, l, want)
}

func remove(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.Remove(path))
}

// sameLibrary checks that everything that written wrote is there.
func sameLibrary(t *testing.T, l *Library, want []Image) {
	t.Helper()
	ctx := t.Context()
	got, _, err := l.Images.Page(ctx, All(), Page{Limit: 500})
	require.NoError(t, err)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Image{}, "Modified")); diff != "" {
		t.Errorf("images (-want +got):\n%.2000s", diff)
	}
	if _, n, err := l.Images.Count(ctx, Query{Rating: -1, Trashed: true}); n != 3 || err != nil {
		t.Errorf("%d in the trash, %v", n, err)
	}
	if s, err := l.Sessions.Get(ctx, "ks1"); err != nil || s.Name != "analysis s1" || s.Images < 12 {
		t.Errorf("session %+v, %v", s, err)
	}
	if m, err := l.Annotations.FileAnnotations(ctx, strings.Repeat("ab", 32)); err != nil || len(m) != 1 {
		t.Errorf("file marks %v, %v", m, err)
	}
	if ids, err := l.Images.IDs(ctx, Query{Rating: 5, RatingOp: "=", Tags: []string{"ÆRØ"}}); err != nil || len(ids) < 6 {
		t.Errorf("rated 5 and tagged: %d, %v", len(ids), err)
	}
	im := add(t, l, time.Now().Nanosecond()|1<<30, func(n *NewImage) { n.SessionID = "s0" })
	if im.N <= 15 {
		t.Errorf("a new image has the number %d of an old one", im.N)
	}
	if err := l.Images.purge(ctx, []string{im.ImageID}); err != nil {
		t.Error(err)
	}
}

func TestAGarbledLineOfTheJournalIsFoundWhileTheDatabaseCanReplaceIt(t *testing.T) {
	dir, want := written(t)
	setFile(t, filepath.Join(dir, journalFile), func(b []byte) []byte { return garble(b, len(b)/2, len(b)/2+300) })
	reported := make(chan Damage, 4)
	l, err := Open(t.Context(), dir, Options{Report: func(d Damage) { reported <- d }})
	require.NoError(t, err)
	select {
	case d := <-reported:
		if d.Kind != DamagedJournal {
			t.Errorf("damage %+v", d)
		}
	case <-time.After(time.Minute):
		t.Fatal("not found")
	}
	require.NoError(t, l.Close())
	remove(t, filepath.Join(dir, databaseFile))
	sameLibrary(t, open(t, dir, Options{}), want)
}

func TestWithNeitherDatabaseNorJournalThePicturesAreStillThere(t *testing.T) {
	dir, want := written(t)
	remove(t, filepath.Join(dir, databaseFile))
	remove(t, filepath.Join(dir, journalFile))
	for round := range 2 {
		l, err := Open(t.Context(), dir, Options{})
		require.NoError(t, err)
		pngs := 0
		got, _, err := l.Images.Page(t.Context(), All(), Page{Limit: 500})
		require.NoError(t, err)
		for _, im := range got {
			if im.MIMEType == "image/png" {
				pngs++
			}
		}
		if pngs != len(want)+3 { // the three in the trash come back
			t.Errorf("round %d: %d pictures of %d", round, pngs, len(want)+3)
		}
		if round == 0 && len(l.Damage()) == 0 {
			t.Error("not told")
		}
		require.NoError(t, l.Close())
	}
}

func TestAMissingOrChangedFileMarksItsImageAndTheListStillWorks(t *testing.T) {
	ctx := t.Context()
	dir, want := written(t)
	remove(t, want[0].Path)
	setFile(t, want[1].Path, func(b []byte) []byte { return b[:10] })
	setFile(t, want[2].Path, func(b []byte) []byte { return garble(b, 20, 60) }) // of the same size: found when it is read
	l := open(t, dir, Options{})
	if d := l.Damage(); len(d) != 1 || d[0].Kind != DamagedImage || len(d[0].Images) != 2 {
		t.Errorf("damage %+v", d)
	}
	got, _, err := l.Images.Page(ctx, All(), Page{})
	if err != nil || len(got) != 42 {
		t.Fatalf("%d images, %v", len(got), err)
	}
	for i := range 4 {
		if broken := i < 2; got[i].Broken != broken {
			t.Errorf("image %d: broken %t", i, got[i].Broken)
		}
		_, _, err := l.Images.Read(ctx, got[i].ImageID)
		if damaged := i < 3; errors.Is(err, ErrDamaged) != damaged {
			t.Errorf("read image %d: %v", i, err)
		}
		_, err = l.Images.Thumb(ctx, got[i].ImageID, 100)
		if damaged := i < 3; errors.Is(err, ErrDamaged) != damaged {
			t.Errorf("thumb of image %d: %v", i, err)
		}
	}
	if im, err := l.Images.Image(ctx, want[2].ImageID); err != nil || !im.Broken {
		t.Errorf("after reading: %+v, %v", im, err)
	}
	// The same bytes again mend it.
	add(t, l, 2014)
	if _, im, err := l.Images.Read(ctx, want[0].ImageID); err != nil || im.Broken {
		t.Errorf("not mended: %v", err)
	}
}

func TestANewerLibraryIsRefusedAndNotTouched(t *testing.T) {
	for name, hurt := range map[string]func(t *testing.T, dir string){
		"schema": func(t *testing.T, dir string) {
			setFile(t, filepath.Join(dir, databaseFile), func(b []byte) []byte { b[63] = 99; return b })
		},
		"journal": func(t *testing.T, dir string) {
			j := &journal{disk: disk.Real{}}
			setFile(t, filepath.Join(dir, journalFile), func([]byte) []byte { return nil })
			var err error
			if j.file, err = os.OpenFile(filepath.Join(dir, journalFile), os.O_RDWR, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := j.append([][]byte{[]byte(`{"easel_library":2}`), []byte(`{"news":1}`)}, true); err != nil {
				t.Fatal(err)
			}
			if _, err := j.file.WriteString("torn"); err != nil {
				t.Fatal(err)
			}
			require.NoError(t, j.close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := written(t)
			hurt(t, dir)
			before := contents(t, dir)
			if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrNewer) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Error("it was touched")
			}
		})
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, f := range []string{databaseFile, journalFile} {
		b, err := os.ReadFile(filepath.Join(dir, f))
		require.NoError(t, err)
		all[f] = string(b)
	}
	return all
}

func TestASecondOpenIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, Options{})
	if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v", err)
	}
}
