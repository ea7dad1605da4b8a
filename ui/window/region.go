package window

import (
	"image"

	"easel/ui/core/command"
	"easel/ui/window/properties"
	"easel/ui/window/requests"
	"easel/ui/window/viewer"
)

// regionActions returns what the user can do with a rectangle on a picture.
func (c *galleryPage) regionActions() viewer.RegionActions {
	a := c.s.a
	return viewer.RegionActions{
		Of: func(id string) image.Rectangle { return a.cfg.Store.Snapshot().RegionOf(id) },
		Set: func(id string, r image.Rectangle) {
			requests.Topic(a.requests, "set_region", command.SetRegion, command.SetRegionIn{ID: id, Rect: r}, nil)
		},
		Ask: a.questions.ask, Show: c.showQuestion, CopyCrop: a.export.CopyCrop, CopyText: a.export.CopyRegion,
	}
}

// showQuestion shows the properties, which list the questions.
func (c *galleryPage) showQuestion(string) {
	c.s.inPanel(func(p *properties.Panel) { p.ShowQuestions() })
}
