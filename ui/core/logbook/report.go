package logbook

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image/png"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/clients"
	"easel/ui/core/library"
)

//go:embed report.html
var files embed.FS

var parts = template.Must(template.New("").ParseFS(files, "report.html"))

// foldFrom is the number of lines from which code is folded.
const foldFrom = 12

// A chapter is a session in a report.
type chapter struct {
	ID, Title, Kernel, Environment, Period, Who, Counts string
	Text                                                *words
}

// An item is what a report says of an entry.
type item struct {
	Time, Who, Token, What, Status, Took, About string
	Bad, Answer, Small                          bool

	May                    []string // what the code may do
	AskedBy, Allowed       string   // of an answer
	Code, Sent, Parameters string
	Lines                  string // "" unless the code is folded
	Out                    []string
	Plots                  []plot
	Received               []string
	Detail                 string
	Text                   *words
}

// A plot is what a report says of a plot.
type plot struct {
	Title, Size, ID string
	Picture         template.URL
}

// report writes a page with a chapter for each session.
func (w *writer) report() error {
	t := wordsOf(w.o.Language)
	ids := []string{w.o.Session}
	if w.o.Session == "" {
		var err error
		if ids, err = w.lib.Logged(w.ctx, w.o.LogQuery); err != nil {
			return err
		}
	}
	chapters := make([]chapter, 0, len(ids))
	for _, id := range ids { // counted first, so that the contents say what is in them
		c, err := w.summary(id, t)
		if err != nil {
			return err
		}
		chapters = append(chapters, c)
	}
	w.n = Counts{}
	made := w.o.Now.Local().Format("2006-01-02 15:04 (UTC-07:00)")
	head := map[string]any{"Text": t, "Made": made, "Chapters": chapters, "Period": w.period()}
	if err := w.part("head", head); err != nil {
		return err
	}
	for _, c := range chapters {
		if err := w.part("chapter", c); err != nil {
			return err
		}
		day := ""
		err := w.entries(w.chapter(c.ID), func(e Entry, _ []byte) error {
			if d := zoned(e.At.Local()); d != day {
				day = d
				if err := w.part("day", day); err != nil {
					return err
				}
			}
			return w.part("item", w.item(e, t))
		})
		if err != nil {
			return err
		}
		if err := w.part("end", nil); err != nil {
			return err
		}
	}
	return w.part("foot", nil)
}

// part writes a part of the page.
func (w *writer) part(name string, of any) error {
	return parts.ExecuteTemplate(w.out, name, of)
}

// chapter returns the query for the entries of a session, or of none.
func (w *writer) chapter(session string) library.LogQuery {
	q := w.o.LogQuery
	q.Session, q.None = session, session == ""
	return q
}

// period returns the limits that were asked for.
func (w *writer) period() string {
	day := func(t time.Time) string {
		if t.IsZero() {
			return "…"
		}
		return t.Local().Format("2006-01-02 15:04")
	}
	if w.o.Since.IsZero() && w.o.Until.IsZero() {
		return ""
	}
	return day(w.o.Since) + " – " + day(w.o.Until)
}

// summary counts what is in a chapter.
func (w *writer) summary(session string, t *words) (chapter, error) {
	s := w.session(session)
	c := chapter{ID: session, Title: titleOf(s), Kernel: s.KernelName, Environment: s.Environment, Text: t}
	if c.Title == "" {
		if c.Title = session; session == "" {
			c.Title = t.NoSession
		}
	}
	var first, last time.Time
	var who []string
	var n tally
	err := w.entries(w.chapter(session), func(e Entry, _ []byte) error {
		if first.IsZero() {
			first = e.At
		}
		last = e.At
		if name := whoOf(e, t); !slices.Contains(who, name) {
			who = append(who, name)
		}
		if x := e.Execution; x != nil && x.Environment != nil && x.Environment.Version != "" {
			c.Environment = strings.TrimSpace(x.Environment.Name + " " + x.Environment.Language + " " + x.Environment.Version)
		}
		n.add(e)
		return nil
	})
	c.Title = w.o.Mask.String(c.Title)
	c.Counts, c.Who = n.in(t), strings.Join(who, ", ")
	if !first.IsZero() {
		c.Period = first.Local().Format("2006-01-02 15:04") + " – " + last.Local().Format("2006-01-02 15:04")
	}
	return c, err
}

func failedStatus(s string) bool {
	return catalog.Ended(s) && s != catalog.StatusOK
}

// whoOf names who caused an entry.
func whoOf(e Entry, t *words) string {
	if e.Transport == "window" {
		return t.You
	}
	if c, ok := clients.Find(e.Client); ok && c.Name != "" {
		return c.Name
	}
	return e.Client
}

