package activity

import (
	"context"
	"image/color"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/terminal"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Measures of the list of completions.
const (
	completionRow   float32 = 22
	completionPad   float32 = 5
	mostCompletions         = 8  // rows in sight
	mostHelp                = 14 // lines of what the kernel says about a name
)

// completions are above the input line: how the code can go on, or what the kernel says about a name in it.
type completions struct {
	l      *inputLine
	root   *fyne.Container
	ground *kit.Area
	rows   []*kit.Tap
	lines  []*kit.Line
	more   *kit.Line // how many there are besides those in sight

	of       command.CodeAt // what was asked last
	asked    bool           // and not answered yet
	cancel   func()
	from, to int      // what a match replaces
	all      []string // every match
	fit      []string // those that what was typed since fits
	help     []string // lines, instead of matches
	at, top  int      // of fit: which is chosen, and which is the first in sight
}

func newCompletions(l *inputLine) *completions {
	k := l.d.k
	c := &completions{l: l, ground: k.Area(k.P.Raised, theme.Radius), cancel: func() {}}
	c.more = kit.NewLine("", 11, k.P.Muted, fyne.TextStyle{}, 18)
	c.ground.Paint(k.P.Raised, k.P.Edge, 1)
	c.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func(_ []fyne.CanvasObject, s fyne.Size) { c.arrange(s) }}}
	c.root.Hide()
	return c
}

// text returns the code and where the cursor is, in characters.
func (c *completions) text() (code []rune, at int) {
	code = []rune(c.l.field.Text)
	return code, min(c.l.field.CursorTextOffset(), len(code))
}

// key handles a key of the field, and reports whether it was for the completions.
func (c *completions) key(name fyne.KeyName) bool {
	shift := kit.Modifiers()&fyne.KeyModifierShift != 0
	open := c.root.Visible()
	//exhaustive:ignore
	switch name {
	case fyne.KeyTab:
		switch {
		case shift:
			c.ask(true)
		case open && len(c.fit) > 0:
			c.choose(c.at)
		default:
			return c.complete()
		}
		return true
	case fyne.KeyEscape:
		if open || c.asked {
			c.hide()
			return true
		}
	case fyne.KeyReturn, fyne.KeyEnter:
		if open && len(c.fit) > 0 && !shift {
			c.choose(c.at)
			return true
		}
		c.hide()
	case fyne.KeyUp, fyne.KeyDown:
		if open && len(c.fit) > 0 {
			step := 1
			if name == fyne.KeyUp {
				step = -1
			}
			c.at = (c.at + step + len(c.fit)) % len(c.fit)
			c.draw()
			return true
		}
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyHome, fyne.KeyEnd:
		c.hide()
	}
	return false
}

// complete asks how the code goes on, unless the line is empty before the cursor: there, Tab indents.
func (c *completions) complete() bool {
	code, at := c.text()
	line := string(code[:at])
	if strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:]) == "" {
		return false
	}
	c.ask(false)
	return true
}

// ask asks the kernel how the code goes on, or what is at the cursor.
func (c *completions) ask(inspect bool) {
	c.hide()
	code, at := c.text()
	of := command.CodeAt{SessionID: c.l.of, Code: string(code), At: at}
	c.of, c.asked = of, true
	c.wait(of)
	meant := func() bool {
		yes := c.waits(of)
		c.asked = c.asked && c.of != of
		return yes
	}
	if inspect {
		c.cancel = c.l.d.port.InspectCode(of, func(text string, err error) {
			if meant() {
				c.explain(text, err)
			}
		})
		return
	}
	c.cancel = c.l.d.port.CompleteCode(of, func(found command.CodeCompletion, err error) {
		if meant() {
			c.answer(found, err)
		}
	})
}

// waits reports whether the user still waits for an answer.
func (c *completions) waits(of command.CodeAt) bool {
	code, at := c.text()
	return c.asked && c.of == of && string(code) == of.Code && at == of.At && c.l.of == of.SessionID
}

// askedAfter is how long the kernel may take before the user sees that it was asked.
const askedAfter = 400 * time.Millisecond

// wait says that the kernel was asked, if it takes long.
func (c *completions) wait(of command.CodeAt) {
	c.l.d.port.Go(func(ctx context.Context) {
		select {
		case <-time.After(askedAfter):
		case <-ctx.Done():
			return
		}
		c.l.d.k.Do(func() {
			if c.waits(of) && len(c.help) == 0 {
				c.help = []string{c.l.d.k.T("console.completing")}
				c.draw()
			}
		})
	})
}

// answer shows the completions. If there is only one, it is inserted.
func (c *completions) answer(found command.CodeCompletion, err error) {
	if err != nil {
		c.fail(err)
		return
	}
	c.help = nil
	c.from, c.to, c.at, c.top = found.From, found.To, 0, 0
	c.all = slices.Clone(found.Matches)
	if c.fit = c.all; len(c.fit) == 1 {
		c.choose(0)
		return
	}
	if len(c.fit) == 0 {
		c.help = []string{c.l.d.k.T("console.no_completion")}
	}
	c.draw()
}

