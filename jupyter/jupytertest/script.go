package jupytertest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"easel/jupyter/wire"
)

// receive handles a request.
func (k *Kernel) receive(m *wire.Message) {
	k.mu.Lock()
	k.received = append(k.received, m)
	k.changed()
	lost := k.swallow[m.Header.MsgType] > 0
	if lost {
		k.swallow[m.Header.MsgType]--
	}
	k.mu.Unlock()
	if lost {
		return
	}
	switch m.Header.MsgType {
	case "kernel_info_request":
		if m.Channel == wire.Shell {
			k.later(func(context.Context) { k.inform(m) })
			return
		}
		k.inform(m)
	case "execute_request":
		var r wire.ExecuteRequest
		if err := m.Decode(&r); err != nil {
			k.t.Errorf("fake kernel: %v", err)
			return
		}
		run := func(life context.Context) { k.run(life, m, r) }
		if m.Header.SubshellID != "" {
			k.inSubshell(m, run)
			return
		}
		k.later(run)
	case "input_reply":
		k.inputs <- m
	case "create_subshell_request", "delete_subshell_request", "list_subshell_request":
		k.manageSubshells(m)
	}
}

// later runs f on the main shell, unless the kernel restarts before.
func (k *Kernel) later(f func(life context.Context)) {
	k.mu.Lock()
	life := k.life
	k.mu.Unlock()
	k.work <- func() {
		if life.Err() == nil {
			f(life)
		}
	}
}

// inSubshell runs f in a subshell, if it exists.
func (k *Kernel) inSubshell(m *wire.Message, f func(life context.Context)) {
	k.mu.Lock()
	life, known := k.life, slices.Contains(k.subshells, m.Header.SubshellID)
	if known {
		k.task(func() { f(life) })
	}
	k.mu.Unlock()
	if known {
		return
	}
	k.Send(wire.Shell, "execute_reply", m.Header, wire.ExecuteReply{
		Status: wire.ReplyError, Ename: "UnknownSubshellError", Evalue: "Unknown subshell_id " + m.Header.SubshellID,
	})
}

// DeleteSubshells deletes all subshells, as another client might.
func (k *Kernel) DeleteSubshells() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.subshells = nil
}

func (k *Kernel) inform(m *wire.Message) {
	k.mu.Lock()
	features := []string{"debugger", "kernel subshells"}
	if k.nSubshells {
		features = features[:1]
	}
	k.mu.Unlock()
	k.wrapped(m, func() {
		k.Send(m.Channel, "kernel_info_reply", m.Header, wire.KernelInfoReply{
			Status: wire.ReplyOK, ProtocolVersion: "5.3", Implementation: "fake", Banner: "Fake Python",
			LanguageInfo: wire.LanguageInfo{Name: "python", Version: "3.14.0"}, SupportedFeatures: features,
		})
	})
}

// wrapped sends busy and idle around f.
func (k *Kernel) wrapped(m *wire.Message, f func()) {
	k.Send(wire.IOPub, "status", m.Header, wire.Status{ExecutionState: wire.StateBusy})
	f()
	k.Send(wire.IOPub, "status", m.Header, wire.Status{ExecutionState: wire.StateIdle})
}

func (k *Kernel) manageSubshells(m *wire.Message) {
	var reply any = wire.CreateSubshellReply{Status: wire.ReplyOK} // a deletion is answered with only the status
	k.mu.Lock()
	switch m.Header.MsgType {
	case "create_subshell_request":
		id := uuid.NewString()
		k.subshells = append(k.subshells, id)
		reply = wire.CreateSubshellReply{Status: wire.ReplyOK, SubshellID: id}
	case "list_subshell_request":
		reply = wire.ListSubshellReply{Status: wire.ReplyOK, SubshellIDs: slices.Clone(k.subshells)}
	default:
		var r wire.CreateSubshellReply
		_ = m.Decode(&r) // an unknown one is not found below
		k.subshells = slices.DeleteFunc(k.subshells, func(id string) bool { return id == r.SubshellID })
	}
	k.mu.Unlock()
	kind := strings.TrimSuffix(m.Header.MsgType, "request") + "reply"
	k.Send(wire.Control, kind, m.Header, reply)
}

// Subshells returns the ids of the subshells.
func (k *Kernel) Subshells() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.subshells...)
}

func (k *Kernel) run(life context.Context, m *wire.Message, r wire.ExecuteRequest) {
	k.mu.Lock()
	execute, evaluate, interrupts := k.execute, k.evaluate, k.interrupts
	k.mu.Unlock()
	if r.Silent && len(r.UserExpressions) > 0 {
		if evaluate == nil {
			evaluate = echo
		}
		k.wrapped(m, func() { k.Send(wire.Shell, "execute_reply", m.Header, evaluate(r)) })
		return
	}
	if !r.Silent {
		k.mu.Lock()
		k.count++
		k.mu.Unlock()
	}
	x := &Execution{Code: r.Code, Request: r, Header: m.Header, Count: k.counted(), k: k, life: life, interrupts: interrupts}
	if execute == nil {
		execute = func(x *Execution) { x.Usual(func() {}) }
	}
	execute(x)
}

