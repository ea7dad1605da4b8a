package mcphost

import (
	"context"
	"time"

	"easel/eventbus"
	"easel/internal/truncate"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
)

// questionTime is how long a result waits for the user's questions.
const questionTime = 2 * time.Second

// questionBytes is the largest length of the words of a question in a result.
const questionBytes = 2_000

// questions returns the user's questions that a result of ctx's caller announces, and marks them
// as announced.
func (h *Host) questions(ctx context.Context) (list []any) {
	for _, q := range announced(ctx, h, catalog.AnnounceQuestions) {
		q.Words = truncate.Middle(q.Words, questionBytes)
		list = append(list, brief.Of(q, nil))
	}
	return list
}

// answers returns the user's late answers that a result of ctx's caller announces, and marks
// them as announced.
func (h *Host) answers(ctx context.Context) (list []any) {
	for _, a := range announced(ctx, h, catalog.AnnounceAnswers) {
		a.Reason = truncate.Middle(a.Reason, questionBytes)
		list = append(list, brief.Of(a, nil))
	}
	return list
}

// announced asks for what a result announces. On an error, that is nothing: it stays for the next
// result.
func announced[T any](ctx context.Context, h *Host, from *eventbus.Topic[struct{}, []T]) []T {
	ctx, cancel := h.untilQuit(ctx, questionTime)
	defer cancel()
	if ctx.Err() != nil { // nobody will get the result
		return nil
	}
	list, err := from.Ask(ctx, h.c.Bus, struct{}{})
	if err != nil {
		h.log.DebugContext(ctx, "not announced", "topic", from.Name(), "cause", err)
		return nil
	}
	return list
}
