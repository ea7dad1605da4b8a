package report

import (
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
)

// A shelf writes the libraries of interactive figures once, however many figures use them.
type shelf struct {
	w    io.Writer
	kept map[[sha256.Size]byte]int // number by hash
}

func newShelf(w io.Writer) *shelf { return &shelf{w: w, kept: make(map[[sha256.Size]byte]int)} }

// libraryAddress matches an address that contains a file. It has no characters that HTML or
// JSON would escape.
var libraryAddress = regexp.MustCompile(`data:[a-z]+/[a-z0-9.+-]+(?:;charset=utf-8)?;base64,[A-Za-z0-9+/]+={0,2}`)

// leastLibrary is the size of the smallest address that is written once, in bytes.
const leastLibrary = 4096

// take replaces the libraries in a page by references, which report.js resolves, and writes
// those that are new.
func (s *shelf) take(page []byte) ([]byte, error) {
	var failed error
	page = libraryAddress.ReplaceAllFunc(page, func(address []byte) []byte {
		if len(address) < leastLibrary {
			return address
		}
		sum := sha256.Sum256(address)
		n, ok := s.kept[sum]
		if !ok {
			n = len(s.kept)
			s.kept[sum] = n
			if _, err := fmt.Fprintf(s.w, "<script type=\"text/plain\" id=\"library-%d\">%s</script>\n", n, address); err != nil && failed == nil {
				failed = err
			}
		}
		return fmt.Appendf(nil, "easel-library-%d-", n)
	})
	return page, failed
}
