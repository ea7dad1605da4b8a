package library

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library/naming"
	"easel/ui/core/library/thumbnails"
)

// A StoredForm is one form of an image, stored in a file.
type StoredForm = thumbnails.Form

// An Image is an image in the library. Code is the code of its execution. Tags is never
// nil.
type Image struct {
	catalog.Image
	N         int    // number of its figure within the session, from 1; it never changes
	Client    string // that requested the execution
	ETag      string // of the bytes, unquoted
	Code      string
	DisplayID string
	Forms     []StoredForm // the image itself first
	Facts     *StoredForm  // what the plot shows in numbers; nil if that is not stored
	Figure    *StoredForm  // the figure, sealed, that another process can draw; nil if that is not stored
	Modified  time.Time    // when it was added or the user last annotated it
	Trashed   time.Time    // when it was moved to the trash; zero if it is not there
	Findings  int          // of a plot, those that are neither judged nor of a check that is turned off; see Images.SetFound
	Judged    []string     // keys of findings that the user judged to be no problem
	Frames    int          // of an animation; 0 for a still picture, or if they were not counted yet
	Broken    bool         // the file is missing or has changed
	Checked   string       // the status of its last check, one of the catalog's; empty if it was not checked
	NotDrawn  NotDrawn     // why a figure without a picture was not drawn; set by package collection
	Problem   string       // why a file cannot be shown properly, one of the Problems; empty if there is none
}

// NotDrawn says why Easel did not draw a figure. It is zero if Easel has drawn it or has
// not tried yet.
type NotDrawn struct {
	Lacks  string // what has to be installed, as in render.UnavailableError; empty otherwise
	Reason string // in English
}

// The problems of files in a directory.
const (
	ProblemEmpty      = "empty_file"
	ProblemNoPicture  = "no_picture" // despite its extension
	ProblemTooLarge   = "too_large"
	ProblemDamaged    = "damaged"
	ProblemCut        = "cut_off"
	ProblemUnreadable = "unreadable"
	ProblemMisnamed   = "misnamed" // shown, but the extension does not match the type
)

// Images are the images of the library.
type Images struct {
	s       *store
	queries translator
	thumbs  *thumbnails.Thumbnails
	listed  atomic.Int64 // length of the last list, for the next one
}

// An imageRow is an image as stored in the database.
type imageRow struct {
	id, session, execution string
	sessionSeq             int64
	n                      int
	created, modified      int64
	main                   formRecord
	width, height          int
	title, description     string
	note, client           string
	named                  bool
	displayID, replaces    string
	interactive            string
	forms, tags            string
	rating                 int
	trashed                int64
	sortname               string
	broken                 bool
	figure, born           int64
	superseded             bool
	versions               int
	frames                 int    // see schema/5.sql
	findings               int    // see schema/10.sql
	judged                 string // see schema/10.sql
	checked                string // see Image.Checked
	replacedBy             string // URI of the newest version, if this is an older one
}

// imageColumns are the columns that scanImage reads, from images i and sessions s.
const imageColumns = `i.id, s.id, i.execution, i.session_seq, i.n, i.created, i.modified, i.mime, i.ext, i.hash, i.bytes,
	i.width, i.height, i.title, i.description, i.note, i.client, i.named, i.display_id, i.replaces, i.interactive, i.forms, i.tags, i.rating,
	i.trashed, i.sortname, i.figure, i.born, i.superseded, i.versions, i.frames, i.findings, i.judged,
	coalesce((select broken from files where name = i.hash || '.' || i.ext), 1),
	coalesce((select status from checks where image = i.id), '')`

const imageTables = ` from images i join sessions s on s.seq = i.session_seq`

func scanImage(row scanner) (r imageRow, err error) {
	err = row.Scan(&r.id, &r.session, &r.execution, &r.sessionSeq, &r.n, &r.created, &r.modified, &r.main.MIME, &r.main.Ext, &r.main.Hash,
		&r.main.Bytes, &r.width, &r.height, &r.title, &r.description, &r.note, &r.client, &r.named, &r.displayID, &r.replaces,
		&r.interactive, &r.forms, &r.tags, &r.rating, &r.trashed, &r.sortname,
		&r.figure, &r.born, &r.superseded, &r.versions, &r.frames, &r.findings, &r.judged, &r.broken, &r.checked)
	return r, err
}

func (r imageRow) uri() string { return naming.URI(r.session, r.id, r.main.Ext) }

