package library

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"easel/ui/core/library/disk"
)

// An ImportResult says what an import has added to the library, and what it has left as it was.
type ImportResult struct {
	Contents Contents // of the archive
	Added    Counts
	Present  Counts // what was there already, or is newer here
	Renamed  int    // images that got another id, because one with other bytes has theirs
}

// Import merges an archive into the library, which may be in use. Nothing is changed unless the whole
// archive is as it was written; the errors are then ErrNoArchive and ErrNewerArchive.
//
// What is there already stays: sessions, executions and images with the same id and bytes, questions.
// Of judgements of the same image (stars, tags, title, note, findings), of those of the same picture on
// disk, and of checks, the newer ones are kept. An image whose id belongs to other bytes here gets
// another id, always the same one.
//
// The records are written in steps, each of which is whole: if Easel dies in between, the library has a
// part of the archive, and another Import adds the rest.
func (l *Library) Import(ctx context.Context, from io.ReaderAt, size int64, progress Progress) (ImportResult, error) {
	a, err := openArchive(from, size)
	if err != nil {
		return ImportResult{}, err
	}
	var done int64
	count := func(n int64) {
		if done += n; progress != nil {
			progress(done, max(2*a.all-int64(a.journal.UncompressedSize64), done))
		}
	}
	if err := a.check(ctx, count); err != nil {
		return ImportResult{}, err
	}
	if err := l.Images.fits(ctx, a); err != nil {
		return ImportResult{}, err
	}
	m := &merger{l: l, a: a, done: count, out: ImportResult{Contents: a.contents}, ids: make(map[string]string), fresh: make(map[string]bool)}
	defer l.s.changes.Lose() // thousands of images need not be announced one by one
	if _, _, err := a.records(ctx, func(r record) error { return m.add(ctx, r) }); err != nil {
		return m.out, err
	}
	return m.out, m.flush(ctx)
}

// fits returns ErrFull if the images of an archive have no room in the quota.
func (m *Images) fits(ctx context.Context, a *archive) error {
	var need int64
	for name, f := range a.images {
		var one int
		err := m.s.ro.QueryRowContext(ctx, `select 1 from files where name = ?`, name).Scan(&one)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return asFull(err)
		}
		if err != nil {
			need += int64(f.UncompressedSize64)
		}
	}
	for _, f := range a.outputs {
		need += int64(f.UncompressedSize64)
	}
	if quota := m.s.files.quota.Load(); quota > 0 && m.s.files.used.Load()+need > quota {
		return fmt.Errorf("%w: the import needs %d MB, and the storage limit for plots leaves %d MB. Raise it in the settings",
			ErrFull, need>>20, max(quota-m.s.files.used.Load(), 0)>>20)
	}
	return nil
}

// mostMerged is how many records one step of an import writes.
const mostMerged = 500

// A merger adds the records of an archive to a library.
type merger struct {
	l     *Library
	a     *archive
	done  func(n int64)
	out   ImportResult
	step  []record
	ids   map[string]string // of images that got another id
	fresh map[string]bool   // images that were added, by the ids that they got
}

// add adds a record to the step, and writes that when it is full.
func (m *merger) add(ctx context.Context, r record) error {
	m.step = append(m.step, r)
	if len(m.step) < mostMerged {
		return nil
	}
	return m.flush(ctx)
}

// flush writes the step: first its files, then its records, in one transaction.
func (m *merger) flush(ctx context.Context) error {
	step := m.step
	m.step = nil
	if len(step) == 0 {
		return nil
	}
	s := m.l.s
	s.files.mu.RLock() // a purge must not delete a file before its row is committed
	defer s.files.mu.RUnlock()
	for _, r := range step {
		if err := m.files(ctx, r); err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	before := m.out
	var garbage []formRecord
	err := s.write(ctx, survivesPowerLoss, func(t *tx) error {
		for _, r := range step {
			if err := m.merge(t, r); err != nil {
				return err
			}
		}
		t.changes.all = nil // see Import
		garbage, t.garbage = t.garbage, nil
		return nil
	})
	if err != nil {
		m.out = before
		return fmt.Errorf("import: %w", err)
	}
	if len(garbage) > 0 {
		go s.discard(context.WithoutCancel(ctx), garbage) // it waits for files.mu
	}
	return nil
}

// files writes the files of a record that are not there yet.
func (m *merger) files(ctx context.Context, r record) error {
	for _, f := range formsOf(r) {
		if err := m.extract(ctx, archiveImages+f.name(), m.l.s.files.path(f)); err != nil {
			return err
		}
	}
	if r.Execution == nil {
		return nil
	}
	for _, stream := range streams {
		name := r.Execution.ID + "." + stream
		if m.a.outputs[name] == nil {
			continue
		}
		path, err := m.l.s.output.Path(r.Execution.ID, stream)
		if err == nil {
			err = m.extract(ctx, archiveOutput+name, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extract writes a file of the archive, unless there is one of its size: files of images have the hash
// of their bytes as their names, and what an execution has printed before stays.
func (m *merger) extract(ctx context.Context, name, path string) error {
	f := m.a.images[filepath.Base(name)]
	if f == nil {
		f = m.a.outputs[filepath.Base(name)]
	}
	if info, err := os.Stat(path); err == nil && (info.Size() == int64(f.UncompressedSize64) || strings.HasPrefix(name, archiveOutput)) {
		m.done(info.Size())
		return nil
	}
	var data bytes.Buffer
	if err := copyEntry(ctx, &data, f, m.done); err != nil {
		return err
	}
	return disk.Full(m.l.s.writer().WriteFile(path, data.Bytes()))
}
