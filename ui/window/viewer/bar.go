package viewer

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A bar has what is above the picture: its title, and the buttons for it.
type bar struct {
	k     *kit.Kit
	finds bool // the findings can be shown
	leads bool // the cell can be shown

	title   *kit.Line
	count   *kit.Line
	stars   *kit.Stars
	percent *kit.Button
	film    *kit.Button
	former  *kit.Button
	cell    *kit.Button       // shows the cell of a notebook that drew the picture; hidden if none is known
	back    *kit.Button       // leads to the gallery
	live    *kit.Button       // opens the figure in the browser; hidden for a picture
	focus   *kit.Button       // lets the picture fill the window
	found   *kit.Button       // the number of the picture's findings; hidden if there are none
	row     fyne.CanvasObject // all of these
	panel   fyne.CanvasObject // row on its ground
}

// A barPort is what a bar knows of the picture, and the buttons of others that are in it.
type barPort struct {
	seen           func() string
	shown          func() library.Image
	openLive       func()
	layout, region *kit.Button
}

func newBar(k *kit.Kit, act Actions, z *zoom, of barPort) bar {
	b := bar{k: k, finds: act.Findings != nil, leads: act.ShowCell != nil}
	b.title = kit.NewLine("", theme.TextBody, k.P.Text, fyne.TextStyle{Bold: true}, 40)
	b.count = kit.NewLine("", theme.TextBody-1, k.P.Muted, fyne.TextStyle{}, 62)
	b.stars = k.Stars(15, func(n int) { act.Rate([]string{of.seen()}, n) })
	b.percent = k.Button(kit.Ghost, "", "100 %", k.T("viewer.actual"), z.Actual)
	z.locked = k.Button(kit.Ghost, "lock", "", k.T("viewer.lock"), z.ToggleLock)
	b.film = k.Button(kit.Ghost, "strip", "", k.T("viewer.strip"), act.Strip)
	b.former = k.Button(kit.Ghost, "versions", "", k.T("viewer.former"), func() { act.Former(of.shown()) })
	b.former.Hide()
	b.live = k.Button(kit.Ghost, "external", k.T("menu.interactive"), k.T("viewer.interactive"), of.openLive)
	b.live.Hide()
	b.cell = k.Button(kit.Ghost, "code", "", k.T("menu.show_cell"), func() { act.ShowCell(of.seen()) })
	b.cell.Hide()
	b.found = k.Button(kit.Ghost, "finding", "", "", func() { act.Findings() })
	b.found.Hide()
	smaller := k.Button(kit.Ghost, "zoom-out", "", k.T("viewer.smaller"), z.Smaller)
	larger := k.Button(kit.Ghost, "zoom-in", "", k.T("viewer.larger"), z.Larger)
	export := k.Button(kit.Ghost, "save", "", k.T("viewer.export"), func() { act.Export(of.seen()) })
	present := k.Button(kit.Ghost, "present", "", k.T("present.tip"), act.Present)
	fit := k.Button(kit.Ghost, "fit", "", k.T("viewer.fit"), z.Fit)
	b.focus = k.Button(kit.Ghost, "focus", "", k.T("viewer.focus"), func() { act.Focus() })
	b.back = k.Button(kit.Ghost, "chevron-left", k.T("viewer.back"), "", act.Close)
	fullscreen := k.Button(kit.Ghost, "fullscreen", "", k.T("viewer.fullscreen"), act.Fullscreen)
	former, cell, live := kit.Optional(b.former), kit.Optional(b.cell), kit.Optional(b.live)
	b.row, _ = k.Fold(kit.Row{Pad: 8, Gap: 3, Stretch: 3}, leastTitle,
		[]fyne.CanvasObject{
			smaller, larger, z.locked, present, b.stars, export, of.layout, of.region, b.film, b.count, b.percent, fit,
			former, cell, live, fullscreen,
		},
		b.back,
		k.Button(kit.Ghost, "chevron-left", "", k.T("viewer.previous"), func() { act.Go("previous") }),
		k.Button(kit.Ghost, "chevron-right", "", k.T("viewer.next"), func() { act.Go("next") }),
		b.title, b.found, cell, live, former, b.count, b.stars, kit.Box(canvas.NewRectangle(k.P.Panel), fyne.NewSize(8, 1)),
		smaller, b.percent, larger,
		fit, of.layout,
		z.locked, of.region, b.film, export, present, b.focus,
		fullscreen,
	)
	b.panel = k.Panel(k.P.Panel, "b", b.row)
	return b
}

// tellFindings updates the button that says how many findings an image has. It reports whether the button has changed.
func (b *bar) tellFindings(im library.Image) (changed bool) {
	n := im.Findings
	if !b.finds {
		n = 0
	}
	text := ""
	if n > 0 {
		text = strconv.Itoa(n)
	}
	changed = b.found.Text() != text
	b.found.Hidden = n == 0
	b.found.SetText(text)
	b.found.SetTip(b.k.Tr.N("finding.count", n))
	return changed
}

// tellCell updates the button for the cell that drew an image. It reports whether the button
// has changed.
func (b *bar) tellCell(im library.Image) (changed bool) {
	name, icon, tip := gallery.CellName(b.k, im), "code", b.k.T("menu.show_cell")
	if word, sentence := gallery.Stale(b.k, im); word != "" {
		name, tip = name+" · "+word, sentence
		icon, _ = gallery.StaleIcon(b.k, im.Cell.Stale)
	}
	changed = b.cell.Visible() != (name != "") || b.cell.Text() != name
	b.cell.Hidden = name == ""
	b.cell.SetText(name)
	b.cell.SetIcon(icon)
	b.cell.SetTip(tip)
	b.cell.SetEnabled(b.leads && im.Cell != nil && im.Cell.Index != nil)
	return changed
}
