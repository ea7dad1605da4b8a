package tray

import (
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// TestNews covers what counts as unseen, by what the user wants to be told and whether they look.
func TestNews(t *testing.T) {
	asks := func(n int) []catalog.Approval { return []catalog.Approval{{ApprovalID: "1"}, {ApprovalID: "2"}}[:n] }
	all := state.Snapshot{
		Approvals: asks(2), Inputs: []command.InputQuestion{{ID: "1"}}, Ended: state.EndedRuns{Failed: 40, Long: 1},
		Sessions: []state.Session{{Session: catalog.Session{SessionID: "a"}, Died: "killed"}, {}},
	}
	everything := digest{questions: 3, died: 1, failed: 40, finished: 1}
	for name, c := range map[string]struct {
		before, after state.Snapshot
		want          digest
	}{
		"all at once":               {state.Snapshot{}, all, everything},
		"what was there before":     {all, all, digest{}},
		"a question is answered":    {state.Snapshot{Approvals: asks(1)}, state.Snapshot{}, digest{}},
		"another question":          {state.Snapshot{Approvals: asks(1)}, state.Snapshot{Approvals: asks(2)}, digest{questions: 1}},
		"one failed run more":       {all, func() state.Snapshot { s := all; s.Ended.Failed++; return s }(), digest{failed: 1}},
		"a dead kernel was ended":   {all, func() state.Snapshot { s := all; s.Sessions = nil; return s }(), digest{}},
		"nothing has ever happened": {state.Snapshot{}, state.Snapshot{}, digest{}},
	} {
		for _, look := range []struct {
			notify  string
			window  state.WindowState
			focused bool
			hears   bool
		}{
			{"off", state.WindowHidden, false, false},
			{"hidden", state.WindowHidden, false, true},
			{"hidden", state.WindowHidden, true, true}, // some systems report no loss of the focus
			{"hidden", state.WindowShown, false, true},
			{"hidden", state.WindowShown, true, false},
			{"", state.WindowHidden, false, true}, // settings from before there was a choice
			{"always", state.WindowShown, true, true},
			{"questions", state.WindowShown, false, true},
			{"questions", state.WindowShown, true, false},
		} {
			before, after := c.before, c.after
			after.Settings.Notify = look.notify
			before.Window, before.Focused = look.window, look.focused
			after.Window, after.Focused = look.window, look.focused
			want := c.want
			if look.notify == "questions" {
				want = digest{questions: want.questions}
			}
			if !look.hears {
				want = digest{}
			}
			if got := newNews(&before).observe(&after); got != want {
				t.Errorf("%s, %+v: got %+v, want %+v", name, look, got, want)
			}
		}
	}
	n, s := newNews(&state.Snapshot{}), all
	n.observe(&s)
	s.Window, s.Focused = state.WindowShown, true
	if got := n.observe(&s); got != (digest{}) {
		t.Errorf("the user sees it: %+v", got)
	}
	s.Focused = false
	if got := n.observe(&s); got != (digest{}) {
		t.Errorf("they have seen it: %+v", got)
	}
}

// TestNewsAreGathered: a burst is one notification, which changes seldom; a question comes soon.
func TestNewsAreGathered(t *testing.T) {
	var n news
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		what     string
		passes   time.Duration
		d        digest
		wait     time.Duration
		tell     bool
		withdraw bool
	}{
		{"nothing", 0, digest{}, 0, false, false},
		{"a run fails", time.Minute, digest{failed: 1}, gather, true, false},
		{"the same", time.Minute, digest{failed: 1}, 0, false, false},
		{"another fails", time.Second, digest{failed: 2}, gather, true, false},
		{"and one more soon", time.Second, digest{failed: 3}, apart - time.Second, true, false},
		{"and a question", time.Second, digest{failed: 3, questions: 1}, gather, true, false},
		{"the user looks", time.Second, digest{}, 0, false, true},
		{"and no longer", time.Second, digest{}, 0, false, false},
		{"a run fails again at once", time.Second, digest{failed: 1}, apart - 3*time.Second, true, false},
	} {
		now = now.Add(step.passes)
		wait, tell, withdraw := n.wait(step.d, now)
		if wait != step.wait || tell != step.tell || withdraw != step.withdraw {
			t.Errorf("%s: got %v, %v, %v, want %v, %v, %v", step.what, wait, tell, withdraw, step.wait, step.tell, step.withdraw)
		}
		if tell && wait == gather {
			n.tells(step.d, now)
		}
	}
}

func TestDigestText(t *testing.T) {
	for _, c := range []struct {
		lang        string
		d           digest
		title, text string
	}{
		{"en", digest{failed: 40}, "40 runs failed", "Open Easel to see more."},
		{"en", digest{questions: 1}, "A question waits for your answer", "Open Easel to see more."},
		{"en", digest{questions: 2, died: 1, failed: 1, finished: 3}, "2 questions wait for your answer", "A kernel died · A run failed · 3 long runs have finished"},
		{"ja", digest{questions: 2, died: 1, failed: 1, finished: 3}, "回答待ちの質問が 2 件あります", "カーネルが 1 件停止しました · 実行が 1 件失敗しました · 長い実行が 3 件終わりました"},
	} {
		if title, text := c.d.text(i18n.New(c.lang)); title != c.title || text != c.text {
			t.Errorf("%+v: %q, %q", c.d, title, text)
		}
	}
}

// TestThePlotOfARunIsNamed only if the user wants it, with a run, and as one short line.
func TestThePlotOfARunIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		title  string
		wanted bool
		notify string
		ended  int
		want   string
	}{
		"off by default":       {"Rain", false, "", 1, ""},
		"wanted":               {"Rain", true, "", 1, "Rain"},
		"no run has ended":     {"Rain", true, "", 0, ""},
		"only questions":       {"Rain", true, "questions", 1, ""},
		"lines and a bell":     {"Rain\n\tin\a\u2028Kyoto", true, "", 1, "Rain in Kyoto"},
		"text that turns back": {"Rain \u202egnp.exe\u200b", true, "", 1, "Rain gnp.exe"},
		"long":                 {strings.Repeat("雨", mostTitle+1), true, "", 1, strings.Repeat("雨", mostTitle-1) + "…"},
		"just short enough":    {strings.Repeat("雨", mostTitle), true, "", 1, strings.Repeat("雨", mostTitle)},
	} {
		after := state.Snapshot{Ended: state.EndedRuns{Long: c.ended, Plot: c.title}, Approvals: []catalog.Approval{{ApprovalID: "1"}}}
		after.Settings.Notify, after.Settings.NotifyPlots = c.notify, c.wanted
		if got := newNews(&state.Snapshot{}).observe(&after).plot; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
