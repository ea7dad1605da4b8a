package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts that a person takes for the same equal: upper and lower case,
// half and full width, composed and decomposed. A search compares folded texts.
func fold(s string) string {
	if isLowerASCII(s) {
		return s
	}
	// SQLite ends texts at a NUL.
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", " ")
	return cases.Fold().String(norm.NFKC.String(s))
}

func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' || s[i] == 0 {
			return false
		}
	}
	return true
}

// sortName is what images are ordered by as names: the title, or else the name in
// resources/list, with numbers in the order of their values.
func sortName(title string, n int) string {
	if title == "" {
		title = fmt.Sprintf("matplotlib output [%d]", n)
	}
	var b strings.Builder
	digits := 0
	flush := func(s string) {
		if digits > 0 {
			number := strings.TrimLeft(s[len(s)-digits:], "0")
			fmt.Fprintf(&b, "%c%s", '0'+min(len(number), 60), number) // shorter numbers are smaller
			digits = 0
		}
	}
	folded := fold(title)
	for i, r := range folded {
		if r >= '0' && r <= '9' {
			digits++
			continue
		}
		flush(folded[:i])
		b.WriteRune(r)
	}
	flush(folded)
	return b.String()
}

// clean makes a text from outside fit for one line: valid, composed, without control
// characters and surrounding space.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return norm.NFC.String(strings.TrimSpace(s))
}

const (
	searchedCode   = 64 << 10 // bytes of an execution's code that a search looks at
	searchedOutput = 4 << 10  // and of each end of its output
)

// runWords is what a search looks at in an execution.
func (l *Library) runWords(e Execution) (string, error) {
	words := clip(e.Code, searchedCode) + "\n" + clip(e.Result, searchedOutput)
	if e.Error != nil {
		words += "\n" + e.Error.Type + " " + clip(e.Error.Message, searchedOutput)
	}
	if !e.EndedAt.IsZero() {
		head, tail, err := l.output.ends(l, e.ID, Stdout, searchedOutput)
		if err != nil {
			return "", err
		}
		words += "\n" + head + "\n" + tail
	}
	return fold(words), nil
}

// indexBatch is how many bytes of words are indexed in one transaction: some ten
// milliseconds, for which an execution may have to wait.
const indexBatch = 16 << 10

// indexWords brings up the index of words, and stops when the library is closed.
func (l *Library) indexWords(ctx context.Context) error {
	for {
		select {
		case <-l.done:
			return nil
		default:
		}
		var pending, more bool
		err := l.ro.QueryRowContext(ctx, `select exists (select 1 from run_words where indexed = 0)`).Scan(&pending)
		if err != nil || !pending {
			return err // not even an empty write: it would wake the caller again
		}
		err = l.write(ctx, survivesDeath, func(t *tx) (err error) {
			more, err = t.indexSome()
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// indexSome indexes the oldest executions that are not; more tells whether any are
// left.
func (t *tx) indexSome() (more bool, err error) {
	for size := 0; size < indexBatch; {
		var seq int64
		var words string
		err := t.row(`select seq, words from run_words where indexed = 0 order by seq limit 1`).Scan(&seq, &words)
		if errors.Is(err, sql.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for _, step := range []string{
			`delete from run_index where rowid = ?1`,
			`insert into run_index (rowid, words) select seq, words from run_words where seq = ?1`,
			`update run_words set indexed = 1 where seq = ?1`,
		} {
			if _, err := t.exec(step, seq); err != nil {
				return false, err
			}
		}
		size += len(words)
	}
	return true, nil
}

// clip cuts a text after at most n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
