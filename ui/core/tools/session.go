package tools

import (
	"context"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
)

// createPatience is how long session_create may take. Some clients time out after a minute. The
// server may take 45 seconds of them, if it is being installed or started.
const createPatience = 55 * time.Second

func (b *bodies) sessionCreate(ctx context.Context, in catalog.SessionCreateIn) (catalog.SessionCreateOut, error) {
	if strings.TrimSpace(in.Name) == "" {
		return catalog.SessionCreateOut{}, codes.BadValue("name", "must not be blank")
	}
	if strings.ContainsRune(in.Name, 0) {
		return catalog.SessionCreateOut{}, codes.BadValue("name", "must not contain a NUL character")
	}
	ctx, cancel := context.WithTimeout(ctx, createPatience)
	defer cancel()
	if in.NotebookPath != "" { // checked before waiting for a server
		var err error
		if in.NotebookPath, in.Server, err = b.paths.Resolve(ctx, in.Server, "notebook_path", in.NotebookPath, jupyter.NotebookPath); err != nil {
			return catalog.SessionCreateOut{}, err
		}
	}
	s, err := b.Kernels.Create(ctx, in.Server, in.Name, in.NotebookPath, tool.CallerFrom(ctx).Name)
	if err != nil {
		return catalog.SessionCreateOut{}, codes.Notebook(in.NotebookPath, codes.Path("notebook_path", err))
	}
	b.paths.Chosen.Add(ctx, s.NotebookPath, s.Server)
	return catalog.SessionCreateOut{
		Result: catalog.OK, AtServer: b.paths.At(s.Server), SessionID: s.ID, KernelID: s.KernelID, Status: "idle",
		CreatedAt: s.CreatedAt.UTC(), KernelName: s.KernelName, NotebookPath: s.NotebookPath,
		IdleSessions: b.idleSessions(ctx, s),
	}, nil
}

func (b *bodies) sessionList(ctx context.Context, _ catalog.SessionListIn) (catalog.SessionListOut, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	sessions, err := b.Kernels.List(ctx)
	return catalog.SessionListOut{Result: catalog.OK, Sessions: sessions}, err
}

func (b *bodies) sessionConnect(ctx context.Context, in catalog.SessionConnectIn) (catalog.SessionConnectOut, error) {
	ctx, cancel := paths.Patience(ctx)
	defer cancel()
	if paths.IsAbsolute(in.NotebookPath) && strings.Trim(in.NotebookPath, "/ ") != "" {
		var err error
		if in.NotebookPath, in.Server, err = b.paths.Resolve(ctx, in.Server, "notebook_path", in.NotebookPath, jupyter.CleanPath); err != nil {
			return catalog.SessionConnectOut{}, err
		}
	}
	v, err := b.Kernels.Connect(ctx, in.Server, in.NotebookPath, in.KernelID, tool.CallerFrom(ctx).Name)
	if err != nil {
		return catalog.SessionConnectOut{}, b.renamedOr(in, codes.SessionNotFound(in, err))
	}
	if in.Server != "" || in.KernelID != "" { // otherwise, another server may have the same path open
		b.paths.Chosen.Add(ctx, v.NotebookPath, v.Server)
	}
	return catalog.SessionConnectOut{
		Result: catalog.OK, AtServer: b.paths.At(v.Server), SessionID: v.ID, KernelID: v.KernelID, NotebookPath: v.NotebookPath,
		Status: v.Status, Connected: true,
	}, nil
}

func (b *bodies) sessionDelete(ctx context.Context, in catalog.SessionDeleteIn) (catalog.SessionDeleteOut, error) {
	s, err := b.Kernels.Delete(ctx, in.SessionID, in.Force)
	if err != nil {
		return catalog.SessionDeleteOut{}, err
	}
	return catalog.SessionDeleteOut{Result: catalog.OK, SessionID: s.ID, Status: "deleted"}, nil
}

func (b *bodies) sessionRestart(ctx context.Context, in catalog.SessionRestartIn) (catalog.SessionRestartOut, error) {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	user := tool.CallerFrom(ctx).Transport == tool.Window
	v, err := b.Kernels.Restart(ctx, in.SessionID, in.Force || user)
	if err != nil {
		return catalog.SessionRestartOut{}, err
	}
	return catalog.SessionRestartOut{
		Result: catalog.OK, SessionID: v.ID, KernelID: v.KernelID, Status: v.Status, Generation: v.Generation,
	}, nil
}

func (b *bodies) sessionInterrupt(ctx context.Context, in catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
	user := tool.CallerFrom(ctx).Transport == tool.Window
	v, err := b.Kernels.InterruptSession(ctx, in.SessionID, user)
	if err != nil {
		return catalog.SessionInterruptOut{}, err
	}
	out := catalog.SessionInterruptOut{
		Result: catalog.OK, SessionID: v.ID, KernelID: v.KernelID, Status: v.Status,
		Outcome: v.Outcome, ExecutionID: v.ExecutionID,
	}
	if v.Outcome == catalog.StillRuns {
		after := "or end it with session_restart, which loses the variables."
		if v.Server == catalog.ThisMachine {
			after = "or ask the user to restart the kernel in the program that runs it."
		}
		out.Hint = "The code has not reacted to the interrupt and is still running. Follow it with get_execution, interrupt it again, " + after
	}
	return out, nil
}
