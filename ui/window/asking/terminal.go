package asking

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/window/i18n"
)

// typedLines returns the lines of in. It is closed at the end of in. The read cannot be interrupted, so its goroutine ends with the
// process.
func typedLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// A Terminal is where the user answers questions. It shows one at a time.
type Terminal struct {
	ask   func(context.Context, command.TerminalRequest) ([]command.TerminalQuestion, error) // of the running Easel
	out   io.Writer
	lines <-chan string // what the user types
	tr    *i18n.Catalog

	open    []command.TerminalQuestion
	skipped []string // ids of questions that the user leaves to others
	offered int      // choices that were shown: numbers go on, so that what is typed for one question is no answer to the next
	news    chan result
}

// NewTerminal returns a terminal with the user's input and output.
func NewTerminal(tr *i18n.Catalog, in io.Reader, out io.Writer,
	ask func(context.Context, command.TerminalRequest) ([]command.TerminalQuestion, error),
) *Terminal {
	return &Terminal{ask: ask, out: out, lines: typedLines(in), tr: tr, news: make(chan result)}
}

// A result is what the running Easel has answered.
type result struct {
	open []command.TerminalQuestion
	err  error
}

// say writes to the terminal. If it is gone, so is the input.
func (t *Terminal) say(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }

// errTyped means that the user has ended the input.
var errTyped = errors.New("the end of the input")

// Run shows questions until ctx, the input or the running Easel ends.
func (t *Terminal) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go t.watch(ctx)
	t.say("%s\n", t.tr.T("terminal.waiting"))
	for {
		i := slices.IndexFunc(t.open, func(q command.TerminalQuestion) bool { return !slices.Contains(t.skipped, q.ID) })
		var err error
		if i >= 0 {
			err = t.question(ctx, t.open[i])
		} else {
			_, _, err = t.next(ctx, "")
		}
		switch {
		case errors.Is(err, errTyped), errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return err
		}
	}
}

// watch sends t.news the open questions whenever they have changed, until ctx ends.
func (t *Terminal) watch(ctx context.Context) {
	var known []string
	for {
		open, err := t.ask(ctx, command.TerminalRequest{Wait: true, Known: known})
		known = nil
		for _, q := range open {
			known = append(known, q.ID)
		}
		select {
		case t.news <- result{open, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// next waits for a line, or until the open questions have changed. gone means that the question id is no longer open.
func (t *Terminal) next(ctx context.Context, id string) (line string, gone bool, err error) {
	for {
		select {
		case r := <-t.news:
			if r.err != nil {
				return "", false, r.err
			}
			t.open = r.open
			if id == "" || !slices.ContainsFunc(t.open, func(q command.TerminalQuestion) bool { return q.ID == id }) {
				return "", true, nil
			}
		case line, ok := <-t.lines:
			switch {
			case !ok:
				return "", false, errTyped
			case id != "":
				return strings.TrimSpace(line), false, nil
			}
		case <-ctx.Done():
			return "", false, context.Cause(ctx)
		}
	}
}

// question shows a question, and sends the user's answer.
func (t *Terminal) question(ctx context.Context, q command.TerminalQuestion) error {
	t.say("\n%s\n%s\n\n", strings.Repeat("─", 60), q.Form.Message)
	first := t.offered + 1
	t.offered += len(q.Form.Choices)
	for i, c := range q.Form.Choices {
		t.say("  %d  %s\n", first+i, c)
	}
	choice, err := t.choose(ctx, q, first)
	if err != nil || choice < 0 {
		return err
	}
	answer := catalog.QuestionAnswer{ApprovalID: q.ID, Choice: choice}
	if choice == len(q.Form.Choices)-1 {
		t.say("%s: ", q.Form.Words)
		words, gone, err := t.next(ctx, q.ID)
		if err != nil || gone {
			return t.closed(gone, err)
		}
		answer.Words = words
	}
	if _, err := t.ask(ctx, command.TerminalRequest{Answer: &answer}); err != nil { // it was answered elsewhere in the same moment
		t.say("%v\n", err)
		t.skipped = append(t.skipped, q.ID)
		return nil
	}
	t.say("%s\n", t.tr.T("terminal.sent"))
	t.skipped = append(t.skipped, q.ID) // it may still be open for a moment
	return nil
}

// choose returns the index of the choice that the user types, whose numbers begin with first, or -1 if they leave the question, or it is
// no longer open.
func (t *Terminal) choose(ctx context.Context, q command.TerminalQuestion, first int) (int, error) {
	for {
		t.say("%s", t.tr.T("terminal.choose", first, t.offered))
		line, gone, err := t.next(ctx, q.ID)
		if err != nil || gone {
			return -1, t.closed(gone, err)
		}
		if line == "" {
			t.skipped = append(t.skipped, q.ID)
			t.say("%s\n", t.tr.T("terminal.skipped"))
			return -1, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n >= first && n <= t.offered {
			return n - first, nil
		}
	}
}

// closed says that a question is no longer open.
func (t *Terminal) closed(gone bool, err error) error {
	if gone && err == nil {
		t.say("\n%s\n", t.tr.T("terminal.closed"))
	}
	return err
}
