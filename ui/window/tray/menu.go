//go:build !darwin || cgo

package tray

import (
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/systray"
)

// A menu is the tray icon and its menu. Its methods must be called on the UI goroutine.
type menu struct {
	t     *Tray
	app   desktop.App
	shown view
	items [rows]*systray.MenuItem // nil until build
}

// newMenu makes Fyne start a tray when the app runs. The menu is empty until build.
func newMenu(t *Tray, app desktop.App, first view) *menu {
	m := &menu{t: t, app: app, shown: first}
	m.icon()
	app.SetSystemTrayWindow(t.cfg.Window) // not SetSystemTrayMenu, which would replace our menu
	t.cfg.Window.SetCloseIntercept(t.cfg.CloseRequested)
	systray.SetOnTapped(func() { t.cfg.Do(t.cfg.Show) }) // before the tray starts, because it tells hosts then that taps are handled
	return m
}

// build creates the items. Call it once the tray runs.
func (m *menu) build() {
	if m.t.ctx.Err() != nil {
		return
	}
	systray.SetTooltip(m.shown.tooltip)
	for i, group := range groups {
		if i > 0 {
			systray.AddSeparator()
		}
		for _, id := range group {
			r := m.shown.rows[id]
			var item *systray.MenuItem
			if id == rowPause || id == rowLogin {
				item = systray.AddMenuItemCheckbox(r.label, "", r.checked)
			} else {
				item = systray.AddMenuItem(r.label, "")
			}
			if r.disabled {
				item.Disable()
			}
			if r.hidden {
				item.Hide()
			}
			m.items[id] = item
			m.t.task(func() { m.clicks(id, item.ClickedCh) })
		}
	}
}

// clicks passes the clicks on an item to the UI goroutine.
func (m *menu) clicks(id rowID, clicked <-chan struct{}) {
	for {
		select {
		case _, ok := <-clicked:
			if !ok {
				return
			}
			m.t.cfg.Do(func() { m.t.action(id) })
		case <-m.t.ctx.Done():
			return
		}
	}
}

// apply shows v. It changes only what differs, because each change is a message to the
// desktop.
func (m *menu) apply(v view) {
	if m.t.ctx.Err() != nil {
		return
	}
	was := m.shown
	m.shown = v
	if v.mood != was.mood {
		m.icon()
	}
	if v.tooltip != was.tooltip {
		systray.SetTooltip(v.tooltip)
	}
	for id, item := range m.items {
		r, old := v.rows[id], was.rows[id]
		if item == nil {
			continue
		}
		if r.hidden {
			if !old.hidden {
				item.Hide()
			}
			continue // an update of a hidden row may show it
		}
		if r.label != old.label {
			item.SetTitle(r.label)
		}
		if r.disabled != old.disabled {
			set(r.disabled, item.Disable, item.Enable)
		}
		if r.checked != old.checked {
			set(r.checked, item.Check, item.Uncheck)
		}
		if old.hidden {
			item.Show()
		}
	}
}

// stops returns the session that a row interrupts now; empty if none.
func (m *menu) stops(id rowID) string { return m.shown.rows[id].session }

func set(yes bool, on, off func()) {
	if yes {
		on()
	} else {
		off()
	}
}

func (m *menu) icon() {
	m.app.SetSystemTrayIcon(fyne.NewStaticResource(m.shown.mood.icon()))
}

// close removes the icon. Fyne does that only if one of its windows has the focus. On
// macOS the icon disappears with the app.
func (m *menu) close() {
	if runtime.GOOS != "darwin" {
		systray.Quit()
	}
}
