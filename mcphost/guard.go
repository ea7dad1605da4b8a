package mcphost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"easel/internal/mask"
	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// A guard stands before every handler: it refuses requests that the host must not answer, and
// hides secrets in what the others get.
type guard struct {
	tokens       callerTokens
	address      *address
	mask         *mask.Mask // may be nil
	log          *slog.Logger
	maxBody      int64         // bytes
	bodyTimeout  time.Duration // for a request's body to arrive
	writeTimeout time.Duration // for a client to read an answer
	closing      atomic.Bool   // no request is accepted any more
}

// before checks every request to next, in this order: Host and Origin (403), path, token (401),
// content type (415), body (413). It reads the whole body, so that no handler waits for
// a slow client.
func (g *guard) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, w := masked(r.Context(), g.impatient(w), g.mask)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Header().Set("Cache-Control", "no-store")
		if err := g.check(w, r); err != nil {
			g.log.DebugContext(r.Context(), "request refused", "method", r.Method, "path", logged(r.URL.Path), "cause", err)
			writeProblem(w, r, tool.AsError(err))
			return
		}
		if g.closing.Load() {
			w.Header().Set("Connection", "close")
			writeProblem(w, r, &tool.Error{Code: tool.ShuttingDown, Detail: "Easel is shutting down."})
			return
		}
		body, err := g.body(w, r)
		if err != nil {
			w.Header().Set("Connection", "close") // the rest of the body is not worth reading
			writeProblem(w, r, tool.AsError(err))
			return
		}
		id, known := g.tokens.assistant(r.Header)
		if !known && !isOpen(r) { // its token was taken back while the body arrived
			writeProblem(w, r, tool.AsError(refusedToken(r.Header)))
			return
		}
		// net/http still sees r's method: the response to HEAD has no body.
		r2 := r.WithContext(context.WithValue(ctx, assistantKey{}, id))
		r2.Body = io.NopCloser(bytes.NewReader(body))
		r2.ContentLength = int64(len(body))
		if r2.Method == http.MethodHead {
			r2.Method = http.MethodGet
			r2 = r2.WithContext(context.WithValue(r2.Context(), headKey{}, true))
		}
		next.ServeHTTP(w, r2)
	})
}

// impatient sets a deadline for reading an answer, which starts with its first byte. A
// client that does not read must not block resources. Streams set their own deadline for
// each event.
func (g *guard) impatient(w http.ResponseWriter) http.ResponseWriter {
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Time{}) // removes the deadline of the previous answer on this connection
	return &impatient{ResponseWriter: w, rc: rc, patience: g.writeTimeout}
}

type impatient struct {
	http.ResponseWriter
	rc       *http.ResponseController
	patience time.Duration
	begun    bool
}

func (w *impatient) begin() {
	if !w.begun {
		w.begun = true
		_ = w.rc.SetWriteDeadline(time.Now().Add(w.patience)) // not every writer supports it
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *impatient) WriteHeader(status int) {
	w.begin()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *impatient) Write(b []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(b)
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w *impatient) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// headKey marks the context of a HEAD request, which must not wait for the end of a
// stream.
type headKey struct{}

func isHead(r *http.Request) bool { return r.Context().Value(headKey{}) != nil }

// check decides from a request's headers whether to accept it.
func (g *guard) check(w http.ResponseWriter, r *http.Request) error {
	port := g.address.Port()
	if !ourHost(r.Host, port) {
		return tool.Errorf(tool.Forbidden, "the Host %q is not a loopback name of Easel", cut(r.Host, 100))
	}
	if origins, given := r.Header["Origin"]; given {
		if len(origins) != 1 || !ourOrigin(origins[0], port) {
			return tool.Errorf(tool.Forbidden, "the Origin %q is not Easel's own: it serves no foreign pages", cut(strings.Join(origins, ", "), 100))
		}
	}
	plain := isPlain(r.URL.Path)
	if needs := !plain || !isOpen(r); needs && !g.tokens.allow(r.Header) {
		w.Header().Set("WWW-Authenticate", challenge(r.Header))
		return refusedToken(r.Header)
	}
	if !plain {
		return tool.Errorf(tool.Validation, "the path is not in its plain form")
	}
	if r.Method == http.MethodPost && takesBody(r.URL.Path) && !isEmpty(r) && !isJSON(r.Header.Values("Content-Type")) {
		return tool.Errorf(tool.UnsupportedMediaType, "the Content-Type must be application/json")
	}
	return nil
}

// refusedToken says what to do about a token that is not valid.
func refusedToken(header http.Header) error {
	for _, t := range sentTokens(header) {
		if strings.HasPrefix(t, tool.AssistantToken) {
			return tool.Errorf(tool.Unauthorized, "this client's token is no longer valid: the user has forgotten the client or made a new token; connect it again in Easel's window, under Connect")
		}
	}
	return tool.Errorf(tool.Unauthorized, "no token or a wrong one: send Easel's token as `Authorization: Bearer …` or `X-API-Key: …`")
}

// takesBody reports whether a path accepts POST. For other paths, the router answers 404
// or 405, whatever the content type.
func takesBody(p string) bool {
	return p == "/mcp" || strings.HasPrefix(p, "/api/execute/") ||
		strings.HasPrefix(p, "/tools/") && strings.HasSuffix(p, "/execute")
}

// isEmpty reports whether a tool call has neither a body nor a content type, as clients
// send it if the body is optional. A form on a foreign page has a content type.
func isEmpty(r *http.Request) bool {
	return r.URL.Path != "/mcp" && r.ContentLength == 0 && len(r.Header.Values("Content-Type")) == 0
}

// isPlain reports whether a decoded path has no dot segments, double slashes or other
// tricks, so that every handler interprets it alike.
func isPlain(p string) bool {
	if p == "" || p[0] != '/' || strings.ContainsAny(p, "\\\x00") {
		return false
	}
	return p == path.Clean(p) || p == path.Clean(p)+"/"
}

// ourHost reports whether a Host header names the loopback interface, with our port or
// none. A page that rebinds its own name to 127.0.0.1 sends that name.
func ourHost(host string, port int) bool {
	name, p, err := net.SplitHostPort(host)
	bracketed := strings.HasPrefix(host, "[")
	switch {
	case err != nil: // no port
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		if bracketed != strings.HasSuffix(host, "]") {
			return false
		}
	case p != strconv.Itoa(port):
		return false
	}
	if bracketed != strings.Contains(name, ":") { // an IPv6 address must have brackets, and nothing else may
		return false
	}
	switch strings.ToLower(name) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// ourOrigin reports whether an Origin header is that of a page that this host served.
func ourOrigin(origin string, port int) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" || u.Port() == "" || origin != u.Scheme+"://"+u.Host {
		return false
	}
	return ourHost(u.Host, port)
}

