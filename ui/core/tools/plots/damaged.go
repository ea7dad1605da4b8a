package plots

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// mostExamined is how many results Examinations keeps.
const mostExamined = 4096

// Examinations know of pictures whether they can be decoded. Decoding takes longer than
// everything else in a call that only asks for a result again.
type Examinations struct {
	mu    sync.Mutex
	found map[string]string // by image and type, because a figure gets its picture later: why it is damaged, or ""
}

// A pictureReader reads the bytes of an image.
type pictureReader interface {
	Read(ctx context.Context, idOrURI string) ([]byte, library.Image, error)
}

// Damage returns why the picture of an image cannot be shown, or "" if it can. It is also ""
// for what is no picture with pixels.
func (e *Examinations) Damage(ctx context.Context, from pictureReader, im catalog.Image) string {
	if !strings.HasPrefix(im.MIMEType, "image/") || im.MIMEType == picture.SVG || im.Interactive != "" || im.ImageID == "" {
		return ""
	}
	key := im.ImageID + " " + im.MIMEType
	e.mu.Lock()
	why, known := e.found[key]
	e.mu.Unlock()
	if known {
		return why
	}
	data, _, err := from.Read(ctx, im.ImageID)
	if err != nil {
		return "" // it is missing, which is another problem
	}
	_, err = picture.Decode(data)
	why = damageOf(err)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.found) >= mostExamined || e.found == nil {
		e.found = make(map[string]string)
	}
	e.found[key] = why
	return why
}

// damageOf returns what is wrong with a picture, or "" if err does not mean damage.
func damageOf(err error) string {
	switch {
	case errors.Is(err, picture.ErrFormat):
		return "its data is no picture"
	case !errors.Is(err, picture.ErrDamaged):
		return ""
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "its data ends early"
	}
	return strings.TrimPrefix(err.Error(), picture.ErrDamaged.Error()+": ")
}

func damagedPicture(why string, err error) error {
	return &tool.Error{
		Code: tool.NotExecutable, Detail: "The picture is damaged and cannot be shown: " + why + ".",
		Hint: "Draw or display it again.", Err: err,
	}
}
