package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"easel/internal/truncate"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/userinput"
)

// An InputAsker asks the user what running code asks for. A [userinput.Questions] is one.
type InputAsker interface {
	// Possible reports whether there is a window, in which the user could answer.
	Possible() bool
	// Ask blocks until the user has answered or ctx ends. For an assistant's code, it returns
	// userinput.ErrUnanswered after some time.
	Ask(ctx context.Context, q command.InputQuestion) (string, error)
}

// An openInput is what code that runs asks the user for.
type openInput struct {
	message  *wire.Message // the input_request
	content  wire.InputRequest
	question command.InputQuestion
	withdraw context.CancelFunc
}

// mostPrompt is how much of a prompt is shown to the user and to models, in characters.
const mostPrompt = 2000

// askable reports whether the user can be asked for input by code that is sent now.
func (d *dispatcher) askable() bool { return d.env.Input != nil && d.env.Input.Possible() }

// recordInputRequest asks the user what u asks for. While they think, the timeout of u does not run.
// Another client's code asks that client.
func (r *Recorder) recordInputRequest(m *wire.Message, u *queuedExecution) {
	d := r.dispatch
	if u == nil || !u.own || u != d.current || u.send != nil {
		return
	}
	if !u.stdin && !u.resumed || !d.askable() {
		d.halt(u, causeInput)
		return
	}
	if u.stop != (cause{}) && u.stop.status != catalog.StatusInterrupted {
		return // the next interrupt ends it
	}
	var q wire.InputRequest
	if err := m.Decode(&q); err != nil {
		r.log.Warn("an input_request cannot be read", "err", err)
	}
	if u.retryTimer != nil {
		u.retryTimer.Stop() // the code has caught the interrupt, and asks something else
	}
	r.begin(u) // its busy comes over another socket
	d.closeInput(u)
	r.outputs.flush()
	u.inputs++
	rec := u.x.Record()
	in := &openInput{message: m, content: q, question: command.InputQuestion{
		ID: fmt.Sprintf("%s-%d", rec.ID, u.inputs), ExecutionID: rec.ID, SessionID: rec.SessionID, Client: cmp.Or(u.by.Trust.Client, rec.Client),
		Assistant: u.by.Assistant, ByUser: rec.Transport == string(tool.Window), Code: rec.Code,
		Prompt: truncate.Runes(q.Prompt, mostPrompt), Password: q.Password,
	}}
	if in.question.Prompt == "" {
		in.question.Before = u.x.LastLine(mostPrompt)
	}
	u.input = in
	d.ask(u, in)
}

// ask shows the question to the user, without blocking.
func (d *dispatcher) ask(u *queuedExecution, in *openInput) {
	if u.timeoutTimer != nil {
		u.timeoutTimer.Stop()
		u.timeLeft = time.Until(u.timeoutAt)
	}
	ctx, cancel := context.WithCancel(d.env.Tasks.Context())
	in.withdraw = cancel
	u.x.AwaitInput(&catalog.AwaitedInput{Prompt: cmp.Or(in.question.Prompt, in.question.Before), Password: in.question.Password})
	u.shown = nil
	d.journal.notify(catalog.ExecutionOutput, u)
	d.env.Tasks.Go(func() {
		defer cancel()
		value, err := d.env.Input.Ask(ctx, in.question)
		d.mail.post(func() { d.inputAnswered(u, in, value, err) })
	})
}

// hideInput withdraws the question of u from the user, for example because u is interrupted or the
// connection is lost.
func (d *dispatcher) hideInput(u *queuedExecution) {
	if !u.asking() {
		return
	}
	u.input.withdraw()
	u.input.withdraw, u.shown = nil, nil
	u.x.AwaitInput(nil)
	if u.timeoutTimer != nil {
		d.bound(u, max(u.timeLeft, 0))
	}
	d.journal.notify(catalog.ExecutionOutput, u)
}

// asking reports whether the user is being asked for the input of u.
func (u *queuedExecution) asking() bool { return u.input != nil && u.input.withdraw != nil }

// dropInput withdraws the question of u, which ends.
func (u *queuedExecution) dropInput() {
	if u.asking() {
		u.input.withdraw()
	}
	u.input = nil
}

// closeInput forgets the question of u.
func (d *dispatcher) closeInput(u *queuedExecution) {
	d.hideInput(u)
	u.input = nil
}

// askAgain asks the question of the current execution again, which hideInput has withdrawn.
func (d *dispatcher) askAgain() {
	if u := d.current; u != nil && u.input != nil && !u.asking() && !u.phase.ended() {
		d.ask(u, u.input)
	}
}

// inputAnswered sends the user's answer to the kernel. Without an answer, it interrupts u.
func (d *dispatcher) inputAnswered(u *queuedExecution, in *openInput, value string, err error) {
	if u.input != in || !u.asking() || u.phase.ended() {
		return
	}
	switch {
	case errors.Is(err, userinput.ErrUnanswered):
		d.closeInput(u)
		d.halt(u, causeUnanswered(in.question))
	case err != nil: // Easel quits; see leaveInput
	default:
		err = d.link.conn.AnswerInput(d.env.Tasks.Context(), in.message.Header, value)
		if err != nil { // the connection is lost; askAgain follows
			d.log.Warn("an answer could not be sent to the kernel", "err", err)
			d.hideInput(u)
			return
		}
		d.closeInput(u)
		d.echo(u, in, value)
	}
}

// hiddenAnswer stands for a password in the output, as in JupyterLab.
const hiddenAnswer = "········"

// echo adds the question and the answer to the output, as a notebook does.
func (d *dispatcher) echo(u *queuedExecution, in *openInput, value string) {
	if in.content.Password {
		value = hiddenAnswer
	}
	text, _ := json.Marshal(wire.Stream{Name: "stdout", Text: in.content.Prompt + value + "\n"}) // strings: no error
	d.finisher.outputs.recordOutput(&wire.Message{
		Channel: wire.IOPub, Header: wire.Header{MsgType: "stream"}, Parent: in.message.Parent, Content: text,
	}, u)
}

// causeUnanswered is the cause for code whose question nobody answered.
func causeUnanswered(q command.InputQuestion) cause {
	what := "input"
	if q.Password {
		what = "a password"
	}
	return cause{
		catalog.StatusTimeout, catalog.CodeTimeout,
		fmt.Sprintf("The user did not answer in time: the code asked for %s (%q) and was interrupted. What it printed and drew before is kept.",
			what, truncate.Runes(cmp.Or(q.Prompt, q.Before), 200)),
		"", "",
	}
}

// causeUnasked is the cause for code that asks for input while Easel quits.
var causeUnasked = cause{
	catalog.StatusInterrupted, catalog.CodeInterrupted,
	"Easel was quit while the code waited for the user's answer, and interrupted it. What it printed and drew before is kept.", "", "",
}

// leaveInput interrupts the current execution if it asks for input, because nobody could answer once
// Easel has quit.
func (d *dispatcher) leaveInput() {
	u := d.current
	if u == nil || !u.asking() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.env.Tasks.Context()), quitInterrupt)
	defer cancel()
	if err := d.link.Client.InterruptKernel(ctx, d.link.KernelID()); err != nil {
		d.log.Warn("interrupting code that asks for input", "err", err)
		return
	}
	d.finish(u, causeUnasked)
}

// quitInterrupt is the time limit for an interrupt while Easel quits.
const quitInterrupt = 2 * time.Second
