package library

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/picture"
)

// A Form is one form of an image: the bytes as the kernel sent them.
type Form struct {
	MIME string // what the kernel says; for an image the bytes decide
	Data []byte
}

// A NewImage is an image to be kept.
type NewImage struct {
	SessionID   string
	ExecutionID string // of what made it; empty if unknown
	Code        string // of that execution, as the library has it; empty: it is looked up
	Client      string // who had it made
	Title       string
	Description string // a line that tells what it is; empty: one is made
	DisplayID   string // the kernel's display_id, for updates
	Replaces    string // id or URI of the image that this one updates
	Interactive string // kind of a figure without a picture, as picture.Interactive names it
	Forms       []Form // best first: Forms[0] is the image, the rest are kept beside it
	CreatedAt   time.Time
}

// A StoredForm is one form of an image, as a file.
type StoredForm struct {
	MIME  string
	Path  string
	Bytes int64
}

// An Image is an image of the library. Its Code is that of its execution; Tags is
// never nil.
type Image struct {
	catalog.Image
	N         int    // the n-th of its session, from 1; it never changes
	Client    string // who had it made
	ETag      string // of the bytes, unquoted
	Code      string
	Note      string // the user's
	DisplayID string
	Forms     []StoredForm // all forms, the image itself first
	Modified  time.Time    // when it came or the user last noted something on it
	Trashed   time.Time    // when it was put in the trash; zero: it is not there
	Broken    bool         // the file is missing or not what was written
	Problem   string       // why a file cannot be shown as it should, one of the Problems; empty: nothing is known
}

// The problems of files in a directory.
const (
	ProblemEmpty      = "empty_file"
	ProblemNoPicture  = "no_picture" // although its name says so
	ProblemTooLarge   = "too_large"
	ProblemDamaged    = "damaged"
	ProblemCut        = "cut_off"
	ProblemUnreadable = "unreadable"
	ProblemMisnamed   = "misnamed" // shown, but of another kind than its name says
)

// AddImage keeps an image: it is on the disk when AddImage returns. Equal bytes are
// kept once. The kind and the size in pixels are read from the bytes; bytes that are
// no image of a known kind are kept as what they are said to be, with size 0.
func (l *Library) AddImage(ctx context.Context, n NewImage) (Image, error) {
	images, err := l.AddImages(ctx, []NewImage{n})
	if err != nil {
		return Image{}, err
	}
	return images[0], nil
}

// AddImages keeps several images, all or none, faster than one by one.
func (l *Library) AddImages(ctx context.Context, added []NewImage) ([]Image, error) {
	if len(added) == 0 {
		return nil, nil
	}
	records := make([]imageRecord, len(added))
	files := make(map[string]newFile)
	for i, n := range added {
		var err error
		if records[i], err = l.newRecord(ctx, n, files); err != nil {
			return nil, err
		}
	}
	if err := l.makeRoom(ctx, files); err != nil {
		return nil, err
	}
	kept := func(bool) {}
	if len(added) == 1 {
		kept = l.early(records[0], added[0])
	}
	err := l.keep(ctx, records, files)
	kept(err == nil)
	if err != nil {
		return nil, fmt.Errorf("keep the image: %w", err)
	}
	return l.added(ctx, records, added)
}

// added are the images that records, of what was given, have just made.
func (l *Library) added(ctx context.Context, records []imageRecord, given []NewImage) ([]Image, error) {
	if slices.ContainsFunc(given, func(n NewImage) bool { return n.ExecutionID != "" && n.Code == "" }) {
		rows := make([]imageRow, len(records))
		for i, r := range records {
			rows[i] = r.row()
		}
		return l.withCode(ctx, rows)
	}
	images := make([]Image, len(records))
	for i, r := range records {
		images[i] = l.image(r.row(), given[i].Code)
	}
	return images, nil
}

// keep writes the files, then the rows.
func (l *Library) keep(ctx context.Context, records []imageRecord, files map[string]newFile) error {
	l.files.RLock() // so that no purge deletes a file before its row is there
	defer l.files.RUnlock()
	var missing []newFile
	for _, f := range files {
		if !holdsFile(f) {
			missing = append(missing, f)
		}
	}
	if err := l.writeFiles(missing); err != nil {
		return err
	}
	return l.write(ctx, survivesPowerLoss, func(t *tx) error {
		last := make(map[string]int, 1) // n of a session's last image
		for i := range records {
			r := &records[i]
			n, known := last[r.Session]
			if !known {
				session, err := t.sessionSeq(r.Session)
				if err != nil {
					return err
				}
				if err := t.row(`select counter from sessions where seq = ?`, session).Scan(&n); err != nil {
					return err
				}
			}
			r.N = n + 1
			last[r.Session] = r.N
			if err := t.record(record{At: r.Created, Image: r}); err != nil {
				return err
			}
		}
		for _, f := range missing {
			if _, err := t.exec(`update files set broken = 0 where name = ? and broken <> 0`, filepath.Base(f.path)); err != nil {
				return err
			}
		}
		return nil
	})
}

