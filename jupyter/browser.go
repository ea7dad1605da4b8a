package jupyter

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// BrowserURL returns the address of a page of the server, for example lab/tree/a.ipynb,
// for the user's browser. Like the address that Jupyter prints, it contains the token:
// never log it or give it to a model. The error is ErrUnreachable if no route leads to the
// server now.
func (s *Server) BrowserURL(ctx context.Context, segments ...string) (*url.URL, error) {
	u, token, err := s.outside(ctx, s.at(segments...))
	if err == nil && token != "" {
		u.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return u, err
}

// HasPage reports whether the server has a page, for example lab. If the server's answer
// does not say that it has none, HasPage returns true.
func (s *Server) HasPage(ctx context.Context, segments ...string) bool {
	err := s.do(ctx, call{method: http.MethodGet, url: s.at(segments...)})
	return !errors.Is(err, ErrNotFound)
}