// item returns what is said of an entry.
func (w *writer) item(e Entry, t *words) item {
	i := item{Time: e.At.Local().Format("15:04:05"), Who: whoOf(e, t), Status: t.status(e.Status), Detail: e.Detail, Text: t}
	i.Bad = e.Status != catalog.StatusOK && e.Status != catalog.StatusRunning
	if e.Assistant != "" {
		i.Token = fmt.Sprintf(t.Using, e.Assistant)
	}
	if e.DurationMS > 0 {
		i.Took = took(e.DurationMS)
	}
	switch {
	case e.Answer != nil:
		i.answered(*e.Answer, t)
	case e.Execution != nil:
		w.ran(&i, e, t)
	default:
		i.What, i.Small = fmt.Sprintf(t.Called, e.Tool), true
		if e.Tool == catalog.GetImageResource.Spec().Name || e.Tool == "resources/read" {
			i.What = t.Looked
		}
		i.refused(e, t)
	}
	if r := e.Received; r != nil {
		for _, s := range r.Images {
			i.Received = append(i.Received, short(s.ImageID)+": "+t.sent(s))
		}
		i.Received = append(i.Received, t.text(*r))
		if len(r.Masked) > 0 {
			i.Received = append(i.Received, t.masked(r.Masked))
		}
		if k := r.KernelReplaced; k != nil {
			i.Received = append(i.Received, fmt.Sprintf(t.Replaced, k.At.Local().Format("2006-01-02 15:04:05"), k.By))
		}
	}
	return i
}

// refused says with what a tool was called; the code of a call that started no run is shown as such.
func (i *item) refused(e Entry, t *words) {
	var args struct{ Code string }
	if json.Unmarshal(e.Parameters, &args) == nil && args.Code != "" {
		i.code(args.Code, t)
		e.Parameters = without(e.Parameters, "code")
	}
	i.Parameters = compact(e.Parameters)
}

// answered says what the user answered.
func (i *item) answered(a Answer, t *words) {
	i.Answer, i.Status, i.Took = true, "", ""
	i.AskedBy, i.May, i.Allowed = a.Client, t.risks(a.Because), t.AllowedKinds[a.AllowedKinds]
	if a.Assistant != "" {
		i.AskedBy += " (" + fmt.Sprintf(t.Using, a.Assistant) + ")"
	}
	if about := t.About[a.About]; about != "" {
		i.About = strings.TrimSpace(strings.ReplaceAll(about, "%s", a.Tool) + " " + a.Target)
	}
	switch a.Given {
	case "typed":
		if i.What, i.About = t.Typed, strings.TrimSpace(a.Prompt+" "+a.Value); a.Secret {
			i.About = strings.TrimSpace(a.Prompt + " (" + t.Hidden + ")")
		}
	case "approved":
		if i.What = t.Approved; a.Changed {
			i.What = t.ApprovedEdited
		}
	case "approved_for_session":
		i.What = t.ApprovedAll
	case "dismissed":
		i.What = t.Shut
	default:
		if i.What, i.Bad = t.Denied, true; a.Words != "" {
			i.About = strings.TrimSpace(i.About + " " + t.Words + ": “" + a.Words + "”")
		}
		i.code(a.Code, t)
	}
}

// code adds code, folded if it is long.
func (i *item) code(code string, t *words) {
	i.Code = strings.TrimRight(code, "\n")
	if n := strings.Count(i.Code, "\n") + 1; n >= foldFrom {
		i.Lines = fmt.Sprintf(t.Lines, n)
	}
}

// ran says what code did.
func (w *writer) ran(i *item, e Entry, t *words) {
	x := e.Execution
	i.What, i.Status, i.Bad = t.Ran, t.status(x.Status), failedStatus(x.Status)
	i.About = heading(x.Code)
	if x.ExecutionTimeMS > 0 {
		i.Took = took(x.ExecutionTimeMS)
	}
	i.May = t.risks(x.Risks)
	i.code(x.Code, t)
	if x.Edited {
		var args struct{ Code string }
		_ = json.Unmarshal(e.Parameters, &args) // they had code
		i.Sent = args.Code
	}
	if n := x.StdoutBytes + x.StderrBytes; n > 0 {
		i.Out = append(i.Out, fmt.Sprintf(t.Printed, bytesOf(n)))
	}
	if x.ResultBytes > 0 {
		i.Out = append(i.Out, fmt.Sprintf(t.Result, bytesOf(int64(x.ResultBytes))))
	}
	if x.Error != nil {
		i.Detail = strings.TrimPrefix(x.Error.Type+": "+x.Error.Message, ": ")
	}
	for _, im := range x.Images {
		p := plot{Title: im.Title, ID: short(im.ID)}
		if im.Width > 0 {
			p.Size = fmt.Sprintf("%d × %d px", im.Width, im.Height)
		}
		if w.o.Thumbnails {
			p.Picture = w.thumbnail(im.ID)
		}
		i.Plots = append(i.Plots, p)
	}
}

// thumbnailEdge is the long edge of pictures in a report.
const thumbnailEdge = 240

// thumbnail returns a small picture; "" if it cannot be read.
func (w *writer) thumbnail(id string) template.URL {
	small, err := w.lib.Thumb(w.ctx, id, thumbnailEdge)
	var b bytes.Buffer
	if err != nil || png.Encode(&b, small) != nil {
		return ""
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())) //nolint:gosec // ours
}

// heading returns the first comment of code, which often says what it is for; "" if it has none.
func heading(code string) string {
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(text, "!") {
			return strings.TrimSpace(strings.TrimLeft(text, "# %"))
		}
		if line != "" {
			return ""
		}
	}
	return ""
}

// short returns the end of an image's id, which names it in Easel.
func short(id string) string { return id[max(0, len(id)-6):] }

// compact returns parameters in one line.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil || b.String() == "{}" {
		return ""
	}
	const most = 300
	text := b.String()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
