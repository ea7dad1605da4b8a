// Package naming makes and checks the ids and URIs of the library.
//
// # Goroutines
//
// The package starts none. All of it is safe for concurrent use.
package naming

import (
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// ErrInvalid is returned for an argument that cannot be stored, for example an id
// that is not a valid file name, a rating above 5, or a tag that is too long.
var ErrInvalid = errors.New("invalid")

// Length is the length of an image's id. An id is a ULID: 48 bits of milliseconds and
// 80 random bits in Crockford's base 32. It is in lower case, so that file systems that
// ignore case do not matter.
const Length = 26

// Digits are those of an id.
const Digits = "0123456789abcdefghjkmnpqrstvwxyz"

// A Source generates increasing ids, even within a millisecond and when the clock is
// set back.
type Source struct {
	mu     sync.Mutex
	millis int64
	random [10]byte
}

// Next returns the next id.
func (s *Source) Next(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ms := now.UnixMilli(); ms > s.millis {
		s.millis = ms
		_, _ = rand.Read(s.random[:]) // never fails
		s.random[0] &= 0x7f           // leaves room to count up
	} else {
		s.increment()
	}
	return encodeID(s.millis, s.random)
}

// StartAfter makes the next ids greater than an earlier one, unless that is more than a
// day in the future: then the clock was wrong when it was generated.
func (s *Source) StartAfter(id string, now time.Time) {
	var millis int64
	for _, d := range id[:min(10, len(id))] {
		millis = millis<<5 | int64(strings.IndexRune(Digits, d))
	}
	if len(id) == Length && millis < now.Add(24*time.Hour).UnixMilli() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.millis = max(s.millis, millis)
		for i := range s.random {
			s.random[i] = 0xff // so that the next id is in the next millisecond
		}
	}
}

func (s *Source) increment() {
	for i := len(s.random) - 1; i >= 0; i-- {
		s.random[i]++
		if s.random[i] != 0 {
			return
		}
	}
	s.millis++ // only after 2^79 ids within a millisecond
}

// encodeID encodes 128 bits as 26 digits.
func encodeID(millis int64, random [10]byte) string {
	var out [Length]byte
	for i := range 10 {
		out[9-i] = Digits[millis>>(5*i)&31]
	}
	var bits uint
	var acc uint32
	at := 10
	for _, b := range random {
		acc, bits = acc<<8|uint32(b), bits+8
		for bits >= 5 {
			bits -= 5
			out[at] = Digits[acc>>bits&31]
			at++
		}
	}
	return string(out[:])
}

// maxKey is the largest length of the id of a session or execution, in characters.
const maxKey = 100

// keyForm matches a valid id of a session or execution. It becomes part of URIs and file
// names.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// CheckKey rejects ids that could name a file in another directory.
func CheckKey(what, id string) error {
	if len(id) > maxKey || !keyForm.MatchString(id) {
		return fmt.Errorf("%w: %s %.120q", ErrInvalid, what, id)
	}
	return nil
}

// The parts of an image's URI; see URI.
const (
	Scheme     = "jupyter://sessions/"
	ImagesPart = "/images/"
)

// URI returns the URI of an image: jupyter://sessions/{session}/images/{image}.{ext}.
func URI(session, image, ext string) string {
	return Scheme + session + ImagesPart + image + "." + ext
}

// ParseURI splits an image's URI. It checks the form only, not whether the image exists.
func ParseURI(uri string) (session, image, ext string, err error) {
	bad := func() (string, string, string, error) {
		return "", "", "", fmt.Errorf("%w: URI %.200q", ErrInvalid, uri)
	}
	rest, ok := strings.CutPrefix(uri, Scheme)
	if !ok {
		return bad()
	}
	session, rest, ok = strings.Cut(rest, ImagesPart)
	if !ok || CheckKey("session", session) != nil {
		return bad()
	}
	image, ext, ok = strings.Cut(rest, ".")
	if !ok || CheckKey("image", image) != nil || !extForm.MatchString(ext) {
		return bad()
	}
	return session, image, ext, nil
}

var extForm = regexp.MustCompile(`^[a-z0-9]{1,8}$`)

// Spread returns a hash of an id, by which files and locks are spread.
func Spread(id string) (h uint32) {
	for i := range len(id) {
		h = h*31 + uint32(id[i])
	}
	return h
}
