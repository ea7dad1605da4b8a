package export

import (
	"context"
	"fmt"
	"os"

	"easel/internal/atomicfile"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/prompts"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/outfile"
)

func (e *exporter) exportImages(ctx context.Context, in command.ExportImagesIn) (command.ExportImagesOut, error) {
	out := command.ExportImagesOut{Files: []command.ExportedImage{}}
	if why := e.Private.Why(in.To); why != "" {
		return out, codes.BadValue("to", why)
	}
	info, err := os.Stat(in.To)
	toDirectory := err == nil && info.IsDir()
	if len(in.IDs) != 1 && !toDirectory {
		return out, &tool.Error{Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no folder %q to save into.", in.To), Err: err}
	}
	for _, id := range in.IDs {
		im, err := e.Library.Image(ctx, id)
		if err != nil {
			return out, codes.ImageNotFound(id, err)
		}
		mime := im.MIMEType
		if !toDirectory {
			mime = outfile.Form(im, in.To)
		}
		data, err := e.Library.ReadForm(ctx, im, mime)
		if err != nil && mime == im.MIMEType {
			data, _, err = e.Library.Read(ctx, im.ImageID)
		}
		if err != nil {
			return out, codes.ImageNotFound(id, err)
		}
		x := command.ExportedImage{ID: im.ImageID}
		if in.WithCode && mime == picture.PNG {
			data, x.WithCode = e.explained(ctx, im, data)
		}
		if toDirectory {
			x.Path, err = outfile.WriteNew(in.To, outfile.Name(im), outfile.Ending(mime, im.Path), data)
		} else {
			x.Path = outfile.WithEnding(in.To, mime, im.Path)
			err = atomicfile.Write(x.Path, data, 0o666)
		}
		if err != nil {
			return out, outfile.CannotWrite(in.To, err)
		}
		out.Files = append(out.Files, x)
	}
	return out, nil
}

// explained embeds the code and the origin of im in the PNG data, and reports whether it
// did. If the code is unknown or data is not a complete PNG, it returns data.
func (e *exporter) explained(ctx context.Context, im library.Image, data []byte) ([]byte, bool) {
	p := prompts.Provenance{
		Code: im.Code, Title: im.Title, Session: im.SessionID, Client: im.Client, Execution: im.ExecutionID, Created: im.CreatedAt.UTC(),
	}
	if x, err := e.Library.Execution(ctx, im.ExecutionID); err == nil {
		p.Code = x.Code
	}
	if s, err := e.Library.Session(ctx, im.SessionID); err == nil {
		p.Kernel = s.KernelName
	}
	if p.Code == "" {
		return data, false
	}
	with, err := prompts.Embed(data, p)
	if err != nil {
		return data, false
	}
	return with, true
}