// holdsFile tells whether a file is there with just these bytes.
func holdsFile(f newFile) bool {
	info, err := os.Stat(f.path)
	if err != nil || info.Size() != int64(len(f.data)) {
		return false
	}
	has, err := os.ReadFile(f.path)
	return err == nil && bytes.Equal(has, f.data)
}

// newRecord makes the record of a new image and adds its files to files, by name.
func (l *Library) newRecord(ctx context.Context, n NewImage, files map[string]newFile) (imageRecord, error) {
	if err := checkKey("session", n.SessionID); err != nil {
		return imageRecord{}, err
	}
	if len(n.Forms) == 0 || slices.ContainsFunc(n.Forms, func(f Form) bool { return len(f.Data) == 0 }) {
		return imageRecord{}, fmt.Errorf("%w: image without data", ErrInvalid)
	}
	now := l.now()
	if n.CreatedAt.IsZero() {
		n.CreatedAt = now
	}
	r := imageRecord{
		ID: l.ids.next(now), Session: n.SessionID, Execution: n.ExecutionID, Created: n.CreatedAt.UnixNano(),
		Title: clean(n.Title), Description: clean(n.Description), Client: n.Client, DisplayID: n.DisplayID,
		Interactive: n.Interactive,
	}
	if n.Replaces != "" {
		old, err := l.imageRow(ctx, n.Replaces)
		if err != nil {
			return imageRecord{}, fmt.Errorf("replaced image: %w", err)
		}
		r.Replaces = old.uri()
	}
	for i, f := range n.Forms {
		form, w, h := l.newForm(f)
		if i == 0 {
			r.Width, r.Height = w, h
		}
		r.Forms = append(r.Forms, form)
		files[form.name()] = newFile{l.formPath(form), f.Data}
	}
	if strings.HasPrefix(r.Forms[0].MIME, "image/") {
		r.Interactive = "" // HTML that is nothing but an SVG, as its bytes tell
	}
	if r.Description == "" {
		r.Description = describe(r)
	}
	return r, nil
}

func (l *Library) newForm(f Form) (form formRecord, w, h int) {
	mime, w, h, err := picture.Sniff(f.Data)
	if mime == "" {
		mime = strings.ToLower(strings.TrimSpace(f.MIME))
	}
	if err != nil && !errors.Is(err, picture.ErrFormat) {
		l.log.Debug("library: odd image", "mime", mime, "err", err)
	}
	sum := sha256.Sum256(f.Data)
	return formRecord{MIME: mime, Hash: hex.EncodeToString(sum[:]), Ext: extension(mime), Bytes: int64(len(f.Data))}, w, h
}

// extensions of the kinds that kernels send.
var extensions = map[string]string{
	picture.PNG: "png", picture.JPEG: "jpg", picture.GIF: "gif", picture.WebP: "webp", picture.SVG: "svg",
	"application/pdf": "pdf", "text/html": "html", "application/json": "json", "application/javascript": "js", "image/bmp": "bmp", "image/tiff": "tif",
}

func extension(mime string) string {
	if ext, ok := extensions[mime]; ok {
		return ext
	}
	if strings.HasSuffix(mime, "+json") {
		return "json"
	}
	return "bin"
}

func describe(r imageRecord) string {
	kind := strings.ToUpper(r.Forms[0].Ext)
	if r.Width == 0 {
		return kind + " image"
	}
	return fmt.Sprintf("%s image, %d×%d", kind, r.Width, r.Height)
}

// formPath is where a form's file lies. The first two digits are a directory, since
// large directories are slow to list.
func (l *Library) formPath(f formRecord) string {
	return filepath.Join(l.dir, imagesDir, f.Hash[:2], f.name())
}

// An imageRow is an image as the database has it.
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
}

// imageColumns are what scanImage reads, of images i and sessions s.
const imageColumns = `i.id, s.id, i.execution, i.session_seq, i.n, i.created, i.modified, i.mime, i.ext, i.hash, i.bytes,
	i.width, i.height, i.title, i.description, i.note, i.client, i.named, i.display_id, i.replaces, i.interactive, i.forms, i.tags, i.rating,
	i.trashed, i.sortname, coalesce((select broken from files where name = i.hash || '.' || i.ext), 1)`

const imageTables = ` from images i join sessions s on s.seq = i.session_seq`

