package library

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library/output"
)

// TestRunsAreFoundByTheirWords searches code, output, titles and notes, before and after the
// index of words is complete.
func TestRunsAreFoundByTheirWords(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	begin := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	for i, r := range []struct{ session, code, out, title, note string }{
		{"s1", "df = load('rain.csv')", "rows 8_410\n", "", ""},
		{"s1", "df.hist()", "", "Rain per day", "compare with Osaka"},
		{"s2", "print('降水量')", "平均 12 mm\n", "", ""},
		{"s2", "plot(df)", "", "雨の日数", "札幌だけ"},
	} {
		id := fmt.Sprintf("e%d", i)
		at := begin.Add(time.Duration(i) * time.Hour)
		require.NoError(t, l.Sessions.Put(ctx, Session{ID: r.session}))
		require.NoError(t, l.Output.Append(ctx, id, output.Stdout, []byte(r.out)))
		require.NoError(t, l.Executions.Put(ctx, Execution{ID: id, SessionID: r.session, Code: r.code, Status: "ok", CreatedAt: at, EndedAt: at}))
		if r.title == "" {
			continue
		}
		im := add(t, l, i, func(n *NewImage) {
			n.SessionID, n.ExecutionID, n.Title, n.CreatedAt = r.session, id, r.title, at
		})
		if _, err := l.Annotations.SetNote(ctx, im.ImageID, r.note); err != nil {
			t.Fatal(err)
		}
	}
	lone := add(t, l, 9, func(n *NewImage) {
		n.SessionID, n.ExecutionID, n.Title, n.CreatedAt = "s3", "forgotten", "Rain elsewhere", begin
	})
	for _, c := range []struct {
		what string
		q    RunQuery
		want string
	}{
		{"everything, newest first", RunQuery{}, "e3 e2 e1 e0"},
		{"code", RunQuery{Text: "LOAD"}, "e0"},
		{"output", RunQuery{Text: "8_410"}, "e0"},
		{"code or title", RunQuery{Text: "rain"}, "e1 e0"},
		{"a note", RunQuery{Text: "osaka"}, "e1"},
		{"code and note together", RunQuery{Text: "osaka hist"}, "e1"},
		{"all words", RunQuery{Text: "osaka load"}, ""},
		{"two characters of output", RunQuery{Text: "平均"}, "e2"},
		{"two characters of a note", RunQuery{Text: "札幌"}, "e3"},
		{"one character of a title", RunQuery{Text: "雨"}, "e3"},
		{"three characters", RunQuery{Text: "降水量"}, "e2"},
		{"a session", RunQuery{Text: "df", SessionID: "s2"}, "e3"},
		{"since", RunQuery{Since: begin.Add(2 * time.Hour)}, "e3 e2"},
		{"since a year that nanoseconds do not reach", RunQuery{Since: begin.AddDate(900, 0, 0)}, ""},
		{"since long ago", RunQuery{Text: "osaka", Since: begin.AddDate(-900, 0, 0)}, "e1"},
		{"the newest", RunQuery{Limit: 1}, "e3"},
	} {
		for _, indexed := range []bool{false, true} {
			if indexed {
				require.NoError(t, l.Executions.indexWords(ctx))
			}
			xs, err := l.Executions.Search(ctx, c.q)
			require.NoError(t, err)
			ids := make([]string, len(xs))
			for i, x := range xs {
				ids[i] = x.ID
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("%s, indexed %v: %q, want %q", c.what, indexed, got, c.want)
			}
		}
	}
	alone, err := l.Images.Lone(ctx, RunQuery{Text: "rain"})
	if err != nil || len(alone) != 1 || alone[0].ImageID != lone.ImageID {
		t.Errorf("plots without a run: %v, %v", alone, err)
	}
}
