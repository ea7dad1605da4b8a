package jupyter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A Server is a client of one Jupyter server or gateway, with its URL and token.
type Server struct {
	base   *url.URL // path without trailing slash
	client *http.Client
	log    *slog.Logger
	// runtimeDir is where the server keeps its kernels' connection files, or "" if they
	// cannot be read here.
	runtimeDir string
	dialer     func(ctx context.Context, network, address string) (net.Conn, error)
	route      Route    // nil for a server that is at base
	address    *url.URL // what URL returns, if there is a route
	root       func() string
	guard      func(path string) string
	token      credential
	spelled    spellings

	mu    sync.Mutex
	specs map[string]KernelSpec // as last seen
}

// An Option configures a [Server].
type Option func(*Server)

// WithLogger sets the logger. By default, nothing is logged.
func WithLogger(l *slog.Logger) Option { return func(s *Server) { s.log = l } }

// WithTokenUse makes the client call uses with each token before it uses it, so that it can be
// kept out of other texts. uses may be called from any goroutine.
func WithTokenUse(uses func(token string)) Option { return func(s *Server) { s.token.uses = uses } }

// WithRuntimeDir sets the directory in which the server, which runs on this machine,
// keeps the connection files of its kernels. If the server agrees, it only reports what
// it alone knows about a kernel, and messages are exchanged over the kernel's own
// sockets.
func WithRuntimeDir(dir string) Option { return func(s *Server) { s.runtimeDir = dir } }

// WithDialer makes the client reach the server by connections that dial opens, for a server
// within this process.
func WithDialer(dial func(context.Context) (net.Conn, error)) Option {
	return func(s *Server) {
		if t, ok := s.client.Transport.(*http.Transport); ok {
			t.Proxy = nil // it is not on the network
		}
		s.dialer = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
	}
}

// dialTimeout is the timeout for opening a connection.
const dialTimeout = 10 * time.Second

// New returns a client of the server at baseURL. The URL may have a path before /api: a
// base_url, or /user/NAME/ on a JupyterHub. New accepts a URL as Jupyter prints it
// (…/lab?token=…); the argument token takes precedence.
func New(baseURL, token string, opts ...Option) (*Server, error) {
	base, err := url.Parse(strings.TrimSpace(baseURL))
	if err != nil {
		return nil, errors.New("the URL of the Jupyter server cannot be read") // it may contain a token, so it is not repeated
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, errors.New("the URL of the Jupyter server must begin with http:// or https:// and a host")
	}
	if base.User != nil {
		return nil, errors.New("the URL of the Jupyter server must not hold a user name or password")
	}
	if printed := base.Query().Get("token"); printed != "" {
		token = cmp.Or(token, printed)
		for _, page := range []string{"/lab", "/tree", "/login"} {
			base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), page)
			base.RawPath = strings.TrimSuffix(strings.TrimRight(base.RawPath, "/"), page)
		}
	}
	base = &url.URL{
		Scheme: base.Scheme, Host: base.Host,
		Path: strings.TrimRight(base.Path, "/"), RawPath: strings.TrimRight(base.RawPath, "/"),
	}

	return newServer(base, token, opts), nil
}

func newServer(base *url.URL, token string, opts []Option) *Server {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 8,
		IdleConnTimeout:     time.Minute,
		ForceAttemptHTTP2:   true,
	}
	s := &Server{
		base: base, token: credential{token: token}, log: slog.New(slog.DiscardHandler), dialer: (&net.Dialer{Timeout: dialTimeout}).DialContext,
		client: &http.Client{
			// A redirect leads to a login page. The token must not be sent there.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport:     transport,
		},
	}
	for _, o := range opts {
		o(s)
	}
	s.token.announce(token)
	transport.DialContext = s.dialer
	return s
}

// URL returns the server's URL, without token.
func (s *Server) URL() *url.URL {
	u := *s.base
	if s.address != nil {
		u = *s.address
	}
	return &u
}

