package tray

// A shell is the connection to the desktop. Windows always has a tray.
type shell struct{ t *Tray }

func newShell(t *Tray) *shell { return &shell{t} }

func (s *shell) open() bool {
	s.t.available.Store(true)
	return true
}

func (s *shell) follow() {}

// notify shows a notification of the tray icon. Fyne's notifications start PowerShell with a
// script in a temporary file, which takes seconds, and fails if the user's name contains a
// space.
func (s *shell) notify(n notification) {
	if n.plot != "" {
		n.text += "\n" + n.plot // the system takes it as data
	}
	if err := showBalloon(n.title, n.text); err != nil {
		s.t.cfg.Log.Warn("cannot show a notification", "err", err)
	}
}

// withdraw does nothing: the system removes notifications by itself.
func (*shell) withdraw(noteKind) {}
