package run

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// answers are what users and assistants are told of each other's questions.
type answers struct {
	bus       *eventbus.Bus
	connected func() (map[string]catalog.Connection, error)
	store     *state.Store
	kernels   *kernels.Manager
	approvals *oversight.Approvals
	questions Questions
}

// Questions are the user's questions about plots.
type Questions interface {
	// Open returns those that no assistant has been told.
	Open(ctx context.Context) ([]library.Question, error)
	// Announce notes that a client is told questions, and returns those that are new to all.
	Announce(ctx context.Context, ids []string, client string) ([]catalog.Question, error)
}

// announceAnswers answers catalog.AnnounceAnswers.
func (a *answers) announceAnswers(ctx context.Context, _ struct{}) ([]catalog.LateAnswer, error) {
	caller := tool.CallerFrom(ctx)
	if caller.Transport != tool.MCP || !a.approvals.Pending() {
		return nil, nil
	}
	clients, err := a.connected()
	if err != nil {
		return nil, err
	}
	live, now := a.kernels.Live(), time.Now()
	return a.approvals.Late(func(q catalog.Approval) bool {
		return q.Client == caller.String() && concerns(caller, q.SessionID, live, func(user string) bool { return clients[user].Holds(now) })
	}), nil
}

func (a *answers) distrust(_ context.Context, in command.DistrustIn) (struct{}, error) {
	a.approvals.Distrust(in.SessionID)
	return struct{}{}, nil
}

// answered returns the parameters of an approval answer for the log of calls. They include
// the code in question, but not the id of the approval.
func (a *answers) answered(in command.ApprovalAnswer) any {
	code, client := in.Code, ""
	said := map[string]any{"approve": in.Approve, "words": in.Words, "session": in.Session}
	s := a.store.Snapshot()
	for _, q := range slices.Concat(s.Approvals, s.Expired) {
		if q.ApprovalID == in.ApprovalID {
			client = q.Client
			code = cmp.Or(code, q.Code)
			said["session_id"], said["run"], said["risks"], said["assistant"] = q.SessionID, q.ExecutionID, q.Because, q.Assistant
			said["about"], said["tool"], said["target"] = aboutOf(q), q.Tool, q.Target
			if in.Approve && code != q.Code {
				said["edited"] = true
			}
			if q.Project != nil {
				code = q.Project.Root
			}
		}
	}
	said["client"], said["code"] = client, code
	if in.Dismiss {
		said["dismiss"] = true
	}
	if in.Approve && in.Kinds != command.KindsOnce {
		said["kinds"] = map[command.KindsFor]string{command.KindsInSession: "session", command.KindsInProject: "project"}[in.Kinds]
	}
	if in.Where != "" {
		said["where"] = in.Where
	}
	return said
}

// aboutOf says what a question is about.
func aboutOf(q catalog.Approval) string {
	switch {
	case q.Project != nil:
		return "project"
	case q.Kernel != nil:
		return "kernel"
	case q.Tool != "":
		return "tool"
	case q.Check:
		return "check"
	default:
		return "code"
	}
}

// typed returns the parameters of an answer to running code for the log of calls. They are without the id of
// the question and without a password.
func (a *answers) typed(in command.InputAnswer) any {
	said := make(map[string]any)
	for _, q := range a.store.Snapshot().Inputs {
		if q.ID != in.ID {
			continue
		}
		said["session_id"], said["execution_id"], said["client"] = q.SessionID, q.ExecutionID, q.Client
		if said["prompt"] = cmp.Or(strings.TrimSpace(q.Prompt), q.Before); q.Password {
			said["password"] = true
		} else {
			said["value"] = in.Value
		}
	}
	return said
}

func (a *answers) answerApproval(_ context.Context, answer command.ApprovalAnswer) (struct{}, error) {
	return struct{}{}, a.approvals.Answer(answer)
}

// answerQuestion answers a question where the window does not show it. The log of calls has it as the user's answer.
func (a *answers) answerQuestion(ctx context.Context, in catalog.QuestionAnswer) (struct{}, error) {
	answer, err := a.approvals.AnswerOf(in)
	if err != nil {
		return struct{}{}, err
	}
	return command.AnswerApproval.Ask(tool.WithCaller(ctx, tool.Caller{Transport: tool.Window}), a.bus, answer)
}

// announceQuestions answers catalog.AnnounceQuestions. A question that is announced in a result
// that gets lost remains in get_selected_files.
func (a *answers) announceQuestions(ctx context.Context, _ struct{}) ([]catalog.Question, error) {
	caller := tool.CallerFrom(ctx)
	if caller.Transport != tool.MCP || a.store.Snapshot().Paused {
		return nil, nil
	}
	open, err := a.questions.Open(ctx)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	clients, err := a.connected()
	if err != nil {
		return nil, err
	}
	live, now := a.kernels.Live(), time.Now()
	var ids []string
	for _, q := range open {
		if concerns(caller, q.Session, live, func(user string) bool { return clients[user].Holds(now) }) {
			ids = append(ids, q.ID)
		}
	}
	return a.questions.Announce(ctx, ids, caller.String())
}

// concerns reports whether a caller should be told a question about a plot of a session: it has
// used or created the session, or nobody else who has is connected.
func concerns(caller tool.Caller, session string, live []record.SessionView, connected func(user string) bool) bool {
	i := slices.IndexFunc(live, func(v record.SessionView) bool { return v.ID == session })
	if i < 0 {
		return true
	}
	users := strings.Fields(live[i].Users)
	return slices.Contains(users, caller.Identity()) || live[i].Client == caller.Name || !slices.ContainsFunc(users, connected)
}
