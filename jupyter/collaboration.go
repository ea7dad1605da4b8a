package jupyter

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// A Room is where a server lets several people edit a document together.
type Room struct {
	URL      string // of the websocket
	Token    string
	OnDemand bool // the document is stored on demand; otherwise only by itself, soon after a change
}

// LogValue implements [slog.LogValuer]. It does not log the token.
func (r Room) LogValue() slog.Value { return slog.StringValue(r.URL) }

// The parts of jupyter-collaboration and jupyter-server-documents in JupyterLab's page. The
// latter replaces a part of the former.
const (
	docProvider     = "@jupyter/docprovider-extension"
	serverDocuments = "@jupyter-ai-contrib/server-documents"
)

// A collaborationKind is how JupyterLab's page edits documents together with others.
type collaborationKind int

const (
	alone           collaborationKind = iota // it does not
	byCollaboration                          // jupyter-collaboration
	byDocuments                              // jupyter-server-documents
)

// pageConfig matches what JupyterLab's page contains for its scripts.
var pageConfig = regexp.MustCompile(`(?s)<script id="jupyter-config-data" type="application/json">(.*?)</script>`)

// maxPage is the maximum size of JupyterLab's page, in bytes.
const maxPage = 4 << 20

// shares returns how JupyterLab's page edits documents together with others. The server may
// have rooms although the page does not use them.
func (s *Server) shares(ctx context.Context) (collaborationKind, error) {
	to, h, err := s.whereabouts(ctx, s.at("lab"))
	if err != nil {
		return alone, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return alone, err
	}
	req.Header = h
	resp, err := s.client.Do(req)
	if err != nil {
		return alone, unreachable(ctx, "GET "+req.URL.EscapedPath(), err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	page, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err != nil {
		return alone, unreachable(ctx, "GET "+req.URL.EscapedPath(), err)
	}
	var config labConfig
	found := pageConfig.FindSubmatch(page)
	if resp.StatusCode != http.StatusOK || found == nil || json.Unmarshal(found[1], &config) != nil {
		return alone, nil // it has no JupyterLab
	}
	switch {
	case config.DisableRTC:
		return alone, nil
	case config.has(serverDocuments):
		return byDocuments, nil
	case config.has(docProvider):
		return byCollaboration, nil
	default:
		return alone, nil
	}
}

// A labConfig is what JupyterLab's page contains for its scripts.
type labConfig struct {
	DisableRTC bool     `json:"disableRTC"`
	Disabled   []string `json:"disabledExtensions"`
	Extensions []struct {
		Name string `json:"name"`
	} `json:"federated_extensions"`
}

// has reports whether the page has an extension of which nothing is disabled.
func (c *labConfig) has(name string) bool {
	for _, e := range c.Extensions {
		if e.Name == name {
			return !slices.ContainsFunc(c.Disabled, func(d string) bool { return strings.HasPrefix(d, name) })
		}
	}
	return false
}

// ErrNoRooms means that a server has no rooms, or that its JupyterLab does not use them.
var ErrNoRooms = errors.New("the server does not share documents")

// Room returns the room of the notebook at path, which is opened if it is not open. The error
// is ErrNoRooms if there are none, and ErrNotFound if there is no such notebook.
func (s *Server) Room(ctx context.Context, path string) (Room, error) {
	path, err := s.ownPath(path)
	if err != nil {
		return Room{}, err
	}
	how, err := s.shares(ctx)
	if err != nil {
		return Room{}, err
	}
	var id string
	query := url.Values{}
	switch how {
	case byCollaboration:
		var session string
		if id, session, err = s.collaborate(ctx, path); err == nil {
			query.Set("sessionId", session)
		}
	case byDocuments:
		id, err = s.fileID(ctx, path)
	default:
		err = ErrNoRooms
	}
	if err != nil {
		return Room{}, err
	}
	u, token, err := s.outside(ctx, s.at("api", "collaboration", "room", "json:notebook:"+id))
	if err != nil {
		return Room{}, err
	}
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.RawQuery = query.Encode()
	return Room{u.String(), token, how == byCollaboration}, nil
}

// collaborate opens a notebook's room of jupyter-collaboration.
func (s *Server) collaborate(ctx context.Context, path string) (id, session string, err error) {
	in := map[string]string{"format": "json", "type": "notebook"}
	var out struct {
		FileID    string `json:"fileId"`
		SessionID string `json:"sessionId"`
	}
	segments := append([]string{"api", "collaboration", "session"}, strings.Split(path, "/")...)
	err = s.do(ctx, call{method: http.MethodPut, url: s.at(segments...), in: in, out: &out})
	if e, ok := errors.AsType[*StatusError](err); ok && e.Status == http.StatusMethodNotAllowed {
		e.Err = ErrNotFound
	}
	return out.FileID, out.SessionID, err
}

// fileID returns the id of a notebook, which names its room of jupyter-server-documents.
func (s *Server) fileID(ctx context.Context, path string) (string, error) {
	if _, err := s.Contents(ctx, path, ContentsQuery{}); err != nil {
		return "", err // an id would be made for what does not exist, too
	}
	var out struct {
		ID string `json:"id"`
	}
	u := s.at("api", "fileid", "index")
	u.RawQuery = url.Values{"path": {path}}.Encode()
	err := s.do(ctx, call{method: http.MethodPost, url: u, out: &out})
	return out.ID, err
}
