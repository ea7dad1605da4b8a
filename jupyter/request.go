package jupyter

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"easel/internal/wake"
	"easel/jupyter/wire"
)

// An ExecuteRequest says what code to run.
type ExecuteRequest struct {
	Code   string
	Silent bool // no execute_input, no count, no history
	// StoreHistory says whether the code is counted and stored in the kernel's history.
	// If it is nil, that depends on Silent.
	StoreHistory *bool
	// Stdin says that the code may ask for input: an input_request comes from Next, and AnswerInput
	// answers it. Otherwise input() raises an error.
	Stdin bool
}

// Execute sends code to the kernel's main shell and returns the request's msg_id
// immediately. The results are returned by Next, as messages with that parent. A failure
// does not drop the requests queued after it. Errors: ErrDisconnected while the connection is down, ErrRequestTooLarge,
// ErrClosed.
//
// A kernel that restarts loses requests silently. After a restart, call Probe before the
// next Execute.
func (k *Kernel) Execute(ctx context.Context, r ExecuteRequest) (msgID string, err error) {
	store := !r.Silent
	if r.StoreHistory != nil {
		store = *r.StoreHistory
	}
	l, err := k.live(true)
	if err != nil {
		return "", err
	}
	id := k.ids.next(false)
	k.shell.expect(r.Stdin)
	return id, k.send(ctx, l, k.executeRequest(id, wire.ExecuteRequest{
		Code: r.Code, Silent: r.Silent, StoreHistory: store, UserExpressions: map[string]string{}, AllowStdin: r.Stdin,
	}))
}

// AnswerInput answers an input_request, whose header is given. Errors: those of Execute.
func (k *Kernel) AnswerInput(ctx context.Context, request wire.Header, value string) error {
	l, err := k.live(true)
	if err != nil {
		return err
	}
	m := k.message(k.ids.next(false), wire.Stdin, "input_reply", wire.InputReply{Status: wire.ReplyOK, Value: value})
	m.Parent = request
	return k.send(ctx, l, m)
}

// endOfInput is the answer that raises EOFError.
const endOfInput = "\x04"

// declineInput answers an input_request of a request of ours that is not the user's code, such as of a repr.
func (k *Kernel) declineInput(m *wire.Message) {
	k.tasks.Go(func() {
		if err := k.AnswerInput(k.ctx, m.Header, endOfInput); err != nil {
			k.log.Warn("declining input", "err", err)
		}
	})
}

// Probe sends a request to the main shell. A nil error means that the kernel is alive,
// accepts requests, and that its messages on iopub arrive. (The server connects to the
// channels of a new process one after the other.) While the kernel is busy, Probe waits.
// It repeats requests that a restart loses.
func (k *Kernel) Probe(ctx context.Context) error {
	_, err := k.ask(ctx, question{channels: []string{wire.Shell}, echo: true})
	return err
}

// ProbeControl sends a request on the control channel, which kernels answer while they
// are busy.
func (k *Kernel) ProbeControl(ctx context.Context) error {
	_, err := k.Process(ctx)
	return err
}

// Process is ProbeControl that returns which process answered, by the session id in its
// headers. A new process has a new id. The id is "" if the kernel repeats its client's
// id.
func (k *Kernel) Process(ctx context.Context) (id string, err error) {
	reply, err := k.ask(ctx, question{channels: []string{wire.Control}})
	if err != nil || reply.Header.Session == k.ids.session {
		return "", err
	}
	return reply.Header.Session, nil
}

// A question is a kernel_info_request on some channels.
type question struct {
	channels []string
	joining  bool // the websocket has not answered yet
	echo     bool // also wait until iopub mentions it
}

// echoTries is how often to wait for iopub once there is a reply. A kernel that sends
// nothing on iopub violates the protocol, but otherwise works.
const echoTries = 3

// A query is the state of a question.
type query struct {
	*waitingRequest
	ids   []string
	first *wire.Message // the first reply; nil before
	told  bool          // iopub has mentioned it, or need not
}

// ask sends q repeatedly and returns the first reply.
func (k *Kernel) ask(ctx context.Context, q question) (*wire.Message, error) {
	a := &query{waitingRequest: &waitingRequest{reply: make(chan answer, 64), survivesRestart: true}, told: !q.echo}
	if q.echo {
		a.echoed = wake.New()
	}
	defer func() { k.waiting.drop(a.ids...) }()
	wait := k.tuning.probe
	for tries := 0; tries < echoTries; wait *= 2 {
		if err := k.put(ctx, q, a); err != nil {
			return nil, err
		}
		if done, err := k.hear(ctx, a, wait); done || err != nil {
			return a.first, err
		}
		if a.first != nil {
			tries++
		}
	}
	return a.first, nil
}

