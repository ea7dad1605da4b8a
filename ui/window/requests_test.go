package window

import (
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/window/requests"
)

// TestAFailedToggleIsNotStored checks that after an error finally is called but done is
// not.
func TestAFailedToggleIsNotStored(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), nil)
	require.NoError(t, w.bus.Close(t.Context()))
	done, finally := false, false
	w.app.navigate.TogglePanel()
	requests.AskFinally(w.app.requests, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(catalog.ViewOut) { done = true }, func() { finally = true })
	w.settled()
	if s := w.store.Snapshot(); s.Settings.Layout.Props != "" || !s.PropertiesPanel {
		t.Errorf("stored %q, the panel is shown: %v", s.Settings.Layout.Props, s.PropertiesPanel)
	}
	if done || !finally {
		t.Errorf("done ran: %v, finally ran: %v", done, finally)
	}
	if !w.saying() {
		t.Error("the error isn't shown")
	}
}
