package window

import (
	"context"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// sendTo lets the library know that a client got a plot.
func (w *world) sendTo(id uint64, client string, s catalog.SentImage) {
	w.t.Helper()
	at := uitest.Start.Add(time.Duration(id) * time.Minute)
	require.NoError(w.t, w.lib.Library.Activities.Put(w.t.Context(), catalog.Activity{
		ID: id, Began: at, Ended: at, Transport: "mcp", Name: client, Client: client + " 1", Tool: "execute_code", Status: "ok",
		Sent: []catalog.SentImage{s},
	}))
	w.store.Update(func(n *state.Snapshot) { n.Revision = w.lib.Changes().Last() })
}

func TestThePanelSaysWhatAssistantsGot(t *testing.T) {
	for name, c := range map[string]struct{ lang, theme, inline, never string }{
		"properties_sent":         {"en", "light", "Picture, 800 × 600 px · 09:27", "Cursor"},
		"properties_sent_ja_dark": {"ja", "dark", "画像 800 × 600 px · 09:27", "Cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fyne.NewSize(wide.Width, 1100), galleryOf(t, 4), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
				s.Clients = []state.Client{{Name: "claude-code"}, {Name: "cursor-vscode"}, {Name: "claude-code", Version: "2"}, {Name: "late", First: uitest.Start.Add(time.Hour)}}
			})
			w.choose(checkedPlot)
			w.sendTo(1, "claude-code", catalog.SentImage{ImageID: checkedPlot, How: catalog.SentInline, Width: 800, Height: 600, Bytes: 9})
			w.sendTo(2, "Cline", catalog.SentImage{ImageID: checkedPlot, How: catalog.SentLink})
			w.sendTo(3, "my-own", catalog.SentImage{ImageID: checkedPlot, How: catalog.SentText})
			w.sendTo(4, "codex-mcp-client", catalog.SentImage{ImageID: checkedPlot, How: catalog.SentPart, Width: 300, Height: 200})
			w.panelShows(c.inline)
			w.panelShows("300 × 200")
			w.panelShows(c.never)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
			asked := make(chan command.SendAgainIn, 1)
			command.SendAgain.Handle(w.bus, func(_ context.Context, in command.SendAgainIn) (struct{}, error) {
				asked <- in
				return struct{}{}, nil
			}, nil)
			for _, o := range test.LaidOutObjects(w.app.win.Canvas().Content()) {
				if b, is := o.(*kit.Button); is && strings.Contains(b.Tip(), "Cline") {
					test.Tap(b)
				}
			}
			if in := <-asked; in != (command.SendAgainIn{ImageID: checkedPlot, Client: "Cline"}) {
				t.Errorf("sent %+v", in)
			}
		})
	}
}
