package export

import (
	"cmp"
	"context"
	"io"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/command"
	folder "easel/ui/core/export"
	"easel/ui/core/library"
	"easel/ui/core/report"
	"easel/ui/core/sessionname"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/outfile"
)

// exportPlots writes an export of the kind that is asked for.
func (e *exporter) exportPlots(ctx context.Context, in command.ExportIn) (command.ExportOut, error) {
	if why := e.Private.Why(in.To); why != "" {
		return command.ExportOut{}, codes.BadValue("to", why)
	}
	switch in.Kind {
	case command.ExportHTML:
		return e.exportPage(ctx, in)
	case command.ExportFolder:
		return e.exportFolder(ctx, in)
	case command.ExportPDF:
		return e.exportPDF(ctx, in)
	case command.ExportNotebook:
		return e.exportNotebook(ctx, in)
	}
	return command.ExportOut{}, tool.Errorf(tool.Unsupported, "There is no export of kind %q.", in.Kind)
}

// exportPage writes a report in HTML.
func (e *exporter) exportPage(ctx context.Context, in command.ExportIn) (out command.ExportOut, err error) {
	var r report.Result
	out, err = outfile.Replace(in.To, func(w io.Writer) (err error) {
		r, err = report.Write(ctx, w, e.Library, e.Pages, e.reportOptions(ctx, in))
		return err
	})
	out.Plots, out.Interactive, out.Missing = r.Plots, r.Interactive, r.Missing
	return out, err
}

func (e *exporter) reportOptions(ctx context.Context, in command.ExportIn) report.Options {
	return report.Options{
		Title: in.Title, IDs: in.IDs, Language: in.Language, Code: in.Code, Notes: in.Notes, Timings: in.Timings,
		Interactive: in.Interactive, Now: time.Now(), Progress: in.Progress, Name: named(in),
		Session: e.sessionNames(ctx, in.IDs), Values: e.Stored,
		Ran: func(im library.Image) time.Duration {
			x, err := e.Library.Execution(ctx, im.ExecutionID)
			if err != nil || x.StartedAt.IsZero() || x.EndedAt.IsZero() {
				return 0
			}
			return x.EndedAt.Sub(x.StartedAt)
		},
		Environment: func(im library.Image) string {
			x, err := e.Library.Execution(ctx, im.ExecutionID)
			if err != nil {
				return ""
			}
			env, err := e.Library.Environment(ctx, x)
			if err != nil {
				return ""
			}
			return env.String()
		},
	}
}

// exportFolder writes a folder with a manifest.
func (e *exporter) exportFolder(ctx context.Context, in command.ExportIn) (command.ExportOut, error) {
	r, err := folder.Folder(ctx, in.To, e.Library, folder.Options{
		Title: in.Title, IDs: in.IDs, Code: in.Code, Notes: in.Notes, Timings: in.Timings, Made: "Easel", Now: time.Now(),
		Name: named(in), Progress: in.Progress,
		Values: func(ctx context.Context, im library.Image) []byte {
			data, _ := e.values(ctx, im)
			return data
		},
	})
	if outfile.OfDisk(err) {
		err = outfile.CannotWrite(in.To, err)
	}
	return command.ExportOut{Path: r.Path, Bytes: r.Bytes, Plots: r.Plots, Missing: r.Missing}, err
}

// named returns what names images without a title.
func named(in command.ExportIn) func(library.Image) string {
	if in.Name == nil {
		return nil
	}
	return func(im library.Image) string { return in.Name(im.N) }
}

// sessionNames returns a function that returns the names of the sessions of plots. A session that
// the library does not have is named by its id.
func (e *exporter) sessionNames(ctx context.Context, plots []string) func(id string) string {
	var all []sessionname.Session
	names := make(map[string]string)
	for _, plot := range plots {
		im, err := e.Library.Image(ctx, plot)
		if _, known := names[im.SessionID]; err != nil || known {
			continue
		}
		names[im.SessionID] = im.SessionID
		if s, err := e.Library.Session(ctx, im.SessionID); err == nil {
			all = append(all, s.Named())
		}
	}
	for i, name := range sessionname.Among(all) {
		names[all[i].ID] = name
	}
	return func(id string) string { return cmp.Or(names[id], id) }
}
