package viewer

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/window/gallery"
)

// Open shows an image of the list ids. revision is the library's: what has changed
// since the last one is read again.
func (v *View) Open(id string, ids []string, revision uint64) {
	was, follows := v.wanted(), v.id == id || v.follows(id)
	if v.rested {
		v.rested = false
		v.movie.autoplay()
	}
	if !follows {
		v.versions.leave()
	}
	v.id = id
	want := v.wanted() // an older version stays
	same := was == want
	if !same {
		v.movie.stop()
	}
	if revision != v.revision {
		v.load.renew(v.load.lib.Changes().Summary(v.revision, revision))
		v.revision, same = revision, false
	}
	if !slices.Equal(v.ids, ids) {
		v.ids = ids
		v.prune()
	}
	if slices.Contains(ids, id) || !slices.Contains(v.listed, id) {
		v.listed = ids
	}
	if same && (v.stage.pixels != nil || v.card != nil) {
		v.told()
		return
	}
	if k, ok := v.load.load(want, v.around()); ok {
		v.show(k)
	} else if v.shown.ImageID != want && !follows {
		v.await()
	}
	v.told()
}

// holdBack is the maximum time that the previous picture stays, with its title, until
// the next one can be shown.
const holdBack = 100 * time.Millisecond

// await clears the previous picture if the requested one takes longer than holdBack.
func (v *View) await() {
	if !v.waiting {
		v.waiting = true
		v.late = time.AfterFunc(holdBack, func() { v.k.Do(v.leave) })
	}
}

func (v *View) leave() {
	if v.waiting && !v.blank {
		v.blank, v.problem, v.card = true, nil, nil
		v.layout.stop()
		v.layout.leave()
		v.stage.clear()
		v.told()
		v.Refresh()
	}
}

// seen returns the id of the image that is on the screen, or of the requested one if
// nothing is.
func (v *View) seen() string {
	if v.blank || v.shown.ImageID == "" {
		return v.id
	}
	return v.shown.ImageID
}

// around returns the neighbours of the image to show, the next one first.
func (v *View) around() (ids []string) {
	if p := v.versions; p.older != "" { // the neighbours are versions of the same figure
		at := p.at()
		for _, i := range []int{at + p.step(), at + 1, at - 1} {
			if i >= 0 && i < len(p.ids) && i != at && !slices.Contains(ids, p.ids[i]) {
				ids = append(ids, p.ids[i])
			}
		}
		return ids
	}
	i := slices.Index(v.listed, v.id)
	for _, j := range []int{i + 1, i - 1} {
		if i >= 0 && j >= 0 && j < len(v.listed) {
			ids = append(ids, v.listed[j])
		}
	}
	return ids
}

// show shows an image that was read. Picture and text change together.
func (v *View) show(k loadedImage) {
	if k.im.ImageID != v.wanted() || !v.blank && k.older(v.last) {
		return
	}
	v.last, v.axes = k, k.axes
	gone := errors.Is(k.err, library.ErrNotFound)
	if gone && v.shown.ImageID == k.im.ImageID {
		k.im = v.shown // its title stays
	}
	again := v.shown.ImageID == k.im.ImageID && v.shown.NotDrawn == k.im.NotDrawn && !v.blank
	// Versions of a figure keep zoom and place, so that they can be compared.
	still := v.lock || again || !v.blank && slices.Contains(k.versions, v.shown.ImageID)
	v.shown, v.waiting, v.blank, v.small = k.im, false, false, k.preview
	if v.late != nil {
		v.late.Stop()
	}
	v.versions.take(k)
	if again && k.err == nil && v.still == k.pixels && (k.pixels != nil || v.card != nil) {
		v.told() // only the text has changed
		return
	}
	v.still = k.pixels
	v.layout.leave()
	if k.preview {
		v.stage.preview(k.pixels, image.Pt(k.im.Width, k.im.Height), still)
	} else {
		v.stage.set(k.pixels, still)
	}
	v.problem, v.card = nil, nil
	if k.err == nil {
		if v.card = newFigure(v.k, k.im, true, v.act.remedies(v.k, k.im)...); v.card != nil {
			v.problem = v.card
		}
	} else {
		head, why := "viewer.unreadable", k.err.Error()
		switch {
		case errors.Is(k.err, picture.ErrNoRaster):
			head, why = "gallery.not_drawn", gallery.NotDrawn(v.k, k.im)
		case gone:
			head, why = "viewer.gone", v.k.T("viewer.gone_why")
		}
		v.problem = v.k.Empty("warning", v.k.T(head), why)
	}
	v.movie.take(k)
	v.sharp.change()
	v.told()
	v.Refresh()
}

// told updates the text and the controls for the picture that is shown.
func (v *View) told() {
	shown, title := v.shown, ""
	if v.blank {
		shown = library.Image{}
	} else if shown.ImageID != "" && (shown.Title != "" || shown.N > 0) {
		title = gallery.Title(v.k, shown)
	}
	i := slices.Index(v.ids, v.entry())
	v.title.Set(title, nil)
	v.stars.Set(shown.Rating)
	updated, live := shown.Replaces != "", v.card == nil && v.act.opens(shown) // the card has a button of its own
	cell, found := v.tellCell(shown), v.tellFindings(shown)
	if cell || found || updated != v.former.Visible() || live != v.live.Visible() {
		v.former.Hidden, v.live.Hidden = !updated, !live
		v.row.Refresh()
	}
	v.region.sync()
	v.strip.show(v.id, v.listed, v.revision)
	if i >= 0 {
		v.count.Set(fmt.Sprintf("%d / %d", i+1, len(v.ids)), nil)
	} else {
		v.count.Set("", nil)
	}
	v.layout.change()
	v.sync()
	v.over.tell()
}
