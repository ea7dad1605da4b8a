package brief

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// A delivery says how pictures reach the caller of an execution, as the core has
// decided.
type delivery struct {
	inlined  []string // URIs or IDs of the pictures in the result
	unlinked bool     // neither pictures nor links were requested
	blind    bool     // the client cannot show its model a picture from a result
	failed   bool     // the code failed after it had drawn
}

// mostNote is how many bytes of the user's note a model gets. A note is usually a sentence.
const mostNote = 1_000

// A imageForm is the form of an image for models.
type imageForm struct {
	ResourceURI string     `json:"resource_uri,omitempty"`
	ImageID     string     `json:"image_id,omitempty"` // short, instead of the URI
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	MIMEType    string     `json:"mime_type,omitempty"`
	Damaged     string     `json:"damaged,omitempty"`
	Facts       string     `json:"facts,omitempty"`
	Path        string     `json:"path,omitempty"`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
	Rating      int        `json:"rating,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Note        string     `json:"note,omitempty"`
	Versions    int        `json:"versions,omitempty"`
	ReplacedBy  string     `json:"replaced_by,omitempty"`
	Redrawable  string     `json:"redrawable,omitempty"`
	NotRedrawn  string     `json:"redrawable_why,omitempty"`
	Cell        *int       `json:"cell,omitempty"`  // index
	Stale       string     `json:"stale,omitempty"` // as PlotCell's
}

// imageOf returns the image without IDs that are part of its URI, without sizes and
// without empty fields. A file on disk has only its path.
func imageOf(i catalog.Image) imageForm {
	b := imageForm{
		ResourceURI: i.ResourceURI, Title: i.Title, Rating: i.Rating, Tags: i.Tags, Note: truncate.Middle(i.Note, mostNote),
		Versions: i.Versions, ReplacedBy: i.ReplacedBy, Damaged: i.Damaged, Facts: i.Facts,
	}
	if i.Redrawable == catalog.RedrawnByKernel || i.Redrawable == catalog.RedrawnStored { // otherwise, it is as for any picture
		b.Redrawable = i.Redrawable
	}
	if i.Cell != nil {
		b.Cell, b.Stale = i.Cell.Index, i.Cell.Stale
	}
	if b.ResourceURI == "" {
		b.Path = i.Path
	}
	if b.Title == "" && b.Path == "" || i.Interactive != "" { // otherwise it repeats the title or the name
		b.Description = i.Description
	}
	if !i.Raster() && i.Interactive == "" && i.Damaged == "" {
		b.MIMEType = i.MIMEType
	}
	return b
}

// listed returns the images of a list. If it is long, all but the first have the end of the id
// instead of the URI.
func listed(images []catalog.Image) []imageForm {
	list := make([]imageForm, len(images))
	for i, im := range images {
		if list[i] = imageOf(im); i > 0 && len(images) > catalog.MostPictures {
			list[i].shorten(im)
		}
	}
	return list
}

// shorten names the image by the end of its id. A file on disk keeps its path.
func (b *imageForm) shorten(i catalog.Image) {
	if b.ResourceURI != "" {
		b.ResourceURI, b.ImageID = "", i.ShortID()
	}
}

// pictured returns the images of a result that may contain pictures, and a line about
// those whose pictures it does not contain.
func pictured(images []catalog.Image, d delivery) (list []imageForm, line string) {
	shown := 0
	for _, i := range images {
		if slices.Contains(d.inlined, i.Handle()) {
			shown++
		}
	}
	many := len(images) > catalog.MostPictures
	for _, i := range images[:min(len(images), catalog.MostListed)] {
		b := imageOf(i)
		shown := slices.Contains(d.inlined, i.Handle())
		if many {
			b.shorten(i)
		}
		if !d.unlinked && !shown {
			b.Path = i.Path
		}
		if many && i.Raster() && (shown || !d.unlinked) { // the model sees it, or there are a path and a link
			b.ImageID = ""
		}
		list = append(list, b)
	}
	if d.unlinked {
		return list, ""
	}
	return list, pictureLine(images, shown, d)
}

// pictureLine says how many pictures are shown and how to get the others. It returns ""
// if all are shown.
func pictureLine(images []catalog.Image, shown int, d delivery) string {
	drawn, vector := 0, false
	for _, i := range images {
		if i.Interactive == "" && i.Damaged == "" { // otherwise the entry says why there is none
			drawn++
			vector = vector || !i.Raster()
		}
	}
	var line string
	switch {
	case shown == drawn && (!d.failed || drawn == 0):
		return ""
	case shown == drawn:
		return "drawn before the code failed"
	case d.blind:
		line = fmt.Sprintf("%d of %d shown, as this client shows you none: view the file at path", shown, drawn)
	case vector && drawn == 1:
		line = "not shown, as it is an SVG: draw it as PNG with render_image, or read the file at path"
	case vector:
		line = fmt.Sprintf("%d of %d shown; get the others, which have a path, with get_image_resource, or an SVG with render_image", shown, drawn)
	default:
		line = fmt.Sprintf("%d of %d shown; get the others, which have a path, with get_image_resource", shown, drawn)
	}
	if over := len(images) - catalog.MostListed; over > 0 {
		line += fmt.Sprintf("; %d more are listed by list_session_images", over)
	}
	if d.failed {
		line += "; drawn before the code failed"
	}
	return line
}

// dated returns the image with its age and what can draw it again.
func dated(i catalog.Image) imageForm {
	b := imageOf(i)
	b.CreatedAt, b.Redrawable, b.NotRedrawn = atSecond(i.CreatedAt), i.Redrawable, i.NotRedrawn
	return b
}

// atSecond truncates a time to seconds.
func atSecond(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

func listSessionImagesOut(o catalog.ListSessionImagesOut) any {
	return struct {
		catalog.Result
		catalog.SessionNews
		Images     []imageForm `json:"images"` // newest first; the time of each would be a fifth of the list
		NextCursor string      `json:"next_cursor,omitempty"`
	}{o.Result, o.SessionNews, listed(o.Images), o.NextCursor}
}

func getImageResourceOut(o catalog.GetImageResourceOut, inlined []string) any {
	b := dated(o.Image)
	b.Path = o.Path
	if o.Asked == b.ResourceURI {
		b.ResourceURI = ""
	}
	_, line := pictured([]catalog.Image{o.Image}, delivery{inlined: inlined, blind: o.Blind})
	switch {
	case len(o.Preview) > 0 || o.Saved && o.Damaged != "":
		line = ""
	case o.Saved && o.Blind:
		line = "not shown, as this client shows you no pictures"
	case o.Saved:
		line = "not shown, as it is an SVG: notebook_read with outputs=full has its text"
	case strings.HasSuffix(line, "get_image_resource"): // the tool that has just been called
		line = "not shown, as it cannot be read or is too large: view the file at path, or ask for a smaller max_edge"
	}
	region := ""
	if o.Region != nil {
		region = o.Region.Text
	}
	return struct {
		catalog.Result
		Region string `json:"region,omitempty"`
		Made   string `json:"made,omitempty"`
		imageForm
		Width   int    `json:"width,omitempty"`
		Height  int    `json:"height,omitempty"`
		Picture string `json:"pictures,omitempty"`
	}{o.Result, region, o.Made, b, o.Width, o.Height, line}
}
