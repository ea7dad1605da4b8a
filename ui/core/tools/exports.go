package tools

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"easel/internal/atomicfile"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/export"
	"easel/ui/core/library"
	"easel/ui/core/report"
	"easel/ui/core/tools/codes"
)

// exportPlots writes an export of the kind that is asked for.
func (g *gallery) exportPlots(ctx context.Context, in catalog.ExportIn) (catalog.ExportOut, error) {
	if why := g.Private.Why(in.To); why != "" {
		return catalog.ExportOut{}, codes.BadValue("to", why)
	}
	switch in.Kind {
	case catalog.ExportHTML:
		return g.exportPage(ctx, in)
	case catalog.ExportFolder:
		return g.exportFolder(ctx, in)
	case catalog.ExportPDF:
		return g.exportPDF(ctx, in)
	case catalog.ExportNotebook:
		return g.exportNotebook(ctx, in)
	}
	return catalog.ExportOut{}, tool.Errorf(tool.Unsupported, "There is no export of kind %q.", in.Kind)
}

// exportPage writes a report in HTML.
func (g *gallery) exportPage(ctx context.Context, in catalog.ExportIn) (out catalog.ExportOut, err error) {
	var r report.Result
	out, err = written(in.To, func(w io.Writer) (err error) {
		r, err = report.Write(ctx, w, g.Library, g.Pages, g.reportOptions(ctx, in))
		return err
	})
	out.Plots, out.Interactive, out.Missing = r.Plots, r.Interactive, r.Missing
	return out, err
}

func (g *gallery) reportOptions(ctx context.Context, in catalog.ExportIn) report.Options {
	return report.Options{
		Title: in.Title, IDs: in.IDs, Language: in.Language, Code: in.Code, Notes: in.Notes, Timings: in.Timings,
		Interactive: in.Interactive, Now: time.Now(), Progress: in.Progress, Name: named(in),
		Session: func(id string) string { return g.sessionName(ctx, id) },
		Ran: func(im library.Image) time.Duration {
			x, err := g.Library.Execution(ctx, im.ExecutionID)
			if err != nil || x.StartedAt.IsZero() || x.EndedAt.IsZero() {
				return 0
			}
			return x.EndedAt.Sub(x.StartedAt)
		},
	}
}

// exportFolder writes a folder with a manifest.
func (g *gallery) exportFolder(ctx context.Context, in catalog.ExportIn) (catalog.ExportOut, error) {
	r, err := export.Folder(ctx, in.To, g.Library, export.Options{
		Title: in.Title, IDs: in.IDs, Code: in.Code, Notes: in.Notes, Timings: in.Timings, Made: "Easel", Now: time.Now(),
		Name: named(in), Progress: in.Progress,
	})
	if ofDisk(err) {
		err = cannotWrite(in.To, err)
	}
	return catalog.ExportOut{Path: r.Path, Bytes: r.Bytes, Plots: r.Plots, Missing: r.Missing}, err
}

// written writes a file, and returns its path and size. An error of write changes nothing.
func written(to string, write func(io.Writer) error) (out catalog.ExportOut, err error) {
	// 24 hours after the last write, it is certainly left from a crash.
	atomicfile.Sweep(filepath.Dir(to), time.Now().Add(-24*time.Hour))
	if err := atomicfile.WriteFunc(to, 0o666, write); err != nil {
		if ofDisk(err) {
			err = cannotWrite(to, err)
		}
		return out, err
	}
	info, err := os.Stat(to)
	if err != nil {
		return out, cannotWrite(to, err)
	}
	return catalog.ExportOut{Path: to, Bytes: info.Size()}, nil
}

// ofDisk reports whether an error is one of the file system.
func ofDisk(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	_, call := errors.AsType[*os.SyscallError](err)
	_, number := errors.AsType[syscall.Errno](err)
	return path || link || call || number
}

// named returns what names images without a title.
func named(in catalog.ExportIn) func(library.Image) string {
	if in.Name == nil {
		return nil
	}
	return func(im library.Image) string { return in.Name(im.N) }
}

// sessionName returns the name that the user gave a session, its notebook, or its id.
func (g *gallery) sessionName(ctx context.Context, id string) string {
	s, err := g.Library.Session(ctx, id)
	if err != nil {
		return id
	}
	return cmp.Or(s.Name, s.NotebookPath, s.KernelName)
}
