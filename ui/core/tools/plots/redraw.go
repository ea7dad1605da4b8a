package plots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"easel/internal/atomicfile"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/picture"
	"easel/ui/core/private"
	"easel/ui/core/redraw"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/outfile"
)

// MostPreview bounds the bytes of a picture in a result: 700 kB of base64.
const MostPreview = 520_000

// A Drawer draws plots again.
type Drawer struct {
	Redrawer *redraw.Redrawer
	Names    *Names
	Store    *state.Store
	Files    Files
	Private  *private.Directory // what is not written to; may be nil
}

// Files says where new files are.
type Files interface {
	// NewFile returns the path on the disk of a new file with a relative path of the caller; "" is a folder.
	NewFile(ctx context.Context, path string) string
}

func (d *Drawer) renderImage(ctx context.Context, in catalog.RenderImageIn) (catalog.RenderImageOut, error) {
	if strings.ContainsRune(in.Path, 0) { // before anybody waits for the drawing
		return catalog.RenderImageOut{}, codes.BadPath("contains a NUL character")
	}
	im, err := d.Names.Find(ctx, in.ResourceURI)
	if err != nil {
		return catalog.RenderImageOut{}, err
	}
	q := redraw.Request{Format: in.Format, Width: in.Width, Height: in.Height, DPI: in.DPI, Theme: in.Theme, Stored: true}
	q.Format = cmp.Or(q.Format, redraw.PNG)
	q.Look = catalog.InlineEdge
	drawn, err := d.Redrawer.Redraw(ctx, im, q)
	if err != nil {
		return catalog.RenderImageOut{}, err
	}
	out := catalog.RenderImageOut{
		Result: catalog.OK, MIMEType: drawn.MIME, Width: drawn.Width, Height: drawn.Height,
		WidthInches: hundredth(drawn.Inches[0]), HeightInches: hundredth(drawn.Inches[1]), Bytes: int64(len(drawn.Data)), Of: im.ImageID,
	}
	if misses(in.Width, drawn.Inches[0]) || misses(in.Height, drawn.Inches[1]) {
		out.Note = "The figure keeps its proportions, so its size is another than requested."
	}
	if len(drawn.Changes) > 0 {
		out.Note = "Drawn from the stored figure, with " + strings.Join(drawn.Changes, ", ") + ", so it may look different."
	}
	if drawn.Crowded {
		out.Note = "This size has too little room: text is cut off, or axes are very small. Choose a larger size."
	}
	if out.Path, err = d.writeRendered(ctx, in.Path, im, drawn); err != nil {
		return out, err
	}
	out.Placed = drawn.Placed
	caller := tool.CallerFrom(ctx)
	if drawn.Width == 0 && drawn.Preview != nil {
		drawn.Data, drawn.MIME, drawn.Width = drawn.Preview, picture.PNG, 1
	}
	if caller.Transport != tool.MCP || drawn.Width == 0 || oversight.DeliveryTo(d.Store.Snapshot(), caller, "").Blind {
		return out, nil
	}
	if out.Preview, out.PreviewType, _, _, err = picture.Preview(drawn.Data, drawn.MIME, catalog.InlineEdge, MostPreview); err != nil {
		return out, fmt.Errorf("scaling the new picture: %w", err)
	}
	return out, nil
}

// misses reports whether a side is visibly shorter or longer than requested; 0 requests none.
func misses(want, got float64) bool { return want > 0 && math.Abs(got-want) > 0.02*want }

func hundredth(inches float64) float64 { return math.Round(inches*100) / 100 }

// writeRendered writes a new file, and overwrites none. A relative path begins where the caller works.
// Without a path, or in a directory, the file is named after the picture.
func (d *Drawer) writeRendered(ctx context.Context, path string, im library.Image, p redraw.Picture) (string, error) {
	to := path
	if !filepath.IsAbs(path) {
		to = d.Files.NewFile(ctx, path)
	}
	if why := d.Private.Why(to); why != "" {
		return "", codes.BadPath(why)
	}
	if path == "" {
		if err := os.MkdirAll(to, 0o755); err != nil { //nolint:gosec // the user's own directory
			return "", outfile.CannotWrite(to, err)
		}
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		written, err := outfile.WriteNew(to, outfile.Name(im), renderedEndings[p.MIME], p.Data)
		if err != nil {
			return "", outfile.CannotWrite(to, err)
		}
		return written, nil
	}
	to = outfile.WithEnding(to, p.MIME, "x"+renderedEndings[p.MIME])
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the user's file, as the umask has it
	if errors.Is(err, fs.ErrExist) {
		return "", &tool.Error{Code: tool.AlreadyExists, Detail: fmt.Sprintf("The file %q exists already.", to), Hint: "Choose another path.", Err: err}
	}
	if err == nil {
		err = outfile.Finish(f, p.Data)
	}
	if err != nil {
		return "", outfile.CannotWrite(to, err)
	}
	return to, nil
}

// renderedEndings are the endings of the files, by type.
var renderedEndings = map[string]string{picture.PNG: ".png", picture.JPEG: ".jpg", picture.SVG: ".svg", "application/pdf": ".pdf"}

// redrawImage draws a plot for the window, which shows why one cannot be drawn.
func (d *Drawer) redrawImage(ctx context.Context, in command.RedrawImageIn) (command.RedrawImageOut, error) {
	if why := d.Private.Why(in.To); in.To != "" && why != "" {
		return command.RedrawImageOut{}, codes.BadValue("to", why)
	}
	im, err := d.Names.Source.Image(ctx, in.Image)
	if err != nil {
		return command.RedrawImageOut{}, codes.ImageNotFound(in.Image, err)
	}
	drawn, err := d.Redrawer.Redraw(ctx, im, redraw.Request{
		Format: in.Format, Width: in.Width, Height: in.Height, DPI: in.DPI, Scale: in.Scale, Theme: in.Theme, Within: in.Within,
		Roomy: in.Roomy, Looking: in.Looking, Stored: !in.Looking,
	})
	if refused, ok := errors.AsType[*redraw.Error](err); ok {
		return command.RedrawImageOut{Refused: string(refused.Reason), Detail: refused.Detail}, nil
	}
	if err != nil {
		return command.RedrawImageOut{}, err
	}
	out := command.RedrawImageOut{
		Data: drawn.Data, MIMEType: drawn.MIME, Width: drawn.Width, Height: drawn.Height, Inches: drawn.Inches,
		By: command.ByKernel, Changes: strings.Join(drawn.Changes, ", "),
	}
	switch {
	case drawn.Figure:
		out.By = command.ByFigure
	case drawn.Engine:
		out.By = command.ByData
	}
	if in.To != "" {
		out.Path = outfile.WithEnding(in.To, drawn.MIME, "x"+renderedEndings[drawn.MIME])
		if err := atomicfile.Write(out.Path, drawn.Data, 0o666); err != nil {
			return out, outfile.CannotWrite(in.To, err)
		}
	}
	return out, nil
}
