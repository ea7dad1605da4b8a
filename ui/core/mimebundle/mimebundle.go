// Package mimebundle reads what a kernel displays. From a MIME bundle it takes the pictures,
// the figures that only a browser can draw, the text and the title. It does no I/O and
// changes nothing.
//
// # Goroutines
//
// It starts none, and its functions may be called on any.
package mimebundle

import (
	"cmp"
	"encoding/json"
	"strings"

	"easel/jupyter/wire"
	"easel/ui/core/picture"
)

// A Bundle is the data or the metadata of a display: JSON by MIME type.
type Bundle = map[string]json.RawMessage

// A Form is one form of what a bundle shows: the bytes as the kernel sent them.
type Form struct {
	MIME string
	Data []byte
}

// A Content is what a bundle shows as an image. Without Forms it shows none.
type Content struct {
	Forms  []Form              // the one to show first
	Figure picture.Interactive // what only a browser can draw; without a Kind if Forms has a picture
	Title  string              // as the kernel or the figure's data states it; may be empty
}

// Read reads a display. A bundle with a picture is that picture, and the data of its
// interactive figure comes behind it. Otherwise it is the interactive figure, if it has one.
func Read(data, metadata Bundle) Content {
	var c Content
	if c.Forms = images(data); len(c.Forms) > 0 {
		c.Forms = append(c.Forms, figureData(data)...)
	} else {
		c.Figure, c.Forms = interactiveFigure(data)
	}
	c.Title = cmp.Or(metadataTitle(metadata), dataTitle(c.Forms))
	return c
}

// RichSize is the size in bytes of what a bundle has beside plain text and the scripts that
// only load a library; 0 if it has nothing else.
func RichSize(data Bundle) (size int64) {
	for mime, raw := range data {
		if mime != "text/plain" && !strings.HasSuffix(mime, "_load.v0+json") {
			size += int64(len(raw))
		}
	}
	return size
}

// Text reads a text of a bundle: a string, or a list of lines.
func Text(bundle Bundle, mime string) string {
	text, _ := wire.Text(bundle[mime])
	return text
}
