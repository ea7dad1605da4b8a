package managed

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/internal/atomicfile"
	"easel/internal/system"
)

// A Wheelhouse is a wheelhouse that Export has made.
type Wheelhouse struct {
	Path     string
	Python   string // for example 3.13
	Platform string
	Files    int
	Bytes    int64
}

// Export saves the packages of the environment in a wheelhouse: a directory or, if path
// ends in .zip, a file. They are for the same system and the same version of Python as
// cfg's environment, or as the Python that would be used for it. An interrupted export to
// a directory continues where it was. tell is called with the progress.
func Export(ctx context.Context, cfg Config, path string, tell func(Progress)) (x Wheelhouse, err error) {
	return export(ctx, cfg, Interpreter{}, path, tell)
}

// ExportFor is Export for a Python on another machine, which may be of another system.
func ExportFor(ctx context.Context, cfg Config, py Interpreter, path string, tell func(Progress)) (x Wheelhouse, err error) {
	return export(ctx, cfg, py, path, tell)
}

// export saves packages for a Python; the zero Interpreter is the one that downloads them.
func export(ctx context.Context, cfg Config, target Interpreter, path string, tell func(Progress)) (x Wheelhouse, err error) {
	j := New(cfg)
	if err := os.MkdirAll(j.dir.root, 0o700); err != nil {
		return x, explain(err, "")
	}
	dir := path
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as mkdir does
		return x, explain(err, "")
	}
	if strings.EqualFold(filepath.Ext(path), ".zip") {
		if dir, err = os.MkdirTemp(filepath.Dir(path), ".easel-export-*"); err != nil {
			return x, explain(err, "")
		}
		defer func() { _ = os.RemoveAll(dir) }()
	} else if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // it contains nothing secret
		return x, explain(err, "")
	}
	by, err := j.exporter(ctx)
	if err != nil {
		return x, err
	}
	py := by
	if target.Platform != "" {
		py = target
	}
	h := manifest{Requirements: requirementsHash(), Python: fmt.Sprintf("3.%d", py.Version[1]), Platform: py.Platform, Libc: py.Libc}
	if err := j.downloadWheels(ctx, by, py, dir, tell); err != nil {
		return x, err
	}
	for _, f := range system.Glob(dir, "*.whl") {
		sum, err := hashFile(f)
		if err != nil {
			return x, explain(err, "")
		}
		st, err := os.Stat(f)
		if err != nil {
			return x, explain(err, "")
		}
		h.Files = append(h.Files, wheel{File: filepath.Base(f), SHA256: sum, Bytes: st.Size()})
		x.Bytes += st.Size()
	}
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return x, err
	}
	if err := atomicfile.Write(filepath.Join(dir, manifestName), text, 0o644); err != nil {
		return x, explain(err, "")
	}
	tell(Progress{Step: Checking})
	house, err := openWheelhouse(ctx, dir, j.dir.root)
	if err == nil {
		err = house.serves(py)
	}
	if err == nil && dir != path {
		err = explain(zipFiles(dir, path, append(h.Files, wheel{File: manifestName})), "")
	}
	x.Path, x.Python, x.Platform, x.Files = path, h.Python, h.Platform, len(h.Files)
	return x, err
}

// exporter returns a Python with pip: that of the environment, or the one that would be
// used for it.
func (j *Jupyter) exporter(ctx context.Context) (Interpreter, error) {
	if p, err := ask(ctx, j.dir.python()); err == nil && p.Pip {
		p.Executable = j.dir.python()
		return p, nil
	}
	p, _, err := FindPython(ctx, j.cfg)
	if err == nil && !p.Pip {
		err = &Error{Kind: KindNoPython, Remedy: "Start Easel once, so that it makes its environment, or install pip.", Err: fmt.Errorf("%w: %s has no pip", ErrNoPython, p.Path)}
	}
	return p, err
}

// downloadWheels downloads the wheels of the pinned packages, and uv's, with one Python for
// another.
func (j *Jupyter) downloadWheels(ctx context.Context, by, py Interpreter, dir string, tell func(Progress)) error {
	pieces := append(locked().pieces(py, first, rest), piece{locked().installer, uvWheel(py)})
	m := newMeter(pieces)
	tell(m.fetching())
	var options []string
	if by != py {
		options = foreign(py, pieces)
	}
	if err := j.download(ctx, by, dir, pieces, m, tell, options...); err != nil {
		return err
	}
	// Some packages have another version for the first releases of a Python.
	for _, patch := range []int{0, 99} {
		p := py
		p.Version[2] = patch
		others := slices.DeleteFunc(locked().pieces(p, first, rest), func(x piece) bool {
			return slices.ContainsFunc(pieces, func(y piece) bool { return y.name == x.name && y.version == x.version })
		})
		if len(others) == 0 {
			continue
		}
		// pip refuses what its own Python is too old for, unless it is told for which Python.
		options := []string{"--python-version", p.release()}
		if by != py {
			options = foreign(p, others)
		}
		if err := j.download(ctx, by, dir, others, newMeter(others), func(Progress) {}, options...); err != nil {
			return err
		}
	}
	return nil
}

// foreign returns the options with which pip downloads wheels for another Python.
func foreign(py Interpreter, pieces []piece) []string {
	options := []string{"--python-version", py.release(), "--implementation", "cp"}
	for _, abi := range []string{fmt.Sprintf("cp3%d", py.Version[1]), "abi3", "none"} {
		options = append(options, "--abi", abi)
	}
	var platforms []string
	for _, x := range pieces {
		parts := strings.Split(strings.TrimSuffix(x.wheel.File, ".whl"), "-")
		for name := range strings.SplitSeq(parts[len(parts)-1], ".") {
			if name != "any" && name != "" && !slices.Contains(platforms, name) {
				platforms = append(platforms, name)
			}
		}
	}
	for _, name := range platforms {
		options = append(options, "--platform", name)
	}
	return options
}

// download downloads wheels. options are further ones of pip.
func (j *Jupyter) download(ctx context.Context, py Interpreter, dir string, pieces []piece, m *meter, tell func(Progress),
	options ...string,
) error {
	list, err := os.CreateTemp(j.dir.root, "export-*.txt")
	if err != nil {
		return explain(err, "")
	}
	defer func() { _ = os.Remove(list.Name()) }()
	for _, p := range pieces {
		if _, err = fmt.Fprintf(list, "%s==%s\n", p.name, p.version); err != nil {
			break
		}
	}
	if err = errors.Join(err, list.Close()); err != nil {
		return explain(err, "")
	}
	return command{
		argv: append([]string{
			py.Executable, "-m", "pip", "download", "--no-input", "--no-deps", "--only-binary", ":all:", "--dest", dir,
			"-r", list.Name(),
		}, options...),
		dir: j.dir.root,
		line: func(text string) {
			if p, ok := m.read(text); ok {
				tell(p)
			}
		},
	}.run(ctx)
}

// zipFiles writes files of a directory to an archive. Wheels are compressed already.
func zipFiles(dir, path string, files []wheel) error {
	return atomicfile.WriteFunc(path, 0o644, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, f := range files {
			to, err := z.CreateHeader(&zip.FileHeader{Name: f.File, Method: zip.Store})
			if err != nil {
				return err
			}
			from, err := os.Open(filepath.Join(dir, f.File))
			if err != nil {
				return err
			}
			_, err = io.Copy(to, from)
			if err = errors.Join(err, from.Close()); err != nil {
				return err
			}
		}
		return z.Close()
	})
}
