package core

import (
	"path/filepath"
	"slices"
	"time"

	"easel/jupyter/managed"
	"easel/mcphost/catalog"
	"easel/ui/core/figures"
	"easel/ui/core/interactive"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/core/render"
	"easel/ui/core/render/browser"
	"easel/ui/core/render/page"
	"easel/ui/core/render/vlconvert"
	"easel/ui/core/state"
)

const (
	// parallelFigures is the number of figures that are drawn at the same time.
	parallelFigures = 2
	// browserLimit is the time limit for drawing one figure in a browser. 3D without a
	// graphics card is slow on a busy machine.
	browserLimit = 20 * time.Second

	// Limits of printing a PDF. 150 pictures of 1600×1200 pixels take about 1.2 GB.
	printLimit  = 15 * time.Minute
	printMemory = 3 << 30
	printIdle   = 20 * time.Second
)

// openFigures sets up the drawing of figures that arrive without a picture, and what opens
// figures in the user's browser. It returns the function that queues a figure.
func (c *Core) openFigures() func(library.Image) <-chan struct{} {
	python := func() string { return managed.Python(c.cfg.Options.DataDir) }
	known := &packages{managed: python, kernels: func() []string { return kernels.Interpreters(c.Kernels.Live()) }}
	c.pages = &page.Libraries{Packages: known.dirs}
	c.opener = interactive.New(interactive.Config{
		Library: c.Library.Images, Session: c.Library.Sessions.Get, Pages: c.pages, Words: func() interactive.Words {
			if c.cfg.Words == nil {
				return interactive.Words{Lang: "en"}
			}
			return c.cfg.Words(c.Store.Snapshot().Settings.Language)
		},
	})
	c.renderer = render.New(
		vlconvert.New(vlconvert.Config{
			Python: python, Installing: func() bool { return managed.Unfinished(c.cfg.Options.DataDir) },
			FontDirs: fontDirs(c.cfg.Fonts), Log: c.cfg.Log,
		}),
		browser.New(browser.Config{Packages: known.dirs, FontDirs: fontDirs(c.cfg.Fonts), TimeLimit: browserLimit, Log: c.cfg.Log}),
	)
	c.printer = browser.New(browser.Config{TimeLimit: printLimit, MemoryLimit: printMemory, Idle: printIdle, Log: c.cfg.Log})
	c.figures = figures.New(figures.Config{
		Library: c.Library.Images, Renderer: c.renderer, Log: c.cfg.Log,
		Drawn: func(im library.Image) { c.Kernels.Drawn(im) },
		Failed: func(id string) { // its card says why
			c.Library.Changes().Append(feed.Change{ID: id, What: feed.Detail})
		},
	})
	c.Collection.DrawFigures(c.figures)
	return c.figures.Draw
}

// expectFigures returns on with an Execution that also tells the Drawer what code runs.
func (c *Core) expectFigures(on kernels.Events) kernels.Events {
	publish := on.Execution
	on.Execution = func(change catalog.ChangeName, x catalog.Execution) {
		if change == catalog.ExecutionStarted {
			c.figures.Expect(x.Code)
		}
		publish(change, x)
	}
	return on
}

// fontDirs returns the directories of font files, each once.
func fontDirs(files []string) (dirs []string) {
	for _, f := range files {
		if dir := filepath.Dir(f); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// figuresKept returns which kernels keep their figures: Easel's own, and others.
func figuresKept(s *state.Snapshot) [2]bool {
	return [2]bool{s.Settings.KeepFigures, s.Settings.KeepTheirFigures}
}
