package window

import (
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/activity"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/sidebar"
	"easel/ui/window/theme"
)

// Banners report problems, above everything else.
type banners struct {
	s           *shell
	root        *fyne.Container
	fingerprint string
	gone        map[string]bool // dismissed, by key
}

func newBanners(s *shell) *banners {
	return &banners{s: s, root: &fyne.Container{Layout: kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}}}, gone: make(map[string]bool)}
}

// A banner is one line with a problem and what can be done about it.
type banner struct {
	id    string
	level state.Level
	text  string
	act   []fyne.CanvasObject
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
		all = append(all, banner{"paused", state.LevelWarning, text, act})
	}
	for _, x := range n.Sessions {
		if x.Died != "" {
			all = append(all, banner{"died-" + x.SessionID, state.LevelError, k.T("banner.died", sidebar.Name(x), x.Died), []fyne.CanvasObject{
				k.Button(kit.Quiet, "restart", k.T("top.restart"), "", func() { a.sessions.Restart(x.SessionID) }).Small(),
			}})
		}
	}
	for _, x := range n.Servers {
		switch x.State {
		case "failed", "unreachable", "unauthorized":
			all = append(all, banner{"server-" + x.Name, state.LevelError, k.T("banner.server", x.Name, k.T("server.state."+x.State), x.Message), nil})
		}
	}
	if n.Pressure == nil {
		delete(b.gone, "pressure")
	} else if x := n.Pressure.Idle; len(x) > 0 {
		var end *kit.Button
		end = k.Button(kit.Quiet, "", k.T("banner.pressure_end"), "", func() { a.sessions.IdleMenu(end) })
		text := k.T("banner.pressure", i18n.Bytes(n.Pressure.Available), b.s.sessionName(x[0].SessionID), i18n.Bytes(x[0].Bytes))
		all = append(all, banner{"pressure", state.LevelWarning, text, []fyne.CanvasObject{end.Small()}})
	}
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
		all = append(all, banner{"notice-" + o.ID, o.Level, text, act})
	}
	if len(n.Unused) > 0 {
		all = append(all, banner{"unused", state.LevelInfo, b.unused(n.Unused), nil})
	}
	if n.Folder.Kind == state.Trash && b.s.page == pageGallery {
		all = append([]banner{{"trash", state.LevelInfo, k.T("trash.banner", n.Settings.TrashDays), []fyne.CanvasObject{
			k.Button(kit.Quiet, "", k.T("trash.restore_selected"), "", func() { a.edits.Restore(a.cfg.Store.Snapshot().Selection) }).Small(),
			k.Button(kit.Danger, "trash", k.T("trash.empty"), "", a.edits.EmptyTrash).Small(),
		}}}, all...)
	}
	kept := all[:0]
	for _, x := range all {
		if !b.gone[x.key()] && len(kept) < mostBanners {
			kept = append(kept, x)
		}
	}
	return kept
}

// key identifies a dismissed banner. The banner about memory stays dismissed while its
// numbers change.
func (x banner) key() string {
	if x.id == "pressure" {
		return x.id
	}
	return x.id + x.text
}

// unused says which sessions Easel ended, and what the session had if it was only one.
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
		fingerprint.WriteString(x.id + x.text + "\n")
	}
	if fingerprint.String() == b.fingerprint {
		return false
	}
	b.fingerprint = fingerprint.String()
	b.root.Objects = nil
	for _, x := range list {
		b.root.Objects = append(b.root.Objects, b.make(x))
	}
	b.root.Refresh()
	return true
}

func (b *banners) make(x banner) fyne.CanvasObject {
	k := b.s.k
	ground, ink, icon := k.P.AccentBg, k.P.Accent, "info"
	switch x.level {
	case state.LevelInfo:
	case state.LevelWarning:
		ground, ink, icon = k.P.WarnBg, k.P.Warn, "warning"
	case state.LevelError:
		ground, ink, icon = k.P.BadBg, k.P.Bad, "error"
	}
	row := append([]fyne.CanvasObject{kit.Icon(icon, ink, 16), kit.NewLine(x.text, theme.TextBody, k.P.Text, fyne.TextStyle{}, 60)}, x.act...)
	if x.id != "paused" && x.id != "trash" {
		row = append(row, k.Button(kit.Ghost, "close", "", k.T("banner.dismiss"), func() {
			b.gone[x.key()] = true
			if x.id == "unused" {
				b.s.a.cfg.Store.Update(func(n *state.Snapshot) { n.Unused = nil })
			}
			b.render(b.s.a.cfg.Store.Snapshot())
			b.s.center.arrange(b.s.center.root.Size())
		}).Small())
	}
	return k.Panel(ground, "b", kit.PadRow(14, 9, 1, row...))
}

const bannerH float32 = 36

// place lays out the banners and returns their height.
func (b *banners) place(width float32) float32 {
	for i, o := range b.root.Objects {
		kit.Place(o, 0, float32(i)*bannerH, width, bannerH)
	}
	h := float32(len(b.root.Objects)) * bannerH
	kit.Place(b.root, 0, 0, width, h)
	return h
}
