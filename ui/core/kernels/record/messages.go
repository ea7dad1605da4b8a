package record

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/language"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
)

// executeRequest is the type of the requests that occupy a kernel.
const executeRequest = "execute_request"

// occupies reports whether a request occupies the main shell of the kernel, so that no other
// code runs at the same time.
func occupies(request wire.Header) bool {
	return request.MsgType == executeRequest && request.SubshellID == ""
}

// record handles one message from the kernel.
func (r *Recorder) record(in jupyter.Delivery) {
	m := in.Message
	u := r.runOf(m)
	r.noticeProcess(m, u)
	if u != nil {
		u.lastSign = in.At
		if u.lastWord = r.Link.conn.Clock(m.Header.Date); u.lastWord.IsZero() {
			u.lastWord = in.At.UTC()
		}
		u.recordLoss(in)
	}
	switch m.Header.MsgType {
	case "status":
		r.recordStatus(m, u)
	case "shutdown_reply":
		r.recordShutdown(m)
	case "execute_reply":
		r.recordReply(m, u)
	case "execute_input":
		r.recordInput(m, u)
	case "comm_open", "comm_msg", "comm_close":
		r.outputs.recordComm(m, u)
	case "input_request":
		r.recordInputRequest(m, u)
	case "stream", "display_data", "execute_result", "update_display_data", "error", "clear_output":
		if u == nil {
			u = r.watch(m, "")
		}
		if u != nil && r.others.recordsOutput(m, u) {
			r.outputs.recordOutput(m, u)
		}
	}
}

// recordLoss adds notes about messages of u that were not received.
func (u *queuedExecution) recordLoss(in jupyter.Delivery) {
	if in.Dropped > 0 {
		var s wire.Stream
		_ = in.Message.Decode(&s) // created by package jupyter; without a name, it is stdout
		stream := "stdout"
		if s.Name == "stderr" {
			stream = s.Name
		}
		u.x.Truncate(stream, in.Dropped, "more arrived at once than Easel takes (64 MiB); this much of the text was dropped")
	}
	if in.Err != nil {
		u.x.Truncate("output", 0, "an output was dropped as a whole: "+in.Err.Error()+". Print less at once, or write it to a file")
	}
}

// runOf returns the run that m is about, or nil if it is unknown. The run may date from
// before the kernel was joined. The message proves that the kernel knows the run, so runOf
// updates what was doubtful about it.
func (r *Recorder) runOf(m *wire.Message) *queuedExecution {
	u := r.ledger.byID[m.Parent.MsgID]
	if x, ok := r.ledger.endedBefore[m.Parent.MsgID]; ok {
		u = r.restoreEnded(x)
	}
	if u == nil {
		return nil
	}
	switch {
	case u.phase == runUnconfirmed:
		r.confirm(u)
	case r.Session.phase != kernelDisconnected:
		u.clearDoubt()
	}
	if u.resumed {
		r.dispatch.adopt(u)
	}
	return u
}

// watch starts recording code that another client runs, or that ran before Easel joined the
// kernel. It returns nil if m does not belong to an execution.
func (r *Recorder) watch(m *wire.Message, code string) *queuedExecution {
	if m.Parent.MsgID == "" || m.Parent.MsgType != executeRequest {
		return nil
	}
	now := time.Now().UTC()
	if !r.others.recordsRun(now, code) {
		return nil
	}
	u := &queuedExecution{request: m.Parent.MsgID, lastSign: now}
	u.x = execution.New(r.env.Library, library.Execution{
		ID: newID(), SessionID: r.Session.Stored().ID, KernelID: r.Link.KernelID(), Generation: r.Session.Stored().Generation, Request: u.request,
		Code: code, Client: watched(m.Parent), Transport: catalog.TransportJupyter, Status: catalog.StatusRunning,
		CreatedAt: now, StartedAt: now,
	})
	r.others.last = u
	u.advance(r.log, runRunning)
	r.env.Executions.Add(u.x)
	r.ledger.track(u)
	r.Session.SetUsed(time.Now())
	r.journal.keep(u)
	r.journal.notify(catalog.ExecutionStarted, u)
	return u
}

// watched returns the name of the client that runs code, as far as the protocol has one.
func watched(parent wire.Header) string {
	if parent.Username == "" || parent.Username == "username" {
		return "Jupyter"
	}
	return "Jupyter (" + parent.Username + ")"
}