func (k *Kernel) counted() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.count
}

// echo answers each expression with its own text.
func echo(r wire.ExecuteRequest) wire.ExecuteReply {
	reply := wire.ExecuteReply{Status: wire.ReplyOK, UserExpressions: make(map[string]wire.ExpressionResult)}
	for name, expression := range r.UserExpressions {
		reply.UserExpressions[name] = wire.ExpressionResult{
			Status: wire.ReplyOK, Data: map[string]json.RawMessage{"text/plain": marshal(expression)},
		}
	}
	return reply
}

// An Execution is an execute_request that a script handles. Its methods send messages
// with that parent, in the order in which the script calls them. After the kernel has
// restarted or died, they send nothing.
type Execution struct {
	Code    string
	Request wire.ExecuteRequest
	Header  wire.Header // of the request
	Count   int

	k          *Kernel
	life       context.Context //nolint:containedctx // see Context
	interrupts chan struct{}
}

// Context ends when the kernel restarts, dies or is deleted.
func (x *Execution) Context() context.Context { return x.life }

// Interrupted is closed when the kernel is interrupted.
func (x *Execution) Interrupted() <-chan struct{} { return x.interrupts }

// Inputs has the answers to input_requests.
func (x *Execution) Inputs() <-chan *wire.Message { return x.k.inputs }

// Send sends any message with the request as its parent.
func (x *Execution) Send(channel, kind string, content any) {
	if x.life.Err() == nil {
		x.k.Send(channel, kind, x.Header, content)
	}
}

// Busy sends status busy, and makes REST report it.
func (x *Execution) Busy() {
	x.k.setState(wire.StateBusy)
	x.Send(wire.IOPub, "status", wire.Status{ExecutionState: wire.StateBusy})
}

// Idle sends status idle, and makes REST report it.
func (x *Execution) Idle() {
	if x.life.Err() == nil {
		x.k.setState(wire.StateIdle)
	}
	x.Send(wire.IOPub, "status", wire.Status{ExecutionState: wire.StateIdle})
}

// Input sends execute_input.
func (x *Execution) Input() {
	x.Send(wire.IOPub, "execute_input", wire.ExecuteInput{Code: x.Code, ExecutionCount: x.Count})
}

// Stream sends printed text; name is stdout or stderr.
func (x *Execution) Stream(name, text string) {
	x.Send(wire.IOPub, "stream", wire.Stream{Name: name, Text: text})
}

// Display sends display_data with these forms by MIME type. displayID may be "".
func (x *Execution) Display(forms map[string]any, displayID string) {
	x.Send(wire.IOPub, "display_data", display(forms, displayID))
}

// DisplayFacts sends display_data with the numbers that it shows, in transient data.
func (x *Execution) DisplayFacts(forms map[string]any, facts []byte) {
	d := display(forms, "")
	d.Transient.Easel = facts
	x.Send(wire.IOPub, "display_data", d)
}

// Update sends update_display_data.
func (x *Execution) Update(forms map[string]any, displayID string) {
	x.Send(wire.IOPub, "update_display_data", display(forms, displayID))
}

func display(forms map[string]any, displayID string) wire.DisplayData {
	d := wire.DisplayData{
		Data: make(map[string]json.RawMessage), Metadata: map[string]json.RawMessage{},
		Transient: wire.Transient{DisplayID: displayID},
	}
	for mime, form := range forms {
		d.Data[mime] = marshal(form)
	}
	return d
}

// Result sends execute_result with text/plain.
func (x *Execution) Result(text string) {
	x.Send(wire.IOPub, "execute_result", wire.ExecuteResult{
		DisplayData: display(map[string]any{"text/plain": text}, ""), ExecutionCount: x.Count,
	})
}

// Clear sends clear_output.
func (x *Execution) Clear(wait bool) {
	x.Send(wire.IOPub, "clear_output", wire.ClearOutput{Wait: wait})
}

// Error sends the iopub error message.
func (x *Execution) Error(ename, evalue string) {
	x.Send(wire.IOPub, "error", wire.ErrorContent{Ename: ename, Evalue: evalue, Traceback: []string{ename + ": " + evalue}})
}

// Reply sends the execute_reply with a status: ok, error or aborted.
func (x *Execution) Reply(status string) {
	x.Send(wire.Shell, "execute_reply", wire.ExecuteReply{Status: status, ExecutionCount: x.Count})
}

// Fail sends an execute_reply with an exception.
func (x *Execution) Fail(ename, evalue string) {
	x.Send(wire.Shell, "execute_reply", wire.ExecuteReply{
		Status: wire.ReplyError, ExecutionCount: x.Count, Ename: ename, Evalue: evalue, Traceback: []string{ename + ": " + evalue},
	})
}

// Usual sends busy and execute_input, runs f, and sends the reply ok and idle.
func (x *Execution) Usual(f func()) {
	x.Busy()
	x.Input()
	f()
	x.Reply(wire.ReplyOK)
	x.Idle()
}
