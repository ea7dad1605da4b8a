package record

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/facts"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/language"
	"easel/ui/core/library"
	"easel/ui/core/library/naming"
	"easel/ui/core/mimebundle"
	"easel/ui/core/pycode"
)

// A display is the newest image of a display_id.
type display struct {
	uri    string // "" if it has shown no image yet
	shared bool   // another display_id may have the same image
}

// A pendingImage is a received picture that is not in the library yet. Pictures are stored
// in batches, because each must be on disk before anyone is notified of it, and one sync
// serves a whole batch. The end of an execution stores its pictures at once.
type pendingImage struct {
	u     *queuedExecution
	image library.NewImage
	entry int64             // of the outputs of u; 0 if it updates an image
	sum   [sha256.Size]byte // of its first form
}

// Limits of a batch.
const (
	maxPendingImages     = 64
	maxPendingImageBytes = 32 << 20
)

// shownAs is how something is displayed.
type shownAs struct {
	widget string // the Output widget that contains it; "" for the cell
	update bool   // it updates a display
	result bool   // it is the value of an expression
}

// display records a display of u: its text, and its picture or the figure that only a browser
// can draw. If it has no picture, display stores its data.
func (out *outputs) display(u *queuedExecution, d wire.DisplayData, as shownAs) {
	shown := out.figureIn(d)
	forms := libraryForms(shown.Forms)
	id, update := d.Transient.DisplayID, as.update
	out.displayText(u, d, shown, as)
	if len(forms) == 0 {
		if _, known := out.displays[id]; id != "" && !known && !update {
			out.displays[id] = display{} // an update may contain a picture
		}
		out.keepData(u, d)
		return
	}
	if id != "" {
		out.storeImages() // it may replace one of them
	}
	var replaces string
	former, known := out.displays[id]
	switch {
	case update && known:
		if replaces = former.uri; former.shared && out.shares(id, former.uri) {
			replaces = "" // the other display still shows it
		}
	case update && !out.midway:
		return // there is no display with this id; a notebook would show nothing either
	case len(u.in(as.widget).cleared) > 0:
		s := u.in(as.widget)
		replaces, s.cleared = s.cleared[0], s.cleared[1:]
	}
	sum := sha256.Sum256(forms[0].Data)
	if replaces == "" && out.drawnBefore(u, id, sum) {
		return
	}
	rec := u.x.Record()
	title := shown.Title
	if !update {
		title = cmp.Or(title, truncate.Runes(u.titleIn(rec.Code, language.Of(out.provenance.kernel.link.Info().Language)), 200))
		u.figures++
		out.provenance.session.nameAfter(title, !strings.Contains(title, pycode.Joined))
	}
	description := execution.Numbered(out.place(u, replaces), 0)
	if shown.Figure.Kind != "" {
		description = mimebundle.Describe(shown.Figure)
	}
	out.pendingImages = append(out.pendingImages, pendingImage{u: u, entry: out.placeImage(u, id, as), sum: sum, image: library.NewImage{
		SessionID: out.session, ExecutionID: u.x.ID(), Code: rec.Code, Client: rec.Client, Title: title,
		Description: description, DisplayID: id, Replaces: replaces,
		Interactive: shown.Figure.Kind, Forms: forms, Facts: factsIn(d), CreatedAt: time.Now().UTC(),
	}})
	out.pendingImageBytes += len(d.Transient.Easel)
	for _, f := range forms {
		out.pendingImageBytes += len(f.Data)
	}
	if id != "" || len(out.pendingImages) >= maxPendingImages || out.pendingImageBytes > maxPendingImageBytes {
		out.storeImages()
	}
}

// factsIn returns what a display says of the numbers that its plot shows, or nil if that makes no sense.
func factsIn(d wire.DisplayData) []byte {
	if _, ok := facts.Read(d.Transient.Easel); !ok {
		return nil
	}
	return d.Transient.Easel
}

// place returns the 0-based index that the next picture gets in its execution: that of the
// picture that it replaces, or the next.
func (out *outputs) place(u *queuedExecution, replaces string) int {
	images := u.x.Images()
	n := len(images)
	former := slices.IndexFunc(images, func(i catalog.Image) bool { return replaces != "" && sameImage(i.ResourceURI, replaces) })
	if former >= 0 {
		return former
	}
	for _, s := range out.pendingImages {
		if s.u == u {
			n++
		}
	}
	return n
}

// mostTitled is how many figures of a run may have a title from the code. Nobody writes more of them
// one by one.
const mostTitled = 20

// titleIn returns the title of the next figure of u if code, the code of u in a language, says it as a literal.
func (u *queuedExecution) titleIn(code string, is language.Language) string {
	if u.figures >= mostTitled || is.Titles == nil {
		return ""
	}
	if titles := is.Titles(code); u.figures < len(titles) {
		return titles[u.figures]
	}
	return ""
}

