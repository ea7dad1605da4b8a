package tray

import (
	"slices"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

func TestNews(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	run := func(id string, ago time.Duration) *state.RunningCode {
		return &state.RunningCode{ExecutionID: id, Since: noon.Add(-ago)}
	}
	stopped := run("x", time.Minute)
	stopped.Interrupt = noon
	one := func(r *state.RunningCode, died string) state.Snapshot {
		return state.Snapshot{Sessions: []state.Session{{Session: catalog.Session{SessionID: "a"}, Running: r, Died: died}}}
	}
	asked := state.Snapshot{Approvals: make([]catalog.Approval, 1)}
	input := state.Snapshot{Inputs: make([]command.InputQuestion, 1)}
	for name, c := range map[string]struct {
		before, after state.Snapshot
		want          []noteKind
	}{
		"a long run ends":                 {one(run("x", time.Minute), ""), one(nil, ""), []noteKind{noteFinished}},
		"a long run ends, another begins": {one(run("x", time.Minute), ""), one(run("y", 0), ""), []noteKind{noteFinished}},
		"a foreign run follows another":   {one(run("", time.Minute), ""), one(run("", 0), ""), []noteKind{noteFinished}},
		"a long run goes on":              {one(run("x", time.Minute), ""), one(run("x", time.Minute), ""), nil},
		"a short run ends":                {one(run("x", time.Second), ""), one(nil, ""), nil},
		"a long run that the user ended":  {one(stopped, ""), one(nil, ""), nil},
		"a kernel dies in a long run":     {one(run("x", time.Minute), ""), one(nil, "killed"), []noteKind{noteDied}},
		"a kernel stays dead":             {one(nil, "killed"), one(nil, "killed"), nil},
		"a session is ended":              {one(run("x", time.Minute), ""), state.Snapshot{}, nil},
		"a question":                      {state.Snapshot{}, asked, []noteKind{noteApproval}},
		"running code asks":               {state.Snapshot{}, input, []noteKind{noteInput}},
		"it still asks":                   {input, input, nil},
		"the same question":               {asked, asked, nil},
		"the question is answered":        {asked, state.Snapshot{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for setting, hears := range map[string]map[state.WindowState]bool{
				"off":    {},
				"hidden": {state.WindowHidden: true},
				"always": {state.WindowHidden: true, state.WindowShown: true},
				"":       {state.WindowHidden: true}, // settings from before there was a choice
			} {
				for _, w := range []state.WindowState{state.WindowHidden, state.WindowShown} {
					before, after := c.before, c.after
					before.Window, after.Window = w, w
					after.Settings.Notify, after.Settings.ToldTray = setting, true
					n := newNews(&before)
					n.now = func() time.Time { return noon }
					var got, want []noteKind
					for _, x := range n.next(&after, true) {
						got = append(got, x.kind)
					}
					if hears[w] {
						want = c.want
					}
					if !slices.Equal(got, want) {
						t.Errorf("notify %q, window %s: got %v, want %v", setting, w, got, want)
					}
				}
			}
		})
	}
}

func TestFirstHideIsToldOnce(t *testing.T) {
	shown, hidden := state.Snapshot{Window: state.WindowShown}, state.Snapshot{Window: state.WindowHidden}
	n := newNews(&shown)
	if got := n.next(&hidden, false); got != nil {
		t.Errorf("without a tray it is said to be in the tray: %v", got)
	}
	if got := n.next(&hidden, true); len(got) != 1 || got[0] != hiddenNote {
		t.Errorf("got %v", got)
	}
	hidden.Settings.ToldTray = true
	if got := n.next(&hidden, true); got != nil {
		t.Errorf("it is told again: %v", got)
	}
}
