package mcphost

import (
	"context"
	"time"

	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// questionTime is how long a result waits for the user's questions.
const questionTime = 2 * time.Second

// questionBytes is the largest length of the words of a question in a result.
const questionBytes = 2_000

// questions returns the user's questions that a result of ctx's caller announces, and marks them
// as announced. On an error, there are none: they stay for the next result.
func (h *Host) questions(ctx context.Context) (list []any) {
	ctx, cancel := h.untilQuit(ctx, questionTime)
	defer cancel()
	if ctx.Err() != nil { // nobody will get the result
		return nil
	}
	told, err := catalog.AnnounceQuestions.Ask(ctx, h.c.Bus, struct{}{})
	if err != nil {
		h.log.DebugContext(ctx, "questions not announced", "cause", err)
		return nil
	}
	for _, q := range told {
		q.Words = tool.Shorten(q.Words, questionBytes)
		list = append(list, brief.Of(q, nil))
	}
	return list
}

// answers returns the user's late answers that a result of ctx's caller announces, and marks
// them as announced.
func (h *Host) answers(ctx context.Context) (list []any) {
	ctx, cancel := h.untilQuit(ctx, questionTime)
	defer cancel()
	if ctx.Err() != nil { // nobody will get the result
		return nil
	}
	late, err := catalog.AnnounceAnswers.Ask(ctx, h.c.Bus, struct{}{})
	if err != nil {
		h.log.DebugContext(ctx, "late answers not announced", "cause", err)
		return nil
	}
	for _, a := range late {
		a.Reason = tool.Shorten(a.Reason, questionBytes)
		list = append(list, brief.Of(a, nil))
	}
	return list
}
