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

// libraryHead matches the beginning of an address that contains a file. Base64 follows. It has
// no characters that HTML or JSON would escape. It may have megabytes, for which a regular
// expression takes half a second.
var libraryHead = regexp.MustCompile(`data:[a-z]+/[a-z0-9.+-]+(?:;charset=utf-8)?;base64,`)

// leastLibrary is the size of the smallest address that is written once, in bytes.
const leastLibrary = 4096

// take replaces the libraries in a page by references, which report.js resolves, and writes
// those that are new.
func (s *shelf) take(page []byte) ([]byte, error) {
	var out []byte
	for {
		head := libraryHead.FindIndex(page)
		if head == nil {
			return append(out, page...), nil
		}
		end := head[1] + base64Length(page[head[1]:])
		out = append(out, page[:head[0]]...)
		address := page[head[0]:end]
		page = page[end:]
		if len(address) < leastLibrary {
			out = append(out, address...)
			continue
		}
		n, err := s.keep(address)
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, "easel-library-%d-", n)
	}
}

// keep returns the number of a library, and writes it if it is new.
func (s *shelf) keep(address []byte) (int, error) {
	sum := sha256.Sum256(address)
	if n, ok := s.kept[sum]; ok {
		return n, nil
	}
	n := len(s.kept)
	s.kept[sum] = n
	_, err := fmt.Fprintf(s.w, "<script type=\"text/plain\" id=\"library-%d\">%s</script>\n", n, address)
	return n, err
}

var inBase64 = func() (in [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		in[c] = true
	}
	return in
}()

// base64Length returns the length of the Base64 with which text begins, in bytes.
func base64Length(text []byte) int {
	n := 0
	for n < len(text) && inBase64[text[n]] {
		n++
	}
	for end := min(n+2, len(text)); n < end && text[n] == '='; n++ {
	}
	return n
}
