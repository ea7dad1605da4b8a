package library

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/library/output"
	"easel/ui/core/library/search"
)

func TestQueriesFindWhatTheySay(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	names := make(map[string]string) // id → our name for it
	put := func(name, session, run, title string, rating int, tags ...string) {
		t.Helper()
		begin = begin.Add(time.Minute)
		im := add(t, l, len(names), func(n *NewImage) {
			n.SessionID, n.ExecutionID, n.Title, n.CreatedAt = session, run, title, begin
			n.Forms[0].Data = append(n.Forms[0].Data, make([]byte, 100*len(names))...)
		})
		names[im.ImageID] = name
		if _, err := l.Annotations.SetRating(ctx, []string{im.ImageID}, rating); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Annotations.SetTags(ctx, []string{im.ImageID}, tags, nil); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "s1", KernelID: "k1"}))
	run := func(id, code, out string) {
		t.Helper()
		require.NoError(t, l.Output.Append(ctx, id, output.Stdout, []byte(out)))
		require.NoError(t, l.Executions.Put(ctx, Execution{ID: id, SessionID: "s1", Code: code, Status: "ok", CreatedAt: begin, EndedAt: begin}))
	}
	run("e1", "df.plot(kind='BAR')", "mean 3.25\n"+strings.Repeat("noise ", 5000)+"last words")
	run("e2", "plt.title('東京の気温')", "done")
	put("a", "s1", "e1", "Figure 10", 5, "Loss", "train")
	put("b", "s1", "e1", "figure 9", 3, "loss")
	put("c", "s2", "e2", "東京の気温", 0, "気温", "ｔｒａｉｎ")
	put("d", "s2", "e3", "100% of ÉTÉ", 1)
	put("e", "s2", "", "", 3, "train")

	cases := map[string]struct {
		q    Query
		want string
	}{
		"everything, newest first":            {All(), "edcba"},
		"oldest first":                        {Query{Rating: -1, Asc: true}, "abcde"},
		"by name, numbers by value":           {Query{Rating: -1, SortBy: "name", Asc: true}, "dbaec"},
		"by rating, ties by time":             {Query{Rating: -1, SortBy: "rating"}, "aebdc"},
		"by rating upwards":                   {Query{Rating: -1, SortBy: "rating", Asc: true}, "cdbea"},
		"by size":                             {Query{Rating: -1, SortBy: "size", Asc: true}, "abcde"},
		"by session":                          {Query{Rating: -1, SortBy: "session", Asc: true}, "abcde"},
		"by change":                           {Query{Rating: -1, SortBy: "modified"}, "edcba"},
		"a session":                           {Query{Rating: -1, SessionID: "s1"}, "ba"},
		"a session by its kernel":             {Query{Rating: -1, SessionID: "k1"}, "ba"},
		"an unknown session":                  {Query{Rating: -1, SessionID: "s9"}, ""},
		"at least three stars":                {Query{Rating: 3}, "eba"},
		"just three stars":                    {Query{Rating: 3, RatingOp: "="}, "eb"},
		"at most one star":                    {Query{Rating: 1, RatingOp: "<="}, "dc"},
		"a tag in another case":               {Query{Rating: -1, Tags: []string{"LOSS"}}, "ba"},
		"all of two tags":                     {Query{Rating: -1, Tags: []string{"loss", "train"}}, "a"},
		"any of two tags":                     {Query{Rating: -1, Tags: []string{"loss", "train"}, AnyTag: true}, "eba"},
		"an unknown tag":                      {Query{Rating: -1, Tags: []string{"x"}}, ""},
		"text in a title":                     {Query{Rating: -1, Text: "FIGURE"}, "ba"},
		"text in code, any case":              {Query{Rating: -1, Text: "Kind='bar'"}, "ba"},
		"text in output's head":               {Query{Rating: -1, Text: "3.25"}, "ba"},
		"text in output's tail":               {Query{Rating: -1, Text: "LAST words"}, "ba"},
		"Japanese within a word":              {Query{Rating: -1, Text: "京の気"}, "c"},
		"one character":                       {Query{Rating: -1, Text: "気"}, "c"},
		"a tag as text, full width as half":   {Query{Rating: -1, Text: "Train"}, "eca"},
		"a per cent sign is only a character": {Query{Rating: -1, Text: "0%"}, "d"},
		"an accent in another case":           {Query{Rating: -1, Text: "été"}, "d"},
		"words of title and code together":    {Query{Rating: -1, Text: "10 df.plot"}, "a"},
		"a quote does no harm":                {Query{Rating: -1, Text: `"' or 1=1`}, ""},
		"filters together":                    {Query{Rating: 3, Tags: []string{"train"}, SessionID: "s2"}, "e"},
		"prefix of all":                       {Query{Rating: -1, URIPrefix: "jupyter://"}, "edcba"},
		"prefix of a session":                 {Query{Rating: -1, URIPrefix: "jupyter://sessions/s1/"}, "ba"},
		"prefix of sessions":                  {Query{Rating: -1, URIPrefix: "jupyter://sessions/s"}, "edcba"},
		"prefix of images":                    {Query{Rating: -1, URIPrefix: "jupyter://sessions/s1/images/"}, "ba"},
		"foreign prefix":                      {Query{Rating: -1, URIPrefix: "file://"}, ""},
		"foreign prefix below a session":      {Query{Rating: -1, URIPrefix: "jupyter://sessions/s1/cells"}, ""},
	}
	for _, indexed := range []string{"before indexing", "after indexing"} {
		for name, tc := range cases {
			t.Run(name+" "+indexed, func(t *testing.T) { checkQuery(t, l, names, tc.q, tc.want) })
		}
		require.NoError(t, l.Executions.indexWords(ctx))
	}
	for _, q := range []Query{{Rating: -1, SortBy: "colour"}, {Rating: 1, RatingOp: "<>"}} {
		if _, err := l.Images.IDs(ctx, q); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: got %v", q, err)
		}
	}
	if total, matching, err := l.Images.Count(ctx, Query{Rating: 3, SessionID: "s1"}); total != 2 || matching != 2 || err != nil {
		t.Errorf("count in s1: %d, %d, %v", total, matching, err)
	}
	full := ""
	for id := range names {
		im, err := l.Images.Image(ctx, id)
		require.NoError(t, err)
		full = im.ResourceURI
		for _, prefix := range []string{full, full[:len(full)-2], full[:len(full)-10]} {
			ids, err := l.Images.IDs(ctx, Query{Rating: -1, URIPrefix: prefix})
			if err != nil || !slices.Contains(ids, id) {
				t.Errorf("prefix %s: %v, %v", prefix, ids, err)
			}
		}
	}
	tags, err := l.Annotations.Tags(ctx)
	if diff := cmp.Diff([]TagCount{{"Loss", 2}, {"train", 2}, {"気温", 1}, {"ｔｒａｉｎ", 1}}, tags); diff != "" || err != nil {
		t.Errorf("tags: %s %v", diff, err)
	}
}