// isOpen reports whether a request needs no token because it can neither read the user's
// data nor change anything, or because a ticket is in its path.
func isOpen(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	switch p := r.URL.Path; p {
	case "/", "/favicon.ico", "/api/health", "/api/v1/openapi.json", "/api/openapi.json", "/swagger/v1/swagger.json",
		"/swagger", "/swagger/", "/api/swagger":
		return true
	default:
		return strings.HasPrefix(p, "/api/swagger/") || strings.HasPrefix(p, "/problems/") || p == "/problems" ||
			strings.HasPrefix(p, catalog.FigurePath)
	}
}

// callerTokens are those that callers may send. They can change at any time.
type callerTokens struct {
	own        func() string                           // Easel's; "" rejects everybody
	assistants func(token string) (id string, ok bool) // of the assistants; may be nil
}

// allow reports whether a request has a token.
func (t callerTokens) allow(header http.Header) bool {
	_, ok := t.assistant(header)
	return ok
}

// assistantKey is the context key of the id of the assistant that sent a request.
type assistantKey struct{}

// assistantOf returns the id of the assistant that sent the request of ctx; see tool.Caller.
func assistantOf(ctx context.Context) string {
	id, _ := ctx.Value(assistantKey{}).(string)
	return id
}

// assistant returns the id of the assistant whose token a request has. If it also has Easel's own, that of the assistant counts.
// The time reveals nothing about the tokens, not even their length: hashes are compared.
func (t callerTokens) assistant(header http.Header) (id string, ok bool) {
	want := t.own()
	if want == "" {
		return "", false
	}
	own := sha256.Sum256([]byte(want))
	id = tool.Others
	for _, got := range sentTokens(header) {
		g := sha256.Sum256([]byte(got))
		if subtle.ConstantTimeCompare(own[:], g[:]) == 1 {
			ok = true
		} else if t.assistants != nil {
			if other, known := t.assistants(got); known {
				id, ok = other, true
			}
		}
	}
	return id, ok
}

// sentTokens returns the tokens that a request sends, at most one for each header.
func sentTokens(header http.Header) []string {
	var ts []string
	if v := header.Values("Authorization"); len(v) == 1 {
		if scheme, t, ok := strings.Cut(v[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
			ts = append(ts, strings.TrimSpace(t))
		}
	}
	if v := header.Values("X-API-Key"); len(v) == 1 {
		ts = append(ts, strings.TrimSpace(v[0]))
	}
	return ts
}

func challenge(header http.Header) string {
	if len(sentTokens(header)) > 0 {
		return `Bearer realm="Easel", error="invalid_token"`
	}
	return `Bearer realm="Easel"`
}

// isJSON reports whether a request's content is JSON. A foreign page cannot send JSON
// without a preflight request, which the host rejects.
func isJSON(contentType []string) bool {
	if len(contentType) != 1 {
		return false
	}
	t, _, err := mime.ParseMediaType(contentType[0])
	return err == nil && t == "application/json"
}

// body reads the request's body, within the limits of size and time.
func (g *guard) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	tooLarge := tool.Errorf(tool.PayloadTooLarge, "the body is larger than %d MiB", g.maxBody>>20)
	rc := http.NewResponseController(w)
	if r.ContentLength > g.maxBody {
		g.drain(rc, r.Body)
		return nil, tooLarge
	}
	if err := rc.SetReadDeadline(time.Now().Add(g.bodyTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, g.maxBody))
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		g.drain(rc, r.Body)
		return nil, tooLarge
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, tool.Errorf(tool.Validation, "the body did not arrive within %v", g.bodyTimeout)
	case err != nil:
		return nil, tool.Errorf(tool.Validation, "the body could not be read")
	}
	_ = rc.SetReadDeadline(time.Time{}) // a long call must not end because of it
	return b, nil
}

// drain reads what a client sends beyond the limit, up to a maximum size and for a short
// time. Closing the connection immediately would reset it, and most clients would report
// that instead of the answer.
func (g *guard) drain(rc *http.ResponseController, body io.Reader) {
	if rc.SetReadDeadline(time.Now().Add(min(g.bodyTimeout, 5*time.Second))) == nil {
		_, _ = io.CopyN(io.Discard, body, 8*g.maxBody)
		_ = rc.SetReadDeadline(time.Time{})
	}
}

// cut shortens a caller's text for a message or the log.
func cut(s string, n int) string {
	return truncate.Runes(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")), n)
}
