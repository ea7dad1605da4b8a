package window

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/palette"
	"easel/ui/window/sidebar"
)

// A seeker collects what the palette finds. People remember names in one language, and the window
// may be in the other, so names are found in both.
type seeker struct {
	a        *App
	catalogs []*i18n.Catalog
}

// port returns the port of the palette.
func (f *seeker) port() palette.Port {
	a := f.a
	for _, lang := range i18n.Languages {
		f.catalogs = append(f.catalogs, i18n.New(lang))
	}
	return palette.Port{
		Kit: a.kit, Dialogs: a.dialogs, Entries: f.entries,
		Recent: func() []string { return strings.Fields(a.cfg.Store.Snapshot().Settings.Layout.Palette) },
		Used:   func(ids []string) { a.settings(func(s *state.Settings) { s.Layout.Palette = strings.Join(ids, "\n") }) },
	}
}

func (f *seeker) entries() []palette.Entry {
	n, k := f.a.cfg.Store.Snapshot(), f.a.kit()
	return slices.Concat(f.live(n, k), f.actions(k), f.ended(n, k), f.settings(k), f.projects(n, k), f.folders(n))
}

// every returns texts in all languages.
func (f *seeker) every(keys ...string) (texts []string) {
	for _, key := range keys {
		for _, c := range f.catalogs {
			if key != "" && c.Has(key) {
				texts = append(texts, c.T(key))
			}
		}
	}
	return texts
}

func (f *seeker) actions(k *kit.Kit) (all []palette.Entry) {
	a := f.a
	for _, x := range a.keyboard.all {
		if x.name == "" {
			continue
		}
		e := palette.Entry{
			ID: "do:" + x.id, Name: k.T(x.name), Also: f.every(x.name, x.row), Key: a.keyboard.keys.Key(x.id),
			Do: func() { x.do(a) },
		}
		if x.can != nil {
			if why := x.can(a); why != "" {
				e.Why = k.T(why)
			}
		}
		all = append(all, e)
	}
	return all
}

// live returns the sessions that run.
func (f *seeker) live(n *state.Snapshot, k *kit.Kit) (all []palette.Entry) {
	for _, x := range n.Sessions {
		c := k.P.Session(x.Colour)
		all = append(all, palette.Entry{
			ID: "session:" + x.SessionID, Name: x.Title(), Detail: k.T("palette.session", sidebar.Status(k, x)), Bar: &c,
			Also: append(f.every("sidebar.sessions"), x.Client, x.Directory, x.SessionID), Do: func() { f.a.navigate.OpenSession(x.SessionID) },
		})
	}
	return all
}

// ended returns the sessions of the library that have ended.
func (f *seeker) ended(n *state.Snapshot, k *kit.Kit) (all []palette.Entry) {
	s := f.a.shell
	for _, x := range s.listed {
		if _, live := n.Session(x.ID); live || x.Images == 0 {
			continue
		}
		c := k.P.Session(x.Colour)
		all = append(all, palette.Entry{
			ID: "session:" + x.ID, Name: s.sessionName(x.ID), Bar: &c, Quiet: true,
			Detail: k.T("palette.session", k.Tr.Day(x.CreatedAt, k.Now())+" "+k.Tr.Clock(x.CreatedAt)),
			Also:   slices.Concat(f.every("sidebar.sessions"), f.days(x.CreatedAt, k), []string{x.Client, x.Directory, x.ID}),
			Do:     func() { f.a.navigate.OpenSession(x.ID) },
		})
	}
	return all
}

// days returns what people call a day.
func (f *seeker) days(t time.Time, k *kit.Kit) []string {
	texts := []string{t.Local().Format(time.DateOnly), t.Local().Weekday().String()}
	for _, c := range f.catalogs {
		texts = append(texts, c.Day(t, k.Now()))
	}
	return texts
}

// settings returns the settings, which the page shows.
func (f *seeker) settings(k *kit.Kit) (all []palette.Entry) {
	for _, key := range f.a.shell.prefs.Items() {
		all = append(all, palette.Entry{
			ID: "setting:" + key, Name: k.T(key), Detail: k.T("rail.settings_name"), Quiet: true,
			Also: f.every(key, key+"_hint", "rail.settings_name"),
			Do: func() {
				f.a.shell.open(pageSettings)
				f.a.shell.prefs.Reveal(key)
			},
		})
	}
	return all
}

// projects returns the projects, and the notebooks of those whose servers run.
func (f *seeker) projects(n *state.Snapshot, k *kit.Kit) (all []palette.Entry) {
	a := f.a
	for _, x := range n.Settings.Projects.All() {
		all = append(all, palette.Entry{
			ID: "project:" + x.Root, Name: filepath.Base(x.Root), Detail: k.T("projects.new_session"), Quiet: true,
			Also: append(f.every("sidebar.projects", "projects.new_session"), x.Root), Do: func() { a.projects.NewSession(x.Root) },
		})
	}
	for _, p := range n.Projects {
		for _, path := range p.Notebooks {
			open := func() { a.external.Reveal(filepath.Join(p.Root, filepath.FromSlash(path))) }
			if a.external.HasJupyterLab() {
				open = func() { a.external.ProjectLab(p.Root, path) }
			}
			all = append(all, palette.Entry{
				ID: "notebook:" + p.Root + "/" + path, Name: path, Detail: k.T("palette.notebook", filepath.Base(p.Root)), Quiet: true,
				Also: f.every("palette.notebooks"), Do: open,
			})
		}
	}
	return all
}

// folders returns the folders of pictures that the user has pinned or opened.
func (f *seeker) folders(n *state.Snapshot) (all []palette.Entry) {
	known := n.Settings.Folders
	for _, path := range append(known.AllPinned(), known.Recent()...) {
		all = append(all, palette.Entry{
			ID: "folder:" + path, Name: filepath.Base(path), Detail: path, Quiet: true,
			Also: f.every("sidebar.folders", "folders.show"), Do: func() { f.a.folders.Open(path) },
		})
	}
	return all
}

// dialogs returns the shell's dialogs.
func (a *App) dialogs() *dialogs.Host { return a.shell.dialogs }
