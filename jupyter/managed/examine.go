package managed

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"easel/jupyter"
)

// An Examination is what there is of a managed Jupyter. Nothing was changed to
// find it out.
type Examination struct {
	Environment string // its directory
	Python      string // its interpreter, "" if there is none
	Complete    bool   // the environment is whole and of this Easel's requirements
	Why         string // when not Complete: what is wrong with it
	Version     string // of the jupyter-server that is installed, "" if none is
	URL         string // of the running server, "" if none runs
	RunningErr  error  // the running server does not answer
	LogFile     string
	Free        uint64 // bytes that the user has left on the disk of the data directory
}

// Examine looks at the managed Jupyter of cfg.DataDir. It may be used while an
// Easel runs there.
func Examine(ctx context.Context, cfg Config) Examination {
	j := New(cfg)
	x := Examination{Environment: j.dir.env, LogFile: j.dir.log}
	todo, why := j.inspect(ctx)
	x.Complete, x.Why = todo == none, why
	if _, err := os.Stat(j.dir.python()); err == nil {
		x.Python = j.dir.python()
	}
	if site, err := j.sitePackages(); err == nil {
		if found, _ := filepath.Glob(filepath.Join(site, "jupyter_server-*.dist-info")); len(found) > 0 {
			x.Version = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), "jupyter_server-"), ".dist-info")
		}
	}
	for dir := j.dir.root; x.Free == 0 && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		x.Free, _ = freeBytes(dir) // of the nearest directory that exists
	}
	r, err := j.dir.readRecord()
	if err != nil || !r.alive() || r.Port == 0 {
		return x
	}
	x.URL = r.URL
	client, err := jupyter.New(r.URL, r.Token)
	if err == nil {
		var st jupyter.Status
		if st, err = client.Status(ctx); err == nil {
			x.Version = st.Version
		}
	}
	x.RunningErr = err
	return x
}

// Import has the environment's Python import the server, which shows whether it
// would start. The error ends in what Python said.
func (x Examination) Import(ctx context.Context) error {
	return command{
		argv: []string{x.Python, "-I", "-c", "import jupyterlab.labapp, ipykernel.kernelapp, matplotlib"},
		dir:  filepath.Dir(x.Environment),
	}.run(ctx)
}
