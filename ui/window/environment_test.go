package window

import (
	"testing"

	"fyne.io/fyne/v2"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// environmentOf is what a plot of a project was drawn in.
func environmentOf() catalog.Environment {
	dirty := true
	return catalog.Environment{
		Name: "sales/.venv", Language: "Python", Version: "3.12.1", Executable: "/home/ann/sales/.venv/bin/python", Directory: "/home/ann/sales",
		Packages: []catalog.Package{
			{Name: "matplotlib", Version: "3.11.2", Used: true},
			{Name: "pandas", Version: "3.1.1", Used: true},
			{Name: "ipykernel", Version: "7.4.0"},
			{Name: "numpy", Version: "2.5.5"},
			{Name: "pillow", Version: "13.0.0"},
		},
		LockFile: "/home/ann/sales/uv.lock", LockHash: "247a918bcee4365416acb7571adf13e0f753149c", Commit: "b94dae05c871288703c5ff1ebfea38131253fd3f", Dirty: &dirty,
	}
}

func TestThePanelSaysWhatAPlotWasDrawnIn(t *testing.T) {
	for name, c := range map[string]struct{ lang, theme, more, last string }{
		"properties_environment":         {"en", "light", "More", "ipykernel 7.4.0"},
		"properties_environment_ja_dark": {"ja", "dark", "詳細", "ipykernel 7.4.0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fyne.NewSize(wide.Width, 1500), galleryOf(t, 4), func(s *state.Snapshot) {
				busy(s)
				s.Settings.Language, s.Settings.Theme = c.lang, c.theme
			})
			w.checks()
			w.choose(checkedPlot)
			x, err := w.lib.Get(t.Context(), checkedPlot)
			require.NoError(t, err)
			require.NoError(t, w.lib.Library.Executions.SetEnvironment(t.Context(), x[0].ExecutionID, environmentOf()))
			w.store.Update(func(s *state.Snapshot) { s.Revision = w.lib.Changes().Last() })
			w.panelShows("pandas 3.1.1")
			tapIn(w, w.app.win.Canvas().Content(), c.more)
			w.panelShows(c.last)
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}
