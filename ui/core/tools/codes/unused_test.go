package codes

import (
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
)

func TestWhoeverAsksForAnEndedSessionIsToldWhatItHad(t *testing.T) {
	s := library.Session{
		ID: "5ab0", KernelID: "5ab0", EndedAt: time.Date(2026, 11, 24, 14, 5, 0, 0, time.UTC), Images: 3,
		Held: &library.EndState{Unused: 4 * time.Hour, More: 2, Variables: []library.HeldVariable{{Name: "df", Type: "DataFrame", Size: "1000 rows × 5 cols"}, {Name: "n", Type: "int"}}},
	}
	e := tool.AsError(Of(&kernels.UnusedError{Session: s}))
	want := "Easel ended this session at 2026-11-24T14:05:00Z because nobody had used it for 4 hours. " +
		"Its variables are lost: df (DataFrame, 1000 rows × 5 cols), n (int), and 2 more. Easel keeps its 3 images."
	if e.Code != tool.KernelNotFound || e.Detail != want {
		t.Errorf("got %s: %s\nwant %s", e.Code, e.Detail, want)
	}
	if !strings.Contains(e.Hint, "session_create") || !strings.Contains(e.Hint, "list_session_images") {
		t.Errorf("got hint %q", e.Hint)
	}
	s.Images, s.Held = 0, &library.EndState{Unused: time.Minute, Unknown: true}
	e = tool.AsError(Of(SessionNotFound(catalog.SessionConnectIn{KernelID: "5ab0"}, &kernels.UnusedError{Session: s})))
	if want := "Easel ended this session at 2026-11-24T14:05:00Z because nobody had used it for 1 minute. Its variables are lost."; e.Code != tool.SessionNotFound || e.Detail != want {
		t.Errorf("got %s: %s\nwant %s", e.Code, e.Detail, want)
	}
}
