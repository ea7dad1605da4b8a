package managed

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/system"
	"easel/jupyter"
)

// An Examination describes the state of a managed Jupyter. Creating it changes nothing.
type Examination struct {
	Environment string // its directory
	Python      string // its interpreter; "" if there is none
	Complete    bool   // the environment is intact and matches this Easel's requirements
	Partial     bool   // it has only what the first plot needs
	Why         string // if not Complete: what is wrong with it
	Version     string // of the installed jupyter-server; "" if there is none
	URL         string // of the running server; "" if there is none
	RunningErr  error  // why the running server does not answer
	LogFile     string
	Free        uint64 // bytes available to the user on the disk of the data directory
}

// Examine examines the managed Jupyter of cfg.DataDir. It may be used while an Easel is
// running there.
func Examine(ctx context.Context, cfg Config) Examination {
	j := New(cfg)
	x := Examination{Environment: j.dir.env, LogFile: j.dir.log}
	todo, why := j.inspect(ctx)
	x.Complete, x.Why = todo == none, why
	if s, err := j.dir.readStamp(); err == nil {
		x.Partial = s.Partial
	}
	if _, err := os.Stat(j.dir.python()); err == nil {
		x.Python = j.dir.python()
	}
	if site, err := j.dir.sitePackages(); err == nil {
		if found := system.Glob(site, "jupyter_server-*.dist-info"); len(found) > 0 {
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

// Import imports the server with the environment's Python, which shows whether it would
// start. The error ends with Python's output.
func (x Examination) Import(ctx context.Context) error {
	return command{
		argv: []string{x.Python, "-I", "-c", "import jupyter_server.serverapp, ipykernel.kernelapp, matplotlib"},
		dir:  filepath.Dir(x.Environment),
	}.run(ctx)
}