func scanImage(row scanner) (r imageRow, err error) {
	err = row.Scan(&r.id, &r.session, &r.execution, &r.sessionSeq, &r.n, &r.created, &r.modified, &r.main.MIME, &r.main.Ext, &r.main.Hash,
		&r.main.Bytes, &r.width, &r.height, &r.title, &r.description, &r.note, &r.client, &r.named, &r.displayID, &r.replaces,
		&r.interactive, &r.forms, &r.tags, &r.rating, &r.trashed, &r.sortname, &r.broken)
	return r, err
}

// row is the image as the database has it when r has just been applied, but for what
// only queries need.
func (r imageRecord) row() imageRow {
	return imageRow{
		id: r.ID, session: r.Session, execution: r.Execution, n: r.N, created: r.Created, modified: r.Created,
		main: r.Forms[0], width: r.Width, height: r.Height, title: r.Title, description: r.Description, client: r.Client,
		displayID: r.DisplayID, replaces: r.Replaces, interactive: r.Interactive, forms: r.others(),
	}
}

func (r imageRow) uri() string { return URI(r.session, r.id, r.main.Ext) }

func (l *Library) image(r imageRow, code string) Image {
	im := Image{
		Image: catalog.Image{
			ResourceURI: r.uri(), ImageID: r.id, MIMEType: r.main.MIME, Width: r.width, Height: r.height, Bytes: r.main.Bytes,
			Title: r.title, Description: r.description, Path: l.formPath(r.main), SessionID: r.session, ExecutionID: r.execution,
			CreatedAt: timeOf(r.created), Rating: r.rating, Tags: parseTags(r.tags), Replaces: r.replaces,
			Interactive: r.interactive,
		},
		N: r.n, Client: r.client, ETag: r.main.Hash[:32], Code: code, Note: r.note, DisplayID: r.displayID,
		Modified: timeOf(r.modified), Trashed: timeOf(r.trashed), Broken: r.broken,
	}
	for _, f := range append([]formRecord{r.main}, parseForms(r.forms)...) {
		im.Forms = append(im.Forms, StoredForm{MIME: f.MIME, Path: l.formPath(f), Bytes: f.Bytes})
	}
	return im
}

// imageRow finds an image, also in the trash.
func (l *Library) imageRow(ctx context.Context, idOrURI string) (imageRow, error) {
	id := idOrURI
	var session, ext string
	if strings.Contains(idOrURI, ":") {
		var err error
		if session, id, ext, err = ParseURI(idOrURI); err != nil {
			return imageRow{}, fmt.Errorf("%w: %.200q", ErrNotFound, idOrURI)
		}
	}
	r, err := scanImage(l.ro.QueryRowContext(ctx, `select `+imageColumns+imageTables+` where i.id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) || err == nil && session != "" && (r.session != session || r.main.Ext != ext) {
		return imageRow{}, fmt.Errorf("%w: image %.200q", ErrNotFound, idOrURI)
	}
	return r, asFull(err)
}

// Image finds an image by its id or URI. One in the trash is ErrNotFound: only Get
// and queries for the trash show it.
func (l *Library) Image(ctx context.Context, idOrURI string) (Image, error) {
	r, err := l.imageRow(ctx, idOrURI)
	if err != nil {
		return Image{}, err
	}
	if r.trashed != 0 {
		return Image{}, fmt.Errorf("%w: image %.200q is in the trash", ErrNotFound, idOrURI)
	}
	images, err := l.withCode(ctx, []imageRow{r})
	if err != nil {
		return Image{}, err
	}
	return images[0], nil
}

// Get finds images by their ids or URIs, in that order, also those in the trash. Unknown
// ones are left out.
func (l *Library) Get(ctx context.Context, ids ...string) ([]Image, error) {
	plain := make([]string, len(ids))
	for i, id := range ids {
		plain[i] = id
		if _, image, _, err := ParseURI(id); err == nil {
			plain[i] = image
		}
	}
	rows, err := l.imageRows(ctx, `select `+imageColumns+imageTables+` where i.id in (select value from json_each(?))`, list(plain))
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
	return l.withCode(ctx, rows)
}

func (l *Library) imageRows(ctx context.Context, query string, args ...any) ([]imageRow, error) {
	return collect(ctx, l, scanImage, query, args...)
}

// withCode makes images of rows. Images of one execution share the string of its
// code, which may have a million characters.
func (l *Library) withCode(ctx context.Context, rows []imageRow) ([]Image, error) {
	var runs []string
	for _, r := range rows {
		if r.execution != "" && !slices.Contains(runs[max(0, len(runs)-8):], r.execution) {
			runs = append(runs, r.execution)
		}
	}
	codes := make(map[string]string, len(runs))
	if len(runs) > 0 {
		found, err := collect(ctx, l, func(row scanner) (c [2]string, err error) {
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
		images[i] = l.image(r, codes[r.execution])
	}
	return images, nil
}
