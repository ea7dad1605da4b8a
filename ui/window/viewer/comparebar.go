package viewer

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/kit"
)

func (c *Compare) makeBar() {
	k := c.k
	for i, x := range []struct{ icon, text, tip string }{
		{"compare", k.T("compare.beside"), k.T("compare.beside_tip")},
		{"swap", k.T("compare.flicker"), k.T("compare.flicker_tip")},
		{"diff", k.T("compare.difference"), k.T("compare.difference_tip")},
	} {
		c.modes[i] = k.Button(kit.Ghost, x.icon, x.text, x.tip, func() { c.SetMode(Mode(i)) })
	}
	c.percent = k.Button(kit.Ghost, "", "100 %", k.T("viewer.actual"), c.Actual)
	c.back = k.Button(kit.Ghost, "chevron-left", k.T("viewer.back"), "", c.act.Close)
	fit := k.Button(kit.Ghost, "fit", "", k.T("viewer.fit"), c.Fit)
	fullscreen := k.Button(kit.Ghost, "fullscreen", "", k.T("viewer.fullscreen"), c.act.Fullscreen)
	smaller := k.Button(kit.Ghost, "zoom-out", "", k.T("viewer.smaller"), c.Smaller)
	larger := k.Button(kit.Ghost, "zoom-in", "", k.T("viewer.larger"), c.Larger)
	bar, more := k.Fold(kit.Row{Pad: 8, Gap: 4, Stretch: 4}, 4, []fyne.CanvasObject{smaller, larger, c.percent, fit},
		c.back, c.modes[0], c.modes[1], c.modes[2], kit.Box(canvas.NewRectangle(k.P.Panel), fyne.NewSize(1, 1)),
		smaller, c.percent, larger, fit, fullscreen,
	)
	c.bar, c.texts = bar, bar.MinSize().Width+more.MinSize().Width+16
	c.modes[0].SetOn(true)
}

// setBare leaves only the icons of the bar's buttons if there is no room for their texts.
func (c *Compare) setBare(width float32) {
	bare := width < c.texts
	c.back.SetBare(bare)
	c.back.SetTip(map[bool]string{true: c.k.T("viewer.back")}[bare])
	for _, b := range c.modes {
		b.SetBare(bare)
	}
}
