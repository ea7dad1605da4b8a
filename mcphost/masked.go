package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"easel/internal/mask"
	"easel/mcphost/tool"
)

// masked hides secrets in everything that a caller gets as text: results, errors, documents
// and events, over MCP and REST. Pictures and pages pass unchanged; figures, see discreet. The context is for
// the request: what it is about may be a project whose secrets the user does not hide.
func masked(ctx context.Context, w http.ResponseWriter, by *mask.Mask) (context.Context, http.ResponseWriter) {
	m := &maskedWriter{ResponseWriter: w, mask: by}
	return context.WithValue(ctx, openKey{}, &m.open), m
}

// openKey is the context key of the flag of a request whose answer may have secrets.
type openKey struct{}

// opens returns what makes the answer to ctx's request have secrets, except for Easel's own.
func opens(ctx context.Context) func() {
	open, ok := ctx.Value(openKey{}).(*atomic.Bool)
	if !ok {
		return nil
	}
	return func() { open.Store(true) }
}

// hide hides secrets in a result, and says which: the writer would do it, too, but cannot count.
func (h *Host) hide(ctx context.Context, text json.RawMessage) (json.RawMessage, mask.Tally) {
	if open, ok := ctx.Value(openKey{}).(*atomic.Bool); ok && open.Load() {
		return h.c.Mask.Tokens(text), nil
	}
	return h.c.Mask.Hide(text)
}

// discreet hides secrets in a figure or a vector picture, which are text, and reports whether it has some. Other pictures pass.
func (h *Host) discreet(ctx context.Context, mimeType string, data []byte) (_ []byte, hidden bool) {
	kind, _, _ := strings.Cut(mimeType, ";")
	isJSON := strings.HasSuffix(kind, "json")
	if !isJSON && !strings.HasPrefix(kind, "text/") && kind != "image/svg+xml" {
		return data, false
	}
	open, ok := ctx.Value(openKey{}).(*atomic.Bool)
	var out []byte
	switch {
	case ok && open.Load():
		out = h.c.Mask.Tokens(data)
	case isJSON:
		out = h.c.Mask.JSON(data)
	default:
		out = []byte(h.c.Mask.String(string(data)))
	}
	return out, !bytes.Equal(out, data)
}

// checkMarks refuses to write a mark: it would replace the secret that it stands for.
func checkMarks(spec tool.Spec, args json.RawMessage) error {
	if spec.ReadOnly() || spec.Toolset == tool.Gallery {
		return nil
	}
	m := mask.MarkIn(args)
	if m == "" {
		return nil
	}
	return &tool.Error{
		Code: tool.Validation, Detail: "The parameters contain " + m + ", which Easel shows instead of a secret. Nothing was changed: the secret would have been replaced by these words.",
		Hint: "Leave the text that has the secret as it is. In code, read it where it is stored, for example os.environ[\"NAME\"]. If that text itself must change, ask the user to edit it.",
	}
}

// A maskedWriter relies on each Write having a whole text, as json.Marshal makes it.
type maskedWriter struct {
	http.ResponseWriter
	mask *mask.Mask
	open atomic.Bool // only tokens of Easel's are hidden
}

// WriteHeader implements http.ResponseWriter. The length of a text that is masked is not known yet.
func (w *maskedWriter) WriteHeader(status int) {
	if w.isText() {
		w.Header().Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
}

// isText reports whether the answer is one that is masked.
func (w *maskedWriter) isText() bool {
	kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	switch kind {
	case "text/event-stream", "application/json", "application/problem+json", "text/csv":
		return true
	}
	return false
}

// Write implements http.ResponseWriter.
func (w *maskedWriter) Write(b []byte) (int, error) {
	text := b
	switch {
	case !w.isText():
	case w.open.Load():
		text = w.mask.Tokens(b)
	default:
		text = w.mask.JSON(b)
	}
	if _, err := w.ResponseWriter.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w *maskedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
