package window

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/window/activity"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// banners reports problems, above everything else.
type banners struct {
	s           *shell
	root        *fyne.Container
	rows        []*bannerRow
	fingerprint string
	gone        map[string]bool // dismissed banners, by key
}

func newBanners(s *shell) *banners {
	return &banners{
		s: s, root: &fyne.Container{Layout: kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}}},
		gone: make(map[string]bool),
	}
}

// A banner is one line with a problem and what can be done about it.
type banner struct {
	id    string
	level state.Level
	text  string
	act   []fyne.CanvasObject
	can   string // which buttons are enabled, if that can change while the text stays the same
}

// mostBanners is the maximum number of banners: the most severe and newest.
const mostBanners = 3

func (b *banners) list(n *state.Snapshot) []banner {
	k, a := b.s.k, b.s.a
	var all []banner
	if n.Paused {
		text, act := k.T("banner.paused"), []fyne.CanvasObject{k.Button(kit.Quiet, "play", k.T("top.resume"), "", a.access.TogglePause).Small()}
		if n.Hold() == state.HeldRunning {
			text = k.T("banner.paused_running", state.Titles(n.Busy()))
			act = append([]fyne.CanvasObject{k.Button(kit.Danger, "stop", k.T("top.interrupt"), "", a.sessions.InterruptAll).Small()}, act...)
		}
		all = append(all, banner{"paused", state.LevelWarning, text, act, ""})
	}
	if n.Settings.ChooseAccess {
		var choose *kit.Button
		choose = k.Button(kit.Quiet, "", k.T("banner.choose_access_do"), "",
			func() { b.s.dialogs.MenuUnder(choose, b.s.status.accessItems(a.cfg.Store.Snapshot())...) })
		all = append(all, banner{"choose-access", state.LevelError, k.T("banner.choose_access"), []fyne.CanvasObject{choose.Small()}, ""})
	}
	for _, x := range n.Unmoved() {
		var act []fyne.CanvasObject
		if !x.Unserved() {
			act = append(act, k.Button(kit.Quiet, "restart", k.T("flash.restart"), "", func() { a.sessions.ConfirmRestart(x.SessionID) }).Small())
		}
		all = append(all, banner{"unmoved-" + x.SessionID + x.Running.ExecutionID, state.LevelWarning, k.T("banner.unmoved", x.Title()), act, ""})
	}
	all = append(all, b.deaths(n)...)
	for _, x := range n.Servers {
		if x.Install.Failed != "" && !x.Install.Upgrade {
			all = append(all, banner{"later", state.LevelWarning, k.T("banner.later", firstLine(x.Install.Failed)), a.install.laterButtons(x.Install.Kind), ""})
		}
		switch x.State {
		case "failed", "unreachable", "unauthorized":
			if x.Managed && x.Install.Kind != "" && n.Matching == 0 && n.Mode == state.Grid && !filtered(n) {
				continue // the empty gallery says so, with buttons
			}
			all = append(all, banner{"server-" + x.Name, state.LevelError, k.T("banner.server", x.Name, k.T("server.state."+x.State), k.Tr.ServerReason(x.ServerHealth)), nil, ""})
		}
	}
	if n.Pressure == nil {
		delete(b.gone, "pressure")
	} else {
		all = append(all, b.pressure(*n.Pressure))
	}
	all = append(all, b.notices(n)...)
	if len(n.Unused) > 0 {
		all = append(all, banner{"unused", state.LevelInfo, b.unused(n.Unused), nil, ""})
	}
	if n.Folder.Kind == state.Trash && b.s.page == pageGallery {
		all = append([]banner{b.trash(n)}, all...)
	}
	kept := all[:0]
	for _, x := range all {
		if !b.gone[x.key()] && len(kept) < mostBanners {
			kept = append(kept, x)
		}
	}
	return kept
}

// deaths returns which kernels have died: those that are dead, then those that were replaced.
func (b *banners) deaths(n *state.Snapshot) (all []banner) {
	k, a := b.s.k, b.s.a
	for _, x := range n.Sessions {
		if x.Died != "" {
			text := k.T("banner.died", x.Title()) + k.Tr.Explained(x.Death)
			all = append(all, banner{"died-" + x.SessionID, state.LevelError, text, []fyne.CanvasObject{
				k.Button(kit.Quiet, "restart", k.T("top.restart"), "", func() { a.sessions.Restart(x.SessionID) }).Small(),
			}, ""})
		}
	}
	for _, x := range n.Sessions {
		if x.Died == "" && !x.Crashed.IsZero() {
			text := k.T("banner.crashed", x.Title(), k.Tr.Clock(x.Crashed)) + k.Tr.Explained(x.Death)
			all = append(all, banner{fmt.Sprint("crashed-", x.SessionID, x.Crashed.UnixNano()), state.LevelWarning, text, nil, ""})
		}
	}
	return all
}

