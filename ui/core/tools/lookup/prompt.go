package lookup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Limits of the preview of a file in a prompt.
const (
	headRows  = 8     // rows of a table
	headBytes = 3_000 // bytes of a text
)

// getPrompt fills in a prompt. It calls tools on behalf of the client, so the user's
// restrictions apply.
func (l *lookup) getPrompt(ctx context.Context, in catalog.GetPromptIn) (catalog.GetPromptOut, error) {
	switch a := in.Arguments; in.Name {
	case "analyse_file":
		return l.analyseFile(ctx, a["path"], a["question"], a["session_id"])
	case "continue_from_selection":
		return l.continueFromSelection(ctx, a["goal"])
	case "ask_about_selection":
		return l.askAboutSelection(ctx, a["question"])
	case "rework_plot":
		return l.reworkPlot(ctx, a["wish"], cmp.Or(a["image"], catalog.Selected))
	default:
		return catalog.GetPromptOut{}, tool.Errorf(tool.Validation, "there is no prompt %q", in.Name)
	}
}

func (l *lookup) analyseFile(ctx context.Context, path, question, session string) (catalog.GetPromptOut, error) {
	var out catalog.GetPromptOut
	where := "Start a session (session_create), or use a running one (session_list)."
	if session != "" {
		id, err := l.Known(ctx, session)
		if err != nil {
			return out, err
		}
		where = "Work in the session " + id + "."
	}
	head, err := l.headOf(ctx, path)
	if err != nil {
		return out, err
	}
	var t strings.Builder
	fmt.Fprintf(&t, "Analyse the file %q with Easel.\n", path)
	if question != "" {
		fmt.Fprintf(&t, "\nWhat I want to know: %s\n", question)
	}
	fmt.Fprintf(&t, "\n%s\n\n", head)
	fmt.Fprintf(&t, `How to go about it:
1. %s
2. Load the file with execute_code; its path is relative to the folder that Jupyter was started in. Tell what the columns mean, their types, what is missing and what looks wrong, before you believe any of it.
3. Draw the two or three plots that say most, with titles, labelled axes and units. Each appears in my window as you draw it.
4. Sum up in a few sentences, naming the plots that show it, and say what you could not find out.`, where)
	out.Description = "Analyse " + path
	out.Messages = []catalog.PromptMessage{{Text: t.String()}}
	return out, nil
}

// headOf describes a file and quotes its beginning. If the file is neither text nor a
// table, it says so.
func (l *lookup) headOf(ctx context.Context, path string) (string, error) {
	f, err := catalog.FileRead.Ask(ctx, l.Bus, catalog.FileReadIn{Path: path, Rows: headRows, MaxBytes: headBytes})
	if e, ok := errors.AsType[*tool.Error](err); ok && e.Code == tool.Unsupported {
		return "It could not be previewed: " + e.Detail, nil
	}
	if err != nil {
		return "", err
	}
	var t strings.Builder
	fmt.Fprintf(&t, "It is %s of %d bytes", f.Kind, f.Size)
	if f.TotalRows != nil {
		fmt.Fprintf(&t, " with %d rows and %d columns", *f.TotalRows, len(f.Columns))
	}
	if len(f.Sheets) > 1 {
		fmt.Fprintf(&t, ", sheets %s", strings.Join(f.Sheets, ", "))
	}
	t.WriteString(". It begins:\n\n")
	if f.Text != nil {
		t.WriteString(fenced("", *f.Text))
		return t.String(), nil
	}
	rows := []string{strings.Join(f.Columns, "\t")}
	for _, r := range f.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = cellText(c)
		}
		rows = append(rows, strings.Join(cells, "\t"))
	}
	t.WriteString(fenced("", truncate.Excerpt(strings.Join(rows, "\n"), headBytes)))
	return t.String(), nil
}

func cellText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (l *lookup) continueFromSelection(ctx context.Context, goal string) (catalog.GetPromptOut, error) {
	var out catalog.GetPromptOut
	sel, err := catalog.GetSelectedFiles.Ask(ctx, l.Bus, catalog.GetSelectedFilesIn{IncludeImages: true})
	if err != nil {
		return out, err
	}
	if len(sel.Files) == 0 {
		return out, nothingSelected()
	}
	alive := l.alive(ctx)
	var t strings.Builder
	fmt.Fprintf(&t, "Continue from %s that I selected in Easel's window.\n", counted(len(sel.Files), "picture"))
	if goal != "" {
		fmt.Fprintf(&t, "\nWhat I want: %s\n", goal)
	}
	for i, f := range sel.Files {
		fmt.Fprintf(&t, "\n## %d. %s\n\n%s\n", i+1, f.Name, cmp.Or(f.ResourceURI, f.Path))
		if f.SessionID != "" {
			t.WriteString(sessionLine(f.SessionID, alive) + "\n")
		}
		if f.Code != "" {
			fmt.Fprintf(&t, "\n%s\n", fenced("python", truncate.Middle(f.Code, headBytes)))
		}
	}
	t.WriteString("\nget_prompt_info returns more about each: its output, or what is embedded in a file. Run your code in the session of the picture that you continue from; each plot appears in my window.")
	if goal == "" {
		t.WriteString(" If it is unclear what I want, ask me.")
	}
	out.Description = "Continue from " + counted(len(sel.Files), "selected picture")
	out.Messages = []catalog.PromptMessage{{Text: t.String()}}
	for _, uri := range sel.Inline {
		out.Messages = append(out.Messages, catalog.PromptMessage{Image: uri})
	}
	return out, nil
}