// imageRow finds an image, including those in the trash.
func (m *Images) imageRow(ctx context.Context, idOrURI string) (imageRow, error) {
	id := idOrURI
	var session, ext string
	if strings.Contains(idOrURI, ":") {
		var err error
		if session, id, ext, err = naming.ParseURI(idOrURI); err != nil {
			return imageRow{}, fmt.Errorf("%w: %.200q", ErrNotFound, idOrURI)
		}
	}
	r, err := scanImage(m.s.ro.QueryRowContext(ctx, `select `+imageColumns+imageTables+` where i.id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) || err == nil && session != "" && (r.session != session || !r.hasForm(ext)) {
		return imageRow{}, fmt.Errorf("%w: image %.200q", ErrNotFound, idOrURI)
	}
	return r, asFull(err)
}

// Image finds an image by its URI, its id, or the end of its id if no other has the same: from
// six characters on. The error for an image in the trash is ErrNotFound; Get and queries for the
// trash return it.
func (m *Images) Image(ctx context.Context, name string) (Image, error) {
	r, err := m.imageRow(ctx, name)
	if errors.Is(err, ErrNotFound) {
		if im, other := m.byEnd(ctx, name); !errors.Is(other, sql.ErrNoRows) {
			return im, other
		}
	}
	if err != nil {
		return Image{}, err
	}
	if r.trashed != 0 {
		return Image{}, fmt.Errorf("%w: image %.200q is in the trash", ErrNotFound, name)
	}
	return one(m.withCode(ctx, []imageRow{r}))
}

// WithContent finds the newest image, as shown in lists, whose file has this content: sum is its
// SHA-256 in hexadecimal. The error for an image in the trash or an older version of a figure is
// ErrNotFound.
func (m *Images) WithContent(ctx context.Context, sum string) (Image, error) {
	return m.ofFile(ctx, `i.hash in (?, ?)`, sum[:min(len(sum), 2*hashBytes)], sum)
}

// ImageAt finds the newest image by the path of its file ([catalog.Image.Path]). The error
// for an image in the trash or an older version of a figure is ErrNotFound.
func (m *Images) ImageAt(ctx context.Context, path string) (Image, error) {
	hash, ext, ok := strings.Cut(filepath.Base(path), ".")
	if f := (formRecord{Hash: hash, Ext: ext}); !ok || len(hash) < 2 || m.s.files.path(f) != path {
		return Image{}, fmt.Errorf("%w: no image at %.200q", ErrNotFound, path)
	}
	return m.ofFile(ctx, hashAndExt, hash, ext)
}

// hashAndExt is the condition of a file.
const hashAndExt = `i.hash = ? and i.ext = ?`

// imageOfFile selects the newest image, as shown in lists, with a file. Images with the same bytes
// have the same file.
func imageOfFile(file string) string {
	return `select ` + imageColumns + imageTables + ` where ` + file + `
		and i.trashed = 0 and i.superseded = 0 order by i.born desc, i.figure desc limit 1`
}

func (m *Images) ofFile(ctx context.Context, file string, args ...any) (Image, error) {
	rows, err := m.imageRows(ctx, imageOfFile(file), args...)
	if err != nil {
		return Image{}, err
	}
	if len(rows) == 0 {
		return Image{}, fmt.Errorf("%w: no image with the file %.64s", ErrNotFound, args[0])
	}
	return one(m.withCode(ctx, rows))
}

// Get finds images by their ids or URIs, including those in the trash, in the given
// order. It omits unknown ones.
func (m *Images) Get(ctx context.Context, ids ...string) ([]Image, error) {
	plain := make([]string, len(ids))
	for i, id := range ids {
		plain[i] = id
		if _, image, _, err := naming.ParseURI(id); err == nil {
			plain[i] = image
		}
	}
	rows, err := m.imageRows(ctx, `select `+imageColumns+imageTables+` where i.id in (select value from json_each(?))`, list(plain))
	if err != nil {
		return nil, err
	}
	byID := make(map[string]imageRow, len(rows))
	for _, r := range rows {
		byID[r.id] = r
	}
	rows = rows[:0]
	for _, id := range plain {
		if r, ok := byID[id]; ok {
			rows = append(rows, r)
		}
	}
	return m.withCode(ctx, rows)
}

func (m *Images) imageRows(ctx context.Context, query string, args ...any) ([]imageRow, error) {
	return collect(ctx, m.s, scanImage, query, args...)
}

// withCode converts rows to images. Images of the same execution share the string of its
// code, which may be large.
func (m *Images) withCode(ctx context.Context, rows []imageRow) ([]Image, error) {
	if err := m.withNewest(ctx, rows); err != nil {
		return nil, err
	}
	var runs []string
	for _, r := range rows {
		if r.execution != "" && !slices.Contains(runs[max(0, len(runs)-8):], r.execution) {
			runs = append(runs, r.execution)
		}
	}
	codes := make(map[string]string, len(runs))
	if len(runs) > 0 {
		found, err := collect(ctx, m.s, func(row scanner) (c [2]string, err error) {
			err = row.Scan(&c[0], &c[1])
			return c, err
		}, `select id, code from executions where id in (select value from json_each(?))`, list(runs))
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			codes[c[0]] = c[1]
		}
	}
	images := make([]Image, len(rows))
	for i, r := range rows {
		images[i] = m.s.files.image(r, codes[r.execution])
	}
	return images, nil
}
