package mcphost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// The budget of an MCP result, by the contract: the official Python client
// refuses events over 1 MiB, Claude Desktop results over that, and a picture too
// many costs the model its context.
const (
	maxPictures = 4
	maxBase64   = 700_000 // bytes of base64, all pictures together
	maxResult   = 900_000 // bytes of JSON, the whole result
	minPicture  = 8_000   // bytes of base64 below which a picture is not worth scaling down to
	maxLinks    = 200     // resource links; structuredContent has them all
)

// result is a tool's output as MCP gives it: raw, its JSON, as structured content
// and once more as text for clients that read only text; then for each image the
// picture, where it was asked for and fits, a line of text and a link. inlined
// are the URIs of the pictures.
func (h *Host) result(ctx context.Context, out any, raw json.RawMessage) (res *mcp.CallToolResult, inlined []string, err *tool.Error) {
	res = &mcp.CallToolResult{IsError: failed(out), StructuredContent: raw}
	used := len(raw) + quotedLen(raw) + 500
	text := string(raw)
	if used > maxResult {
		text = "The result is too large to be given twice: read structuredContent."
		used = len(raw) + 1000
	}
	if used > maxResult {
		return nil, nil, &tool.Error{
			Code:   tool.PayloadTooLarge,
			Detail: fmt.Sprintf("The result is %d kB; MCP clients take at most %d kB.", len(raw)/1000, maxResult/1000),
			Hint:   "Ask for less, with the tool's limits or cursor. What the call did is done.",
		}
	}
	res.Content = append(res.Content, mcp.NewTextContent(text))

	links := linksOf(out)
	links = links[:min(len(links), maxLinks)]
	about, withLines := out.(tool.Picturer)
	lines := make([]mcp.Content, 0, 2*len(links))
	for _, l := range links {
		var cs []mcp.Content
		if withLines && l.Line != "" {
			cs = append(cs, mcp.NewTextContent(l.Line))
		}
		cs = append(cs, resourceLink(l))
		n := contentLen(cs)
		if used+n > maxResult-maxBase64/4 { // leave room for a picture
			break
		}
		used += n
		lines = append(lines, cs...)
	}
	if withLines {
		uris, edge := about.Pictures()
		var pictures []mcp.Content
		pictures, inlined = h.pictures(ctx, uris, edge, min(maxBase64, maxResult-used))
		res.Content = append(res.Content, pictures...)
	}
	res.Content = append(res.Content, lines...)
	return res, inlined, nil
}

// pictures reads the first pictures of uris, scaled so that all fit into budget
// bytes of base64. What cannot be had is left out: its link and line are there.
func (h *Host) pictures(ctx context.Context, uris []string, edge, budget int) (cs []mcp.Content, inlined []string) {
	uris = uris[:min(len(uris), maxPictures)]
	for i, uri := range uris {
		share := budget / (len(uris) - i) // what one leaves is for the next
		if share < minPicture {
			break
		}
		got, err := catalog.ReadImage.Ask(ctx, h.c.Bus, catalog.ReadImageIn{URI: uri, MaxEdge: edge, MaxBytes: base64.StdEncoding.DecodedLen(share) - 3})
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
	}
	return cs, inlined
}

func resourceLink(l tool.Link) mcp.ResourceLink {
	r := mcp.NewResourceLink(l.URI, l.Name, l.Description, l.MIMEType)
	r.Title = l.Title
	if l.Bytes > 0 {
		r.Size = &l.Bytes
	}
	return r
}

// errorResult is an error as MCP gives it: text only, for a client that checks
// structured content against the output schema would hide the message.
func errorResult(e *tool.Error) *mcp.CallToolResult {
	type body struct {
		Code    tool.Code `json:"code"`
		Message string    `json:"message"`
		Hint    string    `json:"hint,omitempty"`
	}
	b, err := json.Marshal(struct {
		Success bool `json:"success"`
		Error   body `json:"error"`
	}{Error: body{e.Code, e.Detail, e.Hint}})
	if err != nil { // only strings
		b = []byte(e.Detail)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(b))}, IsError: true}
}

// noted adds note's fields to the result raw, a JSON object: ignored and adjusted.
func noted(raw json.RawMessage, note tool.Note) (json.RawMessage, error) {
	if note.Empty() {
		return raw, nil
	}
	fields, err := marshal(note)
	if err != nil {
		return nil, err
	}
	return slices.Concat(raw[:len(raw)-1], []byte(","), fields[1:]), nil // every result has success
}

// quotedLen is the length of raw as a JSON string.
func quotedLen(raw []byte) int {
	n := len(raw) + 2
	for _, b := range raw {
		switch b {
		case '"', '\\':
			n++
		}
	}
	return n
}

func contentLen(cs []mcp.Content) int {
	b, err := json.Marshal(cs)
	if err != nil { // strings and numbers
		return 0
	}
	return len(b)
}
