package mcphost

import (
	"bytes"
	"net/http"
	"strings"

	"easel/internal/mask"
)

// masked hides tokens in everything that a caller gets as JSON: results, errors, documents
// and events, over MCP and REST. Pictures, figures and pages pass unchanged.
func (h *Host) masked(w http.ResponseWriter) http.ResponseWriter {
	return &maskedWriter{ResponseWriter: w, mask: h.c.Mask}
}

// A maskedWriter relies on each Write having a whole text, as json.Marshal makes it.
type maskedWriter struct {
	http.ResponseWriter
	mask *mask.Mask
}

// Write implements http.ResponseWriter.
func (w *maskedWriter) Write(b []byte) (int, error) {
	kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	text := b
	switch kind {
	case "text/event-stream":
		text = w.mask.JSON(b)
	case "application/json", "application/problem+json":
		text = w.mask.JSON(b)
		if short := len(b) - len(text); short > 0 { // the header may have given the length
			text = append(text, bytes.Repeat([]byte(" "), short)...)
		}
	}
	if _, err := w.ResponseWriter.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Unwrap gives http.ResponseController access to the underlying writer.
func (w *maskedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
