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

	"github.com/go-rod/rod/lib/proto"
)

// maxMessage bounds a message from the browser: a picture in base64 is the largest.
const maxMessage = 512 << 20

var errGone = errors.New("the browser has ended")

// A pipe speaks the DevTools protocol over a pair of pipes, a zero byte behind each
// message. What comes out of the browser is data, and may be wrong: nothing here panics.
type pipe struct {
	out     io.WriteCloser
	writing sync.Mutex

	mu      sync.Mutex
	last    int
	pending map[int]chan<- reply // nil once the browser has gone
	gone    chan struct{}        // closed then
	handle  func(event)          // is called on the reader; must not wait for a call
}

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *protocolError  `json:"error"`
}

// An event is what a session of the browser reports.
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

// read reads until the browser ends. Calls that wait fail then.
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
			waiting <- head.reply // has room for it
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

// send sends a request and returns where its reply arrives.
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

// Call calls a method and waits for its result. It is what package proto wants of a client.
func (p *pipe) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
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

// callAll calls methods that do not need each other's results, and waits for all of them.
func (p *pipe) callAll(ctx context.Context, in proto.TargetSessionID, requests ...proto.Request) error {
	answers := make([]<-chan reply, len(requests))
	for i, r := range requests {
		id, answer, err := p.send(string(in), r.ProtoReq(), r)
		if err != nil {
			return err
		}
		defer p.forget(id)
		answers[i] = answer
	}
	for i, answer := range answers {
		if _, err := p.wait(ctx, requests[i].ProtoReq(), answer); err != nil {
			return err
		}
	}
	return nil
}

// A session is a pipe as package proto calls it: with a context and a target.
type session struct {
	*pipe
	id  proto.TargetSessionID // empty: the browser itself
	ctx context.Context       //nolint:containedctx // as package proto has it
}

func (s session) GetSessionID() proto.TargetSessionID { return s.id }
func (s session) GetContext() context.Context         { return s.ctx }

var (
	_ proto.Client      = session{}
	_ proto.Sessionable = session{}
	_ proto.Contextable = session{}
)
