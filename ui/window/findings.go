package window

import (
	"context"
	"slices"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/properties"
	"easel/ui/window/requests"
)

// A finder shows what was found in plots: it marks the places of one finding in the picture of the viewer, and keeps
// what the user says about findings.
//
// Invariant: the finding with the key, of the plot with the id, is the only one in the properties of which the places
// are marked; both are "" if there is none.
type finder struct {
	a     *App
	id    string
	key   string
	where []command.Region

	shell *shell // that shows the marks
	open  bool   // the viewer has shown them
}

// actions returns what the user can do with findings in the properties.
func (f *finder) actions() properties.FindingActions {
	return properties.FindingActions{
		Read: func(ctx context.Context, id string) ([]command.PlotFinding, error) {
			return command.FindingsOf.Ask(ctx, f.a.cfg.Bus, id)
		},
		Choose: f.choose, Judge: f.judge, Drop: f.drop,
	}
}

// wayOf returns how a plot can be drawn again.
func (a *App) wayOf(ctx context.Context, id string) (command.PlotWay, error) {
	return command.WayOf.Ask(ctx, a.cfg.Bus, id)
}

// choose marks the places of a finding in the viewer, or no longer if they are marked.
func (f *finder) choose(id string, x command.PlotFinding) {
	a := f.a
	n := a.cfg.Store.Snapshot()
	viewed := n.Mode == state.Viewer && n.Current == id && !a.shell.gallery.comparing
	if f.id == id && f.key == x.Key && viewed {
		f.drop()
		return
	}
	if !viewed && a.discarded([]string{id}) {
		return
	}
	f.id, f.key, f.where, f.open = id, x.Key, x.Where, viewed
	a.chose([]string{id}) // a plot that arrives does not take its place
	if !viewed {
		a.shell.gallery.endCompare()
		a.navigate.Open(id)
	}
	f.show()
}

// drop ends marking. It reports false if nothing is marked.
func (f *finder) drop() bool {
	if f.key == "" {
		return false
	}
	f.id, f.key, f.where = "", "", nil
	f.show()
	return true
}

// show shows the marks, or that there are none.
func (f *finder) show() {
	s := f.a.shell
	f.shell = s
	s.gallery.view.Mark(f.id, f.where)
	s.props.SetMarked(f.key)
}

// render ends marking when the user goes on to another plot, or leaves the viewer.
func (f *finder) render(s *shell, n *state.Snapshot) {
	if f.key == "" {
		return
	}
	viewed := n.Mode == state.Viewer
	if f.open = f.open || viewed; f.open && !viewed || !slices.Equal(shownIn(n), []string{f.id}) {
		f.drop()
		return
	}
	if s != f.shell { // it was built again
		f.show()
	}
}

// judge stores whether a finding is no problem.
func (f *finder) judge(id, key string, dismiss bool) {
	if f.key == key && dismiss {
		f.drop()
	}
	in := command.JudgeFindingIn{ImageID: id, Key: key, Dismiss: dismiss}
	requests.AskTopic(f.a.requests, "judge_finding", command.JudgeFinding, in, nil)
}

// first calls done with the sentence of the most important finding of a plot that is open.
func (f *finder) first(id string, done func(sentence string)) {
	requests.Quiet(f.a.requests, command.FindingsOf, id, func(list []command.PlotFinding, err error) {
		if i := slices.IndexFunc(list, func(x command.PlotFinding) bool { return !x.Dismissed }); err == nil && i >= 0 {
			done(properties.Sentence(f.a.kit(), list[i]))
		}
	})
}

// list shows the findings of the plot in the viewer, and gives them the keyboard focus.
func (f *finder) list() { f.a.shell.inPanel((*properties.Panel).FocusFindings) }
