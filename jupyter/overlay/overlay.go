// Package overlay starts kernels in Python environments without installing anything in them.
//
// An environment with a recent ipykernel is used as it is. For any other there is an
// overlay: a directory with ipykernel that the launcher appends to sys.path, so everything
// that the environment has itself is used. The packages that the environment has are
// constraints for what is in the overlay. Environments of the same Python with the same
// versions of these packages have one overlay.
//
// If Easel's own environment has the same version of Python, an overlay consists of links
// to it. Otherwise uv downloads it.
//
// # Goroutines
//
// It starts none. The methods may be called from any goroutine; an overlay is made by one of
// them, and the others wait for it.
package overlay

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Maker prepares environments for kernels. Its fields are set once.
type Maker struct {
	Dir string // has the overlays and the launcher; other programs must not change it
	// Easel returns the interpreter of Easel's own environment, or "" if there is none yet.
	Easel func() string
	// UV returns uv and its environment, which has the settings for mirrors and proxies. It
	// may download uv.
	UV func(context.Context) (path string, environ []string, err error)
	// OwnUV is where uv is if UV has downloaded it. The kernel's %uv and %pip use it.
	OwnUV string
	Log   *slog.Logger // nil discards

	mu    sync.Mutex
	turns map[string]chan struct{} // one turn for each overlay
}

// A Kernel is how to start a kernel in an environment.
type Kernel struct {
	Argv []string // for a kernelspec: it contains {connection_file}
	// Env is for a kernelspec. Jupyter adds it to the server's environment, and replaces
	// "$$" by "$". Empty variables are removed by the launcher.
	Env       map[string]string
	Python    string // the interpreter
	Version   string // its version, such as 3.12.1
	IPyKernel string // the version of ipykernel
	Own       bool   // ipykernel is the environment's own
}

// Prepare makes an overlay for an interpreter if it needs one and there is none yet. report
// is told what takes long, and may be nil. An error about the environment is an [*Error].
func (m *Maker) Prepare(ctx context.Context, python string, report func(step string)) (Kernel, error) {
	return m.PrepareConfined(ctx, python, "", report)
}

// PrepareConfined is Prepare for an interpreter that only runs in a sandbox, which reads a folder; "" is none.
// What would run it elsewhere is left out: downloads, and the scripts that activate an environment.
func (m *Maker) PrepareConfined(ctx context.Context, python, folder string, report func(step string)) (Kernel, error) {
	if report == nil {
		report = func(string) {}
	}
	python, err := filepath.Abs(python)
	if err != nil {
		return Kernel{}, err
	}
	py, err := m.examine(ctx, python, folder)
	if err != nil {
		return Kernel{}, err
	}
	launcher, err := m.placeLauncher()
	if err != nil {
		return Kernel{}, err
	}
	k := Kernel{
		Argv:      []string{python, launcher, "-f", "{connection_file}"},
		Python:    python,
		Version:   py.release(),
		IPyKernel: py.Installed["ipykernel"],
		Own:       py.hasKernel(),
	}
	overlay := ""
	if !k.Own {
		overlay = filepath.Join(m.Dir, py.key())
		if err := m.make(ctx, py, overlay, report); err != nil {
			return Kernel{}, err
		}
		k.IPyKernel = versionIn(overlay)
	}
	k.Env = m.env(ctx, py, overlay)
	return k, nil
}

// unusedFor is how long an overlay is kept that no kernel has started with. They are removed
// when another one is made.
const unusedFor = 30 * 24 * time.Hour

// make makes an overlay unless there is one.
func (m *Maker) make(ctx context.Context, py interpreter, overlay string, report func(string)) error {
	release, err := m.turn(ctx, overlay)
	if err != nil {
		return err
	}
	defer release()
	if versionIn(overlay) != "" {
		return touch(overlay)
	}
	began := time.Now()
	scratch, err := os.MkdirTemp(m.Dir, scratchPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	linked, err := m.fill(ctx, py, scratch, report)
	if err != nil {
		return err
	}
	if err := replaceDir(scratch, overlay); err != nil {
		return err
	}
	if err := m.removeUnused(began.Add(-unusedFor)); err != nil {
		m.log().WarnContext(ctx, "an unused overlay cannot be removed", "err", err)
	}
	m.log().InfoContext(ctx, "ipykernel for another environment", "python", py.path, "overlay", overlay, "linked", linked, "took",
		time.Since(began))
	return nil
}

// turn waits until no other goroutine makes the overlay.
func (m *Maker) turn(ctx context.Context, overlay string) (release func(), err error) {
	m.mu.Lock()
	if m.turns == nil {
		m.turns = map[string]chan struct{}{}
	}
	turn := m.turns[overlay]
	if turn == nil {
		turn = make(chan struct{}, 1)
		m.turns[overlay] = turn
	}
	m.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (m *Maker) log() *slog.Logger { return cmp.Or(m.Log, slog.New(slog.DiscardHandler)) }

// An Error says in one sentence why an environment cannot run a kernel, and what to do.
type Error struct {
	Python  string // the interpreter
	Reason  string // what is wrong, without the interpreter
	Command string // that adds ipykernel to the environment; "" if that does not help
	Err     error  // may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s cannot run a kernel: %s", e.Python, strings.TrimSuffix(e.Reason, "."))
	if e.Command != "" {
		text += fmt.Sprintf("; add ipykernel to that environment with `%s`", e.Command)
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
