// Package animation reads animated GIF images frame by frame.
//
// A file is scanned first, without decoding anything. The scan finds the frames, their times
// and their disposal. A frame is decoded on demand, as a still image of its own, and drawn
// over the frames before it. The memory in use does not grow with the number of frames.
//
// Files may be hostile. Every size is checked before anything of that size is allocated.
// Frames that a file announces but does not contain are not counted.
//
// # Goroutines
//
// Count and Open may be called on any goroutine. Frame and Release of an [Animation] must be
// called on one goroutine at a time; its other methods return constants. The images that Frame
// returns are immutable and may be used on any goroutine.
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
	// MaxPixels is the maximum number of pixels of the canvas and of a frame. A larger
	// animation is a still picture.
	MaxPixels = 16 << 20
	// MaxFrames is the maximum number of frames.
	MaxFrames = 20_000
	// keptBytes is the maximum size of the composed frames in memory. A short animation fits
	// completely, so that only its first turn decodes.
	keptBytes = 64 << 20
	// keptBehind is the number of frames kept of a longer animation, for steps back.
	keptBehind = 6
)

// Browsers show a frame of 10 ms or less for 100 ms, because old programs wrote such times
// to mean "as fast as possible". Easel does the same.
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
	at      image.Rectangle // on the canvas; it may reach beyond
	delay   time.Duration
	dispose disposal
	over    bool // drawn over the canvas; if false, it replaces its area of the canvas
	decode  func() (*image.Paletted, error)
}

// A scan holds what is known of a file before anything is decoded.
type scan struct {
	size   image.Point
	plays  int // 0: forever
	frames []frame
}

// add adds a frame and reports whether more are allowed.
func (s *scan) add(f frame) bool {
	if f.delay < tooShort {
		f.delay = instead
	}
	s.frames = append(s.frames, f)
	return len(s.frames) <= MaxFrames
}

// check returns an error if the file cannot be played.
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

// tooManyPixels reports whether a size is above MaxPixels, or empty.
func tooManyPixels(size image.Point) bool {
	return size.X <= 0 || size.Y <= 0 || int64(size.X)*int64(size.Y) > MaxPixels
}

// read scans a file.
func read(data []byte) (scan, error) {
	if !isGIF(data) {
		return scan{}, ErrStill
	}
	s, err := scanGIF(data)
	if err == nil {
		err = s.check()
	}
	return s, err
}

func isGIF(head []byte) bool {
	return len(head) >= headBytes && (string(head[:headBytes]) == "GIF87a" || string(head[:headBytes]) == "GIF89a")
}

// headBytes is the size of what begins a GIF.
const headBytes = 6

// Count returns the number of frames that can be played; 1 for any file that is not an
// animation. Of other pictures, it reads only the beginning.
func Count(r io.ReaderAt, size int64) (int, error) {
	data := make([]byte, min(size, headBytes))
	if _, err := r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if !isGIF(data) {
		return 1, nil
	}
	data = make([]byte, size)
	n, err := r.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	s, err := read(data[:n])
	if err != nil {
		return 1, nil //nolint:nilerr // it is shown as a still picture
	}
	return len(s.frames), nil
}

// An Animation composes the frames of an animated image.
type Animation struct {
	scan
	canvas *canvas // nil until a frame is drawn
	kept   frameCache
}

// Open scans a file. It returns ErrStill if the file has fewer than two frames, and
// ErrDamaged or ErrTooLarge if it cannot be played.
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

// Size returns the size of the canvas in pixels.
func (a *Animation) Size() image.Point { return a.size }

// Len returns the number of frames, which is at least two.
func (a *Animation) Len() int { return len(a.frames) }

// Plays returns how often the animation is to be played; 0 means forever.
func (a *Animation) Plays() int { return a.plays }

// Delay returns how long a frame is shown.
func (a *Animation) Delay(i int) time.Duration { return a.frames[i].delay }

// Frame returns the i-th frame, from 0, composed with the frames before it. The next frame
// costs one decoding. An earlier one costs all decodings since the last frame that covers the
// canvas. The image must not be changed.
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
		first = at + 1 // continue from the canvas
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
		if i-n < a.kept.most { // a step back needs the frames just before
			a.kept.put(n, a.canvas.copy())
		}
	}
	return a.kept.get(i), nil
}

// Release frees the decoded frames. Frame decodes them again.
func (a *Animation) Release() { a.canvas, a.kept.frames = nil, nil }

// key returns the last frame up to i that does not depend on earlier frames.
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
