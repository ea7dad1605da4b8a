package mcphost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/internal/mask"
	"easel/internal/truncate"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// The budget of an MCP result, by the contract. The official Python client rejects
// events over 1 MiB, and Claude Desktop rejects results over 1 MiB. Too many pictures
// use up the model's context.
const (
	maxBase64           = 700_000 // bytes of base64, all pictures together
	maxResult           = 900_000 // bytes of JSON, the whole result
	maxTextWithPictures = 150_000 // bytes of JSON, the text beside pictures
	minPicture          = 8_000   // bytes of base64; smaller pictures are not worth scaling down to
)

// result converts a tool's output to an MCP result. The result has the brief form as
// text and, if the tool's results never contain pictures, also as structured content.
// The pictures that were requested and fit follow, and then links to the other images.
// sent says what the client gets of it.
//
// A result with a picture is not an error even if the code failed, because clients drop
// or garble pictures in errors. Its text says that the code failed.
func (h *Host) result(ctx context.Context, rec *record, spec tool.Spec, out any, note tool.Note) (res *mcp.CallToolResult, sent delivery,
	err *tool.Error,
) {
	var pictures []mcp.Content
	var inlined []string
	if p, ok := out.(tool.Picturer); ok {
		uris, edge := p.Pictures()
		pictures, inlined, sent.images = h.pictures(ctx, uris, edge, maxBase64)
	}
	if p, ok := out.(tool.Inliner); ok {
		if data, mimeType := p.Inline(); len(data) > 0 && base64.StdEncoding.EncodedLen(len(data)) <= maxBase64 {
			pictures = append(pictures, mcp.NewImageContent(base64.StdEncoding.EncodeToString(data), mimeType))
			sent.preview(out, data)
		}
	}
	text, found, cut, e := h.briefText(ctx, out, inlined, spec.Pictures)
	if e == nil {
		rec.a.Masked, note.Masked = found, found.Total()
		text, e = noted(text, note)
	}
	if e != nil {
		return nil, sent, tool.AsError(e)
	}
	res = &mcp.CallToolResult{IsError: failed(out) && len(inlined) == 0}
	res.Content = append(res.Content, mcp.NewTextContent(string(text)))
	res.Content = append(res.Content, pictures...)
	sent.text, sent.leftOut = int64(len(text)), brief.LeftOut(out)+int64(cut)
	if spec.Pictures {
		ls := links(out, inlined)
		res.Content = append(res.Content, ls...)
		sent.name(out, len(ls) > 0)
	} else {
		res.StructuredContent = text
		sent.name(out, false)
	}
	return res, sent, nil
}

// briefText returns the JSON object that a model reads of a tool's output, which secrets were hidden in it, and
// how many bytes had to be cut. It fits into a result next to pictures, or twice into one without pictures.
func (h *Host) briefText(ctx context.Context, out any, inlined []string, withPictures bool) (_ json.RawMessage, found mask.Tally, cut int,
	err error,
) {
	text, err := tool.Marshal(brief.Of(out, inlined))
	if err != nil {
		return nil, nil, 0, err
	}
	text, found = h.hide(ctx, text)
	fits, err := fitted(text, func(text json.RawMessage) bool {
		if withPictures {
			return quotedLen(text) <= maxTextWithPictures
		}
		return quotedLen(text)+len(text) <= maxResult-10_000
	})
	return fits, found, max(0, len(text)-len(fits)), err
}

// links returns the resource links of an output's images, except for those that are
// inlined. Some clients show a link as a second picture with an address that nobody can
// load.
func links(out any, inlined []string) (cs []mcp.Content) {
	all := linksOf(out)
	for _, l := range all[:min(len(all), catalog.MostListed)] { // as many as the text lists
		if !slices.Contains(inlined, l.URI) {
			cs = append(cs, resourceLink(l))
		}
	}
	return cs
}

// pictures reads the first pictures of uris, scaled so that all fit into budget bytes of
// base64. It omits pictures that cannot be read; the text lists them.
func (h *Host) pictures(ctx context.Context, uris []string, edge, budget int) (cs []mcp.Content, inlined []string,
	sent []catalog.SentImage,
) {
	uris = uris[:min(len(uris), catalog.MostPictures)]
	for i, uri := range uris {
		share := budget / (len(uris) - i) // what one does not use is for the next
		if share < minPicture {
			break
		}
		got, err := catalog.ReadImage.Ask(ctx, h.c.Bus,
			catalog.ReadImageIn{URI: uri, MaxEdge: edge, MaxBytes: base64.StdEncoding.DecodedLen(share) - 3})
		if err != nil {
			h.log.WarnContext(ctx, "picture not inlined", "uri", uri, "cause", err)
			continue
		}
		data := base64.StdEncoding.EncodeToString(got.Data)
		if len(data) > share || got.MIMEType != "image/png" && got.MIMEType != "image/jpeg" {
			continue
		}
		budget -= len(data)
		cs = append(cs, mcp.NewImageContent(data, got.MIMEType))
		inlined = append(inlined, uri)
		how := catalog.SentInline
		if _, _, part := catalog.CutCrop(uri); part {
			how = catalog.SentPart
		}
		sent = append(sent, sentPicture(got.Image.ImageID, how, got.Data))
	}
	return cs, inlined, sent
}

// resourceLink omits title and size, which are in the text.
func resourceLink(l tool.Link) mcp.ResourceLink {
	return mcp.NewResourceLink(l.URI, cut(l.Name, 100), "", l.MIMEType)
}

// errorResult returns an error as an MCP result with text only. A client that validates
// structured content against the output schema would hide the message.
func errorResult(e *tool.Error) *mcp.CallToolResult {
	const most = 4_000 // bytes of a message
	type body struct {
		Code    tool.Code `json:"code"`
		Message string    `json:"message"`
		Hint    string    `json:"hint,omitempty"`
	}
	b, err := tool.Marshal(struct {
		Success bool `json:"success"`
		Error   body `json:"error"`
	}{Error: body{e.Code, truncate.Middle(e.Detail, most), truncate.Middle(e.Hint, most)}})
	if err != nil { // only strings
		b = []byte(e.Detail)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(b))}, IsError: true}
}

// noted adds note's fields, ignored and adjusted, to the JSON object raw.
func noted(raw json.RawMessage, note tool.Note) (json.RawMessage, error) {
	if note.Empty() {
		return raw, nil
	}
	fields, err := tool.Marshal(note)
	if err != nil {
		return nil, err
	}
	return slices.Concat(raw[:len(raw)-1], []byte(","), fields[1:]), nil // every result has the member success, so a comma is right
}

// quotedLen returns the length of text as a JSON string in a response.
func quotedLen(text []byte) int {
	b, err := json.Marshal(string(text))
	if err != nil { // a string can always be encoded
		return 0
	}
	return len(b)
}
