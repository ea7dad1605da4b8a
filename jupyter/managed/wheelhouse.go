package managed

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrWheelhouse means that a wheelhouse cannot be used here.
var ErrWheelhouse = errors.New("the saved packages cannot be used")

// manifestName is the file that describes a wheelhouse.
const manifestName = "easel-wheelhouse.json"

// A manifest describes the wheels in a wheelhouse, and what they are for.
type manifest struct {
	Requirements string  `json:"requirements"` // requirementsHash
	Python       string  `json:"python"`       // 3.13
	Platform     string  `json:"platform"`     // as in Interpreter
	Libc         string  `json:"libc,omitempty"`
	Files        []wheel `json:"files"`
}

// A wheelhouse is a directory of wheels from which an environment is installed without a
// network.
type wheelhouse struct {
	manifest

	path  string // as the user has named it
	dir   string
	minor int    // of Python
	made  string // a temporary directory with the files of an archive; "" if there is none
}

// close removes temporary files.
func (h *wheelhouse) close() {
	if h.made != "" {
		_ = os.RemoveAll(h.made)
	}
}

// badHouse returns an error about a wheelhouse.
func badHouse(remedy, format string, args ...any) error {
	return &Error{Kind: KindWheelhouse, Remedy: remedy, Err: fmt.Errorf("%w: "+format, append([]any{ErrWheelhouse}, args...)...)}
}

const exportAgain = "Run `easel env export` again on a machine with a network, the same system, and the same version of Python and Easel."

// openWheelhouse opens a wheelhouse, a directory or a zip file, and checks the hash of
// every file. It unpacks a zip file in scratch.
func openWheelhouse(ctx context.Context, path, scratch string) (*wheelhouse, error) {
	h := &wheelhouse{path: path, dir: path}
	st, err := os.Stat(path)
	if err != nil {
		return nil, badHouse("Check the path, or install from the network by removing the setting (EASEL_WHEELHOUSE).", "%s cannot be read: %w", path, err)
	}
	if !st.IsDir() {
		if h.made, err = os.MkdirTemp(scratch, "wheelhouse-*"); err != nil {
			return nil, explain(err, "")
		}
		h.dir = h.made
		if err := unzip(ctx, path, h.made); err != nil {
			h.close()
			if _, known := errors.AsType[*Error](err); known || ctx.Err() != nil {
				return nil, err
			}
			return nil, badHouse("Copy it again, or export it again.", "%s is not complete, or not made by `easel env export`: %w", path, err)
		}
	}
	if err := h.check(ctx); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// largestHouse is more than any wheelhouse takes, in bytes.
const largestHouse = uint64(2 << 30)

// unzip unpacks the files of an archive, which has no directories.
func unzip(ctx context.Context, path, dir string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { _ = z.Close() }()
	var size uint64
	for _, f := range z.File {
		size += min(f.UncompressedSize64, largestHouse+1)
	}
	if size > largestHouse {
		return fmt.Errorf("it would take more than %d MB", largestHouse>>20)
	}
	if err := enoughSpace(dir, size, "the saved packages"); err != nil {
		return err
	}
	for _, f := range z.File {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if filepath.Base(f.Name) != f.Name || !filepath.IsLocal(f.Name) {
			return fmt.Errorf("unexpected file %q", f.Name)
		}
		if err := extract(f, filepath.Join(dir, filepath.Base(f.Name)), 0o600); err != nil {
			return explain(err, "")
		}
	}
	return nil
}

func extract(f *zip.File, to string, mode os.FileMode) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r) //nolint:gosec // unzip has limited the size; archive/zip does not exceed it
	return errors.Join(err, w.Close())
}

// check reads the manifest and compares every file with it, and with the hashes that this
// Easel knows.
func (h *wheelhouse) check(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(h.dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return badHouse("Choose a directory or file that `easel env export` has made.", "%s has no %s", h.path, manifestName)
	}
	if err == nil {
		err = json.Unmarshal(text, &h.manifest)
	}
	if err == nil {
		_, err = fmt.Sscanf(h.Python, "3.%d", &h.minor)
	}
	if err != nil {
		return badHouse("Copy it again, or export it again.", "%s in %s is damaged: %w", manifestName, h.path, err)
	}
	known := map[string]string{}
	for _, p := range append(locked().pins, locked().installer) {
		for _, w := range p.wheels {
			known[w.File] = w.SHA256
		}
	}
	var lost, bad []string
	for _, f := range h.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if filepath.Base(f.File) != f.File {
			return badHouse(exportAgain, "it names a file elsewhere: %q", f.File)
		}
		sum, err := hashFile(filepath.Join(h.dir, f.File))
		switch want, ours := known[f.File]; {
		case errors.Is(err, os.ErrNotExist):
			lost = append(lost, f.File)
		case err != nil || sum != f.SHA256 || ours && sum != want:
			bad = append(bad, f.File)
		}
	}
	if len(lost) > 0 {
		return badHouse("Copy all files again, or export it again.", "%s is incomplete: it lacks %s", h.path, some(lost))
	}
	if len(bad) > 0 {
		return badHouse("Copy it again, or export it again.", "%s is damaged: the hash of %s is wrong", h.path, some(bad))
	}
	return nil
}