func checkQuery(t *testing.T, l *Library, names map[string]string, q Query, want string) {
	t.Helper()
	ids, err := l.Images.IDs(t.Context(), q)
	require.NoError(t, err)
	if got := nameAll(names, ids); got != want {
		t.Errorf("IDs: got %q, want %q", got, want)
	}
	if got := nameAll(names, walk(t, l, q, 2)); got != want {
		t.Errorf("pages: got %q, want %q", got, want)
	}
	if _, n, err := l.Images.Count(t.Context(), q); n != len(want) || err != nil {
		t.Errorf("count: %d, want %d, %v", n, len(want), err)
	}
}

func nameAll(names map[string]string, ids []string) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(names[id])
	}
	return b.String()
}

// walk collects the ids of all pages.
func walk(t testing.TB, l *Library, q Query, limit int) (ids []string) {
	t.Helper()
	p := Page{Limit: limit}
	for range 10_000 {
		images, next, err := l.Images.Page(context.Background(), q, p)
		require.NoError(t, err)
		for _, im := range images {
			ids = append(ids, im.ImageID)
		}
		if next == "" {
			return ids
		}
		p.Cursor = next
	}
	t.Fatal("pages without end")
	return nil
}

func TestPagingIsNotDisturbedByWhatComesAndGoes(t *testing.T) {
	ctx := t.Context()
	for sortBy := range sortKeys {
		for _, asc := range []bool{false, true} {
			l := filled(t, 80)
			q := Query{Rating: -1, SortBy: sortBy, Asc: asc}
			before, err := l.Images.IDs(ctx, q)
			require.NoError(t, err)
			gone := make(map[string]bool)
			var got []string
			p := Page{Limit: 7}
			for i := 0; ; i++ {
				images, next, err := l.Images.Page(ctx, q, p)
				require.NoError(t, err)
				for _, im := range images {
					got = append(got, im.ImageID)
				}
				if next == "" {
					break
				}
				p.Cursor = next
				add(t, l, 5000+i, func(n *NewImage) {
					n.SessionID, n.Title = "s3", fmt.Sprint("Figure ", rand.IntN(80))
					n.CreatedAt = time.Date(2026, 1, 1, 0, 0, rand.IntN(80), 1, time.UTC)
				})
				if id := got[rand.IntN(len(got))]; !gone[id] { // also the one that the cursor names
					gone[id] = true
					require.NoError(t, l.Images.Trash(ctx, []string{id, got[len(got)-1]}))
				}
			}
			seen := make(map[string]int)
			for _, id := range got {
				seen[id]++
			}
			for _, id := range before {
				if seen[id] != 1 {
					t.Errorf("%s asc %t: an image was shown %d times", sortBy, asc, seen[id])
				}
			}
		}
	}
}

