package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/prompts"
	"easel/ui/core/tools/codes"
)

// endings lists the file name extensions of each type; Easel writes the first.
var endings = map[string][]string{
	picture.PNG: {".png"}, picture.JPEG: {".jpg", ".jpeg", ".jpe", ".jfif"}, picture.GIF: {".gif"}, picture.WebP: {".webp"}, picture.SVG: {".svg"},
}

func (g *gallery) exportImages(ctx context.Context, in catalog.ExportImagesIn) (catalog.ExportImagesOut, error) {
	out := catalog.ExportImagesOut{Files: []catalog.ExportedImage{}}
	if why := g.Private.Why(in.To); why != "" {
		return out, codes.BadValue("to", why)
	}
	info, err := os.Stat(in.To)
	toDirectory := err == nil && info.IsDir()
	if len(in.IDs) != 1 && !toDirectory {
		return out, &tool.Error{Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no folder %q to save into.", in.To), Err: err}
	}
	for _, id := range in.IDs {
		im, err := g.Library.Image(ctx, id)
		if err != nil {
			return out, codes.ImageNotFound(id, err)
		}
		mime := im.MIMEType
		if !toDirectory {
			mime = asked(im, in.To)
		}
		data, err := g.Library.ReadForm(ctx, im, mime)
		if err != nil && mime == im.MIMEType {
			data, _, err = g.Library.Read(ctx, im.ImageID)
		}
		if err != nil {
			return out, codes.ImageNotFound(id, err)
		}
		x := catalog.ExportedImage{ID: im.ImageID}
		if in.WithCode && mime == picture.PNG {
			data, x.WithCode = g.explained(ctx, im, data)
		}
		if toDirectory {
			x.Path, err = writeNew(in.To, fileName(im), ending(mime, im.Path), data)
		} else {
			x.Path = withEnding(in.To, mime, im.Path)
			err = atomicfile.Write(x.Path, data, 0o666)
		}
		if err != nil {
			return out, cannotWrite(in.To, err)
		}
		out.Files = append(out.Files, x)
	}
	return out, nil
}

// asked returns the type of the form of im that matches the extension of path, or the type
// of the image itself if no form does.
func asked(im library.Image, path string) string {
	for _, f := range im.Forms {
		for _, e := range endingsOf(f) {
			if endsIn(path, e) {
				return f.MIME
			}
		}
	}
	return im.MIMEType
}

// endingsOf returns the extensions that select a form.
func endingsOf(f library.StoredForm) []string {
	if e := endings[f.MIME]; len(e) > 0 {
		return e
	}
	return []string{picture.DataEnding(f.MIME, f.Path)}
}

func endsIn(path, ending string) bool {
	return ending != "" && strings.HasSuffix(strings.ToLower(path), ending)
}

func ending(mime, path string) string {
	if e := endings[mime]; len(e) > 0 {
		return e[0]
	}
	return picture.DataEnding(mime, path)
}

// withEnding returns path with an extension for the type mime, adding one if path has none
// that fits. kept is the path of the stored file, which decides the extension of data.
func withEnding(path, mime, kept string) string {
	known := endings[mime]
	if len(known) == 0 { // data, for which .json is correct as well
		known = []string{ending(mime, kept), filepath.Ext(ending(mime, kept))}
	}
	for _, e := range known {
		if endsIn(path, e) {
			return path
		}
	}
	return path + ending(mime, kept)
}

// explained embeds the code and the origin of im in the PNG data, and reports whether it
// did. If the code is unknown or data is not a complete PNG, it returns data.
func (g *gallery) explained(ctx context.Context, im library.Image, data []byte) ([]byte, bool) {
	p := prompts.Provenance{
		Code: im.Code, Title: im.Title, Session: im.SessionID, Client: im.Client, Execution: im.ExecutionID, Created: im.CreatedAt.UTC(),
	}
	if x, err := g.Library.Execution(ctx, im.ExecutionID); err == nil {
		p.Code = x.Code
	}
	if s, err := g.Library.Session(ctx, im.SessionID); err == nil {
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

// longestName is the largest length of a generated name without its extension, in bytes.
const longestName = 120

// fileName returns a name for an image, without extension, that is valid on every file
// system.
func fileName(im library.Image) string {
	name := im.Title
	if im.SessionID == "" { // a file on disk, whose title is its file name
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) || r == unicode.ReplacementChar {
			return '-'
		}
		return r
	}, name)
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	name = strings.Trim(name, " .")
	switch strings.ToUpper(name) {
	case "":
		return fmt.Sprintf("plot %d", im.N)
	case "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "LPT1", "LPT2", "LPT3": // Windows' devices
		return name + "-"
	}
	return name
}

// writeNew writes data to a new file in dir. If the name exists, it adds a number. It
// returns the path of the file.
func writeNew(dir, name, ending string, data []byte) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+ending)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s (%d)%s", name, n, ending))
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the user's file, as the umask has it
		if errors.Is(err, fs.ErrExist) && n < 10_000 {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, finish(f, data)
	}
}

// finish writes and syncs a new file, and removes it after an error.
func finish(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return atomicfile.SyncDir(filepath.Dir(f.Name()))
}

func cannotWrite(to string, err error) error {
	switch {
	case system.IsDiskFull(err):
		return &tool.Error{Code: tool.StorageFull, Detail: fmt.Sprintf("The disk of %q is full.", to), Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &tool.Error{Code: tool.FileNotFound, Detail: fmt.Sprintf("There is no folder for %q.", to), Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &tool.Error{Code: tool.NotExecutable, Detail: fmt.Sprintf("Easel may not write to %q.", to), Hint: "Choose another folder.", Err: err}
	default:
		return fmt.Errorf("saving to %s: %w", to, err)
	}
}
