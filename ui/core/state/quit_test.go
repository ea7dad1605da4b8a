package state

import (
	"testing"
	"time"

	"easel/mcphost/catalog"
)

func TestLossesAreWhatEndsWithEasel(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	session := func(name, server, status string) Session {
		return Session{Name: name, Session: catalog.Session{SessionID: name, Server: server, Status: status}}
	}
	s := &Snapshot{
		Servers: []Server{
			{ServerHealth: catalog.ServerHealth{Name: "managed", Managed: true}},
			{ServerHealth: catalog.ServerHealth{Name: "lab"}},
		},
		Sessions: []Session{
			session("idle", "managed", "idle"), session("loop", "managed", "busy"), session("dead", "managed", "dead"),
			session("theirs", "lab", "idle"), session("their loop", "lab", "busy"),
		},
		Clients: []Client{
			{Name: "claude-code", Calls: 1, Last: now.Add(-time.Minute)},
			{Name: "claude-code", Calls: 1, Last: now.Add(-2 * time.Minute)},
			{Name: "gone", Calls: 1, Last: now.Add(-time.Hour)},
			{Name: "only connected", Last: now},
		},
	}
	l := s.Losses(now)
	if got := Titles(l.Running); got != "loop" {
		t.Errorf("what stops: %s", got)
	}
	if got := Titles(l.Idle); got != "idle" {
		t.Errorf("what is lost: %s", got)
	}
	if len(l.Clients) != 1 || l.Clients[0] != "claude-code" {
		t.Errorf("clients: %v", l.Clients)
	}
	s.Sessions = s.Sessions[2:]
	if l = s.Losses(now); !l.None() {
		t.Errorf("kernels of other servers go on, and are counted as lost: %+v", l)
	}
}