func (r *Recorder) recordStatus(m *wire.Message, u *queuedExecution) {
	var s wire.Status
	if m.Decode(&s) != nil {
		return
	}
	request := m.Parent.MsgID
	switch s.ExecutionState {
	case "busy", "idle":
		if r.process.hasEnded(m) {
			return
		}
	}
	switch s.ExecutionState {
	case "busy":
		if u != nil && u.own && !u.phase.ended() {
			r.begin(u)
		} else if occupies(m.Parent) {
			r.foreign.set(request)
			r.process.runs()
		}
	case "idle":
		if r.foreign.request == request || r.foreign.request == unknownRequest && occupies(m.Parent) {
			r.foreign.end(u)
		}
		if u != nil {
			r.dispatch.idle(u)
		}
		if request != "" && (r.Session.phase == kernelRestarting || r.Session.phase == kernelDead) { // it responds again
			r.Session.become(kernelUnconfirmed)
		}
	case "restarting":
		r.process.runs() // each such message is a separate death
		r.died(catalog.MessageDiedRestarted, s.End)
	case "dead":
		r.died(catalog.MessageDied, s.End)
		if r.Session.phase != kernelDisconnected {
			r.Session.become(kernelDead)
		}
	case "starting":
		if r.process.use == processUsed && request == "" {
			r.restart(catalog.MessageRestarted, false, sessionuse.OutsideEasel)
		}
		r.probeRestarted()
	}
}

// begin records that the kernel has started u.
func (r *Recorder) begin(u *queuedExecution) {
	if r.dispatch.begin(u) {
		r.process.runs()
	}
}

func (r *Recorder) recordInput(m *wire.Message, u *queuedExecution) {
	var in wire.ExecuteInput
	if m.Decode(&in) != nil {
		return
	}
	if u == nil {
		u = r.dispatch.takeElsewhere(m, in.Code)
	}
	if u == nil && language.Asks(in.Code) {
		return // another Easel reads the kernel; IRkernel tells everyone of silent code
	}
	if u == nil {
		u = r.watch(m, in.Code)
		if u == nil {
			return
		}
		r.foreign.set(u.request)
		r.risks.learn(in.Code, true, true)
	}
	u.x.Count(in.ExecutionCount)
	if u.own {
		r.begin(u)
	} else if u.x.Record().Code == "" && r.others.recordsOutput(m, u) {
		u.x.SetCode(in.Code)
	}
}

func (r *Recorder) recordReply(m *wire.Message, u *queuedExecution) {
	var reply wire.ExecuteReply
	if u == nil || m.Decode(&reply) != nil {
		return
	}
	u.reply = cmp.Or(reply.Status, "without a status")
	if reply.ExecutionCount > 0 {
		u.x.Count(reply.ExecutionCount)
	}
	r.outputs.recordPages(u, reply)
	u.quits = slices.ContainsFunc(reply.Payload, wire.AsksExit)
	if reply.Status == "error" && u.failure == nil {
		u.failure = u.exception(reply.Ename, reply.Evalue, reply.Traceback)
	}
	if u == r.dispatch.current {
		r.dispatch.finisher.storeEnd(u)
	}
	r.dispatch.finishIfDone(u)
}

const keyboardInterrupt = "KeyboardInterrupt"

// exception is executionError that notes what of the message is not kept.
func (u *queuedExecution) exception(name, value string, traceback []string) *catalog.ExecutionError {
	if _, dropped := execution.Kept(value); dropped > 0 {
		u.x.Truncate("error.message", int64(len(value)), "an exception's message is kept up to 1 MiB")
	}
	return executionError(name, value, traceback)
}

// longestType is the number of characters that are kept of an exception's class.
const longestType = 200

func executionError(name, value string, traceback []string) *catalog.ExecutionError {
	if name == noInput {
		return inputError(value, traceback)
	}
	name = truncate.Runes(name, longestType)
	value, _ = execution.Kept(value)
	whole, _ := execution.Kept(strings.Join(traceback, "\n"))
	return &catalog.ExecutionError{
		Code: catalog.CodeExecution, Type: name, Message: cmp.Or(mimebundle.Plain(value), name),
		Traceback: mimebundle.Plain(whole),
	}
}
