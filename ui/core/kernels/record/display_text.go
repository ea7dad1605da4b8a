package record

import (
	"easel/jupyter/wire"
	"easel/ui/core/mimebundle"
	"easel/ui/core/outputlog"
	"easel/ui/core/picture"
)

// figureIn reads the picture or the figure of a display. Bars of progress and
// Output widgets are no figures.
func (out *outputs) figureIn(d wire.DisplayData) mimebundle.Content {
	shown := mimebundle.Read(d.Data, d.Metadata)
	if shown.Figure.Kind == picture.Widget && out.widgets.quiet(widgetIn(d)) {
		return mimebundle.Content{}
	}
	if len(shown.Forms) == 0 && out.journal.env.DrawText != nil && out.journal.env.DrawText() {
		return mimebundle.ReadText(d.Data)
	}
	return shown
}

// displayText records the text of a display, unless its picture conveys it.
func (out *outputs) displayText(u *queuedExecution, d wire.DisplayData, shown mimebundle.Content, as shownAs) {
	text, mime := mimebundle.Displayed(d.Data)
	shows := out.widgets.outputsIn(widgetIn(d))
	switch {
	case mimebundle.Pictured(shown):
		text = "" // of its picture
	case len(shows) > 0:
		text = "" // what they show says more
	}
	id := d.Transient.DisplayID
	if id != "" {
		for other := range out.ledger.all() {
			if (as.update || other != u) && other.x.UpdateDisplay(id, text, mime) {
				out.dirty[other] = true
			}
		}
	}
	if as.update || text == "" && len(shows) == 0 && (id == "" || len(shown.Forms) > 0) {
		return
	}
	kind := outputlog.Display
	if as.result {
		kind = outputlog.Result
	}
	out.add(u, outputlog.Entry{Kind: kind, Text: text, MIME: mime, Widget: as.widget, Shows: shows, DisplayID: id})
}

// placeImage returns the entry in the outputs of u for a picture that is displayed, or 0 if it
// updates one that has an entry.
func (out *outputs) placeImage(u *queuedExecution, id string, as shownAs) (entry int64) {
	if as.update && out.displays[id].uri != "" {
		return 0
	}
	out.dirty[u] = true
	return u.x.PlaceImage(as.widget, id, as.update)
}

// recordPages records the text that a reply asks a client to page, as that of len?.
func (out *outputs) recordPages(u *queuedExecution, reply wire.ExecuteReply) {
	for _, raw := range reply.Payload {
		page, ok := wire.Page(raw)
		if !ok {
			continue
		}
		if text, mime := mimebundle.Displayed(page); text != "" {
			out.add(u, outputlog.Entry{Kind: outputlog.Display, Text: text, MIME: mime})
		}
	}
}
