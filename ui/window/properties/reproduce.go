package properties

import (
	"reflect"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/checks"
	"easel/ui/window/kit"
)

// SetChecks tells the panel which checks wait or run.
func (p *Panel) SetChecks(open []command.OpenCheck) {
	if reflect.DeepEqual(open, p.open) {
		return
	}
	before := p.openOf(p.shown)
	p.open = open
	if len(p.shown.images) == 1 && !reflect.DeepEqual(before, p.openOf(p.shown)) {
		p.redraw()
	}
}

// openOf returns the open check of the image that is shown, or nil.
func (p *Panel) openOf(f facts) *command.OpenCheck {
	if len(f.images) != 1 {
		return nil
	}
	i := slices.IndexFunc(p.open, func(o command.OpenCheck) bool { return o.Image == f.images[0].ImageID })
	if i < 0 {
		return nil
	}
	return &p.open[i]
}

// reproducibility returns the rows about the check of an image, if it was checked or is
// being checked.
func (p *Panel) reproducibility(f facts) []fyne.CanvasObject {
	k, id := p.k, f.images[0].ImageID
	if o := p.openOf(f); o != nil && p.act.Uncheck != nil {
		text := k.T("check.waits")
		if o.Running {
			text = k.T("check.running", o.Cell, o.Cells)
		}
		return []fyne.CanvasObject{
			k.Section(k.T("check.section"), k.Button(kit.Ghost, "close", "", k.T("check.cancel"), func() { p.act.Uncheck(id) }).Small()),
			kit.NewPara(text, 13, k.P.Muted, fyne.TextStyle{}),
		}
	}
	if f.check == nil || p.act.Check == nil {
		return nil
	}
	return []fyne.CanvasObject{
		k.Section(k.T("check.section"),
			k.Button(kit.Ghost, "eye", "", k.T("check.details"), func() { p.act.Checked(id) }).Small(),
			k.Button(kit.Ghost, "refresh", "", k.T("check.again"), func() { p.act.Check(id) }).Small()),
		checks.StateLine(k, f.check.Check),
	}
}
