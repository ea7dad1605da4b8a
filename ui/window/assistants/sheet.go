package assistants

import (
	"fmt"
	"image/color"
	"path/filepath"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/rights"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A sheet shows and changes what one assistant may do. Each change takes effect at once.
type sheet struct {
	l      *List
	id     string
	column *kit.Column
	drawn  string
	hide   func()
	name   *kit.Field
}

// open shows the sheet of an assistant.
func (l *List) open(id string) {
	s := &sheet{l: l, id: id, column: l.k.Column(18, 12)}
	l.sheet = s
	s.render(l.port.Snapshot())
	s.hide = l.port.Sheet(l.name(l.port.Snapshot().Assistant(id)), s.column)
}

// render draws the sheet again if what it shows has changed.
func (s *sheet) render(n *state.Snapshot) {
	a := n.Assistant(s.id)
	counted := a
	counted.Calls, counted.Plots, counted.Last, counted.Client = 0, 0, a.First, ""
	drawn := fmt.Sprint(n.Settings.Access, counted, n.Trusted)
	if drawn == s.drawn || s.l.k.Pressed(s.column, func() { s.render(s.l.port.Snapshot()) }) {
		return
	}
	s.drawn = drawn
	k := s.l.k
	var rows []fyne.CanvasObject
	if s.id == tool.Others {
		rows = append(rows, s.para(k.T("assistants.others_text")))
	} else {
		rows = append(rows, s.identity(a), s.used(a))
	}
	rows = append(rows, k.Section(k.T("assistants.may")), s.sets(a), s.table(n, a), s.inChat(n, a))
	rows = append(rows, k.Section(k.T("assistants.limits")), s.limits(a))
	rows = append(rows, s.allowed(n, a)...)
	if s.id != tool.Others {
		rows = append(rows, s.forget(a))
	}
	s.column.SetRows(rows...)
}

func (s *sheet) para(text string) fyne.CanvasObject {
	return kit.NewPara(text, theme.TextBody, s.l.k.P.Muted, fyne.TextStyle{})
}

// identity returns the name and the colour, which the user can change.
func (s *sheet) identity(a state.Assistant) fyne.CanvasObject {
	k := s.l.k
	s.name = k.Field(s.l.name(state.Assistant{ID: a.ID}))
	s.name.SetText(a.Name)
	keep := func(text string) {
		if text = strings.TrimSpace(text); text != s.l.port.Snapshot().Assistant(s.id).Name && len([]rune(text)) <= mostName {
			s.l.edit(s.id, func(a *state.Assistant) { a.Name = text })
		}
	}
	s.name.OnSubmitted, s.name.Forward = keep, s.l.port.Forward
	field := s.name
	s.name.OnLeave = func() { keep(field.Text) }
	row := kit.NewRow(6, -1, kit.Box(s.name, fyne.NewSize(240, 32)))
	for i := range k.P.Sessions {
		row.Add(s.swatch(i+1, a.Colour == i+1))
	}
	return row
}

// mostName is the length of the longest name, in characters.
const mostName = 60

// swatch returns a button that gives the assistant a colour.
func (s *sheet) swatch(colour int, on bool) fyne.CanvasObject {
	k := s.l.k
	dot := kit.Fill(k.P.Session(colour-1), 8)
	base, to := color.Color(color.Transparent), colour
	if on {
		base, to = k.P.Selected, 0
	}
	content := &fyne.Container{Objects: []fyne.CanvasObject{dot}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, z fyne.Size) { kit.Place(dot, (z.Width-16)/2, (z.Height-16)/2, 16, 16) },
		Min:     func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(28, 32) },
	}}
	return k.Stop(content, base, k.T("assistants.colour", colour), func() { s.l.edit(s.id, func(a *state.Assistant) { a.Colour = to }) })
}

// colour returns the colour of an assistant's dot.
func (l *List) colour(a state.Assistant) color.Color {
	if a.Colour == 0 {
		return l.k.P.Line
	}
	return l.k.P.Session(a.Colour - 1)
}

