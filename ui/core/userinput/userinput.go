// Package userinput holds the questions that running code asks the user, with input() or getpass(),
// until the user has answered them in the window. An answer goes to the kernel: nothing here stores it.
//
// # Goroutines
//
// Ask blocks its caller's goroutine. All methods may be called on any goroutine.
package userinput

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"easel/ui/core/command"
	"easel/ui/core/state"
)

// ErrUnanswered means that the user did not answer an assistant's question within Settings.AskFor.
var ErrUnanswered = errors.New("the user did not answer in time")

// ErrUnknown means that there is no open question with an id.
var ErrUnknown = errors.New("the code no longer waits for this answer")

// Questions are the open questions.
type Questions struct {
	// Typed is called with each password that the user has typed, before the kernel gets it. May be nil.
	Typed func(password string)

	store *state.Store

	mu   sync.Mutex
	open map[string]chan string // by id; one slot, for the answer
}

// New returns a Questions that adds open questions to the snapshots of store.
func New(store *state.Store) *Questions {
	return &Questions{store: store, open: make(map[string]chan string)}
}

// Possible reports whether there is a window, in which the user could answer.
func (a *Questions) Possible() bool { return a.store.Snapshot().Window != state.WindowNone }

// Ask shows a question in the window and waits for the answer. Code of an assistant waits for
// Settings.AskFor, as its requests for approval do; code of the user waits for as long as it runs. The
// error is ErrUnanswered or the cause of ctx.
func (a *Questions) Ask(ctx context.Context, q command.InputQuestion) (string, error) {
	now, answers := time.Now(), make(chan string, 1)
	q.AskedAt = now.UTC()
	var late <-chan time.Time
	if !q.ByUser {
		patience := time.Duration(a.store.Snapshot().Settings.AskFor * float64(time.Second))
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late, q.Deadline = timer.C, now.Add(patience).UTC()
	}
	a.mu.Lock()
	a.open[q.ID] = answers
	a.mu.Unlock()
	a.store.Update(func(s *state.Snapshot) { s.Inputs = append(slices.Clone(s.Inputs), q) })
	defer a.close(q.ID)
	select {
	case value := <-answers:
		if q.Password && a.Typed != nil {
			a.Typed(value)
		}
		return value, nil
	case <-late:
		return "", ErrUnanswered
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// close removes a question.
func (a *Questions) close(id string) {
	a.mu.Lock()
	delete(a.open, id)
	a.mu.Unlock()
	a.store.Update(func(s *state.Snapshot) {
		s.Inputs = slices.DeleteFunc(slices.Clone(s.Inputs), func(q command.InputQuestion) bool { return q.ID == id })
	})
}

// Answer answers an open question. The error is ErrUnknown.
func (a *Questions) Answer(in command.InputAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	answers, ok := a.open[in.ID]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknown, in.ID)
	}
	delete(a.open, in.ID)
	answers <- in.Value // never blocks: each question is answered only once
	return nil
}