// notices returns what has happened that the user should know, the newest first.
func (b *banners) notices(n *state.Snapshot) (all []banner) {
	k, a := b.s.k, b.s.a
	for _, o := range slices.Backward(n.Notices) {
		text := o.Text
		if key := "notice." + o.ID; k.Tr.Has(key) {
			text = k.T(key)
		}
		if o.Hint != "" {
			text += " " + o.Hint
		}
		var act []fyne.CanvasObject
		if path := o.Hint; filepath.IsAbs(path) {
			act = append(act, k.Button(kit.Quiet, "folder", k.T("properties.show_in_folder"), "", func() { a.external.Reveal(path) }).Small())
		}
		if o.ID == state.NoticeRisky {
			if n.Settings.Access != oversight.AccessAllow {
				continue
			}
			act = append(act, k.Button(kit.Quiet, "", k.T("notice.ask_risky_do"), "", func() { a.access.Set(oversight.AccessAskRisky) }).Small())
		}
		all = append(all, banner{"notice-" + o.ID, o.Level, text, act, ""})
	}
	return all
}

// trash returns the banner of the trash.
func (b *banners) trash(n *state.Snapshot) banner {
	k, a := b.s.k, b.s.a
	restore := k.Button(kit.Quiet, "", k.T("trash.restore_selected"), "", func() { a.edits.Restore(a.cfg.Store.Snapshot().Selection) })
	restore.SetEnabled(len(n.Selection) > 0)
	empty := k.Button(kit.Danger, "trash", k.T("trash.empty"), "", a.edits.EmptyTrash)
	empty.SetEnabled(n.Matching > 0 || filtered(n)) // a filter may hide plots
	return banner{"trash", state.LevelInfo, k.T("trash.banner", n.Settings.TrashDays), []fyne.CanvasObject{
		restore.Small(), empty.Small(),
	}, fmt.Sprint(restore.Enabled(), empty.Enabled())}
}

// key identifies a dismissed banner. The banner about memory stays dismissed while its
// numbers change.
func (x banner) key() string {
	if x.id == "pressure" {
		return x.id
	}
	return x.id + x.text
}

// pressure says that memory is low, who uses most of it, and which variables are the largest.
func (b *banners) pressure(p state.Pressure) banner {
	k := b.s.k
	text := k.T("banner.pressure", i18n.Bytes(p.Available), i18n.Bytes(p.Total), b.s.sessionName(p.Most.SessionID), i18n.Bytes(p.Most.Bytes))
	if len(p.Most.Variables) > 0 {
		large := make([]string, len(p.Most.Variables))
		for i, v := range p.Most.Variables {
			large[i] = v.Name + " (" + i18n.Bytes(v.Bytes) + ")"
		}
		text += k.T("banner.pressure_in", strings.Join(large, ", "))
	}
	var act []fyne.CanvasObject
	if len(p.Idle) > 0 {
		var end *kit.Button
		end = k.Button(kit.Quiet, "", k.T("banner.pressure_end"), "", func() { b.s.a.sessions.IdleMenu(end) })
		act = append(act, end.Small())
	}
	return banner{"pressure", state.LevelWarning, text, act, fmt.Sprint(len(act))}
}

// unused says which sessions Easel ended. If there was only one, it also says which
// variables that session had.
func (b *banners) unused(ended []state.UnusedSession) string {
	k, last := b.s.k, ended[len(ended)-1]
	if len(ended) > 1 {
		names := make([]string, len(ended))
		for i, x := range slices.Backward(ended) {
			names[len(ended)-1-i] = x.Name
		}
		return k.T("banner.unused_many", len(ended), strings.Join(names, ", "))
	}
	since := k.Tr.When(last.At.Add(-last.After), b.s.a.cfg.Now())
	if len(last.Variables) == 0 {
		return k.T("banner.unused", last.Name, since)
	}
	had := make([]string, len(last.Variables))
	for i, v := range last.Variables {
		had[i] = activity.VariableText(k.Tr, v)
	}
	return k.T("banner.unused_had", last.Name, since, strings.Join(had, ", "))
}

