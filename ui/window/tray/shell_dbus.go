//go:build linux || freebsd || openbsd || netbsd

package tray

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"easel/ui/window/desktop"
)

// Names on the bus.
const (
	watcherName  = "org.kde.StatusNotifierWatcher"
	watcherPath  = "/StatusNotifierWatcher"
	notifierName = "org.freedesktop.Notifications"
	notifierPath = "/org/freedesktop/Notifications"
	busName      = "org.freedesktop.DBus"
	properties   = "org.freedesktop.DBus.Properties"
)

const (
	// joinTime is the maximum time that starting the window waits for the bus.
	joinTime = 5 * time.Second
	// busTime is the timeout of a call on the bus; D-Bus's own default is the same.
	// Nothing waits for these calls, and nothing repeats a failed one. At login, when
	// all programs start at once, an answer may take seconds.
	busTime = 25 * time.Second
	// noteTime is the timeout of a notification, which delays everything else in
	// follow.
	noteTime = 5 * time.Second
)

// A shell is the connection to the desktop over D-Bus. The tray is shown if a
// StatusNotifierWatcher has a host. Notifications are sent to the notification service.
// The shell has its own connection, because Fyne closes the one that it shares.
type shell struct {
	t     *Tray
	conn  *dbus.Conn
	notes chan notification

	ids  [noteKinds]uint32       // of the last notification of each kind, so that the next one replaces it
	held [noteKinds]notification // that wait until the user wants to be disturbed again
}

func newShell(t *Tray) *shell { return &shell{t: t, notes: make(chan notification, 8)} }

// open connects to the session bus. It returns false if there is none. Then there is no
// tray, and Fyne must not try to start one.
func (s *shell) open() bool {
	ctx, cancel := context.WithTimeout(s.t.ctx, joinTime)
	defer cancel()
	conn, err := desktop.SessionBus(ctx)
	if err != nil {
		s.t.cfg.Log.Info("no tray and no notifications: there is no session bus", "err", err)
		return false
	}
	s.conn = conn
	return true
}

// notify queues a notification; without a title, the one of its kind is withdrawn. It drops it if the queue is full.
func (s *shell) notify(n notification) {
	select {
	case s.notes <- n:
	default:
	}
}

// withdraw takes the last notification of a kind away.
func (s *shell) withdraw(kind noteKind) { s.notify(notification{kind: kind}) }

// follow finds out whether there is a tray, then handles signals and notifications
// until the tray is closed or the bus connection is lost.
func (s *shell) follow() {
	defer s.conn.Close() //nolint:errcheck // nothing is lost with it
	defer s.t.setAvailable(false)
	signals := make(chan *dbus.Signal, 16)
	s.conn.Signal(signals)
	if err := s.subscribe(); err != nil {
		s.t.cfg.Log.Warn("following the session bus", "err", err)
		return
	}
	s.checkAvailable()
	for {
		select {
		case sig := <-signals:
			if sig == nil { // the connection is closed
				return
			}
			s.signal(sig)
		case n := <-s.notes:
			s.send(n)
		case <-s.conn.Context().Done():
			return
		case <-s.t.ctx.Done():
			return
		}
	}
}

func (s *shell) subscribe() error {
	for _, match := range [][]dbus.MatchOption{
		{
			dbus.WithMatchSender(busName), dbus.WithMatchInterface(busName), dbus.WithMatchMember("NameOwnerChanged"),
			dbus.WithMatchArg(0, watcherName),
		},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostRegistered")},
		{dbus.WithMatchInterface(watcherName), dbus.WithMatchMember("StatusNotifierHostUnregistered")},
		{dbus.WithMatchInterface(notifierName), dbus.WithMatchMember("ActionInvoked")},
		{dbus.WithMatchInterface(notifierName), dbus.WithMatchMember("NotificationClosed")},
		{dbus.WithMatchObjectPath(notifierPath), dbus.WithMatchInterface(properties), dbus.WithMatchMember("PropertiesChanged")},
	} {
		ctx, cancel := context.WithTimeout(s.t.ctx, busTime)
		err := s.conn.AddMatchSignalContext(ctx, match...)
		cancel()
		if err != nil {
			return fmt.Errorf("subscribing: %w", err)
		}
	}
	return nil
}

