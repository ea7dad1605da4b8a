package jupyter

import (
	"fmt"
	"path"
	"regexp"
	"runtime"
	"strings"
	"unicode/utf16"

	"easel/internal/truncate"

	"golang.org/x/text/unicode/norm"
)

// The maximum length of a name in a path: the limit of file systems, and the limit for a
// notebook. For each notebook, Jupyter writes "name-checkpoint.ipynb", and it fails only
// after it has written the notebook.
const (
	maxName     = 255
	maxNotebook = maxName - len("-checkpoint")
)

// notebookSuffix is the suffix of what a server considers a notebook.
const notebookSuffix = ".ipynb"

// A PathError says why a path is invalid. It is an [ErrBadPath].
type PathError struct {
	Reason string // a predicate: "must not be blank"
}

// Error gives the reason.
func (e *PathError) Error() string { return ErrBadPath.Error() + ": it " + e.Reason }

// Unwrap returns ErrBadPath.
func (e *PathError) Unwrap() error { return ErrBadPath }

func badPath(format string, args ...any) *PathError {
	return &PathError{fmt.Sprintf(format, args...)}
}

// address matches an address. It is never a path on a server, and its dot segments are not those of one.
var address = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9+.-]*://`)

// CleanPath returns the canonical form of a path on a server: relative to the server's
// root, without leading or trailing slash, without dot segments, in Unicode NFC, and
// without the drive prefix that JupyterLab's collaboration used to add. The root is "".
// A path outside the root, or an invalid path, is a [PathError].
//
// With another spelling of the path, a server would start a second kernel for the same
// notebook.
func CleanPath(p string) (string, error) {
	if strings.ContainsRune(p, 0) {
		return "", badPath("must not contain a NUL character")
	}
	if address.MatchString(p) { // "ssh://gpu/../../../a.ipynb" must not mean a.ipynb
		return "", badPath("must not be an address")
	}
	p = strings.TrimPrefix(norm.NFC.String(p), "RTC:")
	// Remove leading slashes first: "/.." must not mean the root.
	p = path.Clean(strings.TrimLeft(p, "/"))
	switch {
	case p == ".":
		return "", nil
	case p == "..", strings.HasPrefix(p, "../"):
		return "", badPath("must stay below the server's root")
	}
	for name := range strings.SplitSeq(p, "/") {
		if n := nameLength(name); n > maxName { // a server would answer that it is not found, or 500
			return "", badPath("has a name of %d %s (%s); a file name can have at most %d", n, nameUnits, nameStart(name), maxName)
		}
	}
	return p, nil
}

// NotebookPath is [CleanPath] for a path that must name a notebook: a file that ends in
// .ipynb. Servers write a notebook to any path, replacing what is there.
func NotebookPath(p string) (string, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return "", err
	}
	name := clean[strings.LastIndexByte(clean, '/')+1:]
	stem, ok := strings.CutSuffix(name, notebookSuffix)
	switch {
	case strings.TrimSpace(p) == "":
		return "", badPath("must not be blank")
	case clean == "":
		return "", badPath("names the server's root folder; it must name a notebook")
	case !ok:
		return "", badPath("must name a notebook, ending in %s; %s does not", notebookSuffix, nameStart(name))
	case strings.TrimSpace(stem) == "":
		return "", badPath("must have a name before %s", notebookSuffix)
	}
	return clean, nil
}

// CheckNewNotebook reports whether a server can write a notebook at a clean path: its
// name must be short enough for its checkpoint.
func CheckNewNotebook(clean string) error {
	name := clean[strings.LastIndexByte(clean, '/')+1:]
	if n := nameLength(name); n > maxNotebook {
		return badPath("has a name of %d %s (%s); Jupyter can write a notebook of at most %d, as its checkpoint has a longer name", n, nameUnits, nameStart(name), maxNotebook)
	}
	return nil
}

// mistaken matches a path that means something else than a path below the
// server's root: an address, or a folder by a variable or a user's name.
var mistaken = []struct {
	is     *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(?:/|[0-9]+/)`), "must not be an address"},
	{regexp.MustCompile(`^(?:\$\w+|\$\{\w+\}|%\w+%|~[^/]*)/`), "must not begin with a variable or a user's folder"},
	{regexp.MustCompile(`\\`), `must have / between folders, not \`},
	{regexp.MustCompile(`%[0-9A-Fa-f]{2}`), "must not be percent-encoded"},
	{regexp.MustCompile(`\p{Cc}`), "must not contain control characters"},
	{regexp.MustCompile(`^(?:.*/)?[\s\p{Z}\p{Cf}]|[\s\p{Z}\p{Cf}](?:/|\.ipynb$)`), "must not have a name that begins or ends with a space"},
}

// CheckNewName reports whether a notebook may be created at a clean path. It refuses what is
// more likely another notation for an existing notebook: a server would create an empty one
// by that name, with folders such as "http:".
func CheckNewName(clean string) error {
	for _, m := range mistaken {
		if m.is.MatchString(clean) {
			return badPath("%s; give it relative to the server's root, as file_list shows it", m.reason)
		}
	}
	return nil
}

// nameUnits is the unit of nameLength. It assumes that the server uses the same kind of
// file system as this machine.
var nameUnits = map[bool]string{false: "bytes", true: "UTF-16 units"}[runtime.GOOS == "windows"]

func nameLength(name string) int {
	if runtime.GOOS != "windows" {
		return len(name)
	}
	return len(utf16.Encode([]rune(name)))
}

// nameStart returns a quoted name, shortened for a message.
func nameStart(name string) string {
	const most = 40
	return fmt.Sprintf("%q", truncate.Runes(name, most))
}

// isID reports whether id has the form of a kernel's or session's id: a UUID. Nothing
// else may become part of a URL, because of values such as "../contents".
func isID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return false
			}
		}
	}
	return true
}
