// Package animation reads animated GIF, PNG and WebP images frame by frame.
//
// A file is scanned first, without decoding: where its frames are, how long each is shown,
// what happens to it afterwards. A frame is decoded when it is asked for, as a still image of
// its own, and drawn over what the frames before it left. So the memory that an animation takes
// does not grow with its number of frames.
//
// What it is given may be hostile. Each size is checked before anything of that size is
// allocated, and what a file promises but does not contain is not counted.
//
// # Goroutines
//
// Count and Open may be called on any goroutine. Frame and Release belong to one goroutine at a
// time; what else is to be asked of an [Animation] never changes. Neither do the images that
// it returns, which may be handed to others.
package animation

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"time"
)

const (
	// MaxPixels is the most pixels that the canvas, or a frame, of an animation may have. A
	// larger one is shown as a still picture.
	MaxPixels = 16 << 20
	// MaxFrames is the most frames that an animation may have.
	MaxFrames = 20_000
	// keptBytes is how much memory composed frames may take, beside the canvas: enough for a
	// short animation as a whole, so that only its first turn decodes.
	keptBytes = 64 << 20
	// keptBehind is how many frames are kept of a longer one: for those who step back.
	keptBehind = 6
)

// Browsers show a frame that claims to take a hundredth of a second or less for a tenth:
// old programs wrote such times and meant "as fast as possible".
const (
	tooShort = 11 * time.Millisecond
	instead  = 100 * time.Millisecond
)

// Errors of this package, for errors.Is.
var (
	ErrStill    = errors.New("not an animation")
	ErrDamaged  = errors.New("damaged animation")
	ErrTooLarge = errors.New("animation too large")
)

// A disposal is what happens to a frame before the next one is drawn.
type disposal int

const (
	remain  disposal = iota // it stays
	erase                   // its area becomes transparent
	restore                 // its area becomes what it was before
)

// A frame is a frame as the file has it.
type frame struct {
	at      image.Rectangle // on the canvas; GIF's may reach beyond
	delay   time.Duration
	dispose disposal
	over    bool // it may be transparent and is drawn over what is there, not in its place
	decode  func() (image.Image, error)
}

// A scan is what is known of a file before anything is decoded.
type scan struct {
	size   image.Point
	plays  int // 0: without end
	frames []frame
}

// add adds a frame, and tells whether there may be more.
func (s *scan) add(f frame) bool {
	if f.delay < tooShort {
		f.delay = instead
	}
	s.frames = append(s.frames, f)
	return len(s.frames) <= MaxFrames
}

// check refuses what must not be played.
func (s *scan) check() error {
	switch {
	case len(s.frames) < 2:
		return ErrStill
	case len(s.frames) > MaxFrames:
		return fmt.Errorf("%w: more than %d frames", ErrTooLarge, MaxFrames)
	case tooManyPixels(s.size):
		return fmt.Errorf("%w: %d×%d pixels", ErrTooLarge, s.size.X, s.size.Y)
	}
	for i, f := range s.frames {
		if f.at.Empty() || tooManyPixels(f.at.Size()) {
			return fmt.Errorf("%w: frame %d has %d×%d pixels", ErrDamaged, i+1, f.at.Dx(), f.at.Dy())
		}
	}
	return nil
}

// tooManyPixels also holds for a size without pixels.
func tooManyPixels(size image.Point) bool {
	return size.X <= 0 || size.Y <= 0 || int64(size.X)*int64(size.Y) > MaxPixels
}

// read scans a file of any kind.
func read(data []byte) (scan, error) {
	var s scan
	var err error
	switch kind(data) {
	case kindGIF:
		s, err = scanGIF(data)
	case kindPNG:
		s, err = scanPNG(data)
	case kindWebP:
		s, err = scanWebP(data)
	default:
		err = ErrStill
	}
	if err == nil {
		err = s.check()
	}
	return s, err
}

type fileKind int

const (
	kindOther fileKind = iota
	kindGIF
	kindPNG
	kindWebP
)

