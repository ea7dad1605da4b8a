package managed

import "context"

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
