package oversight

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// A ClientDelivery is how pictures reach the models of a client, as it was seen to work.
type ClientDelivery struct {
	Match  string // in the client's name, in lower case
	Mode   string // catalog.ImagesInline or ImagesLink
	Reason string
	Tested string // version
}

// Deliveries are the clients that were tested. The first match counts. Whoever is not
// here gets pictures inline.
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

// A Delivery is the form in which a caller gets pictures.
type Delivery struct {
	Mode string // catalog.ImagesInline, ImagesLink or ImagesNone
	// Blind: the client cannot show its model a picture that a result carries, whatever
	// asks for it.
	Blind bool
}

// DeliveryTo is the form in which a caller gets pictures: what it asked for, else what
// the user set, else what suits the client.
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
	if mode := s.Settings.DeliveryBy.Of(caller.Name); mode != "" { // the user has seen what becomes of pictures
		d = Delivery{Mode: mode, Blind: mode == catalog.ImagesLink}
	}
	if asked != "" {
		d.prefer(asked)
	}
	return d
}

// prefer takes another form; who asks for pictures knows better than the table.
func (d *Delivery) prefer(mode string) {
	d.Mode = mode
	d.Blind = d.Blind && mode != catalog.ImagesInline
}

// Inline lists the images of a result that go into it as pictures.
func Inline(mode string, images []catalog.Image) []string {
	if mode != catalog.ImagesInline {
		return nil
	}
	var uris []string
	for _, i := range images {
		if len(uris) == catalog.MostPictures {
			break
		}
		if i.MIMEType != "image/svg+xml" && i.Interactive == "" {
			uris = append(uris, i.ResourceURI)
		}
	}
	return uris
}
