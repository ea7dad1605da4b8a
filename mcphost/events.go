package mcphost

import (
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"easel/mcphost/eventlog"
	"easel/mcphost/tool"
)

// Limits of an event stream.
const (
	eventsHeartbeat    = 15 * time.Second
	eventsWriteTimeout = 30 * time.Second // a slower reader is disconnected; it can resume
)

// events serves the event log as server-sent events.
func (h *Host) events(c echo.Context) error {
	r := c.Request()
	last := r.Header.Get("Last-Event-ID")
	if len(last) > 100 {
		return tool.Errorf(tool.Validation, "Last-Event-ID is not a valid event ID")
	}
	reader := h.eventLog.Reader(last)
	if !h.guard.tokens.allow(r.Header) { // the token has changed since the guard checked it, so EndStreams may have missed this stream
		return &tool.Error{Code: tool.Unauthorized, Detail: "the token has changed"}
	}
	w := c.Response()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if isHead(r) {
		return nil
	}
	rc := http.NewResponseController(w)
	defer func() { _ = rc.SetWriteDeadline(time.Time{}) }() // it would remain on the connection
	write := func(format string, args ...any) error {
		_ = rc.SetWriteDeadline(time.Now().Add(eventsWriteTimeout)) // not every writer supports it
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return rc.Flush()
	}
	err := write("retry: 1000\n: Easel %s\n\n", h.c.Version)
	for err == nil {
		var e eventlog.Entry
		var ok bool
		e, ok, err = reader.Next(r.Context(), eventsHeartbeat)
		switch {
		case err != nil:
		case ok:
			err = write("id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Name, e.Data)
		default:
			err = write(": nothing new\n\n")
		}
	}
	return nil // the client is gone or the stream was ended: there is nobody to report it to
}
