package jupyter

import (
	"fmt"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxName is how long a name in a path may be, in bytes: file systems' limit.
const maxName = 255

// CleanPath is the one form in which a path on a server is compared and sent:
// relative to the server's root, without leading or trailing slash, without dot
// segments, in Unicode's NFC, without the drive that JupyterLab's collaboration
// used to put before it. The root is "". A path that leaves the root, or cannot
// be a path, is an [ErrBadPath].
//
// A server would start a second kernel for the same notebook under another
// spelling of its path.
func CleanPath(p string) (string, error) {
	if strings.ContainsRune(p, 0) {
		return "", fmt.Errorf("%w: it holds a NUL", ErrBadPath)
	}
	p = strings.TrimPrefix(norm.NFC.String(p), "RTC:")
	// Leading slashes go first: "/.." is no way to say the root.
	p = path.Clean(strings.TrimLeft(p, "/"))
	switch {
	case p == ".":
		return "", nil
	case p == "..", strings.HasPrefix(p, "../"):
		return "", fmt.Errorf("%w: it leaves the server's root", ErrBadPath)
	}
	for name := range strings.SplitSeq(p, "/") {
		if len(name) > maxName { // Jupyter would answer 500
			return "", fmt.Errorf("%w: a name in it has more than %d bytes", ErrBadPath, maxName)
		}
	}
	return p, nil
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
