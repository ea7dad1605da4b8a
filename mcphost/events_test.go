package mcphost

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

func TestEvents(t *testing.T) {
	r := newRig(t)
	s := r.open(t, "GET", "/api/events", "")
	s.line(": Easel")
	im := testImage("s1", 1)
	catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ImageAdded, Object: im})
	first := strings.TrimPrefix(s.line("id: "), "id: ")
	if l := s.line("event: "); l != "event: image.added" {
		t.Error(l)
	}
	var got catalog.Image
	if err := json.Unmarshal([]byte(strings.TrimPrefix(s.line("data: "), "data: ")), &got); err != nil || got.ResourceURI != im.ResourceURI {
		t.Errorf("%+v, %v", got, err)
	}
	s.close()
	s.ends()
	for i := range 3 {
		catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.ViewChanged, Object: i})
	}
	s = r.open(t, "GET", "/api/events", "", "Last-Event-ID: "+first)
	for i := range 3 {
		s.line("event: view.changed")
		if l := s.line("data: "); l != "data: "+strconv.Itoa(i) {
			t.Errorf("resumed: %s, want %d", l, i)
		}
	}
	for _, last := range []string{"0-1", "nonsense", first + "000", "-"} {
		s := r.open(t, "GET", "/api/events", "", "Last-Event-ID: "+last)
		s.line("event: reset")
		catalog.Changes.Notify(r.bus, catalog.Change{Name: catalog.SettingsChanged})
		s.line("event: settings.changed")
	}
	r.EndStreams()
	s.ends()
}
