package jupyter

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Files from a Mac have decomposed names: e and an accent instead of é. A clean path is
// composed (NFC), so on most file systems it names nothing. After such a miss, the client
// lists the folders and remembers how the server spells the names.

// spellings are the paths that a server spells in another way than CleanPath, by their clean
// form. The zero value is ready to use.
type spellings struct {
	mu    sync.Mutex
	known map[string]string
}

// maxSpellings is the largest number of paths that are remembered.
const maxSpellings = 1000

// of returns how the server spells a clean path, as far as that is known.
func (s *spellings) of(clean string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for end := len(clean); end > 0; end = strings.LastIndexByte(clean[:end], '/') {
		if own, ok := s.known[clean[:end]]; ok {
			return own + clean[end:]
		}
	}
	return clean
}

func (s *spellings) add(clean, own string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxSpellings {
		s.known = make(map[string]string)
	}
	if clean == own {
		delete(s.known, clean)
		return
	}
	s.known[clean] = own
}

// Spelling returns a clean path as the server spells it. It is another one only if the
// client has read the file.
func (s *Server) Spelling(clean string) string { return s.spelled.of(clean) }

// respell finds out how the server spells a clean path whose names are not all ASCII. The
// part of the path that does not exist stays as it is.
func (s *Server) respell(ctx context.Context, clean string) string {
	own, done := "", ""
	for name := range strings.SplitSeq(clean, "/") {
		found := name
		if !ascii(name) {
			var ok bool
			if found, ok = s.nameIn(ctx, own, name); !ok {
				break
			}
		}
		own, done = child(own, found), child(done, name)
		s.spelled.add(done, own)
	}
	return own + clean[len(done):]
}

// nameIn returns how the server spells a name in a folder, which is given in its own spelling.
func (s *Server) nameIn(ctx context.Context, folder, name string) (string, bool) {
	m, err := s.readContents(ctx, folder, ContentsQuery{Type: "directory", Content: true})
	if err != nil {
		return "", false
	}
	entries, err := m.Entries()
	if err != nil {
		return "", false
	}
	own, ok := "", false
	for _, e := range entries {
		switch {
		case e.Name == name:
			return name, true
		case norm.NFC.String(e.Name) == name:
			own, ok = e.Name, true
		}
	}
	return own, ok
}

func child(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func ascii(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// readContents reads what is at a path in the server's own spelling.
func (s *Server) readContents(ctx context.Context, own string, q ContentsQuery) (ContentsModel, error) {
	u, err := s.contentsURL(own)
	if err != nil {
		return ContentsModel{}, err
	}
	query := url.Values{"content": {"0"}}
	if q.Content {
		query.Set("content", "1")
	}
	if q.Hash {
		query.Set("hash", "1")
	}
	if q.Type != "" {
		query.Set("type", q.Type)
	}
	if q.Format != "" {
		query.Set("format", q.Format)
	}
	u.RawQuery = query.Encode()
	var m ContentsModel
	err = s.do(ctx, call{method: http.MethodGet, url: u, out: &m, limit: maxContents})
	return m.withoutNull(), err
}

// missed reports whether a request has found nothing at a path that may be spelled otherwise.
func missed(clean string, err error) bool {
	return !ascii(clean) && errors.Is(err, ErrNotFound)
}
