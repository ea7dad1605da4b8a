package window

import (
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/window/data"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
	"easel/ui/window/requests"
)

// A questioner lets the user ask assistants about regions of plots, and about cells and columns of tables.
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
	q.compose(q.region(m), "question.hint", func(words string, done func(catalog.Question, error)) {
		requests.TopicFinally(q.requests, "ask_question", command.AskQuestion, command.AskQuestionIn{ID: id, Mark: m, Words: words}, done)
	})
}

// askAboutTable lets the user type a question about a cell or a column.
func (q *questioner) askAboutTable(place catalog.TablePlace, name, description string) {
	q.compose(name, "question.table_hint", func(words string, done func(catalog.Question, error)) {
		in := command.AskAboutTableIn{Place: place, Text: description, Words: words}
		requests.TopicFinally(q.requests, "ask_question", command.AskAboutTable, in, done)
	})
}

// compose lets the user type a question about a place. gets, a message ID, says what an assistant gets.
func (q *questioner) compose(about, gets string, ask func(words string, done func(catalog.Question, error))) {
	k, d := q.kit(), q.dialogs()
	words := k.Note(k.T("question.placeholder"))
	where := kit.NewPara(about, 12, k.P.Muted, fyne.TextStyle{})
	hint := kit.NewPara(k.T(gets), 12, k.P.Muted, fyne.TextStyle{})
	send := func() {}
	button := k.Button(kit.Primary, "", k.T("question.send"), k.T("question.send_tip"), func() { send() }).OnCtrlEnter()
	f := d.Form(k.T("question.title"), fyne.NewSize(460, 322), []fyne.CanvasObject{where, kit.Box(words, fyne.NewSize(60, 110)), hint}, button)
	f.CloseOnEscape(words)
	button.SetEnabled(false)
	words.OnChanged = func(text string) {
		n := utf8.RuneCountInString(strings.TrimSpace(text))
		button.SetEnabled(n > 0 && n <= library.MaxQuestion)
		text = k.T(gets)
		if n > library.MaxQuestion {
			text = k.T("question.long", library.MaxQuestion, n)
		}
		hint.Set(text)
	}
	send = func() {
		if !button.Enabled() || !f.Shown() {
			return
		}
		button.SetEnabled(false)
		ask(words.Text, func(_ catalog.Question, err error) {
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

// advance says how far the user is with a question.
func (q *questioner) advance(id string, to catalog.QuestionState) {
	q.advanceThen(id, to, nil)
}

func (q *questioner) advanceThen(id string, to catalog.QuestionState, then func(struct{})) {
	requests.Topic(q.requests, "set_question_state", command.SetQuestionState, command.QuestionStateIn{ID: id, State: to}, then)
}

// drop deletes a question.
func (q *questioner) drop(id string) {
	q.dropThen(id, nil)
}

func (q *questioner) dropThen(id string, then func(struct{})) {
	requests.Topic(q.requests, "delete_question", command.DeleteQuestion, id, then)
}

// showOfTable shows what the user has asked about a table.
func (q *questioner) showOfTable(of command.TableRef) {
	var f *dialogs.Form
	q.readOfTable(of, &f)
}

// readOfTable reads the questions about a table, and shows them in a dialog: in f if that is open.
func (q *questioner) readOfTable(of command.TableRef, f **dialogs.Form) {
	requests.Topic(q.requests, "ask_question", command.TableQuestions, of, func(all []catalog.Question) {
		k, d := q.kit(), q.dialogs()
		again := func(struct{}) { q.readOfTable(of, f) }
		var rows []fyne.CanvasObject
		for i, x := range all {
			if x.Table != nil { // what an assistant gets is in English
				x.Region = data.Place(k, *x.Table)
			}
			rows = append(rows, properties.Question(k, x, i+1,
				func() { q.dropThen(x.ID, again) }, func(to catalog.QuestionState) { q.advanceThen(x.ID, to, again) }))
		}
		if len(rows) == 0 {
			rows = append(rows, kit.NewPara(k.T("question.none"), 13, k.P.Muted, fyne.TextStyle{}))
		}
		if *f != nil && (*f).Shown() {
			(*f).SetRows(rows...)
			(*f).Arrange()
			return
		}
		*f = d.Result(k.T("question.of_table", of.Name), fyne.NewSize(480, 420), rows)
	})
}
