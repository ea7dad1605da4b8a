package library

import (
	"bytes"
	"context"
	"os"

	"easel/ui/core/picture"
	"easel/ui/core/picture/animation"
)

// frames returns the number of frames of a file; 1 for a still picture.
func frames(data []byte) int {
	n, _ := animation.Count(bytes.NewReader(data), int64(len(data))) // memory can be read
	return n
}

// frames returns the number of frames of an image; 0 if they must still be counted. The journal
// may have those of other animations, which earlier versions of Easel played.
func (r imageRecord) frames() int {
	if r.Forms[0].MIME != picture.GIF {
		return 1
	}
	return r.Frames
}

// frameBatch is the number of images counted in one transaction.
const frameBatch = 64

// countFrames counts the frames of images that an earlier version of Easel added. It stops
// when the library is closed. The journal does not need the counts, because they can be
// counted again.
func (m *Images) countFrames(ctx context.Context) error {
	type uncounted struct {
		seq  int64
		main formRecord
	}
	for {
		images, err := collect(ctx, m.s, func(row scanner) (u uncounted, err error) {
			err = row.Scan(&u.seq, &u.main.Hash, &u.main.Ext)
			return u, err
		}, `select seq, hash, ext from images where frames = 0 order by seq desc limit ?`, frameBatch)
		if err != nil || len(images) == 0 {
			return err
		}
		counts := make([]int, len(images))
		for i, u := range images {
			select {
			case <-m.s.done:
				return nil
			default:
				counts[i] = framesAt(m.s.files.path(u.main))
			}
		}
		err = m.s.write(ctx, survivesDeath, func(t *tx) error {
			for i, u := range images {
				if _, err := t.exec(`update images set frames = ? where seq = ?`, counts[i], u.seq); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// framesAt returns the number of frames of a file; 1 if it cannot be read.
func framesAt(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 1
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return 1
	}
	n, err := animation.Count(f, info.Size())
	if err != nil {
		return 1
	}
	return n
}
