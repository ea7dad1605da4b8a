package properties

import (
	"cmp"

	"fyne.io/fyne/v2"

	"easel/ui/core/language"
	"easel/ui/window/kit"
)

// source returns the rows for the code that drew the plot. The user can run it again, as it is or
// edited, while its session is alive.
func (p *Panel) source(f facts) []fyne.CanvasObject {
	k, im := p.k, f.images[0]
	code := im.Code
	if f.run != nil {
		code = f.run.Code
	}
	if code == "" {
		return nil
	}
	button := func(icon, tip string, do func()) fyne.CanvasObject {
		return k.Button(kit.Ghost, icon, "", k.T(tip), do).Small()
	}
	buttons := []fyne.CanvasObject{button("copy", "properties.copy_code", func() { p.act.Copy(code, k.T("what.code")) })}
	if alive := f.session != nil && f.session.EndedAt.IsZero(); alive && p.act.RunAgain != nil {
		buttons = append(buttons, button("edit", "properties.edit_code", func() { p.act.EditAndRun(im.SessionID, code) }),
			button("play", "properties.run_again", func() { p.act.RunAgain(im.SessionID, code) }))
	}
	kernel := ""
	if f.session != nil {
		kernel = f.session.KernelName
	}
	p.code = k.Code(code, cmp.Or(language.Guess(kernel), "python"))
	return []fyne.CanvasObject{k.Section(k.T("properties.code"), buttons...), p.code}
}

// CodeWidth returns the width of the panel at which no line of the plot's code wraps; 0 if it shows
// no code.
func (p *Panel) CodeWidth() float32 {
	if p.code == nil {
		return 0
	}
	return p.code.PreferredWidth() + 2*pad + 2
}