// drawnBefore reports whether u has already drawn a picture with the same bytes. Such a
// picture does not become a second image, because code often displays a figure and ends
// with its name. Displays share the image until one of them is updated.
func (out *outputs) drawnBefore(u *queuedExecution, id string, sum [sha256.Size]byte) bool {
	uri, drawn := u.drawn[sum]
	if drawn && id != "" {
		for other, d := range out.displays {
			if d.uri == uri {
				d.shared = true
				out.displays[other] = d
			}
		}
		out.displays[id] = display{uri, true}
	}
	return drawn || slices.ContainsFunc(out.pendingImages, func(s pendingImage) bool {
		return s.u == u && s.sum == sum && s.image.Replaces == ""
	})
}

// shares reports whether a display other than id shows the image.
func (out *outputs) shares(id, uri string) bool {
	for other, d := range out.displays {
		if other != id && d.uri == uri {
			return true
		}
	}
	return false
}

// storeImagesIn returns how long the pending pictures may wait for more. It returns 0 or
// less if they are due or there are none. A picture that follows a pause is due at once.
func (out *outputs) storeImagesIn() time.Duration {
	if len(out.pendingImages) == 0 {
		return 0
	}
	return time.Until(out.imagesStored.Add(out.journal.env.Timing.ImageBatch))
}

// storeImages adds the pending pictures to the library and notifies of them.
func (out *outputs) storeImages() {
	if len(out.pendingImages) == 0 {
		return
	}
	defer func() { out.imagesStored = time.Now() }()
	shots := out.pendingImages
	out.pendingImages, out.pendingImageBytes = nil, 0
	news := make([]library.NewImage, len(shots))
	for i, s := range shots {
		news[i] = s.image
	}
	var told []*queuedExecution
	images, err := out.journal.env.Library.Images.AddAll(out.journal.keeping(), news)
	for i, s := range shots {
		var image library.Image
		if err == nil {
			image = images[i]
		} else if one, err := out.storeImage(s); err == nil {
			image = one
		} else {
			s.u.x.Truncate("images", int64(len(s.image.Forms[0].Data)), storageReason(err))
			out.journal.log.Error("storing an image", "err", err)
			s.u.x.DropImage(s.entry)
			out.dirty[s.u] = true
			continue
		}
		out.show(s, image)
		if !slices.Contains(told, s.u) {
			told = append(told, s.u)
		}
	}
	for _, u := range told {
		out.journal.storeLog(u)
		if u.phase.ended() { // a thread drew it after the end
			out.journal.keep(u)
			out.provenance.drew(u)
		}
		out.journal.notify(catalog.ExecutionOutput, u)
	}
}

// storeImage adds one picture to the library. If the user has deleted the image that it
// replaces, it becomes a new image.
func (out *outputs) storeImage(s pendingImage) (library.Image, error) {
	image, err := out.journal.env.Library.Images.Add(out.journal.keeping(), s.image)
	if errors.Is(err, library.ErrNotFound) && s.image.Replaces != "" {
		s.image.Replaces = ""
		image, err = out.journal.env.Library.Images.Add(out.journal.keeping(), s.image)
	}
	return image, err
}

// show adds a stored picture to its execution, notifies of it and, if it is a figure
// without a picture, has it drawn.
func (out *outputs) show(s pendingImage, image library.Image) {
	if s.image.DisplayID != "" {
		out.displays[s.image.DisplayID] = display{uri: image.ResourceURI}
	}
	if s.image.Replaces != "" {
		out.supersede(s.image.Replaces, image.Image)
	} else {
		if s.u.drawn == nil {
			s.u.drawn = make(map[[sha256.Size]byte]string)
		}
		s.u.drawn[s.sum] = image.ResourceURI
	}
	s.u.x.AddImage(image.Image, s.entry)
	if library.Undrawn(image) && out.journal.env.Draw != nil {
		if drawing := out.journal.env.Draw(image); drawing != nil {
			s.u.x.AddDrawing(drawing)
		}
	}
}

// sameImage reports whether two URIs name the same image. The extension of a URI changes
// when a figure is drawn.
func sameImage(a, b string) bool {
	if a == b {
		return true
	}
	_, one, _, err := naming.ParseURI(a)
	_, other, _, err2 := naming.ParseURI(b)
	return err == nil && err2 == nil && one == other
}

// supersede replaces an image by a newer one in all executions, as a notebook does in
// earlier cells.
func (out *outputs) supersede(older string, newer catalog.Image) {
	for u := range out.ledger.all() {
		maps.DeleteFunc(u.drawn, func(_ [sha256.Size]byte, uri string) bool { return sameImage(uri, older) })
		u.x.ReplaceImage(func(i catalog.Image) bool { return sameImage(i.ResourceURI, older) }, newer)
		out.journal.storeLog(u)
	}
}