// explain shows what the kernel says about a name.
func (c *completions) explain(text string, err error) {
	if err != nil {
		c.fail(err)
		return
	}
	lines := strings.Split(strings.TrimSpace(terminal.Text(text)), "\n")
	if text == "" {
		lines = []string{c.l.d.k.T("console.no_help")}
	}
	if len(lines) > mostHelp {
		lines = append(lines[:mostHelp-1], "…")
	}
	c.help = lines
	c.draw()
}

func (c *completions) fail(err error) {
	text := tool.Explain(tool.AsError(err))
	if tool.AsError(err).Code == tool.KernelBusy {
		text = c.l.d.k.T("console.completion_busy")
	}
	c.help = []string{text}
	c.draw()
}

// typed narrows the matches to what the user has typed since, or hides them.
func (c *completions) typed() {
	if !c.root.Visible() {
		if c.asked {
			c.hide() // the answer would be to something else
		}
		return
	}
	code, at := c.text()
	old := []rune(c.of.Code)
	if len(c.all) == 0 || at < c.from || string(code[:c.from]) != string(old[:min(c.from, len(old))]) || len(code)-len(old) != at-c.of.At {
		c.hide()
		return
	}
	word := strings.ToLower(string(code[c.from:at]))
	c.fit = slices.DeleteFunc(slices.Clone(c.all), func(m string) bool { return !strings.HasPrefix(strings.ToLower(m), word) })
	if c.at, c.top = 0, 0; len(c.fit) == 0 {
		c.hide()
		return
	}
	c.draw()
}

// choose inserts a match.
func (c *completions) choose(i int) {
	if i >= len(c.fit) {
		return
	}
	code, at := c.text()
	match, from := c.fit[i], min(c.from, len(code))
	to := min(max(c.to+at-c.of.At, at, from), len(code))
	c.hide()
	f := c.l.field
	f.SetText(string(code[:from]) + match + string(code[to:]))
	f.MoveCursor(from + len([]rune(match)))
	c.l.d.port.Focus(f)
}

// hide hides the completions, and forgets what was asked.
func (c *completions) hide() {
	c.cancel()
	c.cancel = func() {}
	c.asked, c.all, c.fit, c.help = false, nil, nil, nil
	if c.root.Visible() {
		c.root.Hide()
		c.root.Refresh()
	}
}

// draw shows the matches in sight, or the help.
func (c *completions) draw() {
	k := c.l.d.k
	c.top = min(max(c.top, c.at-mostCompletions+1), c.at)
	c.rows, c.lines = nil, nil
	c.root.Objects = []fyne.CanvasObject{c.ground}
	for _, text := range c.help {
		line := kit.NewLine(text, theme.TextCaption, k.P.Text, fyne.TextStyle{Monospace: len(c.help) > 1}, completionRow)
		c.lines = append(c.lines, line)
		c.root.Objects = append(c.root.Objects, line)
	}
	for i, text := range c.fit[c.top:min(c.top+mostCompletions, len(c.fit))] {
		line := kit.NewLine(text, theme.TextCaption, k.P.Text, fyne.TextStyle{Monospace: true}, completionRow)
		base := color.Color(color.Transparent)
		if c.top+i == c.at {
			base = k.P.Selected
		}
		row := k.Tap(indented(line), base, "", func() { c.choose(c.top + i) })
		c.rows, c.lines = append(c.rows, row), append(c.lines, line)
		c.root.Objects = append(c.root.Objects, row)
	}
	text := ""
	if len(c.fit) > mostCompletions {
		text = k.T("console.completions", c.at+1, len(c.fit))
	}
	c.more.Set(text, nil)
	kit.SetVisible(c.more, text != "")
	c.root.Objects = append(c.root.Objects, c.more)
	c.root.Show()
	c.l.grown()
	c.root.Refresh()
}

// indented gives a line some space at its sides.
func indented(line *kit.Line) fyne.CanvasObject {
	return &fyne.Container{Objects: []fyne.CanvasObject{line}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) { kit.Place(line, 8, 0, s.Width-16, s.Height) },
		Min:     func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(80, completionRow) },
	}}
}

// size returns the size of what is shown, in a space.
func (c *completions) size(within fyne.Size) fyne.Size {
	wide := float32(180)
	for _, l := range c.lines {
		wide = max(wide, l.PreferredWidth()+2*completionPad+20)
	}
	high := 2*completionPad + completionRow*float32(len(c.lines))
	if c.more.Visible() {
		high += 18
	}
	return fyne.NewSize(min(wide, within.Width-2*inputSide), min(high, within.Height))
}

func (c *completions) arrange(s fyne.Size) {
	kit.Place(c.ground, 0, 0, s.Width, s.Height)
	y := completionPad
	for i, l := range c.lines {
		o, side := fyne.CanvasObject(l), float32(10)
		if i < len(c.rows) {
			o, side = c.rows[i], 0
		}
		kit.SetVisible(o, y+completionRow <= s.Height)
		kit.Place(o, completionPad+side, y, s.Width-2*completionPad-2*side, completionRow)
		y += completionRow
	}
	kit.Place(c.more, completionPad+8, y, s.Width-2*completionPad-16, 18)
}
