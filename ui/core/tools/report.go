package tools

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"

	"easel/internal/atomicfile"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/report"
)

func (g *gallery) writeReport(ctx context.Context, in catalog.WriteReportIn) (catalog.WriteReportOut, error) {
	var out catalog.WriteReportOut
	o := report.Options{
		Title: in.Title, IDs: in.IDs, Language: in.Language, Code: in.Code, Interactive: in.Interactive, Now: time.Now(), Progress: in.Progress,
		Session: func(id string) string { return g.sessionName(ctx, id) },
	}
	if in.Name != nil {
		o.Name = func(im library.Image) string { return in.Name(im.N) }
	}
	var r report.Result
	var failed error // of the report, not of the disk
	err := atomicfile.WriteFunc(in.To, 0o666, func(w io.Writer) (err error) {
		r, failed = report.Write(ctx, w, g.Library, g.Pages, o)
		return failed
	})
	if failed != nil {
		return out, failed
	}
	if err != nil {
		return out, cannotWrite(in.To, err)
	}
	info, err := os.Stat(in.To)
	if err != nil {
		return out, cannotWrite(in.To, err)
	}
	return catalog.WriteReportOut{Path: in.To, Bytes: info.Size(), Plots: r.Plots, Interactive: r.Interactive, Missing: r.Missing}, nil
}

// sessionName returns the name that the user gave a session, its notebook, or its id.
func (g *gallery) sessionName(ctx context.Context, id string) string {
	s, err := g.Library.Session(ctx, id)
	if err != nil {
		return id
	}
	return cmp.Or(s.Name, s.NotebookPath, s.KernelName)
}