// put sends q once.
func (k *Kernel) put(ctx context.Context, q question, a *query) error {
	for _, channel := range q.channels {
		l, err := k.live(!q.joining)
		if err != nil {
			return err
		}
		m := k.message(k.ids.next(true), channel, "kernel_info_request", struct{}{})
		if len(a.ids) < cap(a.reply) { // there is a slot for each reply
			a.ids = append(a.ids, m.Header.MsgID)
			if err := k.await(m.Header.MsgID, a.waitingRequest); err != nil {
				return err
			}
		}
		if err := k.send(ctx, l, m); err != nil {
			return err
		}
	}
	return nil
}

// hear waits until a is answered completely, but at most patience.
func (k *Kernel) hear(ctx context.Context, a *query, patience time.Duration) (done bool, err error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for !a.told || a.first == nil {
		select {
		case r := <-a.reply:
			if r.err != nil {
				return false, r.err
			}
			a.first = r.m
		case <-a.echoed:
			a.told = true
		case <-timer.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-k.ctx.Done():
			return false, context.Cause(k.ctx)
		}
	}
	return true, nil
}

// roundTrip sends m and waits for its reply.
func (k *Kernel) roundTrip(ctx context.Context, m *wire.Message) (*wire.Message, error) {
	l, err := k.live(true)
	if err != nil {
		return nil, err
	}
	return k.exchange(ctx, m, func() error { return k.send(ctx, l, m) })
}

// exchange calls send, which sends m, and waits for the reply.
func (k *Kernel) exchange(ctx context.Context, m *wire.Message, send func() error) (*wire.Message, error) {
	p := &waitingRequest{reply: make(chan answer, 1)}
	id := m.Header.MsgID
	if err := k.await(id, p); err != nil {
		return nil, err
	}
	defer k.waiting.drop(id)
	if err := send(); err != nil {
		return nil, err
	}
	silent := time.AfterFunc(k.tuning.probe, k.check.Notify) // perhaps the kernel is gone
	defer silent.Stop()
	select {
	case a := <-p.reply:
		return a.m, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-k.ctx.Done():
		return nil, context.Cause(k.ctx)
	}
}

// await registers p for the reply to the request id.
func (k *Kernel) await(id string, p *waitingRequest) error {
	if !k.waiting.add(id, p) { // the connection was lost since the caller checked
		return k.whyDown()
	}
	return nil
}

// send passes m to the writer of the kernel's own sockets or of l.
func (k *Kernel) send(ctx context.Context, l *webSocket, m *wire.Message) error {
	if k.sockets != nil {
		return k.sockets.send(ctx, m)
	}
	return l.send(ctx, m)
}

// live returns the websocket. With ready, it must have answered.
func (k *Kernel) live(ready bool) (*webSocket, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx.Err() != nil || k.socket == nil || ready && !k.connected {
		return nil, k.whyDown()
	}
	return k.socket, nil
}

func (k *Kernel) whyDown() error {
	if cause := context.Cause(k.ctx); cause != nil {
		return cause
	}
	return ErrDisconnected
}

// noPause tells a kernel of the managed Jupyter not to sleep before its reply for output
// that subprocesses may still print. The kernel tracks that output itself
// (easel_flush.py), and this client does not treat the reply as the end.
var noPause = json.RawMessage(`{"easel":{"pause":false}}`)

func (k *Kernel) executeRequest(id string, content wire.ExecuteRequest) *wire.Message {
	m := k.message(id, wire.Shell, "execute_request", content)
	if k.sockets != nil {
		m.Metadata = noPause
	}
	return m
}

// message returns a request of ours.
func (k *Kernel) message(id, channel, kind string, content any) *wire.Message {
	data, err := json.Marshal(content)
	if err != nil {
		panic(fmt.Sprintf("jupyter: content of %s: %v", kind, err)) // cannot happen: structs of strings and bools
	}
	return &wire.Message{
		Channel: channel,
		Header: wire.Header{
			MsgID: id, MsgType: kind, Session: k.ids.session, Username: "easel",
			Version: wire.ProtocolVersion, Date: time.Now(),
		},
		Content: data,
	}
}
