package managed

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Later is the installation of what the first plot does not need. It goes on while the
// server runs.
type Later struct {
	Progress

	Upgrade bool  // a new environment is being built, for the next start of the server
	Err     error // why it failed; it is tried again
}

// laterModules are the modules that the user may want and that are installed later.
var laterModules = []string{"pandas", "scipy", "seaborn", "plotly", "vl_convert", "pypdfium2", "jupyterlab"}

// laterFile tells kernels which modules are still being installed; see easel_later.py.
func (d layout) laterFile() string { return filepath.Join(d.env, "easel-later.json") }

// failureFile tells kernels why these modules cannot be installed now, so that they do not
// wait for them.
func (d layout) failureFile() string { return filepath.Join(d.env, "easel-later-failed.txt") }

func (d layout) writeLater(partial bool) error {
	if err := os.Remove(d.failureFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !partial {
		err := os.Remove(d.laterFile())
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	return writeJSON(d.laterFile(), laterModules)
}

// How long finish waits before it tries again.
const (
	firstRetry = 20 * time.Second // doubles each time
	maxRetry   = 10 * time.Minute
)

// finish does what the server need not wait for: it installs the packages of the later
// stage, builds an environment for new requirements, and removes those that are no longer
// used. If that fails, it tries again, until ctx ends.
func (j *Jupyter) finish(ctx context.Context) {
	if err := j.dir.removeUnused(j.dir.env); err != nil {
		j.cfg.Log.WarnContext(ctx, "an old environment cannot be removed", "err", err)
	}
	for pause := firstRetry; ; pause = min(2*pause, maxRetry) {
		err := j.complete(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			j.reporter.setLater(nil)
			return
		}
		j.cfg.Log.WarnContext(ctx, "packages cannot be installed now", "err", err, "again_after", pause)
		j.laterFailed(err)
		select {
		case <-ctx.Done():
			return
		case <-j.again:
		case <-time.After(pause):
		}
	}
}

// complete brings the current environment up to date.
func (j *Jupyter) complete(ctx context.Context) error {
	now := j.dir
	j.mu.Lock()
	now.env = cmp.Or(j.next, now.env)
	j.mu.Unlock()
	s, err := now.readStamp()
	switch {
	case err != nil:
		return err
	case s.Requirements != requirementsHash():
		j.reporter.setLater(&Later{Upgrade: true})
		made, err := j.build(ctx, true, first, rest)
		if err == nil {
			j.setNext(made.env)
			j.warm(ctx, made, rest)
			j.cfg.Log.InfoContext(ctx, "the next start uses a new environment", "env", made.env)
		}
		return err
	case !s.Partial:
		return now.writeLater(false)
	}
	if err := now.writeLater(true); err != nil {
		return err
	}
	if err := j.installRest(ctx, now); err != nil {
		if ctx.Err() == nil { // without the file, they wait
			_ = replaceFile(now.failureFile(), []byte(firstLine(err.Error())), 0o600)
		}
		return err
	}
	s.Partial = false
	if err = errors.Join(now.writeStamp(s), now.writeLater(false)); err == nil {
		j.reporter.setLater(nil)
		j.warm(ctx, now, rest)
	}
	return err
}

// installRest installs the packages of the later stage.
func (j *Jupyter) installRest(ctx context.Context, d layout) error {
	i, err := j.installer(ctx, true)
	if err != nil {
		return err
	}
	defer i.close()
	if err := i.install(ctx, d, rest); err != nil {
		return j.explainBuild(ctx, err)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// setNext sets the environment that the next start uses, and returns the former value.
func (j *Jupyter) setNext(env string) (former string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	former, j.next = j.next, env
	return former
}

// setEnv makes env the current environment.
func (j *Jupyter) setEnv(env string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dir.env = env
}

// present returns the current environment. ok reports whether it is usable.
func (j *Jupyter) present() (d layout, ok bool) {
	j.mu.Lock()
	d = j.dir
	j.mu.Unlock()
	return d, d.worth() > 0
}

// Retry makes an installation in the background that has failed try again now.
func (j *Jupyter) Retry() {
	j.again.Notify()
}

func (j *Jupyter) laterFailed(err error) {
	l := Later{Err: err}
	if st, _ := j.reporter.current(); st.Later != nil {
		l.Upgrade, l.Progress = st.Later.Upgrade, st.Later.Progress
	}
	j.reporter.setLater(&l)
}

// installing reports the progress of an installation that Start waits for.
func (j *Jupyter) installing(p Progress) {
	j.reporter.report(Status{Phase: Installing, Progress: p, Detail: p.String(), Fraction: p.fraction()})
}

// installingLater reports the progress of an installation in the background.
func (j *Jupyter) installingLater(p Progress) {
	l := Later{Progress: p}
	if st, _ := j.reporter.current(); st.Later != nil {
		l.Upgrade = st.Later.Upgrade
	}
	j.reporter.setLater(&l)
}