// String returns the server's URL, without token.
func (s *Server) String() string { return s.URL().String() }

// LogValue keeps the token out of logs.
func (s *Server) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Format keeps the token out of formatted output.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// Renew makes s use the token of from, a client of the same server, because the user has
// replaced an expired token. Kernels stay connected, and those whose connection is down
// use the new token to reconnect. Renew reports false if the token is the same.
func (s *Server) Renew(from *Server) bool {
	return s.token.replace(from.token.current())
}

// A credential is the token of a server, which the user may replace.
type credential struct {
	uses func(token string) // see WithTokenUse; may be nil

	mu    sync.Mutex
	token string
}

// announce says that a token is about to be used.
func (c *credential) announce(token string) {
	if c.uses != nil && token != "" {
		c.uses(token)
	}
}

func (c *credential) current() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// replace reports whether the token is another one than before.
func (c *credential) replace(token string) bool {
	c.announce(token)
	c.mu.Lock()
	defer c.mu.Unlock()
	former := c.token
	c.token = token
	return former != token
}

// at returns the URL of path segments below the server's. It escapes each segment.
func (s *Server) at(segments ...string) *url.URL {
	escaped := make([]string, len(segments))
	for i, segment := range segments {
		escaped[i] = url.PathEscape(segment)
	}
	u := *s.base
	u.Path = cmp.Or(u.Path, "/") // otherwise the result would not start with a slash
	return u.JoinPath(escaped...)
}

func header(token string) http.Header {
	h := make(http.Header)
	if token != "" {
		h.Set("Authorization", "token "+token)
	}
	h.Set("User-Agent", "easel")
	return h
}

// A call is one REST request.
type call struct {
	method string
	url    *url.URL
	in     any   // encoded as the JSON body; nil for none
	out    any   // decoded from the JSON answer; nil ignores it
	fails  error // the error for status 500 and 501; may be nil
	limit  int64 // of the answer, in bytes; 0: maxAnswer
}

// The maximum sizes of an answer in bytes. All of an answer is in memory, so an endless one must
// be cut off. A notebook with many pictures is large.
const (
	maxAnswer   = 16 << 20
	maxContents = 256 << 20
)

func (s *Server) do(ctx context.Context, c call) error {
	err := s.request(ctx, c)
	s.doubt(err)
	return err
}

