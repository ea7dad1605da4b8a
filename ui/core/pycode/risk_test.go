package pycode

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// follow learns the cells of a case but the last one, and returns the last and its Follower. The files of the folder
// are those named old.
func follow(t *testing.T, text string) (*Follower, string) {
	t.Helper()
	partial := strings.HasPrefix(text, "@partial\n")
	text = strings.TrimPrefix(text, "@partial\n")
	f := NewFollower(Folder{Path: "/work", Exists: func(path string) bool { return strings.Contains(path, "old") }}, !partial)
	cells := strings.Split(text, "\n---\n")
	for _, c := range cells[:len(cells)-1] {
		code, user := strings.CutPrefix(c, "@user\n")
		f.Learn(code, user)
	}
	return f, cells[len(cells)-1]
}

// planted returns the cases of a file: texts after a heading.
func planted(t *testing.T, path string) (headings, texts []string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, part := range strings.Split("\n"+string(raw), "\n## ")[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		headings, texts = append(headings, heading), append(texts, strings.TrimSuffix(text, "\n"))
	}
	return headings, texts
}

func TestDangerousCellsAreRisky(t *testing.T) {
	headings, texts := planted(t, "testdata/risky.txt")
	kinds := make(map[string]int)
	for i, text := range texts {
		kinds[headings[i]]++
		f, last := follow(t, text)
		assert.NotEmpty(t, f.Risks(last), "%s:\n%s", headings[i], text)
	}
	assert.Len(t, kinds, 12)
	assert.GreaterOrEqual(t, len(texts), 100)
}

// TestCellsOfAnAttackerAreRisky has cells that were written to get past the Follower, by somebody who had read it.
func TestCellsOfAnAttackerAreRisky(t *testing.T) {
	headings, texts := planted(t, "testdata/attacked.txt")
	for i, text := range texts {
		f, last := follow(t, text)
		assert.NotEmpty(t, f.Risks(last), "%s:\n%s", headings[i], text)
	}
}

// TestLargeCellsAreNotRead checks that a cell that would take long is a risk itself: its reading must not hold up a kernel.
func TestLargeCellsAreNotRead(t *testing.T) {
	for name, code := range map[string]string{
		"characters": strings.Repeat("x = 1\n", 60_000), "tokens": strings.Repeat("x=1\n", 30_000), "a statement": "x = [" + strings.Repeat("1,", 5_000) + "]",
		"f-strings": strings.Repeat(`f'{f"{`, 1_000), "attributes": "x" + strings.Repeat(".a", 800), "magics": strings.Repeat("%time ", 20_000),
	} {
		f, last := follow(t, code)
		assert.NotEmpty(t, f.Risks(last), name)
	}
}

func TestOrdinaryCellsAreNot(t *testing.T) {
	_, texts := planted(t, "testdata/ordinary.txt")
	for _, text := range texts {
		f, last := follow(t, text)
		assert.Empty(t, f.Risks(last), text)
	}
}

// TestMangledCellsAreRead checks that no code makes the Follower panic: it gets pieces of the planted cells in disorder.
func TestMangledCellsAreRead(t *testing.T) {
	pieces := strings.Fields("( ) [ ] { } . , : = == ** * for in if else lambda def df partial @ := ; \"inplace\" inplace True vars \n \n\t")
	for _, path := range []string{"testdata/risky.txt", "testdata/attacked.txt", "testdata/ordinary.txt"} {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		pieces = append(pieces, strings.Split(string(raw), "\n")...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		var b strings.Builder
		for range 1 + r.IntN(40) {
			piece := pieces[r.IntN(len(pieces))]
			b.WriteString(piece[r.IntN(len(piece)+1):] + []string{"", " ", "\n"}[r.IntN(3)])
		}
		assert.NotPanics(t, func() { readMangled(t, b.String()) }, b.String())
	}
}

func FuzzRisks(f *testing.F) {
	for _, s := range []string{"df ] = 1", "df[:] = 1", "f(inplace=", "for df in", "lambda", "df.drop(**{'inplace': True})", "partial(df.drop, inplace=True)()"} {
		f.Add(s)
	}
	f.Fuzz(readMangled)
}

// readMangled reads a cell for its risks, before and after it was run, in a session with a table of the user's.
func readMangled(t *testing.T, code string) {
	f := NewFollower(Folder{}, true)
	f.Learn("df = pd.read_csv('a.csv')", true)
	for range 2 {
		for _, risk := range f.Risks(code) {
			if risk.Line < 1 {
				t.Errorf("%+v in %q", risk, code)
			}
		}
		f.Learn(code, false)
	}
}
