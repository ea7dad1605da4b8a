package library

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Export writes the whole library into an archive, as it is when Export begins; it may be in use.
// easel is the version of this program. Left out are the log of calls, and figures that only this
// Easel can load. An image whose file cannot be read is left out, too, and counted as missing.
func (l *Library) Export(ctx context.Context, to io.Writer, easel string, progress Progress) (Contents, error) {
	// One transaction, so that all is read as it was at one moment.
	read, err := l.s.ro.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return Contents{}, asFull(err)
	}
	defer read.Rollback() //nolint:errcheck // it only reads
	e := &exporter{ctx: ctx, s: l.s, read: read, zip: zip.NewWriter(to), missing: make(map[string]bool), written: make(map[string]bool)}
	e.contents = Contents{Format: archiveFormat, Schema: len(migrations), Easel: easel, At: l.s.now().UTC()}
	if err := e.size(progress); err != nil {
		return Contents{}, err
	}
	for _, part := range []func() error{e.images, e.outputs, e.journal, e.describe, e.zip.Close} {
		if err := part(); err != nil {
			return Contents{}, fmt.Errorf("export the library: %w", asFull(err))
		}
	}
	return e.contents, nil
}

// An exporter writes an archive.
type exporter struct {
	ctx      context.Context //nolint:containedctx // an exporter lives within one call
	s        *store
	read     *sql.Tx
	zip      *zip.Writer
	contents Contents
	written  map[string]bool // names of image files
	missing  map[string]bool // names of image files that cannot be read
	done     func(n int64)
}

// size sets done by how much there is to write.
func (e *exporter) size(progress Progress) error {
	var all, done int64
	if err := e.read.QueryRowContext(e.ctx, `select coalesce(sum(bytes), 0) from files`).Scan(&all); err != nil {
		return err
	}
	e.done = func(n int64) {
		if done += n; progress != nil {
			progress(done, max(all, done))
		}
	}
	return nil
}

// each calls f for each row of a query.
func (e *exporter) each(query string, f func(scanner) error, args ...any) error {
	rows, err := e.read.QueryContext(e.ctx, query, args...)
	if err != nil {
		return err
	}
	return scanAll(rows, f)
}

func (e *exporter) dump(put func(record) error) error { return dump{e.s.now, e.each, put}.run() }

// portable returns the forms that another Easel can use.
func portable(forms []formRecord) []formRecord {
	return slices.DeleteFunc(slices.Clone(forms), isFigure)
}

// formsOf returns the files that a record needs.
func formsOf(r record) []formRecord {
	switch {
	case r.Image != nil:
		return portable(r.Image.Forms)
	case r.Check != nil && r.Check.Fresh != nil:
		return []formRecord{*r.Check.Fresh}
	}
	return nil
}

// images writes the files of all images.
func (e *exporter) images() error {
	return e.dump(func(r record) error {
		for _, f := range formsOf(r) {
			name := f.name()
			if e.written[name] || e.missing[name] {
				continue
			}
			err := e.add(archiveImages+name, e.s.files.path(f), compressible(f.Ext), e.contents.At)
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // deleted meanwhile, or lost
				e.missing[name] = true
				continue
			case err != nil:
				return err
			}
			e.written[name] = true
		}
		return nil
	})
}

// compressible reports whether files with an extension become much smaller.
func compressible(ext string) bool {
	return !slices.Contains([]string{"png", "jpg", "gif", "webp"}, ext)
}

// add writes a file.
func (e *exporter) add(name, path string, compress bool, at time.Time) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	w, err := e.create(name, compress, at)
	if err != nil {
		return err
	}
	n, err := io.Copy(w, f)
	e.contents.Files++
	e.contents.Bytes += n
	e.done(n)
	return err
}

func (e *exporter) create(name string, compress bool, at time.Time) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Store, Modified: at}
	if compress {
		h.Method = zip.Deflate
	}
	h.SetMode(0o600)
	return e.zip.CreateHeader(h)
}

// outputs writes the output of all executions.
func (e *exporter) outputs() error {
	return e.each(`select code, body from executions order by seq`, func(row scanner) error {
		x, err := scanExecution(row)
		if err != nil {
			return err
		}
		for _, stream := range streams {
			path := e.s.output.File(x.ID, stream)
			if path == "" {
				continue
			}
			err := e.add(archiveOutput+x.ID+"."+stream, path, true, cmp.Or(x.EndedAt, x.CreatedAt))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// journal writes the records. It comes after the files, because it leaves out images whose files are
// missing.
func (e *exporter) journal() error {
	w, err := e.create(journalFile, true, e.contents.At)
	if err != nil {
		return err
	}
	sum, gone := sha256.New(), make(map[string]bool)
	var line bytes.Buffer
	put := func(payload []byte) error {
		line.Reset()
		fmt.Fprintf(&line, "%08x %s\n", crc32.Checksum(payload, castagnoli), payload)
		e.contents.Lines++
		_, err := io.MultiWriter(w, sum).Write(line.Bytes())
		return err
	}
	if err := put([]byte(journalFirst)); err != nil {
		return err
	}
	err = e.dump(func(r record) error {
		if r, ok := e.whole(r, gone); ok {
			payload, err := json.Marshal(r)
			if err != nil {
				return err
			}
			e.contents.Records.count(r)
			return put(payload)
		}
		return nil
	})
	e.contents.Sum, e.contents.Missing = hex.EncodeToString(sum.Sum(nil)), len(gone)
	return err
}

// whole returns a record as it is exported, and false for one of an image whose file is missing. gone
// has these images.
func (e *exporter) whole(r record, gone map[string]bool) (record, bool) {
	lost := func(f formRecord) bool { return e.missing[f.name()] }
	switch {
	case r.Image != nil:
		im := *r.Image
		if lost(im.Forms[0]) {
			gone[im.ID] = true
		}
		im.Forms = slices.DeleteFunc(portable(im.Forms), lost)
		r.Image = &im
		return r, !gone[im.ID]
	case r.Annotation != nil:
		return r, !gone[r.Annotation.ID]
	case r.Trash != nil:
		return r, !gone[strings.Join(r.Trash, "")]
	case r.Question != nil:
		return r, !gone[r.Question.Image]
	case r.Check != nil:
		return r, !gone[r.Check.ID] && !slices.ContainsFunc(formsOf(r), lost)
	}
	return r, true
}

// describe writes what is in the archive.
func (e *exporter) describe() error {
	w, err := e.create(archiveContents, true, e.contents.At)
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(e.contents, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}
