package kernels

import (
	"encoding/json"
	"fmt"

	"easel/jupyter/wire"
	"easel/ui/core/library"
)

// imageTypes are the forms of a picture, the one to show first: raster before
// vector, since no library here draws the text of an SVG.
var imageTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"}

// imageForms are the pictures of a MIME bundle, the best one first; none if it
// holds no picture that can be read. One within its HTML or Markdown counts if there is
// no other.
func imageForms(bundle map[string]json.RawMessage) []library.Form {
	var forms []library.Form
	for _, mime := range imageTypes {
		raw, there := bundle[mime]
		if !there {
			continue
		}
		var data []byte
		var err error
		if mime == "image/svg+xml" {
			data = []byte(bundleText(bundle, mime))
		} else {
			data, err = wire.Base64(raw)
		}
		if err != nil || len(data) == 0 {
			continue
		}
		forms = append(forms, library.Form{MIME: mime, Data: data})
	}
	for _, mime := range []string{"text/html", "text/markdown"} {
		if len(forms) == 0 && bundle[mime] != nil {
			forms = embedded(mime, bundleText(bundle, mime))
		}
	}
	return forms
}

// toldTitle is the title that a kernel of the managed Jupyter tells beside the
// picture (easel_titles.py of jupyter/managed).
func toldTitle(metadata map[string]json.RawMessage) string {
	for _, mime := range imageTypes {
		var m struct {
			Easel struct {
				Title string `json:"title"`
			} `json:"easel"`
		}
		if raw, ok := metadata[mime]; ok && json.Unmarshal(raw, &m) == nil && m.Easel.Title != "" {
			return clip(m.Easel.Title, 200)
		}
	}
	return ""
}

// numbered is a line that tells which of an execution's pictures one is, from 0. of is 0
// while more may come.
func numbered(n, of int) string {
	if of > 1 {
		return fmt.Sprintf("Figure %d of %d", n+1, of)
	}
	return fmt.Sprintf("Figure %d", n+1)
}

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
