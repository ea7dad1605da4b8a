package mcphost

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	_ "image/jpeg" // for the size of pictures
	_ "image/png"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// A delivery is what a client gets of a result.
type delivery struct {
	images        []catalog.SentImage
	text, leftOut int64 // bytes
}

// sentPicture describes a picture that was sent. Its size is that of the data, which was scaled.
func sentPicture(id, how string, data []byte) catalog.SentImage {
	s := catalog.SentImage{ImageID: id, How: how, Bytes: len(data)}
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil { // an SVG has none
		s.Width, s.Height = c.Width, c.Height
	}
	return s
}

// preview adds the picture of a tool.Inliner.
func (d *delivery) preview(out any, data []byte) {
	if id, how := catalog.Previewed(out); id != "" {
		d.images = append(d.images, sentPicture(id, how, data))
	}
}

// name adds the images that the text of a result names, without those that it has as pictures. linked
// means that it has links to them.
func (d *delivery) name(out any, linked bool) {
	how := catalog.SentText
	if linked {
		how = catalog.SentLink
	}
	for _, l := range catalog.NamedImages(out) {
		id := catalog.ImageIDOf(l.URI)
		if id == "" || slices.ContainsFunc(d.images, func(s catalog.SentImage) bool { return s.ImageID == id }) {
			continue
		}
		d.images = append(d.images, catalog.SentImage{ImageID: id, How: how})
	}
}

// whole is the delivery of a result over REST: it has addresses, and for a picture its data.
func whole(out any, raw []byte) (d delivery) {
	d.text, d.leftOut = int64(len(raw)), catalog.LeftOut(out)
	if im, ok := out.(catalog.GetImageResourceOut); ok && im.Data != "" {
		d.text -= int64(len(im.Data))
		if data, err := base64.StdEncoding.DecodeString(im.Data); err == nil {
			how := catalog.SentInline
			if im.Region != nil {
				how = catalog.SentPart
			}
			d.images = append(d.images, sentPicture(im.ImageID, how, data))
		}
	}
	d.name(out, true)
	return d
}

// resource is the delivery of the resource that a client has read.
func resource(uri, mimeType string, data []byte) (d delivery) {
	id := catalog.ImageIDOf(uri)
	switch {
	case id != "" && strings.HasPrefix(mimeType, "image/"):
		how := catalog.SentInline
		if _, _, part := catalog.CutCrop(uri); part {
			how = catalog.SentPart
		}
		d.images = append(d.images, sentPicture(id, how, data))
	case id != "":
		d.images, d.text = append(d.images, catalog.SentImage{ImageID: id, How: catalog.SentText}), int64(len(data))
	default:
		d.text = int64(len(data))
	}
	return d
}

// delivered records what the client gets. A client that has left gets nothing.
func (r *record) delivered(ctx context.Context, d delivery) {
	if ctx.Err() == nil {
		r.a.Sent, r.a.TextBytes, r.a.LeftOut = d.images, d.text, d.leftOut
	}
}

// anyOf returns the plots as members of a note.
func anyOf(plots []catalog.SentAgain) (list []any) {
	for _, p := range plots {
		list = append(list, p)
	}
	return list
}

// addAgain adds the plots that the user sends again to a result, after what it has: as pictures, as far as they
// fit and the client can show them, otherwise as links.
func (h *Host) addAgain(ctx context.Context, res *mcp.CallToolResult, sent *delivery, again []catalog.SentAgain) {
	room := maxBase64
	for _, c := range res.Content {
		if p, ok := c.(mcp.ImageContent); ok {
			room -= len(p.Data)
		}
	}
	for _, p := range again {
		id := catalog.ImageIDOf(p.Plot)
		if slices.ContainsFunc(sent.images, func(s catalog.SentImage) bool { return s.ImageID == id && s.How == catalog.SentInline }) {
			continue // the result shows it anyway
		}
		var pictures []mcp.Content
		var images []catalog.SentImage
		if p.Inline {
			pictures, _, images = h.pictures(ctx, []string{p.Plot}, catalog.InlineEdge, room)
		}
		if len(pictures) == 0 {
			pictures = []mcp.Content{resourceLink(tool.Link{URI: p.Plot, Name: p.Title, MIMEType: p.MIME})}
			images = []catalog.SentImage{{ImageID: id, How: catalog.SentLink}}
		}
		for _, s := range images {
			room -= base64.StdEncoding.EncodedLen(s.Bytes)
		}
		res.Content = append(res.Content, pictures...)
		sent.images = append(slices.DeleteFunc(sent.images, func(s catalog.SentImage) bool { return s.ImageID == id }), images...)
	}
}
