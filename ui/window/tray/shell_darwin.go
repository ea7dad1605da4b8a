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

// notify shows a notification, without the title of a plot: outside of a bundle, Fyne writes the text into a script.
func (s *shell) notify(n notification) {
	note := fyne.NewNotification(n.title, n.text)
	s.t.cfg.Do(func() { s.t.cfg.App.SendNotification(note) })
}

// withdraw does nothing: the system removes notifications by itself.
func (*shell) withdraw(noteKind) {}
