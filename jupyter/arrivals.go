package jupyter

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"easel/jupyter/wire"
)

// resumeHeader is in the answer of a server that keeps what it writes to a websocket until it has
// arrived: Easel's own, see easel_life.py. Its value says whether all that is missing comes again.
const (
	resumeHeader = "Easel-Resume"
	resumeWhole  = "whole"
	// resumeComplete says to a client that has returned with the session of a former one that nothing is missing: what was
	// written had arrived and the kernel was quiet when that client left, and what came since follows.
	resumeComplete = "complete"
)

// arrivals is a session with a kernel, and the number of its messages that have arrived over all its
// websockets. A server writes to a websocket that is dead until it learns of that. With the number, it
// writes again what did not arrive.
type arrivals struct {
	session string
	opened  atomic.Bool // a websocket was opened before
	count   atomic.Int64
}

// seen returns the parameter of the next websocket.
func (a *arrivals) seen() string {
	if !a.opened.Load() {
		return "new"
	}
	return strconv.FormatInt(a.count.Load(), 10)
}

// confirm tells the server what has arrived since the last time, so that it can forget it.
func (l *webSocket) confirm(deadline time.Time) error {
	count := l.arrivals.count.Load()
	if !l.counted || count == l.confirmed {
		return nil
	}
	l.confirmed = count
	frame, isBinary, err := l.decoder.Protocol.Encode(&wire.Message{
		Channel: "life",
		Header: wire.Header{
			MsgID: uuid.NewString(), MsgType: "seen", Session: l.arrivals.session, Username: "easel",
			Version: wire.ProtocolVersion, Date: time.Now(),
		},
		Content: []byte(`{"count":` + strconv.FormatInt(count, 10) + `}`),
	})
	if err != nil {
		return err
	}
	kind := websocket.TextMessage
	if isBinary {
		kind = websocket.BinaryMessage
	}
	if err := l.ws.SetWriteDeadline(deadline); err != nil {
		return err
	}
	return l.ws.WriteMessage(kind, frame)
}
