package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// An Event is an event of a server's event bus.
type Event struct {
	Schema string          // id of its schema
	Data   json.RawMessage // the event, with its fields at the top level
}

// Emit publishes an event on the server's event bus. The error is a StatusError with status
// 400 if the server does not know the schema.
func (s *Server) Emit(ctx context.Context, schema, version string, data any) error {
	in := struct {
		SchemaID string `json:"schema_id"`
		Version  string `json:"version"`
		Data     any    `json:"data"`
	}{schema, version, data}
	return s.do(ctx, call{method: http.MethodPost, url: s.at("api", "events"), in: in})
}

// maxEvent is the maximum size of an event, in bytes. An event may contain a notebook.
const maxEvent = 256 << 20

// Events receives the events of a server.
type Events struct {
	ws   *websocket.Conn
	stop func() bool
}

// Subscribe connects to the server's event bus, until Close or the end of ctx. It returns
// after the server has accepted the subscription.
func (s *Server) Subscribe(ctx context.Context) (*Events, error) {
	dialer := websocket.Dialer{HandshakeTimeout: dialTimeout, NetDialContext: s.dialer}
	ws, _, err := s.websocket(ctx, &dialer, s.at("api", "events", "subscribe"), nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(maxEvent)
	return &Events{ws, context.AfterFunc(ctx, func() { _ = ws.Close() })}, nil
}

// Next returns the next event. Only one goroutine may call it. It fails after Close.
func (e *Events) Next() (Event, error) {
	_, data, err := e.ws.ReadMessage()
	if err != nil {
		return Event{}, fmt.Errorf("%w: reading events: %w", ErrUnreachable, err)
	}
	// See liveConn: without this, the server's next small message waits for 40 ms.
	_ = e.ws.WriteControl(websocket.PongMessage, nil, time.Now().Add(time.Second))
	var head struct {
		Schema string `json:"schema_id"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Event{}, fmt.Errorf("reading events: %w", err)
	}
	return Event{head.Schema, data}, nil
}

// Close ends the subscription.
func (e *Events) Close() {
	e.stop()
	_ = e.ws.Close()
}
