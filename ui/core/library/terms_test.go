package library

import (
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/output"
)

// TestASearchFindsWhatItsTermsSay has five plots, a minute apart, of which the last is a minute old.
func TestASearchFindsWhatItsTermsSay(t *testing.T) {
	ctx := t.Context()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	l := open(t, t.TempDir(), Options{Now: func() time.Time { return now }})
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "s1", KernelID: "k1", NotebookPath: "work/sales.ipynb"}))
	require.NoError(t, l.Sessions.Put(ctx, Session{ID: "s2", Title: "Week 9"}))
	require.NoError(t, l.Output.Append(ctx, "e1", output.Stdout, []byte("the last words")))
	for id, x := range map[string]Execution{
		"e1": {SessionID: "s1", Code: "df.plot(kind='BAR')", Status: "ok"}, "e3": {SessionID: "s2", Status: "error"},
	} {
		x.ID, x.CreatedAt, x.EndedAt = id, now, now
		require.NoError(t, l.Executions.Put(ctx, x))
	}
	names := make(map[string]string) // id → our name for it
	for i, p := range []struct {
		session, run, title, client, note string
		rating                            int
		tags                              []string
	}{
		{"s1", "e1", "Figure 10", "claude-code 2.0", "", 5, []string{"Loss", "train"}},
		{"s1", "e1", "figure 9", "Cursor 1.9", "", 3, []string{"loss"}},
		{"s2", "e2", "東京の気温", "claude-code 2.0", "", 0, []string{"気温"}},
		{"s2", "e3", "100% of ÉTÉ", "Cursor 1.9", "Why?", 1, nil},
		{"s2", "", "", "", "", 3, []string{"train"}},
	} {
		now = now.Add(time.Minute)
		im := add(t, l, i, func(n *NewImage) {
			n.SessionID, n.ExecutionID, n.Title, n.Client, n.CreatedAt = p.session, p.run, p.title, p.client, now
		})
		names[im.ImageID] = string(rune('a' + i))
		_, err := l.Annotations.Mark(ctx, []Target{{ID: im.ImageID}}, func(_ int, m *Marks) error {
			if err := m.SetTags(p.tags, nil); err != nil || p.note == "" {
				return err
			}
			return m.SetNote(p.note)
		})
		require.NoError(t, err)
		_, err = l.Annotations.SetRating(ctx, []string{im.ImageID}, p.rating)
		require.NoError(t, err)
	}
	looked := now.Add(-2 * time.Minute)
	now = now.Add(time.Minute)
	for name, c := range map[string]struct{ text, want string }{
		"a number after a minus sign":       {"figure -9", ""},
		"a negated word":                    {"figure -last", ""},
		"only a negated word":               {"-figure", "edc"},
		"a phrase":                          {`"last words"`, "ba"},
		"a phrase in another order":         {`"words last"`, ""},
		"a term for a tag":                  {"tag:LOSS", "ba"},
		"two terms for tags":                {"tag:loss tag:train", "a"},
		"without a tag":                     {"-tag:loss", "edc"},
		"a term for stars":                  {"stars:>=3", "eba"},
		"more than three stars":             {"stars:>3", "a"},
		"a client":                          {"client:CURSOR", "db"},
		"one of two clients":                {"client:cursor client:claude", "dcba"},
		"another client":                    {"-client:cursor", "eca"},
		"a session by its name":             {"session:week", "edc"},
		"a session by its notebook":         {"session:sales", "ba"},
		"a session by its id":               {"session:s1", "ba"},
		"a session that is not there":       {"session:none", ""},
		"after a time of day":               {"after:0:03", "edc"},
		"before a time of day":              {"before:0:03", "ba"},
		"on a day":                          {"on:2026-03-01", "edcba"},
		"on one of two days":                {"on:yesterday on:today after:0:04", "ed"},
		"on another day":                    {"on:yesterday", ""},
		"in the last minutes":               {"after:2m", "ed"},
		"with a note":                       {"has:note", "d"},
		"without a note":                    {"-has:note", "ecba"},
		"with an error":                     {"has:error", "d"},
		"with tags and stars":               {"has:tags has:stars", "eba"},
		"with findings":                     {"has:findings", ""},
		"with data":                         {"has:data", ""},
		"a kind":                            {"kind:png", "edcba"},
		"each other kind":                   {"kind:matplotlib kind:plotly kind:vega kind:bokeh kind:html kind:svg kind:animation", ""},
		"new since the last look":           {"is:new", "ed"},
		"new for somebody who never looked": {"is:new", "edcba"},
		"a wrong term and the rest":         {"after:soon kind:pie figure client:", "ba"},
		"a colon in a word":                 {"kind='bar' x:", ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := Query{Rating: -1, Text: c.text}
			if name == "new since the last look" {
				q.Looked = looked
			}
			checkQuery(t, l, names, q, c.want)
		})
	}
}

// TestASearchIsRepeatedOnlyIfItsAnswerMayChange names a change that affects each search, and one that does not.
func TestASearchIsRepeatedOnlyIfItsAnswerMayChange(t *testing.T) {
	for text, c := range map[string]struct{ affects, leaves feed.What }{
		"figure": {feed.Text, feed.Rating}, "stars:3": {feed.Rating, feed.Tags}, "tag:keep": {feed.Tags, feed.Rating},
		"has:note": {feed.Text, feed.Cell}, "client:cursor after:1h": {feed.Added, feed.Text | feed.Rating},
	} {
		q := Query{Rating: -1, Text: text}
		if !q.AffectedBy(c.affects) || q.AffectedBy(c.leaves) {
			t.Errorf("%s: %v, %v", text, q.AffectedBy(c.affects), q.AffectedBy(c.leaves))
		}
	}
}
