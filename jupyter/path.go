package jupyter

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// How long a name in a path may be: file systems' limit, and what that leaves for a
// notebook. Jupyter keeps "name-checkpoint.ipynb" of each, and fails at that after it
// has written the notebook.
const (
	maxName     = 255
	maxNotebook = maxName - len("-checkpoint")
)

// notebookSuffix ends the name of what a server takes for a notebook.
const notebookSuffix = ".ipynb"

// A PathError tells why a path cannot be used. It is an [ErrBadPath].
type PathError struct {
	Reason string // a predicate: "must not be blank"
}

// Error tells the reason.
func (e *PathError) Error() string { return ErrBadPath.Error() + ": it " + e.Reason }

// Unwrap is ErrBadPath.
func (e *PathError) Unwrap() error { return ErrBadPath }

func badPath(format string, args ...any) *PathError {
	return &PathError{fmt.Sprintf(format, args...)}
}

// CleanPath is the one form in which a path on a server is compared and sent:
// relative to the server's root, without leading or trailing slash, without dot
// segments, in Unicode's NFC, without the drive that JupyterLab's collaboration
// used to put before it. The root is "". A path that leaves the root, or cannot
// be a path, is a [PathError].
//
// A server would start a second kernel for the same notebook under another
// spelling of its path.
func CleanPath(p string) (string, error) {
	if strings.ContainsRune(p, 0) {
		return "", badPath("must not contain a NUL character")
	}
	p = strings.TrimPrefix(norm.NFC.String(p), "RTC:")
	// Leading slashes go first: "/.." is no way to say the root.
	p = path.Clean(strings.TrimLeft(p, "/"))
	switch {
	case p == ".":
		return "", nil
	case p == "..", strings.HasPrefix(p, "../"):
		return "", badPath("must stay below the server's root")
	}
	for name := range strings.SplitSeq(p, "/") {
		if n := nameLength(name); n > maxName { // a server says of it that it is not found, or answers 500
			return "", badPath("has a name of %d %s (%s); a file name can have at most %d", n, nameUnits, nameStart(name), maxName)
		}
	}
	return p, nil
}

// NotebookPath is [CleanPath] of a path that must name a notebook: a file that ends
// in .ipynb. Servers write a notebook to whatever they are told to, over what is
// there.
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

// CheckNewNotebook tells whether a server can write a notebook at a clean path: its
// name is short enough for the checkpoint beside it.
func CheckNewNotebook(clean string) error {
	name := clean[strings.LastIndexByte(clean, '/')+1:]
	if n := nameLength(name); n > maxNotebook {
		return badPath("has a name of %d %s (%s); Jupyter can write a notebook of at most %d, as its checkpoint has a longer name", n, nameUnits, nameStart(name), maxNotebook)
	}
	return nil
}

// nameUnits is what nameLength counts. The server's disk is taken to be of this
// system's kind.
var nameUnits = map[bool]string{false: "bytes", true: "UTF-16 units"}[runtime.GOOS == "windows"]

func nameLength(name string) int {
	if runtime.GOOS != "windows" {
		return len(name)
	}
	return len(utf16.Encode([]rune(name)))
}

// nameStart is a name in quotes, shortened to fit into a message.
func nameStart(name string) string {
	const most = 40
	if utf8.RuneCountInString(name) > most {
		name = string([]rune(name)[:most]) + "…"
	}
	return fmt.Sprintf("%q", name)
}

// isID tells whether id has the form of a kernel's or session's id: a UUID. No
// other becomes part of a URL, where "../contents" would mean something.
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
