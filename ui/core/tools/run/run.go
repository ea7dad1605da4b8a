// Package run implements the tools that run code: sessions, executions, variables and checks, and
// the questions that the user answers about them.
//
// # Goroutines
//
// Calls run on goroutines of the bus. What they share has its own lock.
package run

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/projects"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/plots"
	"easel/ui/core/userinput"
)

// Deps are the dependencies of the tools that run code.
type Deps struct {
	Connected func() (map[string]catalog.Connection, error) // the connected clients, by identity
	Runner    *Runner
	Paths     *paths.Finder
	Projects  *projects.Projects // may be nil
	Python    func() string      // path of Easel's own Python, or ""; may be nil
	Library   *library.Library
	Names     *plots.Names
	Checker   *reproduce.Checker
	Questions Questions
	Inputs    *userinput.Questions // may be nil
	// HintCell says what became of a notebook's cell that has run, or "". If the cell has just
	// ended, and wait is set, it waits until that is known.
	HintCell func(ctx context.Context, x *execution.Execution, wait bool) string
}

// Register registers the bodies.
func Register(c *chain.Chain, d Deps) {
	r := d.Runner
	s := &sessions{connected: d.Connected, kernels: r.Kernels, paths: d.Paths, projects: d.Projects, python: d.Python, usage: usageOf{r.Usage}}
	chain.Register(c, catalog.SessionCreate, s.sessionCreate)
	chain.Register(c, catalog.SessionList, s.sessionList)
	chain.Register(c, catalog.SessionConnect, s.sessionConnect)
	chain.Register(c, catalog.SessionDelete, s.sessionDelete)
	chain.Register(c, catalog.SessionRestart, s.sessionRestart)
	chain.Register(c, catalog.SessionInterrupt, s.sessionInterrupt)
	chain.Register(c, command.PinSession, s.pinSession)
	chain.Register(c, command.RenameSession, s.renameSession)
	e := &executions{r, d.HintCell}
	chain.Register(c, catalog.ExecuteCode, e.executeCode)
	chain.Register(c, catalog.GetExecution, e.getExecution)
	chain.Register(c, command.CancelRun, e.cancelRun)
	v := &variables{r.Kernels}
	chain.Register(c, catalog.GetVariables, v.getVariables)
	chain.Register(c, catalog.GetDataFrameInfo, v.getDataFrameInfo)
	v.registerTables(c)
	v.registerConsole(c)
	k := &checks{checker: d.Checker, store: r.Store, library: d.Library, names: d.Names, approvals: r.Approvals}
	chain.Register(c, catalog.CheckReproducibility, k.checkReproducibility)
	chain.Register(c, command.CheckPlots, k.checkPlots)
	chain.Register(c, command.CancelChecks, k.cancelChecks)
	chain.Register(c, command.ReadCheck, k.readCheck)
	a := &answers{bus: c.Bus, connected: d.Connected, store: r.Store, kernels: r.Kernels, approvals: r.Approvals, questions: d.Questions}
	chain.Register(c, command.AnswerApproval, a.answerApproval, chain.Extra[command.ApprovalAnswer]{Args: a.answered})
	chain.Register(c, catalog.AnswerQuestion, a.answerQuestion)
	chain.Register(c, catalog.AnnounceQuestions, a.announceQuestions)
	chain.Register(c, catalog.AnnounceAnswers, a.announceAnswers)
	again := &resends{store: r.Store, image: d.Names.Find}
	chain.Register(c, command.SendAgain, again.send)
	chain.Register(c, catalog.AnnouncePlots, again.announce)
	r.Kernels.AskBy(a.permitKernel)
	if d.Projects != nil {
		d.Projects.AskBy(a.permitProject)
		registerProjects(c, d.Projects)
	}
	chain.Register(c, command.Distrust, a.distrust)
	if d.Inputs != nil {
		chain.Register(c, command.AnswerInput, func(_ context.Context, in command.InputAnswer) (struct{}, error) {
			return struct{}{}, d.Inputs.Answer(in)
		}, chain.Extra[command.InputAnswer]{Args: a.typed})
	}
	chain.Register(c, catalog.ClientEnded, a.clientEnded)
}

// registerProjects registers what the user does with projects.
func registerProjects(c *chain.Chain, all *projects.Projects) {
	chain.Register(c, command.ProjectPythons, func(ctx context.Context, root string) (command.ProjectPythonsOut, error) {
		return all.Pythons(ctx, root), nil
	})
	chain.Register(c, command.OpenProject, func(ctx context.Context, directory string) (command.OpenProjectOut, error) {
		out, err := all.Open(ctx, directory)
		return out, codes.Of(err)
	})
	chain.Register(c, command.ChoosePython, func(ctx context.Context, in command.ChoosePythonIn) (struct{}, error) {
		all.Choose(ctx, in.Root, in.Python)
		return struct{}{}, nil
	})
	chain.Register(c, command.ReadEnvFile, func(_ context.Context, in command.ReadEnvFileIn) (struct{}, error) {
		return struct{}{}, all.ReadEnvFile(in.Root, in.Read)
	})
	chain.Register(c, command.SetSandbox, func(_ context.Context, in command.SandboxIn) (command.SandboxOut, error) {
		return all.SetSandbox(in)
	})
	chain.Register(c, command.ProjectLab, func(ctx context.Context, in command.ProjectLabIn) (string, error) {
		address, err := all.Lab(ctx, in.Root, in.Notebook)
		return address, codes.Of(err)
	})
}

type sessions struct {
	connected func() (map[string]catalog.Connection, error)
	kernels   *kernels.Manager
	paths     *paths.Finder
	projects  *projects.Projects // may be nil
	python    func() string      // path of Easel's own Python, or ""; may be nil
	usage     usageOf
}

type executions struct {
	*Runner
	hintCell func(ctx context.Context, x *execution.Execution, wait bool) string
}

type variables struct{ kernels *kernels.Manager }

type checks struct {
	checker   *reproduce.Checker
	store     *state.Store
	library   *library.Library
	names     *plots.Names
	approvals *oversight.Approvals
}

func (a *answers) clientEnded(_ context.Context, holder string) (struct{}, error) {
	a.approvals.Ended(holder)
	return struct{}{}, nil
}