// used says how much the assistant was used.
func (s *sheet) used(a state.Assistant) fyne.CanvasObject {
	k := s.l.k
	if a.Last.IsZero() {
		return s.para(k.T("assistants.never"))
	}
	first, last := k.Tr.When(a.First, k.Now()), k.Tr.When(a.Last, k.Now())
	return s.para(k.T("assistants.used", a.Client, first, last, i18n.Number(a.Calls), i18n.Number(a.Plots)))
}

// sets returns the buttons for the sets to choose from.
func (s *sheet) sets(a state.Assistant) fyne.CanvasObject {
	k := s.l.k
	give := func(t rights.Table) func() {
		return func() { s.give(func(rights.Table) rights.Table { return t }) }
	}
	everyone := k.Button(kit.Quiet, "", k.T("assistants.as_everyone"), k.T("assistants.as_everyone_tip"), give(nil))
	everyone.SetOn(a.Rights == nil)
	buttons := []fyne.CanvasObject{everyone}
	for _, x := range rights.Sets {
		b := k.Button(kit.Quiet, "", k.T(setNames[x.Name]), "", give(x.Table))
		b.SetOn(a.Rights != nil && rights.NameOf(a.Rights) == x.Name)
		buttons = append(buttons, b)
	}
	return kit.NewFlow(6, buttons...)
}

// give gives the assistant other rights.
func (s *sheet) give(change func(now rights.Table) rights.Table) {
	s.l.port.Update(func(n *state.Snapshot) { n.GiveRights(s.id, change(oversight.RightsOf(n, s.id))) })
	s.l.Render(s.l.port.Snapshot())
}

// kindNames say what an assistant does that does something of a kind.
var kindNames = map[rights.Kind]string{
	rights.Code: "assistants.kind_code", rights.Files: "risk.files", rights.Network: "risk.network", rights.Programs: "risk.programs",
	rights.Packages: "risk.packages", rights.Secrets: "risk.secrets", rights.Variable: "risk.variable", rights.Unseen: "risk.unseen",
	rights.Notebooks: "assistants.kind_notebooks", rights.Sessions: "assistants.kind_sessions", rights.Gallery: "assistants.kind_gallery",
}

// table returns a row of three buttons for each kind.
func (s *sheet) table(n *state.Snapshot, a state.Assistant) fyne.CanvasObject {
	k, now := s.l.k, oversight.RightsOf(n, a.ID)
	rows := make([]fyne.CanvasObject, 0, len(rights.Kinds))
	for _, kind := range rights.Kinds {
		buttons := kit.NewRow(4, -1)
		for _, x := range []struct {
			right rights.Right
			text  string
		}{{rights.Allow, k.T("assistants.allow")}, {rights.Ask, k.T("assistants.ask")}, {rights.Deny, k.T("assistants.deny")}} {
			b := k.Button(kit.Quiet, "", x.text, "", func() {
				s.give(func(now rights.Table) rights.Table { return now.With(kind, x.right) })
			}).Small()
			b.SetOn(now.To(kind) == x.right)
			buttons.Add(b)
		}
		rows = append(rows, s.line(k.T(kindNames[kind]), buttons))
	}
	return kit.NewStack(0, rows...)
}

// inChat returns whether the assistant's program shows questions in its chat, too.
func (s *sheet) inChat(n *state.Snapshot, a state.Assistant) fyne.CanvasObject {
	k, buttons := s.l.k, kit.NewRow(4, -1)
	now := n.AsksInChat(tool.Caller{Assistant: a.ID, Forms: true}, false)
	for _, x := range []struct {
		yes  bool
		text string
	}{{true, k.T("assistants.allow")}, {false, k.T("assistants.deny")}} {
		b := k.Button(kit.Quiet, "", x.text, "", func() { s.l.edit(s.id, func(a *state.Assistant) { a.InChat = &x.yes }) }).Small()
		b.SetOn(now == x.yes)
		buttons.Add(b)
	}
	return kit.NewStack(4, s.line(k.T("assistants.in_chat"), buttons), s.para(k.T("assistants.in_chat_text")))
}

