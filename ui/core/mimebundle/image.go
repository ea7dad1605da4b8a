package mimebundle

import "easel/jupyter/wire"

// imageTypes are the forms of a picture, the one to show first: raster before
// vector, since no library here draws the text of an SVG.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"}

// images are the pictures of a MIME bundle, the best one first; none if it
// holds no picture that can be read. One within its HTML or Markdown counts if there is
// no other.
func images(bundle Bundle) []Form {
	var forms []Form
	for _, mime := range imageTypes {
		raw, there := bundle[mime]
		if !there {
			continue
		}
		var data []byte
		var err error
		if mime == "image/svg+xml" {
			data = []byte(Text(bundle, mime))
		} else {
			data, err = wire.Base64(raw)
		}
		if err != nil || len(data) == 0 {
			continue
		}
		forms = append(forms, Form{MIME: mime, Data: data})
	}
	for _, mime := range []string{"text/html", "text/markdown"} {
		if len(forms) == 0 && bundle[mime] != nil {
			forms = embedded(mime, Text(bundle, mime))
		}
	}
	return forms
}
