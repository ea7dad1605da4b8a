package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// maxMessage is the maximum size, in bytes, of a message from the browser. The largest are
// pictures in base64.
const maxMessage = 512 << 20

var errGone = errors.New("the browser has ended")

// A pipe speaks the DevTools protocol over a pair of pipes. A zero byte ends each message.
// Messages from the browser may be malformed; they never cause a panic. The methods are
// safe for concurrent use, except read.
type pipe struct {
	out     io.WriteCloser
	writing sync.Mutex

	mu      sync.Mutex
	last    int
	pending map[int]chan<- reply // by id; nil once the browser has closed its pipe
	gone    chan struct{}        // closed at the same time
	handle  func(event)          // called by read; must not wait for a reply
}

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *protocolError  `json:"error"`
}

// An event is an event of a session of the browser.
type event struct {
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type protocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *protocolError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

func newPipe(out io.WriteCloser, handle func(event)) *pipe {
	return &pipe{out: out, pending: make(map[int]chan<- reply), gone: make(chan struct{}), handle: handle}
}

// read reads messages until the browser closes its pipe or sends an invalid one. Then it
// fails the pending calls.
func (p *pipe) read(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		message, err := readMessage(r)
		if err != nil {
			break
		}
		var head struct {
			reply
			event
		}
		if json.Unmarshal(message, &head) != nil {
			break
		}
		if head.ID == 0 {
			p.handle(head.event)
			continue
		}
		p.mu.Lock()
		waiting := p.pending[head.ID]
		delete(p.pending, head.ID)
		p.mu.Unlock()
		if waiting != nil {
			waiting <- head.reply // never blocks: it has a slot
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = nil
	close(p.gone)
}

func readMessage(r *bufio.Reader) ([]byte, error) {
	var message []byte
	for {
		part, err := r.ReadSlice(0)
		message = append(message, part...)
		if len(message) > maxMessage {
			return nil, errors.New("a message is too long")
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(message, []byte{0}), err
		}
	}
}

// send sends a request and returns its id and the channel that receives its reply.
func (p *pipe) send(session, method string, params any) (int, <-chan reply, error) {
	answer := make(chan reply, 1)
	p.mu.Lock()
	if p.pending == nil {
		p.mu.Unlock()
		return 0, nil, errGone
	}
	p.last++
	id := p.last
	p.pending[id] = answer
	p.mu.Unlock()

	message, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{id, session, method, params})
	if err == nil {
		p.writing.Lock()
		_, err = p.out.Write(append(message, 0))
		p.writing.Unlock()
	}
	if err != nil {
		p.forget(id)
		return 0, nil, errors.Join(errGone, err)
	}
	return id, answer, nil
}

func (p *pipe) forget(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pending, id)
}

// request calls a method and waits for its result.
func (p *pipe) request(ctx context.Context, session, method string, params any) ([]byte, error) {
	id, answer, err := p.send(session, method, params)
	if err != nil {
		return nil, err
	}
	defer p.forget(id)
	return p.wait(ctx, method, answer)
}

func (p *pipe) wait(ctx context.Context, method string, answer <-chan reply) ([]byte, error) {
	select {
	case r := <-answer:
		if r.Error != nil {
			return nil, fmt.Errorf("%s: %w", method, r.Error)
		}
		return r.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.gone:
		return nil, errGone
	}
}

// A methodCall is a method with its parameters.
type methodCall struct {
	method string
	params any // nil: none
}

// callAll sends several independent requests at once, and waits for all replies.
func (p *pipe) callAll(ctx context.Context, in target.SessionID, requests ...methodCall) error {
	answers := make([]<-chan reply, len(requests))
	for i, r := range requests {
		id, answer, err := p.send(string(in), r.method, r.params)
		if err != nil {
			return err
		}
		defer p.forget(id)
		answers[i] = answer
	}
	for i, answer := range answers {
		if _, err := p.wait(ctx, requests[i].method, answer); err != nil {
			return err
		}
	}
	return nil
}

// A session is a pipe with a context and a target.
type session struct {
	*pipe
	id  target.SessionID // empty: the browser itself
	ctx context.Context  //nolint:containedctx // the life of what is done in it
}

// call calls a method in a session and waits for its result.
func call[P, R any](s session, c cdp.Command[P, R], params P) (result R, err error) {
	data, err := s.request(s.ctx, string(s.id), c.Method, params)
	if err == nil {
		err = json.Unmarshal(data, &result)
	}
	return result, err
}

// do calls a method that has no result.
func do[P any](s session, c cdp.Command[P, cdp.Empty], params P) error {
	_, err := call(s, c, params)
	return err
}