// askAboutSelection fills in the prompt that asks about the selected region.
func (l *lookup) askAboutSelection(ctx context.Context, asked string) (catalog.GetPromptOut, error) {
	var out catalog.GetPromptOut
	sel, err := catalog.GetSelectedFiles.Ask(ctx, l.Bus, catalog.GetSelectedFilesIn{})
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(sel.Files, func(f catalog.SelectedFile) bool { return f.Region != nil || len(f.Questions) > 0 })
	if i < 0 {
		return out, &tool.Error{
			Code: tool.NotExecutable, Detail: "No part of a plot is selected in Easel's window.",
			Hint: "Open a plot there, draw a rectangle on it with Shift held down, and use the prompt again.",
		}
	}
	f := sel.Files[i]
	region, crop := "", ""
	if n := len(f.Questions); asked == "" && n > 0 {
		q := f.Questions[n-1]
		asked, region, crop = q.Words, q.Region, q.Crop
	} else if f.Region != nil {
		region, crop = f.Region.Text, f.Region.Crop
	}
	var t strings.Builder
	t.WriteString(cmp.Or(asked, "What does this part of the plot show?"))
	fmt.Fprintf(&t, "\n\nThis is about a part of the plot %q (%s).", f.Name, cmp.Or(f.ResourceURI, f.Path))
	if region != "" {
		fmt.Fprintf(&t, " The part: %s.", region)
	}
	if f.SessionID != "" {
		t.WriteString(" " + sessionLine(f.SessionID, l.alive(ctx)))
	}
	if f.Code != "" {
		fmt.Fprintf(&t, "\n\nThe plot was drawn by:\n\n%s", fenced("python", truncate.Middle(f.Code, headBytes)))
	}
	out.Description = "Ask about a part of " + f.Name
	out.Messages = []catalog.PromptMessage{{Text: t.String()}}
	if crop != "" {
		out.Messages = append(out.Messages, catalog.PromptMessage{Image: crop})
	}
	if uri := cmp.Or(f.ResourceURI, f.ImageID); f.Interactive == "" {
		out.Messages = append(out.Messages, catalog.PromptMessage{Image: uri})
	}
	return out, nil
}

func (l *lookup) reworkPlot(ctx context.Context, wish, image string) (catalog.GetPromptOut, error) {
	var out catalog.GetPromptOut
	if image == catalog.Selected && len(l.Store.Snapshot().Selection) == 0 {
		return out, nothingSelected()
	}
	info, err := catalog.GetPromptInfo.Ask(ctx, l.Bus, catalog.GetPromptInfoIn{Path: image})
	if err != nil {
		return out, err
	}
	if info.Code == "" {
		return out, &tool.Error{
			Code: tool.NotExecutable, Detail: fmt.Sprintf("The code that drew %q is unknown.", info.File.Name),
			Hint: "Choose a plot that was drawn in Easel or exported with its code.",
		}
	}
	var t strings.Builder
	fmt.Fprintf(&t, "Redraw this plot: %s\n\n%s (%s) was drawn by:\n\n%s\n\n", wish, info.File.Name,
		cmp.Or(info.File.ResourceURI, info.File.Path), fenced(cmp.Or(info.Language, "python"), info.Code))
	if info.SessionID != "" {
		t.WriteString(sessionLine(info.SessionID, l.alive(ctx)) + "\n\n")
	}
	t.WriteString("Change only what the wish asks for, keep the data as it is, and run the code with execute_code. The old plot stays in the gallery. Say what you changed.")
	out.Description = "Rework " + info.File.Name
	out.Messages = []catalog.PromptMessage{{Text: t.String()}, {Image: cmp.Or(info.File.ResourceURI, info.File.ImageID)}}
	return out, nil
}

// alive returns the running sessions, or none if they cannot be listed.
func (l *lookup) alive(ctx context.Context) []catalog.Session {
	list, err := catalog.SessionList.Ask(ctx, l.Bus, catalog.SessionListIn{})
	if err != nil {
		l.Log.DebugContext(ctx, "sessions for a prompt", "cause", err)
	}
	return list.Sessions
}

func sessionLine(id string, alive []catalog.Session) string {
	i := slices.IndexFunc(alive, func(s catalog.Session) bool { return s.SessionID == id })
	if i < 0 {
		return "Its session " + id + " has ended: start a new one (session_create), and first run what the code needs."
	}
	line := "Its session " + id + " is running, with its variables."
	if g := alive[i].Generation; g > 1 {
		line += " Its kernel was restarted, so run the missing code again."
	}
	return line
}

func nothingSelected() error {
	return &tool.Error{
		Code: tool.NotExecutable, Detail: "Nothing is selected in Easel's window.",
		Hint: "Click a plot there (Ctrl or Shift for several) and use the prompt again.",
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "the " + noun
	}
	return fmt.Sprintf("the %d %ss", n, noun)
}

// fenced returns text as a fenced code block in Markdown. The fence is longer than any in
// text.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
