package export

import (
	"context"

	"easel/internal/atomicfile"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/outfile"
)

// saveData writes the values that a plot shows to a file.
func (e *exporter) saveData(ctx context.Context, in command.SaveDataIn) (out command.SaveDataOut, err error) {
	if why := e.Private.Why(in.To); why != "" {
		return out, codes.BadValue("to", why)
	}
	im, err := e.Library.Image(ctx, in.Image)
	if err != nil {
		return out, codes.ImageNotFound(in.Image, err)
	}
	data, sample := e.values(ctx, im)
	if data == nil {
		return out, &tool.Error{Code: tool.NotExecutable, Detail: "The values of this plot are not stored."}
	}
	out = command.SaveDataOut{Path: outfile.WithEnding(in.To, "text/csv", "x.csv"), Sample: sample}
	if err := atomicfile.Write(out.Path, data, 0o666); err != nil {
		return out, outfile.CannotWrite(in.To, err)
	}
	return out, nil
}

// values returns the values that a plot shows as CSV.
func (e *exporter) values(ctx context.Context, im library.Image) (csv []byte, sample bool) {
	if e.Values == nil {
		return nil, false
	}
	return e.Values(ctx, im)
}
