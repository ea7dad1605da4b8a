package inputs

import (
	"regexp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/pycode"
	"easel/ui/window/kit"
)

// step shows another open question.
func (p *Region) step(by int) {
	if n := len(p.open); n > 1 {
		p.turn((max(p.index(), 0) + by + n) % n)
	}
}

func (p *Region) turn(i int) {
	s := p.port.Snapshot()
	p.show(p.open[i])
	p.update(s, i)
}

// Asks returns the id of the execution whose question the user can answer now; "" if there is none.
func (p *Region) Asks() string {
	if i := p.index(); i >= 0 && p.Ready() {
		return p.open[i].ExecutionID
	}
	return ""
}

// Go shows the question of an execution, or any if execution is "", and gives the field the focus. It
// returns false if nothing is asked.
func (p *Region) Go(execution string) bool {
	i := p.index()
	if execution != "" {
		i = slices.IndexFunc(p.open, func(q command.InputQuestion) bool { return q.ExecutionID == execution })
	}
	if i < 0 {
		return false
	}
	if p.open[i].ID != p.id {
		p.turn(i)
	}
	if p.port.Fullscreen() {
		p.port.LeaveFullscreen()
		return true
	}
	p.port.Focus(p.field)
	return true
}

// Send sends what is typed, if the user can answer now. An empty answer is valid.
func (p *Region) Send() {
	if !p.Ready() || p.port.Fullscreen() {
		return
	}
	p.sent = p.id
	p.buttons()
	in := command.InputAnswer{ID: p.id, Value: p.field.Text}
	p.field.SetText("")
	p.port.Answer(in, func(err error) {
		if err == nil {
			return
		}
		if p.sent == in.ID {
			p.sent = ""
		}
		if p.id == in.ID && p.field.Text == "" {
			p.field.SetText(in.Value)
		}
		p.buttons()
	})
}

// interrupt stops the code that asks.
func (p *Region) interrupt() {
	if i := p.index(); i >= 0 {
		p.port.Interrupt(p.open[i].SessionID)
	}
}

// asks matches what asks the user for input.
var asks = regexp.MustCompile(`\b(?:input|getpass|readline|readLines|askpass|set_trace|breakpoint)\s*\(`)

// lineThatAsks returns the line of code that asks, as far as that can be seen, or what the code is about.
func lineThatAsks(q command.InputQuestion) string {
	prompt, asked := strings.TrimSpace(q.Prompt), ""
	for line := range strings.SplitSeq(q.Code, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case !asks.MatchString(line) || strings.HasPrefix(line, "#"):
		case prompt != "" && strings.Contains(line, prompt):
			return line
		case asked == "":
			asked = line
		}
	}
	if asked != "" {
		return asked
	}
	return pycode.Subject(q.Code)
}

// A Draft is where the user is typing in a region, for the region that replaces it. What is typed is in
// Port.Drafts.
type Draft struct {
	id     string
	hidden bool
	caret  kit.Caret
}

// Draft returns where the user is typing. focused is what has the keyboard focus.
func (p *Region) Draft(focused fyne.Focusable) Draft {
	return Draft{p.id, p.field.Password, p.field.Caret(focused)}
}

// Resume continues in the question in which the user was typing in another region.
func (p *Region) Resume(d Draft) {
	p.Render(p.port.Snapshot())
	i := slices.IndexFunc(p.open, func(q command.InputQuestion) bool { return q.ID == d.id })
	if i < 0 {
		return
	}
	if p.id != d.id {
		p.turn(i)
	}
	p.hide(d.hidden)
	p.field.Resume(d.caret, p.port.Focus)
}
