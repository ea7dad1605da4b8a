package library

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// idLength is the length of an image's id: 48 bits of milliseconds and 80 random
// ones, in Crockford's base 32, as ULIDs are made. Lower case, so that it is the
// same on file systems that ignore case.
const idLength = 26

const idDigits = "0123456789abcdefghjkmnpqrstvwxyz"

// An idSource makes ids that grow, also within a millisecond and when the clock is
// put back.
type idSource struct {
	mu     sync.Mutex
	millis int64
	random [10]byte
}

func (s *idSource) next(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ms := now.UnixMilli(); ms > s.millis {
		s.millis = ms
		_, _ = rand.Read(s.random[:]) // never fails
		s.random[0] &= 0x7f           // room to count up
	} else {
		s.increment()
	}
	return encodeID(s.millis, s.random)
}

// startAfter makes ids greater than one that was made before, unless that is from a
// future more than a day away: then the clock was wrong at that time.
func (s *idSource) startAfter(id string, now time.Time) {
	var millis int64
	for _, d := range id[:min(10, len(id))] {
		millis = millis<<5 | int64(strings.IndexRune(idDigits, d))
	}
	if len(id) == idLength && millis < now.Add(24*time.Hour).UnixMilli() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.millis = max(s.millis, millis)
		for i := range s.random {
			s.random[i] = 0xff // so that the next is of the next millisecond
		}
	}
}

func (s *idSource) increment() {
	for i := len(s.random) - 1; i >= 0; i-- {
		s.random[i]++
		if s.random[i] != 0 {
			return
		}
	}
	s.millis++ // 2^79 ids within a millisecond: not in this universe
}

// encodeID writes 128 bits as 26 digits.
func encodeID(millis int64, random [10]byte) string {
	var out [idLength]byte
	for i := range 10 {
		out[9-i] = idDigits[millis>>(5*i)&31]
	}
	var bits uint
	var acc uint32
	at := 10
	for _, b := range random {
		acc, bits = acc<<8|uint32(b), bits+8
		for bits >= 5 {
			bits -= 5
			out[at] = idDigits[acc>>bits&31]
			at++
		}
	}
	return string(out[:])
}

// maxKey is the most characters of a session's or execution's id.
const maxKey = 100

// keyForm is what such an id may look like: it becomes part of URIs and file names.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// checkKey refuses ids that could name a file elsewhere.
func checkKey(what, id string) error {
	if len(id) > maxKey || !keyForm.MatchString(id) {
		return fmt.Errorf("%w: %s %.120q", ErrInvalid, what, id)
	}
	return nil
}

const (
	uriScheme = "jupyter://sessions/"
	uriImages = "/images/"
)

// URI names an image: jupyter://sessions/{session}/images/{image}.{ext}.
func URI(session, image, ext string) string {
	return uriScheme + session + uriImages + image + "." + ext
}

// ParseURI takes an image's URI apart. It tells only that it has the form of one.
func ParseURI(uri string) (session, image, ext string, err error) {
	bad := func() (string, string, string, error) {
		return "", "", "", fmt.Errorf("%w: URI %.200q", ErrInvalid, uri)
	}
	rest, ok := strings.CutPrefix(uri, uriScheme)
	if !ok {
		return bad()
	}
	session, rest, ok = strings.Cut(rest, uriImages)
	if !ok || checkKey("session", session) != nil {
		return bad()
	}
	image, ext, ok = strings.Cut(rest, ".")
	if !ok || checkKey("image", image) != nil || !extForm.MatchString(ext) {
		return bad()
	}
	return session, image, ext, nil
}

var extForm = regexp.MustCompile(`^[a-z0-9]{1,8}$`)