func kind(head []byte) fileKind {
	switch {
	case len(head) >= 6 && (string(head[:6]) == "GIF87a" || string(head[:6]) == "GIF89a"):
		return kindGIF
	case len(head) >= len(pngMagic) && string(head[:len(pngMagic)]) == pngMagic:
		return kindPNG
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return kindWebP
	default:
		return kindOther
	}
}

// headBytes is how much of a file tells whether the rest of it is worth looking at.
const headBytes = 64 << 10

// Count counts the frames that can be played of a file: 1 for a still picture of any kind. It
// reads no more than the beginning of a file that is none.
func Count(r io.ReaderAt, size int64) (int, error) {
	head := make([]byte, min(size, headBytes))
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if head = head[:n]; !promising(head) {
		return 1, nil
	}
	data := head
	if int64(n) < size {
		data = make([]byte, size)
		if n, err = r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		data = data[:n]
	}
	s, err := read(data)
	if err != nil {
		return 1, nil //nolint:nilerr // it is shown as a still picture
	}
	return len(s.frames), nil
}

// promising tells from a file's beginning whether it may be an animation.
func promising(head []byte) bool {
	switch kind(head) {
	case kindGIF:
		return true
	case kindPNG:
		return promisingPNG(head)
	case kindWebP:
		return promisingWebP(head)
	default:
		return false
	}
}

// An Animation gives the frames of an animated image as they are to be seen, the size of the
// whole canvas.
type Animation struct {
	scan
	canvas *canvas // nil: nothing has been drawn
	kept   kept
}

// Open scans a file. ErrStill if it has less than two frames, ErrDamaged and ErrTooLarge if it
// cannot be played.
func Open(data []byte) (*Animation, error) {
	s, err := read(data)
	if err != nil {
		return nil, err
	}
	a := &Animation{scan: s}
	if a.kept.most = max(keptBytes/(4*s.size.X*s.size.Y), 1); a.kept.most < len(s.frames) {
		a.kept.most = min(a.kept.most, keptBehind)
	}
	return a, nil
}

// Size is the canvas's in pixels.
func (a *Animation) Size() image.Point { return a.size }

// Len is the number of frames, at least two.
func (a *Animation) Len() int { return len(a.frames) }

// Plays is how many times the animation is to be played; 0: without end.
func (a *Animation) Plays() int { return a.plays }

// Delay is how long a frame is shown.
func (a *Animation) Delay(i int) time.Duration { return a.frames[i].delay }

// Frame is a frame as it is to be seen, from 0. Going forward decodes one frame; going back
// decodes all from the last one that covers the canvas. The image must not be changed.
func (a *Animation) Frame(ctx context.Context, i int) (*image.RGBA, error) {
	if i < 0 || i >= len(a.frames) {
		return nil, fmt.Errorf("no frame %d of %d", i, len(a.frames))
	}
	if m := a.kept.get(i); m != nil {
		return m, nil
	}
	if a.canvas == nil {
		a.canvas = newCanvas(a.size)
	}
	first := a.key(i)
	if at := a.canvas.at; at >= first && at < i {
		first = at + 1 // go on from what is drawn
	} else if at > i || at < first {
		a.canvas.reset()
	}
	for n := first; n <= i; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.canvas.draw(n, a.frames); err != nil {
			a.canvas.reset()
			return nil, fmt.Errorf("%w: frame %d: %w", ErrDamaged, n+1, err)
		}
		if i-n < a.kept.most { // the frames just before are wanted next, by who goes back
			a.kept.put(n, a.canvas.copy())
		}
	}
	return a.kept.get(i), nil
}

// Release lets go of everything that was decoded. Frame decodes it again.
func (a *Animation) Release() { a.canvas, a.kept.frames = nil, nil }

// key is the last frame up to i that does not depend on the ones before.
func (a *Animation) key(i int) int {
	whole := image.Rectangle{Max: a.size}
	for ; i > 0; i-- {
		f, before := a.frames[i], a.frames[i-1]
		if whole.In(f.at) && !f.over && f.dispose != restore || before.dispose == erase && whole.In(before.at) {
			return i
		}
	}
	return 0
}
