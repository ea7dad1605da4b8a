package library

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// rewriteJournal rewrites the journal from the database, without outdated records. It
// replaces the old one atomically. If Easel dies before the database refers to the new
// one, the next Open replays it completely, which changes nothing, and rewrites it again.
func (s *store) rewriteJournal(ctx context.Context) error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	f, err := os.CreateTemp(s.path(tempDir), "*.jsonl")
	if err != nil {
		return err
	}
	next := &journal{disk: s.disk, file: f}
	t := newTx(ctx, s)
	last, err := t.dump(next)
	if err != nil {
		_ = os.Remove(f.Name())
		return errors.Join(fmt.Errorf("write the journal anew: %w", asFull(err)), f.Close())
	}
	if err := s.replaceJournal(next); err != nil {
		s.journal.sick = fmt.Errorf("the journal could not be replaced: %w", err)
		return s.journal.sick
	}
	return t.checkpoint(last)
}

// replaceJournal replaces the journal in use by another.
func (s *store) replaceJournal(next *journal) error {
	// Windows cannot rename an open file or replace one.
	closed := s.journal.file.Close()
	if errors.Is(closed, os.ErrClosed) {
		closed = nil
	}
	err := errors.Join(closed, next.close(), s.disk.Rename(next.file.Name(), s.path(journalFile)), s.disk.SyncDir(s.dir))
	if err != nil {
		return err
	}
	j, err := openJournal(s.disk, s.path(journalFile))
	if err != nil {
		return err
	}
	s.journal = j
	return nil
}

const (
	// journalSlack is the smallest size of a journal that is rewritten, in bytes.
	journalSlack = 32 << 20
	// journalGrowth is how many times larger than the database it must be.
	journalGrowth = 2
)

// maintainJournal verifies the whole journal slowly in the background. It rewrites a
// journal that is damaged or has many outdated records while the database is intact.
func (s *store) maintainJournal(ctx context.Context) error {
	s.w.mu.Lock()
	seen := *s.journal // meanwhile, writers append after the part that is read
	s.w.mu.Unlock()
	bad, err := seen.read(0, func([]byte, place) error {
		select {
		case <-s.done:
			return ErrClosed
		default:
			return nil
		}
	})
	if errors.Is(err, ErrClosed) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(s.path(databaseFile))
	if err != nil {
		return err
	}
	if bad == 0 && (seen.size < journalSlack || seen.size < journalGrowth*info.Size()) {
		return nil
	}
	if bad > 0 {
		s.report(Damage{Kind: DamagedJournal, Path: s.path(journalFile), Detail: fmt.Sprintf(
			"%d lines of the journal were damaged; it was written anew from the database", bad)})
	}
	return s.rewriteJournal(ctx)
}

// dumpBatch is the number of bytes written in one call.
const dumpBatch = 1 << 20

// A dump passes the records that recreate all data to put, table by table.
type dump struct {
	now  func() time.Time
	each func(query string, f func(scanner) error, args ...any) error // calls f for each row
	put  func(record) error
}

// run passes all records, in an order in which they can be replayed.
func (d dump) run() error {
	for _, part := range []func() error{d.sessions, d.environments, d.executions, d.images, d.files, d.questions, d.checks} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// dump writes all data to a journal, in an order in which it can be replayed.
func (t *tx) dump(j *journal) (last place, err error) {
	lines, size := [][]byte{[]byte(journalFirst)}, 0
	flush := func() (err error) {
		if len(lines) > 0 {
			last, err = j.append(lines, false)
			lines, size = nil, 0
		}
		return err
	}
	put := func(r record) error {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		lines, size = append(lines, b), size+len(b)
		if size < dumpBatch {
			return nil
		}
		return flush()
	}
	if err := (dump{t.s.now, t.each, put}).run(); err != nil {
		return last, err
	}
	return last, flush()
}

func (d dump) sessions() error {
	at := d.now().UnixNano()
	return d.each(`select body from sessions where body <> '' order by seq`, func(row scanner) error {
		var body string
		var s Session
		if err := row.Scan(&body); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(body), &s); err != nil {
			return err
		}
		return d.put(record{At: at, Session: &s})
	})
}

func (d dump) executions() error {
	return d.each(`select code, body from executions order by seq`, func(row scanner) error {
		e, err := scanExecution(row)
		if err != nil {
			return err
		}
		return d.put(record{At: nanos(e.CreatedAt), Execution: &e})
	})
}

func (d dump) images() error {
	first := make(map[int64]string) // first existing version of each figure
	return d.each(`select `+imageColumns+` from images i join sessions s on s.seq = i.session_seq order by i.seq`, func(row scanner) error {
		r, err := scanImage(row)
		if err != nil {
			return err
		}
		first[r.figure] = cmp.Or(first[r.figure], r.id)
		for _, rec := range r.records(first[r.figure]) {
			if err := d.put(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

// records returns the records that recreate an image in its current state. first is the
// first version of its figure, or "" if there is no other.
func (r imageRow) records(first string) []record {
	made := &imageRecord{
		ID: r.id, Session: r.session, Execution: r.execution, N: r.n, Created: r.created,
		Width: r.width, Height: r.height, Frames: r.frames, Title: r.title, Description: r.description, Client: r.client,
		DisplayID: r.displayID, Replaces: r.replaces, Interactive: r.interactive, Forms: append([]formRecord{r.main}, parseForms(r.forms)...),
	}
	all := []record{{At: r.created, Image: made}}
	if first != r.id {
		made.Figure = first
	}
	if r.born != r.created {
		made.Born = r.born
	}
	judged := parseKeys(r.judged)
	if tags := parseTags(r.tags); r.rating != 0 || r.note != "" || r.named || len(tags) > 0 || len(judged) > 0 {
		m := &annotationRecord{ID: r.id, Rating: &r.rating, Tags: &tags, Note: &r.note}
		if len(judged) > 0 {
			m.Judged = &judged
		}
		if r.named {
			m.Title = &r.title
		}
		all = append(all, record{At: r.modified, Annotation: m})
	}
	if r.trashed != 0 {
		all = append(all, record{At: r.trashed, Trash: []string{r.id}})
	}
	return all
}

func (d dump) files() error {
	return d.each(`select hash, path, rating, tags, modified from file_marks`, func(row scanner) error {
		m, err := scanFileAnnotation(row)
		if err != nil {
			return err
		}
		return d.put(record{At: nanos(m.Modified), File: &m})
	})
}
