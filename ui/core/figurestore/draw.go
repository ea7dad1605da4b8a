package figurestore

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// The reasons why no figure of a plot was taken out of its kernel. Others are the words of easel_pickles.py, or what
// Python says of the part that it cannot pickle.
const (
	OfOthers = "others" // Easel stores no figures of such kernels
	Absent   = "absent" // it was not taken in time, or was dropped for newer ones
)

// An UnstoredError says why the figure of a plot is not stored.
type UnstoredError struct{ Why string }

// unstored are the reasons in words. The window has its own.
var unstored = map[string]string{
	"main":    "it refers to classes or functions of its session",
	"slow":    "pickling it took too long",
	"large":   "it is too large",
	"changed": "the code changed it after it was displayed",
	"old":     "there were too many figures at once",
	OfOthers:  "Easel stores those of its own kernels and of projects only",
	Absent:    "its kernel ended too early, keeping figures was off, or newer ones took its place",
}

// Reasons returns the reasons that have a name.
func Reasons() []string { return slices.Sorted(maps.Keys(unstored)) }

// Error says why.
func (e *UnstoredError) Error() string {
	if text, ok := unstored[e.Why]; ok {
		return text
	}
	return "it cannot be pickled: " + e.Why
}

// Known returns the reason if it is one that has a name, and otherwise what Python says.
func (e *UnstoredError) Known() (reason, python string) {
	if _, ok := unstored[e.Why]; ok {
		return e.Why, ""
	}
	return "", e.Why
}

// ErrProject means that the user does not allow the project of a plot now.
var ErrProject = errors.New("the user does not allow its project")

// A LoadError says why an environment could not load a stored figure.
type LoadError struct {
	Why     string   // what Python says
	Changes []string // what is not as it was when the figure was stored
}

// Error says what is missing, or what Python says, and what has changed.
func (e *LoadError) Error() string {
	has := strings.Join(e.Changes, " and ")
	module, missing := strings.CutPrefix(e.Why, "ModuleNotFoundError: No module named ")
	switch {
	case missing && has != "":
		return "its environment does not have the module " + module + " any more, and " + has
	case missing:
		return "its environment does not have the module " + module + " any more"
	case has != "":
		return "its environment now has " + has + " (" + e.Why + ")"
	}
	return e.Why
}

// A Drawer has stored figures drawn by hidden kernels.
type Drawer struct {
	Images Images
	Key    sealed.Key
	// Session finds the session of a plot.
	Session func(ctx context.Context, id string) (library.Session, error)
	// Allows reports whether the user allows the project of a session now. If it is nil, they do.
	Allows func(of library.Session) bool
	// Stores reports whether figures of a session's kernels are stored. If it is nil, they are.
	Stores func(of library.Session) bool
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

// Stored returns nil if the figure of an image is stored, and otherwise an [UnstoredError], or why the stored figure
// cannot be used.
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
	if errors.Is(err, library.ErrNotFound) {
		return inspect.PickledFigure{}, &UnstoredError{d.absence(ctx, im)}
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

// absence returns why nothing is known of the figure of an image.
func (d *Drawer) absence(ctx context.Context, im library.Image) string {
	if of, err := d.Session(ctx, im.SessionID); err == nil && d.Stores != nil && !d.Stores(of) {
		return OfOthers
	}
	return Absent
}

// Draw has the stored figure of an image drawn. changes says what is not as it was when the figure was stored. ask is
// whether the user may be asked for permission.
func (d *Drawer) Draw(ctx context.Context, im library.Image, q inspect.FigureRequest, ask bool) (drawn inspect.DrawnFigure,
	changes []string, err error,
) {
	changes, err = d.use(ctx, im, q.Hashes, ask, func(ctx context.Context, k inspect.Kernel) (err error) {
		drawn, err = inspect.DrawFigure(ctx, k, q)
		return err
	})
	return drawn, changes, err
}

// Values returns all values of the stored figure of an image, as facts.ReadAll reads them. It asks nobody.
func (d *Drawer) Values(ctx context.Context, im library.Image, hashes []string) (raw []byte, err error) {
	_, err = d.use(ctx, im, hashes, false, func(ctx context.Context, k inspect.Kernel) (err error) {
		raw, err = inspect.FigureValues(ctx, k, hashes)
		return err
	})
	return raw, err
}

// use has a hidden kernel load the stored figure of an image, and do something with it.
func (d *Drawer) use(ctx context.Context, im library.Image, hashes []string, ask bool,
	do func(context.Context, inspect.Kernel) error,
) (changes []string, err error) {
	f, err := d.open(ctx, im)
	if err != nil {
		return nil, err
	}
	approved, err := d.permit(ctx, im, ask)
	if err != nil {
		return nil, err
	}
	s, err := d.Session(ctx, im.SessionID)
	if err != nil {
		return nil, err
	}
	if d.Allows != nil && !d.Allows(s) {
		return nil, ErrProject
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f.Names, f.Path = hashes[:1], modulePath(f.FigureOrigin)
	if l := d.takeIdle(im.SessionID); l != nil {
		if changes, err := d.with(ctx, l, im, f, approved, do); err == nil {
			return changes, nil
		} // it may have died
	}
	k, err := d.Start(ctx, s, s.NotebookDir())
	if err != nil {
		return nil, err
	}
	return d.with(ctx, &figureKernel{session: im.SessionID, kernel: k}, im, f, approved, do)
}

// with has a kernel load a figure, unless it has, and do something with it. If that fails, the kernel ends. Otherwise
// another call may have it load another figure from then on.
func (d *Drawer) with(ctx context.Context, l *figureKernel, im library.Image, f inspect.PickledFigure, approved bool,
	do func(context.Context, inspect.Kernel) error,
) (changes []string, err error) {
	if l.image != im.ImageID || l.image == "" {
		err = d.load(ctx, l, im, f, approved)
	}
	if err == nil {
		err = do(ctx, l.kernel.Inquiry())
	}
	changes = l.changes
	if err != nil {
		l.kernel.End()
		return changes, err
	}
	d.leave(l)
	return changes, nil
}

// load has a kernel load a figure in place of the one that it has.
func (d *Drawer) load(ctx context.Context, l *figureKernel, im library.Image, f inspect.PickledFigure, approved bool) error {
	if err := d.check(ctx, im, approved); err != nil { // what the user allows may have changed
		return err
	}
	now, why, err := inspect.AdoptFigure(ctx, l.kernel.Inquiry(), f)
	l.image, l.changes = im.ImageID, differences(f.FigureOrigin, now)
	if err == nil && why != "" {
		err = &LoadError{why, l.changes}
	}
	return err
}

// permit reports whether the figure of an image may be loaded now, and whether the user was asked.
func (d *Drawer) permit(ctx context.Context, im library.Image, ask bool) (approved bool, err error) {
	v := d.Gate.Check(sender(ctx, im), oversight.Code{Asks: ask && d.Ask != nil})
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
	v := d.Gate.Check(sender(ctx, im), oversight.Code{Approved: approved})
	if v.Decision == oversight.Send {
		return nil
	}
	return v.Err
}

func sender(ctx context.Context, im library.Image) oversight.Sender {
	return oversight.SenderOf(tool.CallerFrom(ctx), im.SessionID, "") // Allows looks at the project
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