// render shows a state's banners and reports whether they have changed.
func (b *banners) render(n *state.Snapshot) bool {
	list := b.list(n)
	var fingerprint strings.Builder
	for _, x := range list {
		fingerprint.WriteString(x.id + x.text + x.can + "\n")
	}
	if fingerprint.String() == b.fingerprint || b.s.k.Pressed(b.root, b.again) {
		return false
	}
	b.fingerprint = fingerprint.String()
	b.root.Objects, b.rows = nil, nil
	for _, x := range list {
		row, o := b.make(x)
		b.root.Objects, b.rows = append(b.root.Objects, o), append(b.rows, row)
	}
	b.root.Refresh()
	return true
}

// again shows what has changed while the pointer was pressed on a banner.
func (b *banners) again() {
	if b.render(b.s.a.cfg.Store.Snapshot()) {
		b.s.gallery.arrange(b.s.gallery.root.Size())
	}
}

func (b *banners) make(x banner) (*bannerRow, fyne.CanvasObject) {
	k := b.s.k
	ground, ink, icon := k.P.AccentBg, k.P.Accent, "info"
	switch x.level {
	case state.LevelInfo:
	case state.LevelWarning:
		ground, ink, icon = k.P.WarnBg, k.P.Warn, "warning"
	case state.LevelError:
		ground, ink, icon = k.P.BadBg, k.P.Bad, "error"
	}
	row := &bannerRow{
		icon: kit.Icon(icon, ink, 16), text: kit.NewPara(x.text, theme.TextBody, k.P.Text, fyne.TextStyle{}).Most(mostLines),
		act: x.act,
	}
	if x.id != "paused" && x.id != "trash" && x.id != "choose-access" {
		row.act = append(row.act, k.Button(kit.Ghost, "close", "", k.T("banner.dismiss"), func() {
			b.gone[x.key()] = true
			if x.id == "unused" {
				b.s.a.cfg.Store.Update(func(n *state.Snapshot) { n.Unused = nil })
			}
			b.render(b.s.a.cfg.Store.Snapshot())
			b.s.gallery.arrange(b.s.gallery.root.Size())
		}).Small())
	}
	objects := append([]fyne.CanvasObject{row.icon, row.text}, row.act...)
	return row, k.Panel(ground, "b", &fyne.Container{Objects: objects, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) { row.arrange(size) },
	}})
}

// A bannerRow is the content of a banner. Its text wraps: it often ends with a name.
type bannerRow struct {
	icon fyne.CanvasObject
	text *kit.Para
	act  []fyne.CanvasObject
}

const (
	bannerH    float32 = 36 // height of a banner with one line
	bannerPad  float32 = 14 // space at both ends
	bannerGap  float32 = 9
	bannerIcon float32 = 16
	mostLines          = 3
)

// textWidth returns the width of the text in a banner of a width.
func (r *bannerRow) textWidth(width float32) float32 {
	width -= 2*bannerPad + bannerIcon + bannerGap
	for _, o := range r.act {
		width -= o.MinSize().Width + bannerGap
	}
	return max(width, 60)
}

func (r *bannerRow) height(width float32) float32 {
	return max(bannerH, r.text.HeightFor(r.textWidth(width))+16)
}

func (r *bannerRow) arrange(size fyne.Size) {
	w := r.textWidth(size.Width)
	h := r.text.HeightFor(w)
	kit.Place(r.icon, bannerPad, (size.Height-bannerIcon)/2, bannerIcon, bannerIcon)
	kit.Place(r.text, bannerPad+bannerIcon+bannerGap, (size.Height-h)/2, w, h)
	x := size.Width - bannerPad
	for _, o := range slices.Backward(r.act) {
		m := o.MinSize()
		x -= m.Width
		kit.Place(o, x, (size.Height-m.Height)/2, m.Width, m.Height)
		x -= bannerGap
	}
}

// place lays out the banners and returns their height.
func (b *banners) place(width float32) float32 {
	var y float32
	for i, o := range b.root.Objects {
		h := b.rows[i].height(width)
		kit.Place(o, 0, y, width, h)
		y += h
	}
	kit.Place(b.root, 0, 0, width, y)
	return y
}