func TestABadCursorIsRefused(t *testing.T) {
	ctx := t.Context()
	l := filled(t, 10)
	_, good, err := l.Images.Page(ctx, All(), Page{Limit: 3})
	if err != nil || good == "" {
		t.Fatal(good, err)
	}
	if _, _, err := l.Images.Page(ctx, All(), Page{Cursor: good}); err != nil {
		t.Errorf("the good one: %v", err)
	}
	other := cursor{Key: "x", Figure: 1, Query: All().fingerprint()}.String()
	for name, tc := range map[string]struct {
		q      Query
		cursor string
	}{
		"no base64":           {All(), "!!!"},
		"no JSON":             {All(), "AAAA"},
		"cut off":             {All(), good[:len(good)-3]},
		"of another order":    {Query{Rating: -1, Asc: true}, good},
		"of another filter":   {Query{Rating: 2}, good},
		"of another key":      {All(), other},
		"with a list as key":  {All(), cursor{Key: []int{1}, Query: All().fingerprint()}.String()},
		"with a fraction":     {All(), cursor{Key: 1.5, Query: All().fingerprint()}.String()},
		"far too long to be":  {All(), strings.Repeat("A", 100_000)},
		"with SQL for a text": {Query{Rating: -1, SortBy: "name"}, cursor{Key: 1, Query: Query{Rating: -1, SortBy: "name"}.fingerprint()}.String()},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := l.Images.Page(ctx, tc.q, Page{Cursor: tc.cursor}); !errors.Is(err, ErrBadCursor) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNoHotQueryReadsAWholeTable asks SQLite how it would go about each query that
// is made for every image, page or execution.
func TestNoHotQueryReadsAWholeTable(t *testing.T) {
	ctx := t.Context()
	l := filled(t, 500)
	plan := func(name, query string, args ...any) {
		t.Helper()
		rows, err := collect(ctx, l.s, func(row scanner) (detail string, err error) {
			var a, b, c int
			err = row.Scan(&a, &b, &c, &detail)
			return detail, err
		}, `explain query plan `+query, args...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, step := range rows {
			scans := strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "INDEX") && !strings.Contains(step, "json_each") && !strings.Contains(step, "CONSTANT") && !strings.Contains(step, "VIRTUAL TABLE")
			if scans || strings.Contains(step, "TEMP B-TREE") && !strings.Contains(name, "within a session") {
				t.Errorf("%s: %s\n%s", name, step, strings.Join(rows, "\n"))
			}
		}
	}
	for sortBy := range sortKeys {
		for _, session := range []string{"", "s3"} {
			q := Query{Rating: -1, SortBy: sortBy, SessionID: session}
			name := "page by " + sortBy
			if session != "" && sortBy != "" && sortBy != "created" {
				name += " within a session" // sorts the session's images
			}
			c, err := l.Images.queries.condition(ctx, q)
			require.NoError(t, err)
			plan(name, c.sql(imageColumns, `images i join sessions s on s.seq = i.session_seq`)+c.order()+` limit 51`, c.args...)
			require.NoError(t, c.after(cursor{Key: c.key.of(imageRow{sortname: "x"}), Figure: 1, Query: q.fingerprint()}.String(), q))
			plan("next "+name, c.sql(imageColumns, `images i join sessions s on s.seq = i.session_seq`)+c.order()+` limit 51`, c.args...)
			plan("ids "+name, c.sql(`i.id`, `images i`)+c.order(), c.args...)
		}
	}
	one := `["x"]`
	plan("get", `select `+imageColumns+imageTables+` where i.id in (select value from json_each(?))`, one)
	plan("image", `select `+imageColumns+imageTables+` where i.id = ?`, "x")
	plan("image of a file", imageOfFile(hashAndExt), "x", "png")
	plan("ids of a file", `select id from images where hash = ? limit 20`, "x")
	plan("newest version of a figure", newestVersion(`i.trashed = 0`), 1)
	plan("newest version in the trash", newestVersion(`i.trashed > 0`), 1)
	plan("versions", figureVersions, 1)
	plan("front", frontOf, "x")
	plan("codes", `select id, code from executions where id in (select value from json_each(?))`, one)
	plan("images of an execution", executionImages, "x")
	runs, words := search.Runs("abc")
	plan("words of an execution", runs, words...)
	plan("execution", `select code, body from executions where id = ?`, "x")
	plan("history", `select code, body from executions where (created, id) < (?, ?) order by created desc, id desc limit 50`, 1, "")
	plan("history of a session", `select code, body from executions where (created, id) < (?, ?) and session = ? order by created desc, id desc limit 50`, 1, "", "s")
	plan("recover", `select code, body from executions where status in ('queued', 'awaiting_approval', 'running') order by seq`)
	plan("session", `select seq from sessions where id = ?`, "x")
	plan("session of a kernel", `select seq from sessions where kernel = ? and kernel <> '' order by seq desc limit 1`, "x")
	plan("session's images", `select coalesce(sum(live), 0) from sessions where seq = ?`, 1)
	plan("file", `select 1 from files where name = ?`, "x")
	plan("rate", `update images set rating = ?, modified = ? where id = ?`, 1, 1, "x")
	plan("tags", `delete from tagged where subject = ?`, "x")
	plan("judge", `update images set judged = ?, modified = ? where id = ?`, `[]`, 1, "x")
	plan("unexamined", `select `+imageColumns+imageTables+` where i.examined = 0 order by i.seq desc limit ?`, 1)
	plan("found", `update images set findings = `+openFindings+` where id = ?`, "x")
	plan("mended", `update files set broken = 0 where name = ? and broken <> 0`, "x")
	plan("trash", `select id from images where trashed > 0 and trashed < ?`, 1)
	plan("activities", `select body from activities where seq < ? order by seq desc limit ?`, 1, 1)
	plan("marks", `select hash, path, rating, tags, modified from file_marks where hash in (select value from json_each(?))`, one)
}

func FuzzQuery(f *testing.F) {
	l := filled(f, 20)
	f.Add("気温", "jupyter://sessions/s1/images/", "tag", "AAAA")
	f.Add("%_'\"\\", "jupyter://sessions/s1", "", "eyJrIjoxfQ")
	f.Add("\x00\xff", "jupyter://sessions/\xff/images/0.", "\x00", "")
	f.Fuzz(func(t *testing.T, text, prefix, tag, at string) {
		q := Query{Rating: -1, Text: text, URIPrefix: prefix, Tags: []string{tag}}
		if _, _, err := l.Images.Page(t.Context(), q, Page{Cursor: at}); err != nil && !errors.Is(err, ErrBadCursor) {
			t.Errorf("%q %q %q: %v", text, prefix, tag, err)
		}
		q.Tags = nil
		if _, _, err := l.Images.Count(t.Context(), q); err != nil {
			t.Errorf("%q %q: %v", text, prefix, err)
		}
	})
}

// TestAPlotAfterTheClockWasSetBackIsTheNewest is also after a rebuild from the journal, old and rewritten.
func TestAPlotAfterTheClockWasSetBackIsTheNewest(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	clock := time.Now()
	o := Options{Now: func() time.Time { return clock }}
	l, err := Open(ctx, dir, o)
	require.NoError(t, err)
	var want []string // newest first
	drawn := func(edit ...func(*NewImage)) Image {
		im := add(t, l, len(want), append(edit, func(n *NewImage) { n.CreatedAt = clock })...)
		want = append([]string{im.ImageID}, want...)
		return im
	}
	first := drawn()
	clock = clock.Add(2 * time.Hour)
	drawn()
	clock = clock.Add(-time.Hour)
	late := drawn()
	drawn()
	update := add(t, l, 100, func(n *NewImage) { n.Replaces = first.ResourceURI })
	want[3] = update.ImageID // an update moves nothing
	found := add(t, l, 101, func(n *NewImage) { n.CreatedAt, n.Old = clock.Add(-48*time.Hour), true })
	want = append(want, found.ImageID)
	check := func(when string) {
		t.Helper()
		ids, err := l.Images.IDs(ctx, All())
		require.NoError(t, err)
		if !slices.Equal(ids, want) {
			t.Errorf("%s: %v, want %v", when, ids, want)
		}
		if im, err := l.Images.Get(ctx, late.ImageID); err != nil || !im[0].CreatedAt.Equal(late.CreatedAt) {
			t.Errorf("%s: drawn at %v, %v; want %v", when, im, err, late.CreatedAt)
		}
	}
	check("at once")
	for _, when := range []string{"from the journal", "from a rewritten one"} {
		require.NoError(t, l.Close())
		remove(t, filepath.Join(dir, databaseFile))
		l, err = Open(ctx, dir, o)
		require.NoError(t, err)
		check(when)
		require.NoError(t, l.s.rewriteJournal(ctx))
	}
	require.NoError(t, l.Close())
}
