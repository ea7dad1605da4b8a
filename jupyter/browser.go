package jupyter

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// BrowserURL returns the address of a page of the server, for example lab/tree/a.ipynb,
// for the user's browser. Like the address that Jupyter prints, it contains the token:
// never log it or give it to a model.
func (s *Server) BrowserURL(segments ...string) *url.URL {
	u := s.at(segments...)
	if token := s.currentToken(); token != "" {
		u.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return u
}

// HasPage reports whether the server has a page, for example lab. If the server's answer
// does not say that it has none, HasPage returns true.
func (s *Server) HasPage(ctx context.Context, segments ...string) bool {
	err := s.do(ctx, call{method: http.MethodGet, url: s.at(segments...)})
	return !errors.Is(err, ErrNotFound)
}
