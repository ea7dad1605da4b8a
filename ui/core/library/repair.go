package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"easel/ui/core/picture"
)

// recovered is the session of recovered images: those whose rows were lost together
// with the database and the journal.
const recovered = "recovered"

// checkFiles compares the image files with the database. It marks images whose files
// are missing. A file without a row was left by a crash and is moved away. If rows may
// have been lost (whole is false), it becomes an image again.
func (m *Images) checkFiles(ctx context.Context, whole bool) error {
	found, err := m.s.files.listFiles()
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
	rows, err := collect(ctx, m.s, func(row scanner) (k known, err error) {
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
	m.s.files.used.Store(used)
	if err := m.noteFiles(ctx, broken, mended); err != nil {
		return err
	}
	if !whole {
		return m.adopt(ctx, found)
	}
	return m.s.files.moveLost(found)
}

func (m *Images) noteFiles(ctx context.Context, broken, mended []string) error {
	if len(broken) > 0 {
		if err := m.markBroken(ctx, broken...); err != nil {
			return err
		}
		d := Damage{Kind: DamagedImage, Path: m.s.path(imagesDir), Detail: fmt.Sprintf("%d image files are missing or have changed; the images are marked", len(broken))}
		if len(broken) <= 20 {
			for _, name := range broken {
				ids, err := collect(ctx, m.s, scanID, `select id from images where hash = ? limit 20`, strings.TrimSuffix(name, filepath.Ext(name)))
				if err != nil {
					return err
				}
				d.Images = append(d.Images, ids...)
			}
		}
		m.s.report(d)
	}
	if len(mended) == 0 {
		return nil
	}
	return m.s.write(ctx, survivesDeath, func(t *tx) error {
		_, err := t.exec(`update files set broken = 0 where name in (select value from json_each(?))`, list(mended))
		return err
	})
}

// adopt creates images for files whose rows were lost.
func (m *Images) adopt(ctx context.Context, found map[string]int64) error {
	n := 0
	for name := range found {
		path := m.s.path(imagesDir, name[:2], name)
		data, err := os.ReadFile(path)
		if mime, _, _, _ := picture.Sniff(data); err != nil || mime == "" {
			continue // another form of an image, useless without it
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if _, err := m.Add(ctx, NewImage{
			SessionID: recovered, Forms: []Form{{Data: data}}, CreatedAt: info.ModTime(), Old: true, Description: "Recovered image",
		}); err != nil {
			return err
		}
		n++
	}
	if n > 0 {
		m.s.report(Damage{Kind: LostFile, Path: m.s.path(imagesDir), Detail: fmt.Sprintf("%d images were recovered from their files; who made them is not known any more", n)})
	}
	return nil
}
