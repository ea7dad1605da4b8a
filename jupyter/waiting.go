package jupyter

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"easel/internal/wake"
	"easel/jupyter/wire"
)

// messageIDs makes the ids of our messages, and recognises them.
type messageIDs struct {
	session string
	nonce   string // makes our msg_ids unique when a session is reused
	seq     atomic.Uint64
}

// next returns a msg_id for a request of ours. The ids of inner requests are
// recognizable, even if their last messages arrive much later.
func (i *messageIDs) next(inner bool) string {
	kind := "x"
	if inner {
		kind = innerPrefix
	}
	return fmt.Sprintf("%s_%s_%s_%d", i.session, kind, i.nonce, i.seq.Add(1))
}

const innerPrefix = "inner"

// isOurs reports whether id belongs to a request of ours.
func (i *messageIDs) isOurs(id string) bool { return strings.HasPrefix(id, i.session+"_") }

// isInner reports whether id belongs to a request of ours whose messages Next does not
// return.
func (i *messageIDs) isInner(id string) bool {
	rest, ours := strings.CutPrefix(id, i.session+"_")
	return ours && strings.HasPrefix(rest, innerPrefix+"_")
}

// A waitingRequest is a request of ours that waits for its reply.
type waitingRequest struct {
	reply chan answer // one slot for each message that was sent for it
	// echoed receives a value when iopub has mentioned the request. It is nil if nobody
	// waits for that.
	echoed wake.Signal
	// survivesRestart means that a restart does not fail the request, because it is sent
	// again.
	survivesRestart bool
}

type answer struct {
	m   *wire.Message
	err error
}

// waitingRequests are our requests that wait for their replies. While it is closed, there is no connection
// over which replies could come. The zero value is open.
type waitingRequests struct {
	mu      sync.Mutex
	closed  bool
	pending map[string]*waitingRequest
	echoes  map[string]*waitingRequest // also wait to be mentioned on iopub
}

// add registers p for the reply to the request id. It reports false if none can come.
func (w *waitingRequests) add(id string, p *waitingRequest) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	if w.pending == nil {
		w.pending, w.echoes = make(map[string]*waitingRequest), make(map[string]*waitingRequest)
	}
	w.pending[id] = p
	if p.echoed != nil {
		w.echoes[id] = p
	}
	return true
}

// drop forgets requests.
func (w *waitingRequests) drop(ids ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		delete(w.pending, id)
		delete(w.echoes, id)
	}
}

// answer passes a reply to the request that waits for it.
func (w *waitingRequests) answer(m *wire.Message, err error) {
	if !strings.HasSuffix(m.Header.MsgType, "_reply") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.pending[m.ParentID()]; p != nil {
		delete(w.pending, m.ParentID())
		p.reply <- answer{m, err}
	}
}

// echo reports that iopub has mentioned the request id.
func (w *waitingRequests) echo(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.echoes[id]; p != nil {
		delete(w.echoes, id)
		p.echoed.Notify()
	}
}

// open lets requests wait again.
func (w *waitingRequests) open() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = false
}

// close answers all requests with err; no more are accepted until open.
func (w *waitingRequests) close(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.fail(err, func(*waitingRequest) bool { return true })
}

// restart answers the requests that do not survive a restart with err.
func (w *waitingRequests) restart(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail(err, func(p *waitingRequest) bool { return !p.survivesRestart })
}

// fail answers the selected requests with err. w.mu must be held.
func (w *waitingRequests) fail(err error, which func(*waitingRequest) bool) {
	for id, p := range w.pending {
		if which(p) {
			delete(w.pending, id)
			p.reply <- answer{err: err}
		}
	}
}
