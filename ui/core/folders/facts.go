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
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"easel/internal/truncate"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/picture/animation"
	"easel/ui/core/prompts"
)

// facts holds what was read from a file. It is immutable.
type facts struct {
	hash   [sha256.Size]byte // of the bytes; zero: not computed yet
	mime   string            // empty: not a picture
	w, h   int32
	frames int32 // of an animation; otherwise 0 or 1
	broken bool
	rare   *rare // nil: the file has none of it
}

// rare is what few files have, apart from facts because a directory may have many files.
type rare struct {
	what    string   // one of library's problems, or empty
	problem string   // the same in one line, with details
	tags    []string // from the embedded prompt
	words   string   // from the prompt or code, for text search
	code    string   // embedded by Easel
	client  string
}

// hashed reports whether the hash is known. f may be nil.
func (f *facts) hashed() bool { return f != nil && f.hash != [sha256.Size]byte{} }

// etag returns the hash as text, or "".
func (f *facts) etag() string {
	if !f.hashed() {
		return ""
	}
	return hex.EncodeToString(f.hash[:])
}

// more returns what few files have, without it if a file has none of it. f may be nil.
func (f *facts) more() rare {
	if f == nil || f.rare == nil {
		return rare{}
	}
	return *f.rare
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
		head, err := readHead(file, make([]byte, min(size, sniffBytes)))
		if err != nil {
			return nil, err
		}
		if mime, _, _, _ := picture.Sniff(head); mime == "" {
			return f, nil
		}
	}
	buffer := heads.Get().(*[]byte)
	defer heads.Put(buffer)
	head, err := readInto(buffer, file, size)
	if err != nil {
		return nil, err
	}
	if int64(len(head)) == size {
		f.hash = sha256.Sum256(head)
		err = f.identify(bytes.NewReader(head), head, size, promised)
	} else {
		err = f.identify(file, head, size, promised)
	}
	if err == nil && !f.hashed() && hash {
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

// heads are buffers for the beginnings of files: a directory has many.
var heads = sync.Pool{New: func() any { return new([]byte) }}

// readInto reads the beginning of a file into a buffer.
func readInto(buffer *[]byte, r io.ReaderAt, size int64) ([]byte, error) {
	n := int(min(size, headBytes))
	*buffer = slices.Grow((*buffer)[:0], n)
	return readHead(r, (*buffer)[:n])
}

func readHead(r io.ReaderAt, b []byte) ([]byte, error) {
	read, err := r.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = nil // the file was truncated meanwhile
	}
	return b[:read], err
}

// digest hashes a file.
func digest(ctx context.Context, r io.ReaderAt, size int64) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	part := make([]byte, headBytes)
	for at := int64(0); at < size; {
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		n, err := r.ReadAt(part[:min(int64(len(part)), size-at)], at)
		h.Write(part[:n])
		at += int64(n)
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			break
		}
		if err != nil {
			return sum, err
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

// kinds maps MIME types to the names that the user sees.
var kinds = map[string]string{
	picture.PNG: "PNG", picture.JPEG: "JPEG", picture.GIF: "GIF", picture.WebP: "WebP", picture.SVG: "SVG",
}

// fail sets the reason why the file cannot be shown.
func (f *facts) fail(what, problem string) {
	f.rare, f.broken = &rare{what: what, problem: problem}, true
}

// identify finds the type of a picture, its problems, and the prompt or code that made
// it.
func (f *facts) identify(r io.ReaderAt, head []byte, size int64, promised string) error {
	var err error
	var w, h int
	f.mime, w, h, err = picture.SniffFile(head, io.NewSectionReader(r, 0, size))
	f.w, f.h = int32(w), int32(h)
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
		f.rare = &rare{what: library.ProblemMisnamed, problem: "although its name says " + kinds[promised]}
	}
	if f.rare == nil && f.mime == picture.GIF && size <= movieBytes {
		frames, err := animation.Count(r, size)
		if err != nil {
			return err
		}
		f.frames = int32(min(frames, math.MaxInt32))
	}
	f.embedded(info)
	return nil
}

// embedded stores the prompt or the code that is in a file.
func (f *facts) embedded(info prompts.Info) {
	m := f.more()
	m.tags = info.Tags
	m.words = fold(truncate.Bytes(info.Prompt+"\n"+info.Model, wordBytes))
	if p := info.Easel; p != nil {
		m.client = oneLine(p.Client)
		m.code = truncate.Bytes(p.Code, codeBytes)
		m.words = fold(truncate.Bytes(p.Title+"\n"+p.Code, wordBytes))
	}
	if m.words = strings.TrimSpace(m.words); m.what != "" || len(m.tags) > 0 || m.words != "" || m.code != "" || m.client != "" {
		f.rare = &m
	}
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
	kind, problem := kinds[f.mime], f.more().problem
	switch {
	case kind == "":
		return problem
	case f.broken && f.w == 0:
		return kind + ", " + problem
	}
	s := kind + " image"
	if f.frames > 1 {
		s = kind + " animation"
	}
	if f.w > 0 && !strings.Contains(problem, "px") {
		s += fmt.Sprintf(", %d×%d px", f.w, f.h)
	}
	if f.frames > 1 {
		s += fmt.Sprintf(", %d frames", f.frames)
	}
	if problem != "" {
		s += ", " + problem
	}
	return s
}

// image converts an entry to the library's type. The caller holds d.mu.
func (d *Directory) image(e *entry) library.Image {
	var im library.Image
	im.ImageID, im.Title, im.Path = e.id, oneLine(e.name), d.pathOf(e)
	im.Bytes, im.CreatedAt, im.Modified = e.size, time.Unix(0, e.born).UTC(), time.Unix(0, e.mtime).UTC()
	im.Rating, im.Tags = e.rating(), append([]string{}, e.tags()...)
	im.MIMEType, im.Description = named(e.name), "not read yet"
	if f := e.facts; f != nil {
		more := f.more()
		im.MIMEType, im.Width, im.Height, im.Broken, im.Problem = f.mime, int(f.w), int(f.h), f.broken, more.what
		if f.frames > 1 {
			im.Frames = int(f.frames)
		}
		im.Description, im.ETag, im.Code, im.Client = f.describe(), f.etag(), more.code, more.client
	}
	im.MIMEType = cmp.Or(im.MIMEType, "application/octet-stream")
	im.Forms = []library.StoredForm{{MIME: im.MIMEType, Path: im.Path, Bytes: e.size}}
	return im
}
