package oversight

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// A ClientDelivery says how a client's models receive pictures, as tested with the
// client.
type ClientDelivery struct {
	Match  string // part of the client's name, in lower case
	Mode   string // catalog.ImagesInline or ImagesLink
	Reason string
	Tested string // version of the client
}

// Deliveries lists the tested clients. The first match applies. A client that is not
// listed receives pictures inline.
var Deliveries = []ClientDelivery{
	{"cline", catalog.ImagesLink, "gives the model an inlined picture as base64 in text", "3.0.65"},
	{"continue", catalog.ImagesLink, "gives the model an inlined picture as base64 in text", "1.5"},
	{"copilot-cli", catalog.ImagesLink, "drops inlined pictures", "1.0.102"},
	{"github copilot cli", catalog.ImagesLink, "drops inlined pictures", "1.0.102"},
	{"copilot-developer-cli", catalog.ImagesLink, "drops inlined pictures", "1.0.102"},
	{"claude-code", catalog.ImagesInline, "shows pictures, but loses them in results marked as errors", "2.1.330"},
	{"gemini-cli", catalog.ImagesInline, "shows pictures, but as text in results marked as errors", "0.61"},
	{"codex", catalog.ImagesInline, "shows pictures in results without structuredContent", "0.169"},
	{"opencode", catalog.ImagesInline, "shows pictures, but loses them in results marked as errors", "1.18"},
	{"qwen", catalog.ImagesInline, "shows pictures", "0.24"},
	{"inspector", catalog.ImagesInline, "shows pictures", "2.12"},
	{"mcp-remote", catalog.ImagesInline, "passes pictures on", "0.15"},
}

// A Delivery says how a caller receives pictures.
type Delivery struct {
	Mode string // catalog.ImagesInline, ImagesLink or ImagesNone
	// Blind means that the client cannot show its model a picture in a result, even if
	// the model asks for it.
	Blind bool
}

// DeliveryTo returns how a caller receives pictures. The argument of the call has
// priority over the user's settings, and these over the list of tested clients.
func DeliveryTo(s *state.Snapshot, caller tool.Caller, asked string) Delivery {
	if caller.Transport != tool.MCP {
		return Delivery{Mode: catalog.ImagesLink}
	}
	d := Delivery{Mode: catalog.ImagesInline}
	name := strings.ToLower(caller.Name)
	for _, c := range Deliveries {
		if strings.Contains(name, c.Match) {
			d = Delivery{Mode: c.Mode, Blind: c.Mode == catalog.ImagesLink}
			break
		}
	}
	if s.Settings.Delivery != "" {
		d.prefer(s.Settings.Delivery)
	}
	if mode := s.Settings.DeliveryBy.Of(caller.Name); mode != "" { // the user knows what this client does with pictures
		d = Delivery{Mode: mode, Blind: mode == catalog.ImagesLink}
	}
	if asked != "" {
		d.prefer(asked)
	}
	return d
}

// prefer changes the mode. A caller or user that asks for inline pictures overrides the
// list of tested clients.
func (d *Delivery) prefer(mode string) {
	d.Mode = mode
	d.Blind = d.Blind && mode != catalog.ImagesInline
}

// Inline returns the URIs of the images that a result contains as pictures.
func Inline(mode string, images []catalog.Image) []string {
	if mode != catalog.ImagesInline {
		return nil
	}
	var uris []string
	for _, i := range images {
		if len(uris) == catalog.MostPictures {
			break
		}
		if i.MIMEType != "image/svg+xml" && i.Interactive == "" && i.Damaged == "" {
			uris = append(uris, i.ResourceURI)
		}
	}
	return uris
}