// line returns a text with a control at its end, above a thin line.
func (s *sheet) line(text string, control fyne.CanvasObject) fyne.CanvasObject {
	k := s.l.k
	name, under := kit.NewLine(text, theme.TextBody, k.P.Text, fyne.TextStyle{}, 80), canvas.NewRectangle(k.P.Line)
	return &fyne.Container{Objects: []fyne.CanvasObject{name, control, under}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, z fyne.Size) {
			m := control.MinSize()
			kit.Place(control, z.Width-m.Width, (z.Height-m.Height)/2, m.Width, m.Height)
			kit.Place(name, 0, (z.Height-20)/2, z.Width-m.Width-12, 20)
			kit.Place(under, 0, z.Height-1, z.Width, 1)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 38) },
	}}
}

// mostLimit is the largest limit.
const mostLimit = 100_000

// limits returns a field for each limit. An empty field is no limit.
func (s *sheet) limits(a state.Assistant) fyne.CanvasObject {
	k := s.l.k
	field := func(text string, now int, set func(*state.Limits, int)) fyne.CanvasObject {
		f := k.Field(k.T("assistants.no_limit"))
		shown := ""
		if now > 0 {
			shown = strconv.Itoa(now)
		}
		f.SetText(shown)
		keep := func(text string) {
			v, err := strconv.Atoi(strings.TrimSpace(text))
			switch {
			case text == shown:
			case strings.TrimSpace(text) == "":
				s.l.edit(s.id, func(a *state.Assistant) { set(&a.Limits, 0) })
			case err != nil || v < 1 || v > mostLimit:
				f.SetText(shown)
				s.l.port.Say(kit.MarkBad, k.T("settings.range", 1, mostLimit))
			default:
				s.l.edit(s.id, func(a *state.Assistant) { set(&a.Limits, v) })
			}
		}
		f.OnSubmitted, f.OnLeave, f.Forward = keep, func() { keep(f.Text) }, s.l.port.Forward
		return s.line(text, kit.Box(f, fyne.NewSize(120, 32)))
	}
	return kit.NewStack(0,
		field(k.T("assistants.limit_calls"), a.Limits.Calls, func(x *state.Limits, v int) { x.Calls = v }),
		field(k.T("assistants.limit_kernels"), a.Limits.Kernels, func(x *state.Limits, v int) { x.Kernels = v }),
		field(k.T("assistants.limit_output"), a.Limits.OutputKB, func(x *state.Limits, v int) { x.OutputKB = v }))
}

// allowed lists what the user has allowed with an answer beyond its question.
func (s *sheet) allowed(n *state.Snapshot, a state.Assistant) []fyne.CanvasObject {
	k := s.l.k
	var rows []fyne.CanvasObject
	add := func(kind rights.Kind, where string, back func()) {
		what := k.T("assistants.allowed_all")
		if kind != "" {
			what = k.T(kindNames[kind])
		}
		rows = append(rows, s.line(what+" · "+where, k.Button(kit.Quiet, "", k.T("assistants.take_back"), "", back).Small()))
	}
	for _, x := range a.Allowed {
		add(x.Kind, filepath.Base(x.Project), func() {
			s.l.edit(s.id, func(a *state.Assistant) { a.Allowed = without(a.Allowed, x) })
		})
	}
	for _, x := range n.Trusted {
		if x.Assistant == a.ID {
			add(x.Kind, n.SessionName(x.SessionID), func() {
				s.l.port.Update(func(n *state.Snapshot) { n.Trusted = without(n.Trusted, x) })
				s.l.Render(s.l.port.Snapshot())
			})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return []fyne.CanvasObject{k.Section(k.T("assistants.allowed")), kit.NewStack(0, rows...)}
}

func without[T comparable](all []T, x T) (kept []T) {
	for _, o := range all {
		if o != x {
			kept = append(kept, o)
		}
	}
	return kept
}

// forget returns the row whose button takes the assistant's token back.
func (s *sheet) forget(a state.Assistant) fyne.CanvasObject {
	k := s.l.k
	name := s.l.name(a)
	return kit.NewRow(6, 0, s.para(k.T("assistants.forget_hint")), k.Button(kit.Danger, "", k.T("assistants.forget"), "", func() {
		s.l.port.Confirm(k.T("assistants.forget_ask", name), k.T("assistants.forget_text"), k.T("assistants.forget"), func() {
			s.hide()
			s.l.sheet = nil
			s.l.port.Update(func(n *state.Snapshot) { n.Forget(s.id) })
			s.l.port.Forgot()
			s.l.Render(s.l.port.Snapshot())
		})
	}))
}
