package figurestore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/figurestore/sealed"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// patience is how long a hidden kernel may take to start, to load a figure and to draw it.
const patience = time.Minute

// A Kernel is a hidden kernel. A [pool.HiddenKernel] is one.
type Kernel interface {
	Inquiry() inspect.Kernel
	End()
}

// An UnstoredError says why the figure of a plot could not be stored.
type UnstoredError struct {
	// Why is one of the words of easel_pickles.py, or what Python says of the part that it cannot pickle.
	Why string
}

// Error says why.
func (e *UnstoredError) Error() string {
	switch e.Why {
	case "main":
		return "it refers to classes or functions of its session"
	case "slow":
		return "pickling it took too long"
	case "large":
		return "it is too large"
	case "changed":
		return "the code changed it after it was displayed"
	case "old":
		return "there were too many figures at once"
	}
	return "it cannot be pickled: " + e.Why
}

// ErrProject means that the user does not allow the project of a plot now.
var ErrProject = errors.New("the user does not allow its project")

// A LoadError says why an environment could not load a stored figure.
type LoadError struct{ Why string }

// Error says what Python says.
func (e *LoadError) Error() string { return e.Why }

// A Drawer has stored figures drawn by hidden kernels.
type Drawer struct {
	Images Images
	Key    sealed.Key
	// Session finds the session of a plot.
	Session func(ctx context.Context, id string) (library.Session, error)
	// Start starts a kernel in the environment of a session.
	Start func(ctx context.Context, of library.Session, dir string) (Kernel, error)
	// Gate says whether code may run now: loading a figure runs what is in it. If it is nil, only the user has
	// figures drawn.
	Gate *oversight.Gate
	// Ask asks the user whether an assistant may have the figure of a plot loaded. If it is nil, figures that need
	// that are not loaded.
	Ask func(ctx context.Context, im library.Image) error
	// Linger is how long a kernel that has drawn a figure waits for another request for it.
	Linger time.Duration

	mu     sync.Mutex
	idle   *figureKernel // the kernel that waits; nil if there is none
	closed bool
	ends   sync.WaitGroup // kernels that are being ended
}

// Stored returns nil if the figure of an image is stored, and otherwise an [UnstoredError] or library.ErrNotFound,
// or why the stored figure cannot be used.
func (d *Drawer) Stored(ctx context.Context, im library.Image) error {
	_, err := d.open(ctx, im)
	return err
}

// open reads the figure of an image, which this Easel has sealed.
func (d *Drawer) open(ctx context.Context, im library.Image) (inspect.PickledFigure, error) {
	data, err := d.Images.ReadFigure(ctx, im)
	if errors.Is(err, library.ErrDamaged) {
		return inspect.PickledFigure{}, fmt.Errorf("%w: %w", sealed.ErrForeign, err)
	}
	if err != nil {
		return inspect.PickledFigure{}, err
	}
	f, err := d.Key.Open(data, im.ETag)
	if err == nil && f.Why != "" {
		err = &UnstoredError{f.Why}
	}
	return f, err
}

// Draw has the stored figure of an image drawn. changes says what is not as it was when the figure was stored.
func (d *Drawer) Draw(ctx context.Context, im library.Image, q inspect.FigureRequest) (drawn inspect.DrawnFigure,
	changes []string, err error,
) {
	f, err := d.open(ctx, im)
	if err != nil {
		return drawn, nil, err
	}
	approved, err := d.permit(ctx, im)
	if err != nil {
		return drawn, nil, err
	}
	s, err := d.Session(ctx, im.SessionID)
	if err != nil {
		return drawn, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f.Names, f.Path = q.Hashes[:1], modulePath(f.FigureOrigin)
	if l := d.takeIdle(im.ImageID); l != nil {
		if drawn, err := d.draw(ctx, l, q); err == nil {
			return drawn, l.changes, nil
		} // it may have died
	}
	l, err := d.load(ctx, im, s, f, approved)
	if err != nil {
		return drawn, nil, err
	}
	drawn, err = d.draw(ctx, l, q)
	return drawn, l.changes, err
}

// draw has a kernel draw the figure that it has loaded.
func (d *Drawer) draw(ctx context.Context, l *figureKernel, q inspect.FigureRequest) (inspect.DrawnFigure, error) {
	drawn, err := inspect.DrawFigure(ctx, l.kernel.Inquiry(), q)
	if err != nil {
		l.kernel.End()
		return drawn, err
	}
	d.leave(l)
	return drawn, nil
}

// load has a new kernel load a figure.
func (d *Drawer) load(ctx context.Context, im library.Image, s library.Session, f inspect.PickledFigure, approved bool) (
	*figureKernel, error,
) {
	k, err := d.Start(ctx, s, s.NotebookDir())
	if err != nil {
		return nil, err
	}
	if err := d.check(ctx, im, approved); err != nil { // what the user allows may have changed
		k.End()
		return nil, err
	}
	now, why, err := inspect.AdoptFigure(ctx, k.Inquiry(), f)
	changes := differences(f.FigureOrigin, now)
	if err == nil && why != "" {
		err = &LoadError{strings.Join(append([]string{why}, changes...), ", ")}
	}
	if err != nil {
		k.End()
		return nil, err
	}
	return &figureKernel{image: im.ImageID, kernel: k, changes: changes}, nil
}

// permit reports whether the figure of an image may be loaded now, and whether the user was asked.
func (d *Drawer) permit(ctx context.Context, im library.Image) (approved bool, err error) {
	v := d.Gate.Check(sender(ctx, im), false, d.Ask != nil)
	switch v.Decision {
	case oversight.Send:
		return false, nil
	case oversight.Ask:
		return true, d.Ask(ctx, im)
	case oversight.Refuse, oversight.Hold:
	}
	return false, v.Err
}

// check reports whether the figure may still be loaded.
func (d *Drawer) check(ctx context.Context, im library.Image, approved bool) error {
	v := d.Gate.Check(sender(ctx, im), approved, false)
	if v.Decision == oversight.Send {
		return nil
	}
	return v.Err
}

func sender(ctx context.Context, im library.Image) oversight.Sender {
	return oversight.SenderOf(tool.CallerFrom(ctx), im.SessionID)
}

// modulePath returns where Python looked for modules. "" in it was the directory of the session.
func modulePath(of inspect.FigureOrigin) []string {
	all := slices.Clone(of.Path)
	for i, dir := range all {
		if dir == "" {
			all[i] = of.Directory
		}
	}
	return all
}

// differences says what has changed since a figure was stored.
func differences(then, now inspect.FigureOrigin) (changes []string) {
	for _, part := range []struct{ name, then, now string }{
		{"Python", then.Python, now.Python}, {"matplotlib", then.Matplotlib, now.Matplotlib},
	} {
		if part.then != part.now && part.now != "" {
			changes = append(changes, fmt.Sprintf("%s %s instead of %s", part.name, part.now, part.then))
		}
	}
	return changes
}
