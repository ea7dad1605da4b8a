package tray

import (
	"strings"
	"time"
	"unicode"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// A noteKind is a kind of notification. A new notification replaces the previous one of
// its kind.
type noteKind int

// The kinds of notification.
const (
	noteHidden noteKind = iota
	noteNews
	noteStopped // the outcome of an interrupt from the tray
	noteKinds
)

// A notification is a notification to be sent.
type notification struct {
	kind        noteKind
	title, text string // fixed words and counts
	plot        string // a line with a plot's title, for systems that take it as data; "" if there is none
}

// A note is a notification, as message IDs. The messages never contain anything of the
// user's.
type note struct {
	kind        noteKind
	title, text string
}

var (
	hiddenNote  = note{noteHidden, "tray.note.hidden", "tray.note.hidden_text"}
	stillNote   = note{noteStopped, "tray.note.still", "tray.note.still_text"}
	refusedNote = note{noteStopped, "tray.note.refused", "tray.note.refused_text"}
)

const (
	// gather is how long news are collected for one notification.
	gather = 2 * time.Second
	// apart is the least time between two notifications, unless there is a new question.
	apart = 30 * time.Second
)

// mostTitle is the maximum length of a plot's title in a notification, in characters.
const mostTitle = 60

// A digest is what has happened since the user last looked at the window. A notification tells it in fixed words and
// counts, and the title of a plot if the user wants that.
type digest struct {
	questions, died, failed, finished int
	plot                              string // the title of the newest plot of the runs, on one line
}

// text returns the title and the text of a notification.
func (d digest) text(tr *i18n.Catalog) (title, text string) {
	var parts []string
	for _, p := range []struct {
		key string
		n   int
	}{
		{"tray.note.questions", d.questions},
		{"tray.note.died", d.died},
		{"tray.note.failed", d.failed},
		{"tray.note.finished", d.finished},
	} {
		if p.n > 0 {
			parts = append(parts, tr.N(p.key, p.n))
		}
	}
	if len(parts) == 1 {
		return parts[0], tr.T("tray.note.open")
	}
	return parts[0], strings.Join(parts[1:], " · ")
}

// note returns the notification.
func (d digest) note(tr *i18n.Catalog) notification {
	n := notification{kind: noteNews}
	if n.title, n.text = d.text(tr); d.plot != "" {
		n.plot = tr.T("tray.note.plot", d.plot)
	}
	return n
}

// plain returns a title as one short line: without control characters, and without those that change the direction of text
// or are invisible.
func plain(title string) string {
	line := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r) || unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return -1
	}, title)), " ")
	if r := []rune(line); len(r) > mostTitle {
		return strings.TrimSpace(string(r[:mostTitle-1])) + "…"
	}
	return line
}

// A news knows what the user has seen, and what they were told.
type news struct {
	seen map[string]bool // open questions and dead kernels
	runs state.EndedRuns // those that ended before the user last looked

	looked bool // at the last observation

	told digest    // what the notification on the screen says; zero if there is none
	at   time.Time // when it was sent
}

// newNews returns a news for which nothing in s is new.
func newNews(s *state.Snapshot) *news {
	n := &news{looked: s.Looked()}
	n.look(s)
	return n
}

// look notes that the user has seen everything in s.
func (n *news) look(s *state.Snapshot) {
	n.seen, n.runs = make(map[string]bool), s.Ended
	each(s, func(id string, _ *int) { n.seen[id] = true }, new(digest))
}

// each calls f with the id of each open question and each dead kernel, and where it counts.
func each(s *state.Snapshot, f func(id string, count *int), d *digest) {
	for _, q := range s.Inputs {
		f("input "+q.ID, &d.questions)
	}
	for _, a := range s.Approvals {
		f("approval "+a.ApprovalID, &d.questions)
	}
	for _, x := range s.Sessions {
		if x.Died != "" {
			f("kernel "+x.SessionID, &d.died)
		}
	}
}

// observe returns what the user has not seen and is to be told, according to the settings. While they look at the
// window, they see everything, unless they always want to be told: then it is what has happened since they began to
// look.
func (n *news) observe(s *state.Snapshot) (d digest) {
	notify, began := s.Settings.Notify, s.Looked() && !n.looked
	n.looked = s.Looked()
	if notify == "off" || began || n.looked && notify != "always" {
		n.look(s)
		return digest{}
	}
	each(s, func(id string, count *int) {
		if !n.seen[id] {
			*count++
		}
	}, &d)
	d.failed, d.finished = s.Ended.Failed-n.runs.Failed, s.Ended.Long-n.runs.Long
	if s.Settings.NotifyPlots && d.failed+d.finished > 0 {
		d.plot = plain(s.Ended.Plot)
	}
	if notify == "questions" {
		d = digest{questions: d.questions}
	}
	return d
}

// wait returns how long to wait until d is told. It returns false if there is nothing to tell, and takes back what
// was told if withdraw is true.
func (n *news) wait(d digest, now time.Time) (wait time.Duration, tell, withdraw bool) {
	switch {
	case d == n.told:
		return 0, false, false
	case d == digest{}:
		n.told = d
		return 0, false, true
	case d.questions > n.told.questions || n.told == digest{} && now.Sub(n.at) >= apart:
		return gather, true, false
	default:
		return max(gather, apart-now.Sub(n.at)), true, false
	}
}

// tells notes that the user is told d now.
func (n *news) tells(d digest, now time.Time) { n.told, n.at = d, now }
