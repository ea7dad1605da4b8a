package core

import (
	"path/filepath"
	"slices"
	"time"

	"easel/jupyter/managed"
	"easel/ui/core/figures"
	"easel/ui/core/library"
	"easel/ui/core/render"
	"easel/ui/core/render/browser"
	"easel/ui/core/render/vlconvert"
	"easel/ui/core/state"
	"easel/ui/core/tools"
)

const (
	// parallelFigures is how many figures are drawn at once.
	parallelFigures = 2
	// browserLimit is how long a browser may draw one figure: 3D without a graphics card
	// takes long on a busy machine.
	browserLimit = 20 * time.Second
)

// openFigures makes what draws figures that came without a picture, and gives the function
// that has one drawn.
func (c *Core) openFigures() func(library.Image) <-chan struct{} {
	python := func() string { return managed.Python(c.cfg.Options.DataDir) }
	known := &packages{managed: python, kernels: func() []string { return c.Kernels.Interpreters() }}
	c.renderer = render.New(
		vlconvert.New(vlconvert.Config{Python: python, FontDirs: fontDirs(c.cfg.Fonts), Log: c.cfg.Log}),
		browser.New(browser.Config{Packages: known.dirs, TimeLimit: browserLimit, Log: c.cfg.Log}),
	)
	drawn := tools.PublishDrawn(c.cfg.Bus, c.Store)
	c.figures = figures.New(figures.Config{
		Library: c.Library, Renderer: c.renderer, Log: c.cfg.Log,
		Drawn: func(im library.Image) {
			c.Kernels.Drawn(im)
			drawn(im)
		},
		Failed: func(string) { // its card says why
			c.Store.Update(func(s *state.Snapshot) { s.Gallery++ })
		},
	})
	c.Collection.DrawFigures(c.figures)
	return c.figures.Draw
}

// fontDirs lists the directories of font files.
func fontDirs(files []string) (dirs []string) {
	for _, f := range files {
		if dir := filepath.Dir(f); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
