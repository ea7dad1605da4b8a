package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"easel/ui/core/library/disk"
	"easel/ui/core/library/naming"
	"easel/ui/core/library/search"
)

// A Form is one representation of an image, with the bytes as the kernel sent them.
type Form struct {
	MIME string // as the kernel declared it; for an image, the bytes decide
	Data []byte
}

// A NewImage is an image to be added.
type NewImage struct {
	SessionID   string
	ExecutionID string // empty if unknown
	Code        string // of that execution, as stored in the library; if empty, it is looked up
	Client      string // that requested the execution
	Title       string
	Description string // one line; if empty, it is generated
	DisplayID   string // the kernel's display_id, for updates
	Replaces    string // id or URI of the image that this one updates
	Interactive string // for a figure without a picture: its kind, as in picture.Interactive
	Forms       []Form // best first; Forms[0] is the image
	Facts       []byte // what the plot shows in numbers, as facts.Read reads it; nil if that is unknown
	CreatedAt   time.Time
	Old         bool // it has the place of CreatedAt in the order of creation; any other is the newest
}

// Add adds an image. When it returns, the image is on the disk. Identical bytes are
// stored once. The type and the size in pixels are read from the bytes. If the bytes
// are not a known image type, the declared type is stored, with size 0.
func (m *Images) Add(ctx context.Context, n NewImage) (Image, error) {
	return one(m.AddAll(ctx, []NewImage{n}))
}

// AddAll adds several images, all or none. It is faster than adding them one by one.
func (m *Images) AddAll(ctx context.Context, added []NewImage) ([]Image, error) {
	if len(added) == 0 {
		return nil, nil
	}
	records := make([]imageRecord, len(added))
	files := make(map[string]disk.File)
	for i, n := range added {
		var err error
		if records[i], err = m.newRecord(ctx, n, files); err != nil {
			return nil, err
		}
	}
	if err := m.makeRoom(ctx, files); err != nil {
		return nil, err
	}
	kept := func(bool) {}
	if len(added) == 1 {
		forms := m.s.files.stored(seen(records[0].Forms))
		kept = m.thumbs.MakeAhead(records[0].ID, forms, func(i int) []byte { return added[0].Forms[i].Data })
	}
	err := m.keep(ctx, records, files)
	kept(err == nil)
	if err != nil {
		return nil, fmt.Errorf("keep the image: %w", err)
	}
	return m.added(ctx, records, added)
}

// added returns the images that were just created from given.
func (m *Images) added(ctx context.Context, records []imageRecord, given []NewImage) ([]Image, error) {
	if slices.ContainsFunc(records, func(r imageRecord) bool { return r.Replaces != "" }) {
		return m.addedVersions(ctx, records)
	}
	if slices.ContainsFunc(given, func(n NewImage) bool { return n.ExecutionID != "" && n.Code == "" }) {
		rows := make([]imageRow, len(records))
		for i, r := range records {
			rows[i] = r.row()
		}
		return m.withCode(ctx, rows)
	}
	images := make([]Image, len(records))
	for i, r := range records {
		images[i] = m.s.files.image(r.row(), given[i].Code)
	}
	return images, nil
}

// addedVersions reads the images that were just added from the database, because new
// versions take over the annotations of their figures.
func (m *Images) addedVersions(ctx context.Context, records []imageRecord) ([]Image, error) {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	images, err := m.Get(ctx, ids...)
	if err != nil {
		return nil, err
	}
	if len(images) != len(records) {
		return nil, fmt.Errorf("%w: it was deleted at once", ErrNotFound)
	}
	return images, nil
}

