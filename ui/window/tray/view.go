package tray

import (
	"strings"

	"easel/assets"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// A rowID is a row of the menu.
type rowID int

// The rows, from the top.
const (
	rowAddress rowID = iota
	rowStatus
	rowShow
	rowLatest
	rowCopy
	rowInterrupt
	rowStop1 // one row for each of several running sessions
	rowStop2
	rowStop3
	rowStop4
	rowPause
	rowLogin
	rowSettings
	rowConnect
	rowQuit
)

// rows is the number of rows.
const rows = int(rowQuit) + 1

// groups is the structure of the menu. There is a separator between two groups.
var groups = [][]rowID{
	{rowAddress, rowStatus},
	{rowShow, rowLatest, rowCopy},
	{rowInterrupt, rowStop1, rowStop2, rowStop3, rowStop4, rowPause},
	{rowLogin, rowSettings, rowConnect},
	{rowQuit},
}

// A mood is the state that the icon shows.
type mood int

// The moods.
const (
	idle mood = iota
	running
	needsYou
	failing
)

// icon returns the mood's icon, a PNG.
func (m mood) icon() (name string, png []byte) {
	switch m {
	case running:
		return "tray-running.png", assets.TrayRunning
	case needsYou:
		return "tray-attention.png", assets.TrayAttention
	case failing:
		return "tray-error.png", assets.TrayError
	case idle:
	}
	return "tray-idle.png", assets.TrayIdle
}

// A row is the state of a row of the menu.
type row struct {
	label    string
	disabled bool
	checked  bool
	hidden   bool
	session  string // that it interrupts; empty if none or all
}

// A view is everything that the tray shows. Equal views look the same.
type view struct {
	mood    mood
	tooltip string
	rows    [rows]row
}

// viewOf returns the view of a state. was is the view that is shown now.
func viewOf(s *state.Snapshot, tr *i18n.Catalog, was view) view {
	m, status := moodOf(s, tr)
	if h := s.Hold(); h != state.Free {
		status += " · " + tr.T("hold."+string(h))
	}
	address := strings.TrimPrefix(s.URL, "http://")
	head := tr.T("tray.starting")
	if address != "" {
		head = tr.T("tray.address", address)
	}
	v := view{mood: m, tooltip: "Easel · " + status}
	v.rows = [rows]row{
		rowAddress:  {label: head, disabled: true},
		rowStatus:   {label: status, disabled: len(s.Approvals)+len(s.Inputs) == 0},
		rowShow:     {label: tr.T("tray.show")},
		rowLatest:   {label: tr.T("tray.latest"), disabled: s.Newest == ""},
		rowCopy:     {label: tr.T("tray.copy"), disabled: address == ""},
		rowPause:    {label: tr.T("tray.pause"), checked: s.Paused},
		rowLogin:    {label: tr.T("tray.login"), checked: s.Autostart, disabled: !s.CanAutostart},
		rowSettings: {label: tr.T("tray.settings")},
		rowConnect:  {label: tr.T("tray.connect")},
		rowQuit:     {label: tr.T("tray.quit")},
	}
	v.stops(s, tr, was)
	return v
}

// stops sets the rows that interrupt. If one session is running, there is one row, with
// its name. If several are, there is one row for all of them and one for each of the
// first four. A session keeps its row while it runs, so that the row under the pointer
// does not become another session's.
func (v *view) stops(s *state.Snapshot, tr *i18n.Catalog, was view) {
	busy := s.Busy()
	all := &v.rows[rowInterrupt]
	for i := rowStop1; i <= rowStop4; i++ {
		v.rows[i].hidden = true
	}
	switch len(busy) {
	case 0:
		*all = row{label: tr.T("tray.interrupt"), disabled: true}
		return
	case 1:
		*all = row{label: tr.T("tray.interrupt_one", busy[0].Title()), session: busy[0].SessionID}
		return
	}
	*all = row{label: tr.N("tray.interrupt_all", len(busy))}
	var others []state.Session
	for _, x := range busy {
		r := row{label: tr.T("tray.interrupt_one", x.Title()), session: x.SessionID}
		had := false
		for i := rowStop1; i <= rowStop4 && !had; i++ {
			if had = was.rows[i].session == x.SessionID; had {
				v.rows[i] = r
			}
		}
		if !had {
			others = append(others, x)
		}
	}
	for i := rowStop1; i <= rowStop4 && len(others) > 0; i++ {
		if v.rows[i].hidden {
			v.rows[i] = row{label: tr.T("tray.interrupt_one", others[0].Title()), session: others[0].SessionID}
			others = others[1:]
		}
	}
}

// moodOf returns the state for the icon, and a line for the menu. Open questions come
// first, then broken servers, dead kernels and running code.
func moodOf(s *state.Snapshot, tr *i18n.Catalog) (mood, string) {
	if n := len(s.Approvals); n > 0 {
		return needsYou, tr.N("tray.approvals", n)
	}
	if n := len(s.Inputs); n > 0 {
		return needsYou, tr.N("tray.inputs", n)
	}
	for _, x := range s.Servers {
		switch x.State {
		case "unreachable", "unauthorized", "failed":
			return failing, tr.T("tray.server", tr.T("server.state."+x.State))
		}
	}
	dead := count(s, died)
	live := len(s.Sessions) - dead
	busy := count(s, state.Session.Runs)
	switch {
	case dead > 0:
		return needsYou, tr.N("tray.died", dead)
	case busy > 0:
		return running, tr.N("tray.kernels", live, busy)
	case live > 0:
		return idle, tr.N("tray.kernels", live, 0)
	}
	for _, x := range s.Servers {
		if x.State != "ready" {
			return idle, tr.T("tray.server", tr.T("server.state."+x.State))
		}
	}
	return idle, tr.T("tray.no_kernel")
}

func died(x state.Session) bool { return x.Died != "" }

func count(s *state.Snapshot, what func(state.Session) bool) int {
	n := 0
	for _, x := range s.Sessions {
		if what(x) {
			n++
		}
	}
	return n
}
