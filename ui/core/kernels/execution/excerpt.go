package execution

import (
	"fmt"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// An excerpt is a part of a stream, by the entries of the outputs to which it belongs.
type excerpt struct {
	pieces []piece
	seen   int64 // the offset in the stream at which what is left out begins, or the stream ends
}

// A piece is the text of one entry.
type piece struct {
	entry int64
	text  string
}

func (e excerpt) text() string {
	var b strings.Builder
	for _, p := range e.pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// add appends pieces.
func (e *excerpt) add(pieces ...piece) {
	for _, p := range pieces {
		if last := len(e.pieces) - 1; last >= 0 && (e.pieces[last].entry == p.entry || p.entry == 0) {
			e.pieces[last].text += p.text
		} else {
			e.pieces = append(e.pieces, p)
		}
	}
}

// skip says that bytes are left out.
func (e *excerpt) skip(bytes int64) { e.add(piece{0, gap(bytes)}) }

func gap(bytes int64) string { return fmt.Sprintf("\n… %d bytes left out …\n", bytes) }

// divided divides text, which begins at an offset of its stream, by the entries of the stream.
func divided(text []byte, from int64, entries []*outputlog.Entry) (pieces []piece) {
	for len(text) > 0 {
		id, n := int64(0), int64(len(text))
		for _, e := range entries {
			if e.At <= from {
				id = e.ID
			} else {
				n = min(n, e.At-from)
				break
			}
		}
		pieces = append(pieces, piece{id, valid(text[:n])})
		text, from = text[n:], from+n
	}
	return pieces
}

// linesOf returns what a screen shows, in at most limit bytes, of a stream with total bytes.
func linesOf(s *terminal.Screen, limit int, total int64) excerpt {
	head, tail, left := s.Lines()
	size := 0
	for _, l := range head {
		size += len(l.Text)
	}
	if left == 0 && size <= limit {
		e := excerpt{seen: total}
		for _, l := range head {
			e.add(piece{l.Tag, l.Text})
		}
		return e
	}
	if left == 0 {
		tail = head
	}
	var e excerpt
	shown, from := 0, 0
	for ; from < len(head) && shown+len(head[from].Text) <= limit/2; from++ {
		shown += len(head[from].Text)
		e.seen = head[from].End
		e.add(piece{head[from].Tag, head[from].Text})
	}
	if from < len(head) && shown < limit/4 { // a long line
		l := head[from]
		part := truncate.TrimEnd(l.Text[:min(len(l.Text), limit/2-shown)])
		shown += len(part)
		if e.seen = l.End; l.Plain {
			e.seen = l.Start + int64(len(part))
		}
		e.add(piece{l.Tag, part})
	}
	to, end := len(tail), 0
	for ; to > 0 && end+len(tail[to-1].Text) <= limit/2; to-- {
		end += len(tail[to-1].Text)
	}
	var last []piece
	if to > 0 && end < limit/4 {
		l := tail[to-1]
		part := truncate.TrimStart(l.Text[max(0, len(l.Text)-limit/2+end):])
		end += len(part)
		last = append(last, piece{l.Tag, part})
	}
	for _, l := range tail[to:] {
		last = append(last, piece{l.Tag, l.Text})
	}
	whole := int64(size)
	if left > 0 {
		for _, l := range tail {
			whole += int64(len(l.Text))
		}
	}
	e.skip(whole + left - int64(shown) - int64(end))
	e.add(last...)
	return e
}
