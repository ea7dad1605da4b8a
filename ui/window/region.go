package window

import (
	"image"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
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

// A questioner lets the user ask assistants about regions of plots.
type questioner struct {
	kit      func() *kit.Kit
	dialogs  func() *dialogs.Host
	requests *requests.Sender
	say      func(kit.Mark, string)
	region   func(catalog.Mark) string // describes a place of the plot that is open
}

// ask lets the user type a question about a place, which an assistant gets with the next
// result of a tool.
func (q *questioner) ask(id string, m catalog.Mark) {
	k, d := q.kit(), q.dialogs()
	words := k.Note(k.T("question.placeholder"))
	where := kit.NewPara(q.region(m), 12, k.P.Muted, fyne.TextStyle{})
	hint := kit.NewPara(k.T("question.hint"), 12, k.P.Muted, fyne.TextStyle{})
	send := func() {}
	button := k.Button(kit.Primary, "", k.T("question.send"), k.T("question.send_tip"), func() { send() }).OnCtrlEnter()
	f := d.Form(k.T("question.title"), fyne.NewSize(460, 322), []fyne.CanvasObject{where, kit.Box(words, fyne.NewSize(60, 110)), hint}, button)
	f.CloseOnEscape(words)
	button.SetEnabled(false)
	words.OnChanged = func(text string) {
		n := utf8.RuneCountInString(strings.TrimSpace(text))
		button.SetEnabled(n > 0 && n <= library.MaxQuestion)
		about := k.T("question.hint")
		if n > library.MaxQuestion {
			about = k.T("question.long", library.MaxQuestion, n)
		}
		hint.Set(about)
	}
	send = func() {
		if !button.Enabled() || !f.Shown() {
			return
		}
		button.SetEnabled(false)
		requests.TopicFinally(q.requests, "ask_question", command.AskQuestion, command.AskQuestionIn{ID: id, Mark: m, Words: words.Text},
			func(_ catalog.Question, err error) {
				if err != nil { // the words stay
					button.SetEnabled(true)
					return
				}
				f.Close()
				q.say(kit.MarkCheck, k.T("question.kept"))
			})
	}
	words.Forward = func(s fyne.Shortcut) {
		if c, ok := s.(*desktop.CustomShortcut); ok && (c.KeyName == fyne.KeyReturn || c.KeyName == fyne.KeyEnter) {
			send()
		}
	}
	d.Focus(words)
}

// showQuestion shows the properties, which list the questions.
func (c *galleryPage) showQuestion(string) {
	c.s.inPanel(func(p *properties.Panel) { p.ShowQuestions() })
}

// advance says how far the user is with a question.
func (q *questioner) advance(id string, to catalog.QuestionState) {
	requests.Topic(q.requests, "set_question_state", command.SetQuestionState, command.QuestionStateIn{ID: id, State: to}, nil)
}

// drop deletes a question.
func (q *questioner) drop(id string) {
	requests.Topic(q.requests, "delete_question", command.DeleteQuestion, id, nil)
}