func (s *Server) request(ctx context.Context, c call) error {
	var body io.Reader
	if c.in != nil {
		data, err := json.Marshal(c.in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	to, h, err := s.whereabouts(ctx, c.url)
	if err != nil {
		return fmt.Errorf("%s %s: %w", c.method, c.url.EscapedPath(), err)
	}
	c.url = to
	req, err := http.NewRequestWithContext(ctx, c.method, c.url.String(), body)
	if err != nil {
		return err
	}
	req.Header = h
	req.Header.Set("Accept", "application/json")
	if c.in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return unreachable(ctx, c.method+" "+c.url.EscapedPath(), err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	if err := statusError(c.method, c.url, resp, c.fails); err != nil {
		return err
	}
	if c.out == nil || resp.StatusCode == http.StatusNoContent {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // so that the connection can be reused
		return nil
	}
	data, err := readUpTo(resp, cmp.Or(c.limit, maxAnswer))
	switch {
	case errors.Is(err, ErrAnswerTooLarge):
		return fmt.Errorf("%s %s: %w", c.method, c.url.EscapedPath(), err)
	case err != nil:
		return unreachable(ctx, c.method+" "+c.url.EscapedPath(), err)
	}
	if err := json.Unmarshal(data, c.out); err != nil {
		return fmt.Errorf("%s %s: reading the answer: %w", c.method, c.url.EscapedPath(), err)
	}
	return nil
}

// readUpTo reads an answer of at most limit bytes. It does not begin to read one that says that
// it is longer.
func readUpTo(resp *http.Response, limit int64) ([]byte, error) {
	tooLarge := fmt.Errorf("%w: over %d MiB", ErrAnswerTooLarge, limit>>20)
	if resp.ContentLength > limit {
		return nil, tooLarge
	}
	var data bytes.Buffer
	if resp.ContentLength > 0 {
		data.Grow(int(resp.ContentLength) + bytes.MinRead) // and not by doubling
	}
	n, err := data.ReadFrom(io.LimitReader(resp.Body, limit+1))
	if err == nil && n > limit {
		return nil, tooLarge
	}
	return data.Bytes(), err
}

// unreachable returns the error of a request without an answer: ErrUnreachable, unless
// the caller cancelled it.
func unreachable(ctx context.Context, what string, err error) error {
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		<-ctx.Done() // the connection has the same deadline and may report it slightly earlier
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // its text repeats the request
	}
	return fmt.Errorf("%w: %s: %w", ErrUnreachable, what, err)
}

// statusError returns nil for a successful answer.
func statusError(method string, u *url.URL, resp *http.Response, fails error) error {
	html := mediaType(resp) == "text/html"
	if resp.StatusCode/100 == 2 && !html {
		return nil
	}
	e := &StatusError{Method: method, Path: u.EscapedPath(), Status: resp.StatusCode, Message: message(resp)}
	switch {
	case resp.StatusCode/100 == 3:
		e.Message, e.Err = redirected(u, resp)
	case resp.StatusCode/100 == 2:
		e.Err, e.Message = ErrUnauthorized, "it answers with a web page, as for a login"
	case resp.StatusCode == http.StatusForbidden && strings.HasPrefix(e.Message, "Permission denied"):
		e.Err = ErrDenied // by the system, for a file; see perm_to_403 in jupyter_server
	case resp.StatusCode == http.StatusInternalServerError && strings.Contains(e.Message, "Read-only file system"):
		e.Err = ErrDenied // perm_to_403 does not know EROFS
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		e.Err = ErrUnauthorized
	case resp.StatusCode == http.StatusNotFound:
		e.Err = ErrNotFound
	case resp.StatusCode == http.StatusBadGateway, resp.StatusCode == http.StatusServiceUnavailable,
		resp.StatusCode == http.StatusGatewayTimeout, resp.StatusCode == http.StatusFailedDependency:
		e.Err = ErrUnreachable // a proxy or a Hub answers for a server that is not running
	case resp.StatusCode >= 500:
		e.Err = fails
	}
	return e
}

// redirected distinguishes a login page from another address of the server.
func redirected(u *url.URL, resp *http.Response) (message string, reason error) {
	to, err := resp.Location()
	switch {
	case err != nil:
	case u.Scheme == "http" && to.Scheme == "https":
		return "it wants https", ErrUnreachable
	case standsIn(u, to):
		return "the JupyterHub answers for it: it does not run", ErrUnreachable
	}
	return "it redirects to another page, as for a login", ErrUnauthorized
}

// standsIn reports whether to is where a JupyterHub redirects from u because that user's
// server is not running: /user/ann/… belongs to the server, and /hub/user/ann/… to the
// hub. Login pages are elsewhere below /hub/.
func standsIn(u, to *url.URL) bool {
	before, after, ok := strings.Cut(u.EscapedPath(), "/user/")
	return ok && to.EscapedPath() == before+"/hub/user/"+after
}

func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

// maxMessage is how many bytes of an error's text are kept.
const maxMessage = 2000

// message returns what the server says about an error.
func message(resp *http.Response) string {
	data, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil || mediaType(resp) == "text/html" {
		return ""
	}
	var said struct {
		Message string `json:"message"`
		Reason  string `json:"reason"`
	}
	text := string(data)
	if json.Unmarshal(data, &said) == nil {
		text = said.Message
		if said.Reason != "" && !strings.Contains(text, said.Reason) {
			text = strings.TrimSpace(text + " (" + said.Reason + ")")
		}
	}
	return strings.ToValidUTF8(text[:min(len(text), maxMessage)], "")
}
