package viewer

import (
	"slices"
	"time"

	"easel/ui/window/kit"
)

// The speed at which versions are played.
const (
	playEvery = 120 * time.Millisecond // between two versions; longer if decoding takes longer
	mostTurns = 150                    // more versions are not all shown
)

// A player shows the versions of an updated figure, with controls in a row under the
// picture. It shows the newest version until the user goes to an older one.
type player struct {
	v       *View
	ids     []string // oldest first; with fewer than two, the row is hidden
	as      uint64   // the loader's state when ids were read
	older   string   // the older version to show; empty: the newest
	known   int      // number of versions when the user left the newest
	beat    *time.Timer
	turn    int // identifies the timer; an older timer is ignored
	playing bool

	*track
	newest *kit.Button
}

func newPlayer(v *View) *player {
	k := v.k
	p := &player{v: v}
	p.newest = k.Button(kit.Quiet, "", k.T("viewer.newest"), k.T("viewer.newest_tip"), func() {
		p.stop()
		p.show(len(p.ids) - 1)
	}).Small()
	p.newest.Hide()
	p.track = newTrack(k, k.T("viewer.play"), v.Play, func(at int) {
		p.stop()
		p.show(at)
	}, p.newest)
	return p
}

// has reports whether the figure has several versions.
func (p *player) has() bool { return len(p.ids) > 1 }

// leave forgets the figure.
func (p *player) leave() {
	p.stop()
	p.ids, p.as = nil, 0
	p.look("")
}

// look sets the older version to show, empty for the newest, and calls Actions.Version
// if that is a change.
func (p *player) look(older string) {
	if p.older == older {
		return
	}
	p.older = older
	if told := p.v.act.Version; told != nil {
		told()
	}
}

// take updates the versions and the controls for an image that is shown.
func (p *player) take(k loadedImage) {
	had := p.has()
	if k.as >= p.as { // else ids is newer
		p.ids, p.as = k.versions, k.as
	}
	at := slices.Index(p.ids, k.im.ImageID)
	if at == len(p.ids)-1 {
		p.look("")
	}
	if p.has() {
		p.to(at, len(p.ids))
		p.offer()
	}
	if had != p.has() {
		p.v.Refresh()
		p.body.Refresh() // the slider took its colours before it was placed
	}
}

// offer shows or hides the button that returns to the newest version. The button shows
// how many versions have arrived since the user left it.
func (p *player) offer() {
	text := p.v.k.T("viewer.newest")
	if n := len(p.ids) - p.known; n > 0 && p.older != "" {
		text = p.v.k.Tr.N("viewer.newer", n)
	}
	if show := p.older != "" && !p.playing; show == p.newest.Hidden || text != p.newest.Text() {
		p.newest.SetText(text)
		p.newest.Hidden = !show
		p.body.Refresh()
	}
}

// show goes to a version, by its index in ids. An index out of range goes to the first
// or last version.
func (p *player) show(at int) {
	if !p.has() {
		return
	}
	at = min(max(at, 0), len(p.ids)-1)
	was := p.v.wanted()
	if p.older == "" {
		p.known = len(p.ids)
	}
	older := p.ids[at]
	if at == len(p.ids)-1 {
		older = ""
	}
	p.look(older)
	if want := p.v.wanted(); want != was {
		if k, ok := p.v.load.load(want, p.v.around()); ok {
			p.v.show(k)
		}
	}
	p.offer()
}

// at returns the index in ids of the version to show.
func (p *player) at() int {
	if p.older == "" {
		return len(p.ids) - 1
	}
	return slices.Index(p.ids, p.older)
}

// step returns the number of versions by which playback advances.
func (p *player) step() int { return max((len(p.ids)+mostTurns-1)/mostTurns, 1) }

func (p *player) start() {
	p.playing = true
	if p.at() == len(p.ids)-1 {
		p.show(0)
	}
	p.setPlaying(true)
	p.v.layout.change()
	p.offer()
	p.wait()
}

func (p *player) wait() {
	p.turn++
	turn := p.turn
	p.beat = time.AfterFunc(playEvery, func() {
		p.v.k.Do(func() {
			if p.playing && turn == p.turn {
				p.next()
			}
		})
	})
}

// next advances by a step if the previous version is shown already.
func (p *player) next() {
	if p.v.shown.ImageID == p.v.wanted() {
		p.show(p.at() + p.step())
	}
	if p.older == "" {
		p.stop()
		return
	}
	p.wait()
}

func (p *player) stop() {
	if p.beat != nil {
		p.beat.Stop()
	}
	if p.playing {
		p.playing = false
		p.setPlaying(false)
		p.v.layout.change()
		p.offer()
	}
}

// Play plays the versions of the figure, starting at the current one, or at the first
// one if the current one is the newest. If they are playing, it stops.
func (v *View) Play() {
	switch {
	case v.versions.playing:
		v.versions.stop()
	case v.versions.has():
		v.versions.start()
	}
}

// Step goes forward by a number of versions of the figure, or back if it is negative.
func (v *View) Step(by int) {
	v.versions.stop()
	v.versions.show(v.versions.at() + by)
}

// Older returns the older version that the user looks at; empty if they look at the
// newest.
func (v *View) Older() string { return v.versions.older }

// Rest stops playback, for example when something else replaces the viewer. The viewer
// will open with the newest version again.
func (v *View) Rest() {
	if v.versions.older != "" {
		v.versions.leave()
		v.id = ""
	}
	v.versions.stop()
	v.movie.rest()
	v.layout.rest()
	v.rested = true
}

// wanted returns the id of the image to show.
func (v *View) wanted() string {
	if v.versions.older != "" {
		return v.versions.older
	}
	return v.id
}

// follows reports whether an image is a newer version of the open one.
func (v *View) follows(id string) bool {
	return v.id != "" && v.act.Newer != nil && v.act.Newer(v.id) == id
}

// entry returns the image in the list that the shown image belongs to: for a version of
// the figure, that is the open image.
func (v *View) entry() string {
	if seen := v.seen(); !slices.Contains(v.versions.ids, seen) {
		return seen
	}
	return v.id
}

// played reports whether the row of versions is displayed.
func (v *View) played() bool { return v.versions.has() && !v.full }
