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
	URL   string // of the websocket
	Token string
}

// LogValue implements [slog.LogValuer]. It does not log the token.
func (r Room) LogValue() slog.Value { return slog.StringValue(r.URL) }

// docProvider is the part of jupyter-collaboration in JupyterLab's page.
const docProvider = "@jupyter/docprovider-extension"

// pageConfig matches what JupyterLab's page contains for its scripts.
var pageConfig = regexp.MustCompile(`(?s)<script id="jupyter-config-data" type="application/json">(.*?)</script>`)

// maxPage is the maximum size of JupyterLab's page, in bytes.
const maxPage = 4 << 20

// shares reports whether JupyterLab's page edits documents together with others. The server
// may have rooms although the page does not use them.
func (s *Server) shares(ctx context.Context) (bool, error) {
	to, h, err := s.whereabouts(ctx, s.at("lab"))
	if err != nil {
		return false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return false, err
	}
	req.Header = h
	resp, err := s.client.Do(req)
	if err != nil {
		return false, unreachable(ctx, "GET "+req.URL.EscapedPath(), err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	page, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err != nil {
		return false, unreachable(ctx, "GET "+req.URL.EscapedPath(), err)
	}
	var config struct {
		DisableRTC bool     `json:"disableRTC"`
		Disabled   []string `json:"disabledExtensions"`
		Extensions []struct {
			Name string `json:"name"`
		} `json:"federated_extensions"`
	}
	found := pageConfig.FindSubmatch(page)
	if resp.StatusCode != http.StatusOK || found == nil || json.Unmarshal(found[1], &config) != nil {
		return false, nil // it has no JupyterLab
	}
	for _, e := range config.Extensions {
		if e.Name == docProvider {
			return !config.DisableRTC && !slices.ContainsFunc(config.Disabled, func(d string) bool { return strings.HasPrefix(d, docProvider) }), nil
		}
	}
	return false, nil
}

// ErrNoRooms means that a server has no rooms, or that its JupyterLab does not use them.
var ErrNoRooms = errors.New("the server does not share documents")

// Room returns the room of the notebook at path, which jupyter-collaboration opens if it is
// not open. The error is ErrNoRooms if there are none, and ErrNotFound if there is no such
// notebook.
func (s *Server) Room(ctx context.Context, path string) (Room, error) {
	path, err := CleanPath(path)
	if err != nil {
		return Room{}, err
	}
	switch ok, err := s.shares(ctx); {
	case err != nil:
		return Room{}, err
	case !ok:
		return Room{}, ErrNoRooms
	}
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
	if err != nil {
		return Room{}, err
	}
	u, token, err := s.outside(ctx, s.at("api", "collaboration", "room", "json:notebook:"+out.FileID))
	if err != nil {
		return Room{}, err
	}
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.RawQuery = url.Values{"sessionId": {out.SessionID}}.Encode()
	return Room{u.String(), token}, nil
}
