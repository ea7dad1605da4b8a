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

// fold normalizes case, half and full width, and composition. A search compares folded
// texts.
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

// sortName returns the key for sorting by name: the title, or the name in resources/list
// if there is none, with numbers ordered by value.
func sortName(title string, n int) string {
	if title == "" {
		title = fmt.Sprintf("matplotlib output [%d]", n)
	}
	var b strings.Builder
	digits := 0
	flush := func(s string) {
		if digits > 0 {
			number := strings.TrimLeft(s[len(s)-digits:], "0")
			fmt.Fprintf(&b, "%c%s", '0'+min(len(number), 60), number) // a number with fewer digits is smaller
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

// clean makes an untrusted text safe for one line: valid UTF-8 in NFC, without control
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
	searchedCode   = 64 << 10 // searched bytes of an execution's code
	searchedOutput = 4 << 10  // and of each end of its output
)

// runWords returns the searched text of an execution.
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

// indexBatch is the number of bytes indexed in one transaction. That takes about 10 ms,
// during which other writers wait.
const indexBatch = 16 << 10

// indexWords updates the index of words until it is complete or the library is closed.
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
			return err // without a write, which would wake the caller again
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

// indexSome indexes the oldest executions that are not indexed; more reports whether any
// are left.
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

// clip truncates a text to at most n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
