package brief

import (
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// Plots are named with what the user said about them; many are named
// by the end of their id.
func searchHistoryOut(o catalog.SearchHistoryOut) any {
	const mostPlots = 4
	type plot struct {
		ResourceURI string `json:"resource_uri,omitempty"`
		ImageID     string `json:"image_id,omitempty"`
		Title       string `json:"title,omitempty"`
		Rating      int    `json:"rating,omitempty"`
		Note        string `json:"note,omitempty"`
	}
	type entry struct {
		ExecutionID string     `json:"execution_id,omitempty"`
		SessionID   string     `json:"session_id"`
		Title       string     `json:"title,omitempty"`
		At          *time.Time `json:"at"`
		Status      string     `json:"status,omitempty"`
		Code        string     `json:"code,omitempty"`
		Images      []plot     `json:"images,omitempty"`
		MoreImages  int        `json:"more_images,omitempty"`
	}
	list, total := make([]entry, len(o.Entries)), 0
	for _, e := range o.Entries {
		total += min(len(e.Images), mostPlots)
	}
	for i, e := range o.Entries {
		list[i] = entry{e.ExecutionID, e.SessionID, e.Title, atSecond(e.At), e.Status, e.Code, nil, max(0, len(e.Images)-mostPlots)}
		for _, im := range e.Images[:min(len(e.Images), mostPlots)] {
			p := plot{im.ResourceURI, "", im.Title, im.Rating, truncate.Middle(im.Note, mostNote)}
			if total > catalog.MostPictures {
				p.ResourceURI, p.ImageID = "", im.ShortID()
			}
			if p.Title == e.Title {
				p.Title = ""
			}
			list[i].Images = append(list[i].Images, p)
		}
	}
	return struct {
		catalog.Result
		Entries []entry `json:"entries"`
		More    string  `json:"more,omitempty"`
	}{o.Result, list, o.More}
}
