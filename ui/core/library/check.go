package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/system"
	"easel/ui/core/picture"
)

// recovered is the session of recovered images: those whose rows were lost together
// with the database and the journal.
const recovered = "recovered"

// checkFiles compares the image files with the database. It marks images whose files
// are missing. A file without a row was left by a crash and is moved away. If rows may
// have been lost (whole is false), it becomes an image again.
func (l *Library) checkFiles(ctx context.Context, whole bool) error {
	found, err := l.listFiles()
	if err != nil {
		return err
	}
	var used int64
	var broken, mended []string
	type known struct {
		name   string
		bytes  int64
		broken bool
	}
	rows, err := collect(ctx, l, func(row scanner) (k known, err error) {
		err = row.Scan(&k.name, &k.bytes, &k.broken)
		return k, err
	}, `select name, bytes, broken from files`)
	if err != nil {
		return err
	}
	for _, k := range rows {
		used += k.bytes
		size, there := found[k.name]
		delete(found, k.name)
		switch ok := there && size == k.bytes; {
		case !ok && !k.broken:
			broken = append(broken, k.name)
		case ok && k.broken:
			mended = append(mended, k.name)
		}
	}
	l.used.Store(used)
	if err := l.noteFiles(ctx, broken, mended); err != nil {
		return err
	}
	if !whole {
		return l.adopt(ctx, found)
	}
	return l.moveLost(found)
}

// listFiles returns the sizes of the files in images, by name.
func (l *Library) listFiles() (map[string]int64, error) {
	found := make(map[string]int64)
	shards, err := os.ReadDir(l.path(imagesDir))
	if err != nil {
		return nil, err
	}
	for _, s := range shards {
		if !s.IsDir() {
			continue
		}
		files, err := os.ReadDir(l.path(imagesDir, s.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if info, err := f.Info(); err == nil && info.Mode().IsRegular() && strings.HasPrefix(f.Name(), s.Name()) {
				found[f.Name()] = info.Size()
			}
		}
	}
	return found, nil
}

func (l *Library) noteFiles(ctx context.Context, broken, mended []string) error {
	if len(broken) > 0 {
		if err := l.markBroken(ctx, broken...); err != nil {
			return err
		}
		d := Damage{Kind: DamagedImage, Path: l.path(imagesDir), Detail: fmt.Sprintf("%d image files are missing or have changed; the images are marked", len(broken))}
		if len(broken) <= 20 {
			for _, name := range broken {
				ids, err := collect(ctx, l, func(row scanner) (id string, err error) {
					err = row.Scan(&id)
					return id, err
				}, `select id from images where hash = ? limit 20`, strings.TrimSuffix(name, filepath.Ext(name)))
				if err != nil {
					return err
				}
				d.Images = append(d.Images, ids...)
			}
		}
		l.report(d)
	}
	if len(mended) == 0 {
		return nil
	}
	return l.write(ctx, survivesDeath, func(t *tx) error {
		_, err := t.exec(`update files set broken = 0 where name in (select value from json_each(?))`, list(mended))
		return err
	})
}

// adopt creates images for files whose rows were lost.
func (l *Library) adopt(ctx context.Context, found map[string]int64) error {
	n := 0
	for name := range found {
		path := l.path(imagesDir, name[:2], name)
		data, err := os.ReadFile(path)
		if mime, _, _, _ := picture.Sniff(data); err != nil || mime == "" {
			continue // another form of an image, useless without it
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if _, err := l.AddImage(ctx, NewImage{
			SessionID: recovered, Forms: []Form{{Data: data}}, CreatedAt: info.ModTime(), Description: "Recovered image",
		}); err != nil {
			return err
		}
		n++
	}
	if n > 0 {
		l.report(Damage{Kind: LostFile, Path: l.path(imagesDir), Detail: fmt.Sprintf("%d images were recovered from their files; who made them is not known any more", n)})
	}
	return nil
}

// moveLost moves files without a row to the directory of lost files.
func (l *Library) moveLost(found map[string]int64) error {
	if len(found) == 0 {
		return nil
	}
	if err := os.MkdirAll(l.path(lostDir), 0o700); err != nil {
		return err
	}
	for name := range found {
		if err := system.Rename(l.path(imagesDir, name[:2], name), l.path(lostDir, name)); err != nil {
			return err
		}
	}
	l.log.Info("library: unfinished files moved away", "files", len(found), "to", l.path(lostDir))
	return nil
}
