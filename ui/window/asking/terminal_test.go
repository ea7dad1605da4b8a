package asking

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/window/i18n"
)

// A desk is an Easel with questions, and a person who types what each text on the terminal leads to.
type desk struct {
	t       *testing.T
	mu      sync.Mutex
	open    []command.TerminalQuestion
	changed chan struct{}
	answers []catalog.QuestionAnswer
	shown   strings.Builder
	types   map[string]string // by the text that it follows
	keys    *io.PipeWriter
}

func (d *desk) ask(ctx context.Context, in command.TerminalRequest) ([]command.TerminalQuestion, error) {
	for {
		d.mu.Lock()
		open, changed := d.open, d.changed
		if in.Answer != nil {
			d.answers = append(d.answers, *in.Answer)
			d.set(d.open[1:])
			d.mu.Unlock()
			return nil, nil
		}
		d.mu.Unlock()
		if len(open) != len(in.Known) {
			return open, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (d *desk) set(open []command.TerminalQuestion) {
	d.open = open
	close(d.changed)
	d.changed = make(chan struct{})
}

// Write implements io.Writer: it is the screen.
func (d *desk) Write(p []byte) (int, error) {
	d.shown.Write(p)
	for text, typed := range d.types {
		if strings.HasSuffix(d.shown.String(), text) {
			delete(d.types, text)
			go func() { // the person types at their own pace
				if typed == "^D" {
					_ = d.keys.Close()
				} else {
					_, _ = io.WriteString(d.keys, typed)
				}
			}()
		}
	}
	return len(p), nil
}

func TestAPersonAnswersInATerminal(t *testing.T) {
	t.Parallel()
	form := func(message string) catalog.QuestionForm {
		return catalog.QuestionForm{Message: message, Choices: []string{"Yes", "All", "No"}, Label: "Answer", Words: "Reason"}
	}
	in, keys := io.Pipe()
	d := &desk{t: t, changed: make(chan struct{}), keys: keys, open: []command.TerminalQuestion{
		{ID: "1", Form: form("first")}, {ID: "2", Form: form("second")}, {ID: "3", Form: form("third")},
	}}
	d.types = map[string]string{
		"first\n\n  1  Yes\n  2  All\n  3  No\nYour answer (1 to 3; empty: leave it): ":  "9\n2\n",
		"second\n\n  4  Yes\n  5  All\n  6  No\nYour answer (4 to 6; empty: leave it): ": "1\n6\n", "Reason: ": "  Not now. \n",
		"third\n\n  7  Yes\n  8  All\n  9  No\nYour answer (7 to 9; empty: leave it): ": "\n", "Left open.\n": "^D",
	}
	require.NoError(t, NewTerminal(i18n.New("en"), in, d, d.ask).Run(t.Context()))
	want := []catalog.QuestionAnswer{{ApprovalID: "1", Choice: 1}, {ApprovalID: "2", Choice: 2, Words: "Not now."}}
	if diff := cmp.Diff(want, d.answers); diff != "" || len(d.types) > 0 {
		t.Errorf("%s\nnot typed: %v\n%s", diff, d.types, d.shown.String())
	}
}

func TestAQuestionIsAnsweredElsewhereMeanwhile(t *testing.T) {
	t.Parallel()
	in, keys := io.Pipe()
	d := &desk{t: t, changed: make(chan struct{}), keys: keys}
	d.types = map[string]string{"no longer open.\n": "^D"}
	d.open = []command.TerminalQuestion{{ID: "1", Form: catalog.QuestionForm{Message: "first", Choices: []string{"Yes", "No"}}}}
	ended := make(chan error, 1)
	screen := &prompted{Writer: d, prompt: "leave it): ", then: func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.set(nil)
	}}
	go func() { ended <- NewTerminal(i18n.New("en"), in, screen, d.ask).Run(t.Context()) }()
	require.NoError(t, <-ended)
	if len(d.answers) > 0 {
		t.Errorf("answered: %v", d.answers)
	}
}

// prompted calls then after a prompt.
type prompted struct {
	io.Writer
	prompt string
	then   func()
}

func (p *prompted) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if strings.HasSuffix(string(b), p.prompt) {
		go p.then()
	}
	return n, err
}
