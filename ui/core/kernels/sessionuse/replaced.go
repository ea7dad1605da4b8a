package sessionuse

import (
	"slices"
	"strings"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// When a kernel is restarted, dies or is replaced, its variables are lost. Each client that has
// used the session is told so once, with its next result. Who was told is stored with the
// session, because Easel may be restarted before that.

// Replace records that the session has lost its variables. All its clients but the one that
// did it are to be told.
func Replace(s *library.Session, by Actor) {
	s.Generation++
	s.Replaced = &library.Replacement{By: by.Name, ByID: by.ID, At: time.Now().UTC(), Known: s.Users}
	untold := slices.DeleteFunc(strings.Fields(s.Users), func(u string) bool { return u == by.ID })
	s.Untold = strings.Join(untold, "\n")
}

// Tell reports whether a client has to be told that the session has lost its variables, and notes
// that it was. A client that is new to the session is told in the stead of one with the same
// name that was not: it is probably the same one, which has connected again. That one is told,
// too, if it calls after all, but nobody else in its stead.
func Tell(s *library.Session, c tool.Caller) bool {
	if s.Replaced == nil {
		return false
	}
	id, untold := c.Identity(), strings.Fields(s.Untold)
	var alike []string
	for _, u := range untold {
		if u != id && kinOf(s.Kin, u) == kin(c) {
			alike = append(alike, u)
		}
	}
	known, passed := strings.Fields(s.Replaced.Known), strings.Fields(s.Replaced.Passed)
	successor := !slices.Contains(known, id) && slices.ContainsFunc(alike, func(u string) bool { return !slices.Contains(passed, u) })
	if !slices.Contains(untold, id) && !successor {
		return false
	}
	s.Untold = strings.Join(slices.DeleteFunc(untold, func(u string) bool { return u == id }), "\n")
	news := *s.Replaced // others may read what it was
	news.Known, news.Passed = strings.Join(append(known, id), "\n"), strings.Join(append(passed, alike...), "\n")
	s.Replaced = &news
	return true
}

// kin returns what a client keeps when it connects again.
func kin(c tool.Caller) string {
	return string(c.Transport) + ":" + strings.Join(strings.Fields(c.Name), " ")
}

// kinOf returns the kin of an identity, or "".
func kinOf(all, id string) string {
	for line := range strings.Lines(all) {
		if of, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); of == id {
			return name
		}
	}
	return ""
}

// withKin adds a client to a session's Kin, which keeps as many as may be untold.
func withKin(all string, c tool.Caller) string {
	list := append(Names(all), c.Identity()+"\t"+kin(c))
	return strings.Join(list[max(0, len(list)-2*maxUsers):], "\n")
}

// Succeed makes a new session of a notebook the successor of its last one, which by has ended: who
// has used that one is told that the variables are gone. It does nothing if that was long ago.
func Succeed(sess *library.Session, last library.Session, by Actor) {
	if time.Since(last.EndedAt) > succession {
		return
	}
	if last.EndedBy != "" {
		by = Actor{ID: last.EndedByID, Name: last.EndedBy}
	}
	sess.Users, sess.Kin, sess.Clients, sess.Generation = last.Users, last.Kin, last.Clients, last.Generation
	Replace(sess, by)
	sess.Replaced.At = last.EndedAt
}

// succession is how long after its end a session has a successor. Later, clients have forgotten it.
const succession = 24 * time.Hour
