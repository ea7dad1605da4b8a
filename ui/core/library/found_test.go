package library

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/facts"
	"easel/ui/core/library/search"
)

// The index of words is exact: what it finds is what a comparison of all texts finds, also for code
// that has changed since it was indexed.
func TestTheIndexOfWordsFindsWhatTheTextsContain(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	chance := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aA bB(\"'éÉßςΣıİK東京ｱ\n0:-_ꭰᎠǅ")
	random := func(n int) string {
		r := make([]rune, n)
		for i := range r {
			r[i] = letters[chance.IntN(len(letters))]
		}
		return string(r)
	}
	put := func(i int) {
		require.NoError(t, l.Executions.Put(ctx, Execution{ID: fmt.Sprint(i), SessionID: "s", Code: random(40 + chance.IntN(200)), Status: "running", CreatedAt: time.Now()}))
	}
	for i := range 120 {
		put(i)
	}
	require.NoError(t, l.Executions.indexWords(ctx))
	for i := range 20 {
		put(3 * i) // the index has its former code
	}
	type text struct {
		seq   int64
		words string
	}
	all, err := collect(ctx, l.s, func(row scanner) (x text, err error) {
		err = row.Scan(&x.seq, &x.words)
		return x, err
	}, `select seq, words from run_words order by seq`)
	require.NoError(t, err)
	for range 400 {
		from := []rune(all[chance.IntN(len(all))].words)
		n := 3 + chance.IntN(6)
		at := chance.IntN(len(from) - n)
		word := string(from[at : at+n])
		if chance.IntN(4) == 0 {
			word = search.Fold(random(n))
		}
		var want []int64
		for _, x := range all {
			if strings.Contains(x.words, word) {
				want = append(want, x.seq)
			}
		}
		query, args := search.Runs(word)
		got, err := collect(ctx, l.s, func(row scanner) (seq int64, err error) { return seq, row.Scan(&seq) }, query, args...)
		require.NoError(t, err)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}

// A plot is found by its code whichever of the two came first.
func TestAPlotIsFoundByCodeThatCameLater(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	im := add(t, l, 0, func(n *NewImage) { n.SessionID, n.ExecutionID = "s", "later" })
	require.NoError(t, l.Executions.Put(ctx, Execution{ID: "later", SessionID: "s", Code: "import seaborn", Status: "error", CreatedAt: time.Now(), EndedAt: time.Now()}))
	for _, text := range []string{"seaborn", "has:error"} {
		ids, err := l.Images.IDs(ctx, Query{Rating: -1, Text: text})
		if err != nil || !slices.Equal(ids, []string{im.ImageID}) {
			t.Errorf("%s: %v, %v", text, ids, err)
		}
	}
}

// The words of the column traits follow from what is stored of a plot.
func TestAKindIsKnownByWhatIsStored(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	for mime, terms := range map[string]string{
		FigureMIMEType: "kind:matplotlib", facts.MIMEType: "kind:matplotlib has:data", "application/vnd.vegalite.v5+json": "kind:vega",
		"application/vnd.vega.v5+json": "kind:vega", "application/vnd.plotly.v1+json": "kind:plotly",
		"application/vnd.bokehjs_exec.v0+json": "kind:bokeh", "application/vnd.holoviews_exec.v0+json": "kind:holoviews",
	} {
		im := add(t, l, len(mime), func(n *NewImage) {
			n.SessionID = "s"
			n.Forms = append(n.Forms, Form{MIME: mime, Data: []byte(`{"of":"` + mime + `"}`)})
		})
		for _, term := range append(strings.Fields(terms), terms) {
			ids, err := l.Images.IDs(ctx, Query{Rating: -1, Text: term})
			if err != nil || !slices.Contains(ids, im.ImageID) {
				t.Errorf("%s, %s: %v, %v", mime, term, ids, err)
			}
		}
	}
	for term, want := range map[string]int{"kind:matplotlib": 2, "kind:vega": 2, "kind:plotly": 1, "kind:bokeh": 1, "kind:holoviews": 1, "has:data": 1} {
		ids, err := l.Images.IDs(ctx, Query{Rating: -1, Text: term})
		if err != nil || len(ids) != want {
			t.Errorf("%s: %d, want %d, %v", term, len(ids), want, err)
		}
	}
}

// A search reads the index that was made for it, and no row of an image: there are 50,000.
func TestASearchReadsNoRowsOfImages(t *testing.T) {
	l := filled(t, 500)
	texts := []string{"figure", `"np.linspace(0, 19"`, "-zebra", "client:claude", "stars:>=3", "after:9:00 is:new"}
	for _, k := range search.Kinds {
		texts = append(texts, "kind:"+k)
	}
	for _, x := range search.Things {
		texts = append(texts, "has:"+x)
	}
	for _, text := range texts {
		c, err := l.Images.queries.condition(t.Context(), Query{Rating: -1, Text: text, Looked: time.Now()})
		require.NoError(t, err)
		for _, asked := range []string{c.sql(`i.id, i.born, 0`, `images i`) + c.order(), c.sql(`count(*)`, `images i`)} {
			steps, err := collect(t.Context(), l.s, func(row scanner) (detail string, err error) {
				var a, b, c int
				err = row.Scan(&a, &b, &c, &detail)
				return detail, err
			}, `explain query plan `+asked, c.args...)
			require.NoError(t, err)
			plan := strings.Join(steps, "\n")
			if !strings.Contains(steps[0], " i USING COVERING INDEX") || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN e\n") {
				t.Errorf("%s: %s", text, plan)
			}
		}
	}
}