// keep writes the files, then commits the rows.
func (m *Images) keep(ctx context.Context, records []imageRecord, files map[string]disk.File) error {
	return m.s.writeWithFiles(ctx, files, func(t *tx) error {
		last := make(map[string]int, 1) // number of each session's last image
		for i := range records {
			r := &records[i]
			n, known := last[r.Session]
			var err error
			if !known {
				session, err := t.sessionSeq(r.Session)
				if err != nil {
					return err
				}
				if err := t.row(`select counter from sessions where seq = ?`, session).Scan(&n); err != nil {
					return err
				}
			}
			if r.N, err = t.number(*r); err != nil {
				return err
			}
			if r.N == 0 {
				n++
				r.N = n
			}
			last[r.Session] = n
			if err := t.place(r); err != nil {
				return err
			}
			if err := t.record(record{At: r.Created, Image: r}); err != nil {
				return err
			}
		}
		return nil
	})
}

// place puts a new plot after all others in the order of creation, also if the clock was set back. An
// update has the place of its figure.
func (t *tx) place(r *imageRecord) error {
	if r.old || r.Replaces != "" {
		return nil
	}
	var newest int64
	err := t.row(`select coalesce(max(born), 0) from images where trashed = 0 and superseded = 0`).Scan(&newest)
	if newest > r.Created {
		r.Born = newest
	}
	return err
}

// newRecord creates the record of a new image and adds its files to files, by name.
func (m *Images) newRecord(ctx context.Context, n NewImage, files map[string]disk.File) (imageRecord, error) {
	if err := naming.CheckKey("session", n.SessionID); err != nil {
		return imageRecord{}, err
	}
	if len(n.Forms) == 0 || slices.ContainsFunc(n.Forms, func(f Form) bool { return len(f.Data) == 0 }) {
		return imageRecord{}, fmt.Errorf("%w: image without data", ErrInvalid)
	}
	now := m.s.now()
	if n.CreatedAt.IsZero() {
		n.CreatedAt = now
	}
	r := imageRecord{
		old: n.Old,
		ID:  m.s.newID(now), Session: n.SessionID, Execution: n.ExecutionID, Created: n.CreatedAt.UnixNano(),
		Title: search.Clean(n.Title), Description: search.Clean(n.Description), Client: n.Client, DisplayID: n.DisplayID,
		Interactive: n.Interactive,
	}
	if n.Replaces != "" {
		old, err := m.imageRow(ctx, n.Replaces)
		if err != nil {
			return imageRecord{}, fmt.Errorf("replaced image: %w", err)
		}
		r.Replaces = old.uri()
	}
	for i, f := range n.Forms {
		form, w, h := m.s.files.newForm(f)
		if i == 0 {
			r.Width, r.Height, r.Frames = w, h, frames(f.Data)
		}
		r.Forms = append(r.Forms, form)
		files[form.name()] = disk.File{Path: m.s.files.path(form), Data: f.Data}
	}
	if len(n.Facts) > 0 {
		form := factsForm(n.Facts)
		r.Forms = append(r.Forms, form)
		files[form.name()] = disk.File{Path: m.s.files.path(form), Data: n.Facts}
	}
	if strings.HasPrefix(r.Forms[0].MIME, "image/") {
		r.Interactive = "" // the HTML contains only an SVG
	}
	if r.Description == "" {
		r.Description = describe(r)
	}
	return r, nil
}

func describe(r imageRecord) string {
	kind := strings.ToUpper(r.Forms[0].Ext)
	if r.Width == 0 {
		return kind + " image"
	}
	if r.Frames > 1 {
		return fmt.Sprintf("%s animation, %d×%d, %d frames", kind, r.Width, r.Height, r.Frames)
	}
	return fmt.Sprintf("%s image, %d×%d", kind, r.Width, r.Height)
}

// row returns the image's row after r was applied, without the columns that only
// queries use.
func (r imageRecord) row() imageRow {
	return imageRow{
		id: r.ID, session: r.Session, execution: r.Execution, n: r.N, created: r.Created, modified: r.Created,
		main: r.Forms[0], width: r.Width, height: r.Height, frames: r.frames(), title: r.Title, description: r.Description, client: r.Client,
		displayID: r.DisplayID, replaces: r.Replaces, interactive: r.Interactive, forms: r.others(),
		born: cmp.Or(r.Born, r.Created), versions: 1, judged: noKeys,
	}
}
