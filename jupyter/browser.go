package jupyter

import "net/url"

// BrowserURL is the address of a page of the server, such as lab/tree/a.ipynb,
// for the user's own browser. It carries the token, as Jupyter's own printed
// address does: never log it, never give it to a model.
func (s *Server) BrowserURL(segments ...string) *url.URL {
	u := s.at(segments...)
	if token := s.currentToken(); token != "" {
		u.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return u
}