// some names up to three of several things.
func some(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// serves returns an error if the wheelhouse does not have everything that an interpreter
// needs.
func (h *wheelhouse) serves(p Interpreter) error {
	if platform(h.Platform) != platform(p.Platform) || h.Libc != p.Libc {
		return badHouse(exportAgain, "it was made for %s, and this is %s",
			strings.TrimSpace(platform(h.Platform)+" "+h.Libc), strings.TrimSpace(platform(p.Platform)+" "+p.Libc))
	}
	var missing, unfit []string
	for _, x := range locked().pieces(p, first, rest) {
		ok, other := false, ""
		for _, f := range h.Files {
			parts := strings.SplitN(f.File, "-", 3)
			if len(parts) < 3 || normal(parts[0]) != x.name || parts[1] != x.version {
				continue
			}
			other = f.File
			ok = ok || p.rank(f.File) >= 0
		}
		switch {
		case ok:
		case other != "":
			unfit = append(unfit, other)
		default:
			missing = append(missing, x.name+" "+x.version)
		}
	}
	if len(unfit) > 0 {
		return badHouse(exportAgain, "%s cannot run on this system, which is older: %s %d.%d", some(unfit), p.Libc, p.SystemVersion[0], p.SystemVersion[1])
	}
	if len(missing) > 0 {
		why := "it is incomplete"
		if h.Requirements != requirementsHash() {
			why = "it was made by another version of Easel"
		}
		return badHouse(exportAgain, "%s: it lacks %s", why, some(missing))
	}
	return nil
}

// platform returns the part of a platform that wheels depend on: the version of macOS that
// a Python was built for does not matter.
func platform(p string) string {
	if parts := strings.Split(p, "-"); len(parts) == 3 && parts[0] == "macosx" {
		return "macosx-" + parts[2]
	}
	return p
}

// wrongPython explains that no Python of the machine fits the wheelhouse.
func (h *wheelhouse) wrongPython(refused []Refusal, err error) error {
	var have []string
	for _, r := range refused {
		if r.python.Version[0] == 3 {
			if v := fmt.Sprintf("%d.%d", r.python.Version[0], r.python.Version[1]); !slices.Contains(have, v) {
				have = append(have, v)
			}
		}
	}
	if len(have) == 0 {
		return err
	}
	return badHouse("Install Python "+h.Python+", or run `easel env export` on a machine with Python "+strings.Join(have, " or ")+".",
		"it was made for Python %s, and this machine has %s", h.Python, strings.Join(have, ", "))
}

func (h *wheelhouse) uvFile() string {
	for _, f := range h.Files {
		if strings.HasPrefix(f.File, "uv-") {
			return f.File
		}
	}
	return ""
}

func (h *wheelhouse) hasUV() bool { return h.uvFile() != "" }

// unpackUV unpacks the uv in the wheelhouse to path.
func (h *wheelhouse) unpackUV(path string) error {
	z, err := zip.OpenReader(filepath.Join(h.dir, h.uvFile()))
	if err != nil {
		return err
	}
	defer func() { _ = z.Close() }()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".data/scripts/"+uvName()) {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := extract(f, path+".new", 0o700); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		}
	}
	return fmt.Errorf("%s has no uv", h.uvFile())
}

// CheckWheelhouse returns why the environment of cfg could not be installed from the
// wheelhouse at path, or nil.
func CheckWheelhouse(ctx context.Context, cfg Config, path string) error {
	j := New(cfg)
	h, err := openWheelhouse(ctx, path, "")
	if err != nil {
		return err
	}
	defer h.close()
	py, refused, err := search{explicit: cfg.Python, uv: h.hasUV(), also: j.dir.downloadedPythons(), minor: h.minor}.find(ctx)
	if err != nil {
		return h.wrongPython(refused, err)
	}
	return h.serves(py)
}