func (s *shell) signal(sig *dbus.Signal) {
	switch sig.Name {
	case notifierName + ".ActionInvoked":
		var id uint32
		var action string
		if dbus.Store(sig.Body, &id, &action) == nil && id != 0 && s.sent(id) {
			s.t.cfg.Do(s.t.cfg.Show)
		}
	case notifierName + ".NotificationClosed":
		var id, reason uint32
		if dbus.Store(sig.Body, &id, &reason) == nil {
			for kind, known := range s.ids {
				if known == id {
					s.ids[kind] = 0
				}
			}
		}
	case properties + ".PropertiesChanged":
		if !s.inhibited() {
			for kind, n := range s.held {
				s.held[kind] = notification{}
				if n.title != "" {
					s.send(n)
				}
			}
		}
	default:
		s.checkAvailable()
	}
}

// inhibited reports whether the user does not want to be disturbed, as far as the notification service says so: that
// of KDE does. Others keep quiet themselves.
func (s *shell) inhibited() bool {
	ctx, cancel := context.WithTimeout(s.t.ctx, noteTime)
	defer cancel()
	var v dbus.Variant
	err := s.conn.Object(notifierName, notifierPath).CallWithContext(ctx, properties+".Get", 0, notifierName, "Inhibited").Store(&v)
	yes, _ := v.Value().(bool)
	return err == nil && yes
}

func (s *shell) sent(id uint32) bool {
	for _, known := range s.ids {
		if known == id {
			return true
		}
	}
	return false
}

// checkAvailable finds out whether the desktop shows the tray. A watcher must be
// running. If the watcher says whether it has a host, which draws the icons, it must
// have one.
func (s *shell) checkAvailable() {
	ctx, cancel := context.WithTimeout(s.t.ctx, busTime)
	defer cancel()
	var owned bool
	err := s.conn.BusObject().CallWithContext(ctx, busName+".NameHasOwner", 0, watcherName).Store(&owned)
	if err != nil || !owned {
		s.t.setAvailable(false)
		return
	}
	var drawn dbus.Variant
	err = s.conn.Object(watcherName, watcherPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0,
		watcherName, "IsStatusNotifierHostRegistered").Store(&drawn)
	yes, known := drawn.Value().(bool)
	s.t.setAvailable(err != nil || !known || yes)
}

// send sends a notification, or holds it until the user wants to be disturbed. A click on it shows the window.
func (s *shell) send(n notification) {
	s.held[n.kind] = notification{}
	switch {
	case n.title == "":
		s.close(n.kind)
		return
	case s.inhibited():
		s.held[n.kind] = n
		return
	}
	ctx, cancel := context.WithTimeout(s.t.ctx, noteTime)
	defer cancel()
	err := s.conn.Object(notifierName, notifierPath).CallWithContext(ctx, notifierName+".Notify", 0,
		"Easel", s.ids[n.kind], s.t.cfg.App.UniqueID(), n.title, s.body(n), []string{"default", "Easel"},
		map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(s.t.cfg.App.UniqueID())}, int32(-1)).Store(&s.ids[n.kind])
	if err != nil {
		s.t.cfg.Log.Info("the desktop shows no notification", "err", err)
	}
}

// body returns the text of a notification. Services that take markup there say so: for them the title of a plot is escaped.
// If one does not say what it takes, the title stays out.
func (s *shell) body(n notification) string {
	if n.plot == "" {
		return n.text
	}
	ctx, cancel := context.WithTimeout(s.t.ctx, noteTime)
	defer cancel()
	var can []string
	if err := s.conn.Object(notifierName, notifierPath).CallWithContext(ctx, notifierName+".GetCapabilities", 0).Store(&can); err != nil {
		s.t.cfg.Log.Info("a notification has no plot's title: it is unknown whether it would be markup", "err", err)
		return n.text
	}
	if slices.Contains(can, "body-markup") {
		return n.text + "\n" + markup.Replace(n.plot)
	}
	return n.text + "\n" + n.plot
}

// markup escapes what would be markup in a notification. Unlike package html's, it leaves quotes: services know few entities.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// close takes a notification away.
func (s *shell) close(kind noteKind) {
	id := s.ids[kind]
	s.ids[kind] = 0
	if id == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(s.t.ctx, noteTime)
	defer cancel()
	err := s.conn.Object(notifierName, notifierPath).CallWithContext(ctx, notifierName+".CloseNotification", 0, id).Err
	if err != nil { // the user has closed it
		s.t.cfg.Log.Debug("a notification was not withdrawn", "err", err)
	}
}
