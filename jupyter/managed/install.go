package managed

import (
	"context"
	"errors"
)

// Install makes sure that there is an environment, for the servers of projects, without starting
// a server. Complete then does what they need not wait for.
func (j *Jupyter) Install(ctx context.Context) error {
	err := explain(j.dir.make(), "")
	if err == nil {
		err = j.prepare(ctx)
	}
	if err != nil {
		j.reporter.failed(err)
	}
	return err
}

// Complete installs what the first plot does not need, until ctx ends.
func (j *Jupyter) Complete(ctx context.Context) {
	j.warmFirst(ctx)
	j.finish(ctx)
}

// RuntimeDir is where the server writes its runtime file, which has its port and token.
func (p *Project) RuntimeDir() string { return p.supervisor.files.runtime() }

// Carried returns the Python for which packages have to be carried to a machine without a network.
// It is that of an environment of the user's, if Easel supports its version: then kernels there
// can be started from what is carried, too.
func Carried(ctx context.Context, cfg Config, preferred string) (Interpreter, error) {
	if preferred != "" {
		if p, err := ask(ctx, preferred); err == nil && p.suits(true) == nil {
			return p, nil
		}
	}
	d := newLayout(cfg.DataDir)
	p, _, err := search{explicit: cfg.Python, uv: true, also: d.downloadedPythons()}.find(ctx)
	return p, err
}

// LacksNetwork reports whether an installation failed because the machine reaches no package index.
func LacksNetwork(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Kind == KindNoNetwork || e.Kind == KindProxy || e.Kind == KindCertificate)
}
