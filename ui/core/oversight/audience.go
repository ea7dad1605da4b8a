package oversight

import (
	"context"
	"errors"
	"sync"
)

// ErrClientEnded means that the client that asked has ended, so that nobody needs the answer.
var ErrClientEnded = errors.New("the client has ended before the user answered")

// An audience is who waits for the answer to a question that several calls may lead to.
type audience struct {
	withdraw context.CancelCauseFunc // ends the question

	mu      sync.Mutex
	clients map[string]int // how many of its calls wait, by the tool.Caller.Holder of those that have not ended
	gone    bool           // the last call that waited was cancelled, or has lost its connection
	tell    func(waited, gone bool)
}

type audienceKey struct{}

// audienceOf returns the audience of the question that ctx is for; nil if only one call waits for it.
func audienceOf(ctx context.Context) *audience {
	w, _ := ctx.Value(audienceKey{}).(*audience)
	return w
}

// join counts a call of a client.
func (w *audience) join(holder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clients[holder]++
	w.changed()
}

// leave notes that a call no longer waits. gone says that it was cancelled, or has lost its connection.
func (w *audience) leave(holder string, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clients[holder] > 0 {
		w.clients[holder]--
	}
	w.gone = gone
	w.changed()
}

// end forgets a client that has ended. If it was the only one, nobody will ask for the answer.
func (w *audience) end(holder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.clients[holder]; !ok || holder == "" {
		return
	}
	if delete(w.clients, holder); len(w.clients) == 0 {
		w.withdraw(ErrClientEnded)
		return
	}
	w.changed()
}

// watch calls tell now, and whenever it has changed whether somebody waits.
func (w *audience) watch(tell func(waited, gone bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell = tell
	w.changed()
}

// changed calls tell. The caller holds w.mu.
func (w *audience) changed() {
	if w.tell != nil {
		waited := w.waited()
		w.tell(waited, w.gone && !waited)
	}
}

// waited reports whether a call waits. The caller holds w.mu.
func (w *audience) waited() bool {
	for _, n := range w.clients {
		if n > 0 {
			return true
		}
	}
	return false
}

// deserted reports whether the calls that waited were given up.
func (w *audience) deserted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone && !w.waited()
}

// Attended reports whether a call waits now for the answer to the question that ctx is for.
func Attended(ctx context.Context) bool {
	w := audienceOf(ctx)
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waited()
}
