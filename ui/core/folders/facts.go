package folders

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"easel/internal/truncate"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/picture/animation"
	"easel/ui/core/prompts"
)

// facts holds what was read from a file. It is immutable.
type facts struct {
	hash    string // SHA-256; empty: not computed yet
	mime    string // empty: not a picture
	w, h    int
	frames  int    // of an animation; otherwise 0 or 1
	what    string // one of library's problems, or empty
	problem string // the same in one line, with details
	broken  bool
	tags    []string // from the embedded prompt
	words   string   // from the prompt or code, for text search
	code    string   // embedded by Easel
	client  string
}

// How many bytes are read.
const (
	headBytes  = 1 << 20  // to identify a picture; package picture needs no more
	sniffBytes = 64 << 10 // of a file without the extension of a picture
	wordBytes  = 4 << 10  // of a prompt, for text search
	codeBytes  = 64 << 10 // of embedded code
	movieBytes = 64 << 20 // of an animation, to count its frames
)

// study reads a file. It computes the hash if the file is small or hash is true. It
// returns an error if reading fails, but not if the file is not a picture.
func study(ctx context.Context, path string, hash bool) (*facts, error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	f := new(facts)
	promised := named(path)
	if promised == "" {
		head, err := readHead(file, size, sniffBytes)
		if err != nil {
			return nil, err
		}
		if mime, _, _, _ := picture.Sniff(head); mime == "" {
			return f, nil
		}
	}
	head, err := readHead(file, size, headBytes)
	if err != nil {
		return nil, err
	}
	if int64(len(head)) == size {
		sum := sha256.Sum256(head)
		f.hash = hex.EncodeToString(sum[:])
		err = f.identify(bytes.NewReader(head), head, size, promised)
	} else {
		err = f.identify(file, head, size, promised)
	}
	if err == nil && f.hash == "" && hash {
		f.hash, err = digest(ctx, file, size)
	}
	return f, err
}

// openRegular opens a regular file for reading. It does not block if a pipe has
// replaced the file.
func openRegular(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", path)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

func readHead(r io.ReaderAt, size, n int64) ([]byte, error) {
	b := make([]byte, min(size, n))
	read, err := r.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil // the file was truncated meanwhile
	}
	return b[:read], err
}

// digest hashes a file.
func digest(ctx context.Context, r io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	part := make([]byte, headBytes)
	for at := int64(0); at < size; {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		n, err := r.ReadAt(part[:min(int64(len(part)), size-at)], at)
		h.Write(part[:n])
		at += int64(n)
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// kinds maps MIME types to the names that the user sees.
var kinds = map[string]string{
	picture.PNG: "PNG", picture.JPEG: "JPEG", picture.GIF: "GIF", picture.WebP: "WebP", picture.SVG: "SVG",
}

// fail sets the reason why the file cannot be shown.
func (f *facts) fail(what, problem string) { f.what, f.problem, f.broken = what, problem, true }

// identify finds the type of a picture, its problems, and the prompt or code that made
// it.
func (f *facts) identify(r io.ReaderAt, head []byte, size int64, promised string) error {
	var err error
	f.mime, f.w, f.h, err = picture.SniffFile(head, io.NewSectionReader(r, 0, size))
	switch {
	case size == 0:
		f.fail(library.ProblemEmpty, "an empty file")
		return nil
	case errors.Is(err, picture.ErrFormat):
		f.fail(library.ProblemNoPicture, "no picture, although its name says so")
		return nil
	case errors.Is(err, picture.ErrTooLarge):
		f.fail(library.ProblemTooLarge, fmt.Sprintf("too large to be shown: %d×%d px", f.w, f.h))
		return nil
	case err != nil:
		f.fail(library.ProblemDamaged, "damaged: "+oneLine(err.Error()))
		return nil
	}
	info, err := prompts.Read(r, size)
	if err != nil {
		return err
	}
	cut := info.Truncated
	switch f.mime {
	case picture.GIF:
		cut, err = cutGIF(r, size)
	case picture.SVG:
		cut, err = cutSVG(r, size)
	}
	if err != nil {
		return err
	}
	if cut {
		f.fail(library.ProblemCut, "cut off: the file ends before its picture does")
	} else if promised != "" && promised != f.mime {
		f.what, f.problem = library.ProblemMisnamed, "although its name says "+kinds[promised]
	}
	if f.what == "" && size <= movieBytes {
		if f.frames, err = animation.Count(r, size); err != nil {
			return err
		}
	}
	f.tags = info.Tags
	f.words = fold(truncate.Bytes(info.Prompt+"\n"+info.Model, wordBytes))
	if p := info.Easel; p != nil {
		f.client = oneLine(p.Client)
		f.code = truncate.Bytes(p.Code, codeBytes)
		f.words = fold(truncate.Bytes(p.Title+"\n"+p.Code, wordBytes))
	}
	return nil
}

// tail reads the last n bytes of a file.
func tail(r io.ReaderAt, size, n int64) ([]byte, error) {
	n = min(n, size)
	b := make([]byte, n)
	read, err := r.ReadAt(b, size-n)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:read], err
}

// cutGIF reports whether a GIF has no trailer. Zero bytes may follow the trailer.
func cutGIF(r io.ReaderAt, size int64) (bool, error) {
	end, err := tail(r, size, 4<<10)
	return !bytes.HasSuffix(bytes.TrimRight(end, "\x00"), []byte(";")), err
}

// cutSVG reports whether the root element of an SVG is not closed.
func cutSVG(r io.ReaderAt, size int64) (bool, error) {
	end, err := tail(r, size, 4<<10)
	end = bytes.ToLower(end)
	return !bytes.Contains(end, []byte("svg>")) && !bytes.Contains(end, []byte("/>")) && !bytes.Contains(end, []byte("</svg")), err
}

// describe returns a description of the file in one line.
func (f *facts) describe() string {
	kind := kinds[f.mime]
	switch {
	case kind == "":
		return f.problem
	case f.broken && f.w == 0:
		return kind + ", " + f.problem
	}
	s := kind + " image"
	if f.frames > 1 {
		s = kind + " animation"
	}
	if f.w > 0 && !strings.Contains(f.problem, "px") {
		s += fmt.Sprintf(", %d×%d px", f.w, f.h)
	}
	if f.frames > 1 {
		s += fmt.Sprintf(", %d frames", f.frames)
	}
	if f.problem != "" {
		s += ", " + f.problem
	}
	return s
}

// image converts an entry to the library's type. The caller holds d.mu.
func (d *Directory) image(e *entry) library.Image {
	var im library.Image
	im.ImageID, im.Title, im.Path = e.id, oneLine(e.name), d.pathOf(e)
	im.Bytes, im.CreatedAt, im.Modified = e.size, e.born.UTC(), e.mtime.UTC()
	im.Rating, im.Tags = e.annotation.Rating, append([]string{}, e.annotation.Tags...)
	im.MIMEType, im.Description = named(e.name), "not read yet"
	if f := e.facts; f != nil {
		im.MIMEType, im.Width, im.Height, im.Broken, im.Problem = f.mime, f.w, f.h, f.broken, f.what
		if f.frames > 1 {
			im.Frames = f.frames
		}
		im.Description, im.ETag, im.Code, im.Client = f.describe(), f.hash, f.code, f.client
	}
	im.MIMEType = cmp.Or(im.MIMEType, "application/octet-stream")
	im.Forms = []library.StoredForm{{MIME: im.MIMEType, Path: im.Path, Bytes: e.size}}
	return im
}
