package jupyter

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A ContentsModel is a file, a directory or a notebook on a server.
type ContentsModel struct {
	Name         string    `json:"name"`
	Path         string    `json:"path"`
	Type         string    `json:"type"`               // file, directory or notebook
	Format       string    `json:"format,omitempty"`   // text, base64 or json; "" without content
	MIMEType     string    `json:"mimetype,omitempty"` // "" if not known
	Created      time.Time `json:"created,omitzero"`
	LastModified time.Time `json:"last_modified,omitzero"`
	Size         int64     `json:"size,omitempty"`     // bytes; 0 if the server does not report it
	Writable     *bool     `json:"writable,omitempty"` // nil if the server does not report it

	// Hash is the hash of the bytes on disk, by an algorithm that the server chooses. It
	// is "" if it was not requested or the server does not support it (before version
	// 2.11).
	Hash string `json:"hash,omitempty"`

	// Content depends on Type and Format: a JSON string of text or base64, a notebook,
	// or an array of ContentsModels without content. It is nil if it was not requested.
	Content json.RawMessage `json:"content,omitempty"`
}

// Entries returns the entries of a directory that was read with its content.
func (m ContentsModel) Entries() ([]ContentsModel, error) {
	var entries []ContentsModel
	err := json.Unmarshal(m.Content, &entries)
	return entries, err
}

// A ContentsQuery says what to read about a path.
type ContentsQuery struct {
	Type    string // expect a file, directory or notebook; "" accepts any
	Format  string // text or base64 for files; "" lets the server choose
	Content bool   // with the content
	Hash    bool   // with the hash; only for files and notebooks
}

// Contents reads what is at path. It finds names in any Unicode normalisation. Gateways have
// no contents: the error is ErrNotFound.
func (s *Server) Contents(ctx context.Context, path string, q ContentsQuery) (ContentsModel, error) {
	clean, err := CleanPath(path)
	if err != nil {
		return ContentsModel{}, err
	}
	own := s.spelled.of(clean)
	m, err := s.readContents(ctx, own, q)
	if missed(clean, err) {
		if other := s.respell(ctx, clean); other != own {
			return s.readContents(ctx, other, q)
		}
	}
	return m, err
}

// PutContents writes m to path, replacing what is there, and returns its model without
// content. m needs Type and, except for directories, Format and Content.
func (s *Server) PutContents(ctx context.Context, path string, m ContentsModel) (ContentsModel, error) {
	clean, err := CleanPath(path)
	if err != nil {
		return ContentsModel{}, err
	}
	u, err := s.contentsURL(s.spelled.of(clean))
	if err != nil {
		return ContentsModel{}, err
	}
	in := struct {
		Type    string          `json:"type"`
		Format  string          `json:"format,omitempty"`
		Content json.RawMessage `json:"content,omitempty"`
	}{m.Type, m.Format, m.Content}
	var out ContentsModel
	err = s.do(ctx, call{method: http.MethodPut, url: u, in: in, out: &out})
	return out.withoutNull(), err
}

// contentsURL returns the URL of a path in the server's own spelling.
func (s *Server) contentsURL(own string) (*url.URL, error) {
	if err := s.allowed(own); err != nil {
		return nil, err
	}
	segments := []string{"api", "contents"}
	if own != "" {
		segments = append(segments, strings.Split(own, "/")...)
	}
	return s.at(segments...), nil
}

// withoutNull replaces the null that servers send for missing content by nil.
func (m ContentsModel) withoutNull() ContentsModel {
	if string(m.Content) == "null" {
		m.Content = nil
	}
	return m
}
