package managed

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
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
	Kernel      string // what is wrong with the kernelspec of its Python; "" if nothing
	Version     string // of the installed jupyter-server; "" if there is none
	URL         string // of the running server; "" if there is none
	RunningErr  error  // why the running server does not answer
	LogFile     string
	Projects    []RunningProject
	Free        uint64 // bytes available to the user on the disk of the data directory
}

// A RunningProject is a running server of a project.
type RunningProject struct {
	ProjectServer

	URL     string
	Err     error // why it does not answer
	LogFile string
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
		x.Python, x.Kernel = j.dir.python(), j.dir.kernelSpecFault()
	}
	if site, err := j.dir.sitePackages(); err == nil {
		if found := system.Glob(site, "jupyter_server-*.dist-info"); len(found) > 0 {
			x.Version = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), "jupyter_server-"), ".dist-info")
		}
	}
	for dir := j.dir.root; x.Free == 0 && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		x.Free, _ = freeBytes(dir) // of the nearest directory that exists
	}
	for _, r := range projectRecords(j.dir) {
		p := ProjectServer{Root: r.RootDir, Name: r.Name}
		_, err := r.version(ctx)
		x.Projects = append(x.Projects, RunningProject{ProjectServer: p, URL: r.URL, Err: err, LogFile: p.files(j.dir).log})
	}
	if r, err := j.dir.readRecord(); err == nil && r.alive() && r.Port > 0 {
		var version string
		version, x.RunningErr = r.version(ctx)
		x.URL, x.Version = r.URL, cmp.Or(version, x.Version)
	}
	return x
}

// ownPython matches what Jupyter replaces with the Python that it runs in.
var ownPython = regexp.MustCompile(`^python(3(\.\d+)?)?$`)

// kernelSpecFault says what is wrong with the kernelspec of the environment's Python; "" if nothing.
func (d layout) kernelSpecFault() string {
	file := d.kernelSpec()
	var spec KernelSpec
	switch err := readJSON(file, &spec); {
	case errors.Is(err, os.ErrNotExist):
		return file + " is missing, so the python3 of another program may take its place"
	case err != nil:
		return file + " cannot be read: " + err.Error()
	case len(spec.Argv) == 0:
		return file + " starts nothing"
	case !ownPython.MatchString(spec.Argv[0]) && !sameFile(spec.Argv[0], d.python()):
		return file + " starts another Python: " + spec.Argv[0]
	}
	return ""
}

// sameFile reports whether two paths lead to one directory entry; an environment's interpreter is a link to
// one that others have, too.
func sameFile(a, b string) bool {
	dirA, errA := os.Stat(filepath.Dir(a))
	dirB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(dirA, dirB) && ownPython.MatchString(strings.TrimSuffix(filepath.Base(a), ".exe"))
}

// version asks a running server for its version.
func (r record) version(ctx context.Context) (string, error) {
	client, err := jupyter.New(r.URL, r.Token)
	if err != nil {
		return "", err
	}
	st, err := client.Status(ctx)
	return st.Version, err
}

// Import imports the server with the environment's Python, which shows whether it would
// start. The error ends with Python's output.
func (x Examination) Import(ctx context.Context) error {
	return command{
		argv: []string{x.Python, "-I", "-c", "import jupyter_server.serverapp, ipykernel.kernelapp, matplotlib"},
		dir:  filepath.Dir(x.Environment),
	}.run(ctx)
}
