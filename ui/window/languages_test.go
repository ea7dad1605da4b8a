package window

import (
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestCodeIsColouredAsItsLanguage looks at a plot, a question and a call. "function" is a keyword in R, and a name in Python.
func TestCodeIsColouredAsItsLanguage(t *testing.T) {
	for kernel, keyword := range map[string]bool{"ir": true, "python3": false} {
		code := func(name string) string { return name + " <- function(x) x / 2" }
		lib := uitest.NewLibrary(t)
		require.NoError(t, lib.Library.Sessions.Put(t.Context(), library.Session{ID: uitest.SessionID(0), KernelName: kernel, CreatedAt: uitest.Start}))
		lib.Add(0, "Sine", code("plotted"))
		w := newWorld(t, wide, lib, func(s *state.Snapshot) {
			busy(s)
			s.Sessions[0].KernelName = kernel
		})
		coloured := func(within fyne.CanvasObject, name string) {
			t.Helper()
			inks := make(map[string]color.Color)
			for _, o := range test.LaidOutObjects(within) {
				if x, ok := o.(*canvas.Text); ok {
					inks[strings.TrimSpace(x.Text)] = x.Color
				}
			}
			if got := inks["function"] != nil && inks["function"] != inks["x"]; got != keyword {
				t.Errorf("%s, %s: a keyword: %t; the texts are %q", kernel, name, got, inks)
			}
		}
		w.call(t, "select_file", `{"path":"img00001"}`)
		w.settled()
		coloured(w.app.shell.props.Object(), "plotted")

		catalog.Activities.Notify(w.bus, catalog.Activity{
			ID: 1, Began: uitest.Start, Ended: uitest.Start.Add(time.Second), Transport: "mcp", Client: "curl 8", Tool: "execute_code", Status: "ok",
			Args: json.RawMessage(fmt.Sprintf(`{"code":%q,"session_id":%q}`, code("called"), uitest.SessionID(0))), SessionID: uitest.SessionID(0),
		})
		w.q.Until(t, "the call in the log", func() bool { return w.row("curl 8") != nil })
		w.row("curl 8").Tapped(&fyne.PointEvent{})
		w.settled()
		coloured(w.app.win.Canvas().Overlays().Top(), "called")
		w.escape()

		w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{question("1", "curl 8", code("asked"))} })
		w.settled()
		coloured(w.app.shell.asks.Object(), "asked")
	}
}
