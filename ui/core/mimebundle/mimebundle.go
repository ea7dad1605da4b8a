// Package mimebundle reads the MIME bundles that kernels display. It extracts the
// pictures, the figures that only a browser can draw, the text and the title. It does
// no I/O and does not change its arguments.
//
// # Goroutines
//
// The package starts none. Its functions are safe for concurrent use.
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

// A Form is one representation of what a bundle shows.
type Form struct {
	MIME string
	Data []byte // as the kernel sent it, with base64 decoded
}

// A Content is what a bundle shows as an image. Forms is empty if it shows none.
type Content struct {
	Forms  []Form              // best first
	Figure picture.Interactive // what only a browser can draw; zero if Forms has a picture
	Title  string              // from the kernel or the figure's data; may be empty
}

// Read reads a display. If the bundle has a picture, Forms is the picture, followed by the
// data of its interactive figure, if any. Otherwise, Forms is the data of the interactive
// figure, if the bundle has one.
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

// RichSize returns the size, in bytes of JSON, of everything in a bundle except plain text
// and scripts that only load a library.
func RichSize(data Bundle) (size int64) {
	for mime, raw := range data {
		if mime != "text/plain" && !strings.HasSuffix(mime, "_load.v0+json") {
			size += int64(len(raw))
		}
	}
	return size
}

// Text returns the text of one type in a bundle. In JSON, it is a string or a list of
// lines. Text returns "" if the bundle has none.
func Text(bundle Bundle, mime string) string {
	text, _ := wire.Text(bundle[mime])
	return text
}
