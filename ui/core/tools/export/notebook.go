package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/language"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/report"
	"easel/ui/core/tools/outfile"
	"easel/ui/core/tools/past"
)

// exportNotebook writes a notebook that draws the plots: what their sessions ran since the
// kernel started, up to the last of the plots, or only the cells that drew them.
func (e *exporter) exportNotebook(ctx context.Context, in command.ExportIn) (out command.ExportOut, err error) {
	if e.History == nil {
		return out, tool.Errorf(tool.Unsupported, "This Easel cannot export notebooks.")
	}
	b := &binder{e: e, in: in, drew: make(map[string][]library.Image), pictures: past.MostPictures}
	if err := b.find(ctx); err != nil {
		return out, err
	}
	if len(b.sessions) == 0 {
		return out, tool.Errorf(tool.NotExecutable, "The code that drew these plots is unknown, so no notebook can draw them.")
	}
	for i, id := range b.sessions {
		if err := b.session(ctx, i, id); err != nil {
			return out, err
		}
	}
	if len(b.history.Runs) == 0 {
		return out, tool.Errorf(tool.NotExecutable, "The code that drew these plots is unknown, so no notebook can draw them.")
	}
	b.history.About = b.about(ctx)
	text, err := json.MarshalIndent(notebooks.FromHistory(b.history), "", " ")
	if err != nil {
		return out, err
	}
	for _, id := range b.sessions {
		if e.Mask != nil {
			text = e.Mask(id).JSON(text)
		}
	}
	out, err = outfile.Replace(in.To, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	out.Plots, out.Missing, out.Cells, out.LeftOut = b.plots, b.missing, len(b.history.Runs), b.history.LeftOut
	return out, err
}

// A binder makes the notebook of one export.
type binder struct {
	e        *exporter
	in       command.ExportIn
	sessions []string                   // in the order of their first plots
	drew     map[string][]library.Image // the plots of each execution
	missing  []string
	plots    int
	pictures int // bytes that outputs may still have
	history  notebooks.History
	places   []place // where the plots were drawn
}

// find finds the executions that drew the plots.
func (b *binder) find(ctx context.Context) error {
	for i, id := range b.in.IDs {
		images, err := b.e.Library.Get(ctx, id)
		if err != nil {
			return err
		}
		if len(images) == 0 || images[0].ExecutionID == "" {
			b.missing = append(b.missing, id)
			continue
		}
		im := images[0]
		b.plots++
		b.drew[im.ExecutionID] = append(b.drew[im.ExecutionID], im)
		if !slices.Contains(b.sessions, im.SessionID) {
			b.sessions = append(b.sessions, im.SessionID)
		}
		if b.in.Progress != nil && i+1 < len(b.in.IDs) {
			b.in.Progress(i+1, len(b.in.IDs))
		}
	}
	return nil
}

// session adds what a session ran.
func (b *binder) session(ctx context.Context, i int, id string) error {
	sess, err := b.e.Library.Session(ctx, id)
	if err != nil {
		return err
	}
	kernel := kernelNamed(sess.KernelName)
	if i == 0 {
		b.history.Kernel, b.history.Server, b.history.Session = kernel, sess.Server, sess.ID
	} else if kernel.Language != b.history.Kernel.Language {
		return twoKernels(b.in.Language, b.history.Kernel.Name, kernel.Name)
	}
	all, err := past.Executions(ctx, b.e.History, id)
	if err != nil {
		return err
	}
	ends := make(map[int]int) // index of the last execution that drew a plot, by the kernel's generation
	for n, x := range all {
		if len(b.drew[x.ID]) > 0 {
			ends[x.Generation] = n
		}
	}
	var last catalog.Environment
	known := false
	for n, x := range all {
		end, drawn := ends[x.Generation]
		chosen := len(b.drew[x.ID]) > 0
		if !drawn || n > end || strings.TrimSpace(x.Code) == "" || !chosen && (b.in.PlotsOnly || x.Status != catalog.StatusOK) {
			b.history.LeftOut++
			continue
		}
		run, err := past.Run(ctx, b.e.History, x, &b.pictures)
		if err != nil {
			return err
		}
		run.Before = b.before(b.drew[x.ID])
		if env, err := b.e.History.Executions.Environment(ctx, x); err == nil && chosen {
			last, known = env, true // it has imported what the session's others have
			if err := b.stay(placeOf(sess, env)); err != nil {
				return err
			}
		}
		b.history.Runs = append(b.history.Runs, run)
	}
	if !known {
		return b.stay(placeOf(sess, last))
	}
	b.history.Environments = append(b.history.Environments, last)
	return nil
}

// stay returns an error if a plot was drawn in another place than those before it.
func (b *binder) stay(at place) error {
	for _, p := range b.places {
		if !p.same(at) {
			return twoPlaces(b.in.Language, p, at)
		}
	}
	b.places = append(b.places, at)
	return nil
}

// before returns the titles and notes of the plots that a cell draws, as Markdown.
func (b *binder) before(plots []library.Image) string {
	var lines []string
	for _, im := range plots {
		title := im.Title
		if title == "" && b.in.Name != nil {
			title = b.in.Name(im.N)
		}
		if title != "" {
			lines = append(lines, "## "+oneLine(title))
		}
		if b.in.Notes && im.Note != "" {
			lines = append(lines, im.Note)
		}
	}
	return strings.Join(lines, "\n\n")
}

// about returns the first cell.
func (b *binder) about(ctx context.Context) string {
	var names []string
	nameOf := b.e.sessionNames(ctx, b.in.IDs)
	for _, id := range b.sessions {
		names = append(names, oneLine(nameOf(id)))
	}
	text := "# %s\n\nMade with Easel, %s, from %s."
	if b.in.Language == "ja" {
		text = "# %s\n\nEasel で作成（%s、%s）"
	}
	return fmt.Sprintf(text, oneLine(b.in.Title), time.Now().Format("2006-01-02 15:04"), strings.Join(names, ", "))
}

// plainMarkdown escapes what Markdown and HTML read as more than text. Code chooses the titles:
// a picture in one must not make whoever opens the notebook use the network.
var plainMarkdown = strings.NewReplacer(
	"<", "&lt;", "&", "&amp;", `\`, `\\`, "`", "&#96;", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "#", `\#`, "$", `\$`,
)

// mathSpan is a formula, which matplotlib and Jupyter write alike.
var mathSpan = regexp.MustCompile("\\$[^$<>&!:`\\[\\]]+\\$")

// oneLine returns text for a heading in Markdown that shows the text as it is, in one line, but
// formulas as such.
func oneLine(text string) string {
	text = report.OneLine(text)
	var b strings.Builder
	at := 0
	for _, m := range mathSpan.FindAllStringIndex(text, -1) {
		b.WriteString(plainMarkdown.Replace(text[at:m[0]]) + text[m[0]:m[1]])
		at = m[1]
	}
	return b.String() + plainMarkdown.Replace(text[at:])
}

// kernelNamed returns the metadata of a kernelspec whose server may be gone.
func kernelNamed(name string) notebooks.Kernel {
	if name == "" || name == "python3" {
		return notebooks.Kernel{Name: "python3", DisplayName: "Python 3 (ipykernel)", Language: "python"}
	}
	return notebooks.Kernel{Name: name, DisplayName: name, Language: language.Guess(name)}
}
