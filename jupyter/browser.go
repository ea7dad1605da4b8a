package jupyter

import "net/url"

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
