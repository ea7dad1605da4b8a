package mimebundle

import "easel/jupyter/wire"

// imageTypes lists the types of pictures, best first. Raster images come before SVG,
// because an SVG has to be drawn.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"}

// images returns the pictures of a MIME bundle, best first. It skips pictures that cannot
// be decoded. A picture within the bundle's HTML or Markdown is used only if there is no
// other.
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
