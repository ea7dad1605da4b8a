package window

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/edits"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A status is the status bar at the bottom of the window.
type status struct {
	s     *shell
	root  fyne.CanvasObject
	left  *kit.Line
	mid   *kit.Line
	right *kit.Line

	access *kit.Stop // what assistants may do; a click changes it
	mode   *kit.Line
	locked *kit.Slot
	undo   *kit.Button // undoes what an assistant did
	failed *kit.Stop   // how many runs failed that the user has not seen; a click shows them
	count  *kit.Line
}

func newStatus(s *shell) *status {
	k := s.k
	line := func() *kit.Line { return kit.NewLine("", theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 40) }
	t := &status{s: s, left: line(), mid: line(), right: line()}
	t.right.Align(fyne.TextAlignTrailing)
	t.undo = k.Button(kit.Ghost, "", k.T("undo.undo"), k.T("undo.tip"), s.a.edits.UndoAssistant).Small()
	t.undo.Hide()
	t.mode, t.locked = line(), k.Slot()
	t.access = k.Stop(kit.PadRow(7, 4, 1, t.locked, t.mode), color.Transparent, k.T("access.tip"), t.chooseAccess)
	t.count = line()
	t.failed = k.Stop(kit.PadRow(7, 4, 1, k.State(kit.MarkBad, 9), t.count), color.Transparent, k.T("status_bar.failed_tip"), s.openFailures)
	t.failed.Hide()
	t.root = k.Panel(k.P.Side, "t", &fyne.Container{
		Objects: []fyne.CanvasObject{t.left, t.mid, t.right, t.access, t.undo, t.failed},
		Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			access := t.mode.PreferredWidth() + 36
			left := min(t.left.PreferredWidth()+4, size.Width*0.5-access)
			right := min(t.right.PreferredWidth()+4, size.Width*0.42) // a number that is cut is a wrong number
			kit.Place(t.access, 5, 2, access, size.Height-3)
			left += access
			kit.Place(t.left, access+12, 0, left-access, size.Height)
			kit.Place(t.right, size.Width-12-right, 0, right, size.Height)
			if t.failed.Visible() {
				w := t.count.PreferredWidth() + 36
				kit.Place(t.failed, size.Width-12-right-8-w, 2, w, size.Height-3)
				right += w + 8
			}
			mid := max(size.Width-left-right-60, 0)
			if t.undo.Visible() {
				m := t.undo.MinSize()
				mid = min(t.mid.PreferredWidth()+4, max(mid-m.Width-8, 0))
				kit.Place(t.undo, 12+left+18+mid+4, 1, m.Width, m.Height)
			}
			kit.Place(t.mid, 12+left+18, 0, mid, size.Height)
		}},
	})
	return t
}

func (t *status) render(n *state.Snapshot) {
	k := t.s.k
	left := k.T("status_bar.starting")
	if n.URL != "" {
		left = k.T("status_bar.address", n.URL)
	}
	if n.PortNote != "" {
		left += " · " + n.PortNote
	}
	t.left.Set(left, nil)
	var parts []string
	for _, s := range n.Servers {
		if s.State != "ready" {
			parts = append(parts, s.Name+": "+k.T("server.state."+s.State))
		} else if text := laterText(k, &s); text != "" {
			parts = append(parts, text)
		}
	}
	running := 0
	for _, s := range n.Sessions {
		if s.Running != nil || s.Status == "busy" {
			running++
		}
	}
	parts = append(parts, k.Tr.N("status_bar.sessions", len(n.Sessions)))
	if running > 0 {
		parts = append(parts, k.T("status_bar.running", running))
	}
	var ink color.Color = k.P.Muted
	kit.SetVisible(t.undo, n.ByAssistant != "" && n.Undoable > 0 && n.Change.Seq != 0)
	if n.ByAssistant != "" {
		text := edits.ChangeText(k, n.Change)
		if text == "" || n.Change.Seq == 0 {
			text = k.T("status_bar.by_assistant", k.Tr.Action(n.ByAssistant))
		}
		parts = append(parts, text)
		ink = k.P.Accent
	}
	t.mid.Set(strings.Join(parts, " · "), ink)
	right := k.Tr.N("status_bar.plots", n.Matching)
	if len(n.Selection) > 1 {
		right = k.T("status_bar.selected", len(n.Selection)) + " · " + right
	}
	if n.FollowPaused() {
		right = k.Keyed(k.T("follow.status")) + " · " + right
	}
	t.right.Set(right, nil)
	t.renderAccess(n)
	t.renderFailures()
	t.arrange()
}

// renderFailures shows how many runs failed that the user has not seen.
func (t *status) renderFailures() {
	n := t.s.dock.Failures()
	if n > 0 {
		t.count.Set(t.s.k.Tr.N("status_bar.failed", n), t.s.k.P.Bad)
	}
	if t.failed.Visible() != (n > 0) {
		kit.SetVisible(t.failed, n > 0)
		t.arrange()
	}
}

func (t *status) arrange() {
	t.root.(*fyne.Container).Objects[1].(*fyne.Container).Layout.Layout(nil, t.root.Size())
}

func (t *status) renderAccess(n *state.Snapshot) {
	k := t.s.k
	text, mark, ink := k.T("access."+n.Settings.Access), kit.MarkIdle, k.P.Muted
	switch n.Settings.Access {
	case oversight.AccessAsk, oversight.AccessAskRisky:
		mark, ink = kit.MarkCheck, k.P.Text
		if len(n.Trusted) > 0 {
			text += " · " + k.Tr.N("access.trusted", len(n.Trusted))
		}
	case oversight.AccessReadOnly:
		mark, ink = kit.MarkBad, k.P.Text
	}
	if h := n.Hold(); h != state.Free {
		text, mark, ink = k.T("hold."+string(h)), kit.MarkWait, k.P.Text
	}
	t.locked.Set(mark)
	t.mode.Set(text, ink)
}

// chooseAccess lets the user choose what assistants may do. A pause is above the
// choice, because it overrides it.
func (t *status) chooseAccess() {
	t.s.dialogs.MenuUnder(t.access, t.accessItems(t.s.a.cfg.Store.Snapshot())...)
}

func (t *status) accessItems(n *state.Snapshot) []*fyne.MenuItem {
	k, a := t.s.k, t.s.a
	hold := k.T("top.pause")
	if n.Paused {
		hold = k.T("top.resume")
	}
	items := []*fyne.MenuItem{t.s.keyed("pause", hold, a.access.TogglePause), fyne.NewMenuItemSeparator()}
	for _, m := range oversight.AccessModes {
		item := t.s.keyed("access_"+m, k.T("access."+m+"_long"), func() { a.access.Set(m) })
		item.Checked = n.Settings.Access == m
		items = append(items, item)
	}
	if len(n.Trusted) > 0 {
		items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(k.T("access.distrust"), func() { a.access.Distrust("") }))
	}
	return items
}
