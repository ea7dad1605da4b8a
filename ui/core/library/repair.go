package library

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/ui/core/picture"
)

// recovered is the session of recovered images: those whose rows were lost together
// with the database and the journal.
const recovered = "recovered"

// A repairer compares the files of images with the database, and mends what does not agree.
type repairer struct {
	s   *store
	add func(ctx context.Context, n NewImage) (Image, error) // adds an image whose row was lost
}

// countBytes counts the bytes of all files.
func (r repairer) countBytes(ctx context.Context) error {
	var used int64
	if err := r.s.ro.QueryRowContext(ctx, `select coalesce(sum(bytes), 0) from files`).Scan(&used); err != nil {
		return r.s.noticed(err)
	}
	r.s.files.used.Store(used)
	return nil
}

// A fileRow is what the database knows of a file.
type fileRow struct {
	name   string
	bytes  int64
	broken bool
}

func (r repairer) fileRows(ctx context.Context, where string, args ...any) ([]fileRow, error) {
	return collect(ctx, r.s, func(row scanner) (k fileRow, err error) {
		err = row.Scan(&k.name, &k.bytes, &k.broken)
		return k, err
	}, `select name, bytes, broken from files `+where, args...)
}

// compareFiles compares the image files with the database. lost are files without a row, with their sizes.
func (r repairer) compareFiles(ctx context.Context) (broken, mended []string, lost map[string]int64, err error) {
	rows, err := r.fileRows(ctx, "")
	if err != nil {
		return nil, nil, nil, err
	}
	if lost, err = r.s.files.listFiles(ctx); err != nil {
		return nil, nil, nil, err
	}
	for _, k := range rows {
		size, there := lost[k.name]
		delete(lost, k.name)
		switch ok := there && size == k.bytes; {
		case !ok && !k.broken:
			broken = append(broken, k.name)
		case ok && k.broken:
			mended = append(mended, k.name)
		}
	}
	return broken, mended, lost, nil
}

// recoverFiles marks images whose files are missing. Files without a row become images again, because rows may have
// been lost.
func (r repairer) recoverFiles(ctx context.Context) error {
	broken, mended, lost, err := r.compareFiles(ctx)
	if err != nil {
		return err
	}
	if err := r.noteFiles(ctx, broken, mended); err != nil {
		return err
	}
	return r.adopt(ctx, lost)
}

// checkFiles marks images whose files are missing. A file without a row was left by a crash and is moved away. The
// library may be in use: what was found is looked at again while nobody adds or deletes files.
func (r repairer) checkFiles(ctx context.Context) error {
	broken, mended, lost, err := r.compareFiles(ctx)
	if err != nil {
		return err
	}
	if broken, err = r.settleFiles(ctx, broken, lost); err != nil {
		return err
	}
	return r.noteFiles(ctx, broken, mended)
}

// settleFiles moves lost files away, and returns which files are broken, unless that has changed since it was found.
func (r repairer) settleFiles(ctx context.Context, found []string, lost map[string]int64) (broken []string, err error) {
	if len(found)+len(lost) == 0 {
		return nil, nil
	}
	r.s.files.mu.Lock()
	defer r.s.files.mu.Unlock()
	names := slices.AppendSeq(slices.Clone(found), maps.Keys(lost))
	rows, err := r.fileRows(ctx, `where name in (select value from json_each(?))`, list(names))
	if err != nil {
		return nil, err
	}
	for _, k := range rows {
		delete(lost, k.name)
		info, err := os.Stat(r.s.path(imagesDir, k.name[:2], k.name))
		if err != nil || info.Size() != k.bytes {
			broken = append(broken, k.name)
		}
	}
	return broken, r.s.files.moveLost(lost)
}

func (r repairer) noteFiles(ctx context.Context, broken, mended []string) error {
	if len(broken) > 0 {
		if err := r.s.markBroken(ctx, broken...); err != nil {
			return err
		}
		d := Damage{Kind: DamagedImage, Path: r.s.path(imagesDir), Detail: fmt.Sprintf("%d image files are missing or have changed; the images are marked", len(broken))}
		if len(broken) <= 20 {
			for _, name := range broken {
				ids, err := collect(ctx, r.s, scanID, `select id from images where hash = ? limit 20`, strings.TrimSuffix(name, filepath.Ext(name)))
				if err != nil {
					return err
				}
				d.Images = append(d.Images, ids...)
			}
		}
		r.s.report(d)
	}
	if len(mended) == 0 {
		return nil
	}
	return r.s.write(ctx, survivesDeath, func(t *tx) error {
		_, err := t.exec(`update files set broken = 0 where name in (select value from json_each(?))`, list(mended))
		return err
	})
}

// adopt creates images for files whose rows were lost.
func (r repairer) adopt(ctx context.Context, found map[string]int64) error {
	n := 0
	for name := range found {
		path := r.s.path(imagesDir, name[:2], name)
		data, err := os.ReadFile(path)
		if mime, _, _, _ := picture.Sniff(data); err != nil || mime == "" {
			continue // another form of an image, useless without it
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if _, err := r.add(ctx, NewImage{
			SessionID: recovered, Forms: []Form{{Data: data}}, CreatedAt: info.ModTime(), Old: true, Description: "Recovered image",
		}); err != nil {
			return err
		}
		n++
	}
	if n > 0 {
		r.s.report(Damage{Kind: LostFile, Path: r.s.path(imagesDir), Detail: fmt.Sprintf("%d images were recovered from their files; who made them is not known any more", n)})
	}
	return nil
}
