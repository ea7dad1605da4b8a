package tray

import "fyne.io/fyne/v2"

// A shell is the connection to the desktop. macOS always has a tray.
type shell struct{ t *Tray }

func newShell(t *Tray) *shell { return &shell{t} }

func (s *shell) open() bool {
	s.t.available.Store(true)
	return true
}

func (s *shell) follow() {}

// notify shows a notification.
func (s *shell) notify(_ noteKind, title, text string) {
	n := fyne.NewNotification(title, text)
	s.t.cfg.Do(func() { s.t.cfg.App.SendNotification(n) })
}

// withdraw does nothing: the system removes notifications by itself.
func (*shell) withdraw(noteKind) {}
