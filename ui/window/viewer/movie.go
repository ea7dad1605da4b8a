package viewer

import (
	"image"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/picture/animation"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A movie plays the animation that a stage shows, and has the row under it.
//
// One frame is asked for at a time: the one that follows the one that is shown. If it comes
// late, it is shown when it comes, and none is passed over.
type movie struct {
	*track
	k       *kit.Kit
	stage   *stage
	reel    *reel
	changed func() // it has begun or ceased to be an animation

	of      *animation.Animation // nil: nothing moves
	still   *image.RGBA          // its first frame, or what stands for it
	at      int                  // the frame on the stage
	want    int                  // the frame that was asked for
	next    *image.RGBA          // frame want, while it waits for its time
	due     bool                 // its time has come
	playing bool
	plays   int         // that have been shown to the end
	beat    *time.Timer // until want's time
	when    time.Time   // which is then
	turn    int         // grows when what was asked for before counts no more, nor do timers
	damaged bool        // a frame could not be decoded: it is a still picture

	controls, trouble []fyne.CanvasObject // of the row: what is there, and what is there if it is damaged
}

func newMovie(k *kit.Kit, s *stage, changed func()) *movie {
	m := &movie{k: k, stage: s, changed: changed}
	m.reel = newReel(k.Do, m.ready)
	m.track = newTrack(k, k.T("viewer.animate"), m.toggle, func(at int) {
		m.stop()
		m.seek(at)
	})
	m.controls = m.body.Objects
	m.trouble = []fyne.CanvasObject{
		kit.Box(kit.Icon("warning", k.P.Bad, 16), fyne.NewSize(16, 16)),
		kit.NewLine(k.T("viewer.damaged_movie"), theme.TextBody-1, k.P.Muted, fyne.TextStyle{}, 76),
	}
	return m
}

func (m *movie) close() {
	m.stop()
	m.reel.close()
}

// has tells whether something moves, or would if it were not damaged.
func (m *movie) has() bool { return m.of != nil }

// take takes what the stage shows now.
func (m *movie) take(k loaded) {
	if m.of == k.moves && (m.of == nil || m.still == k.pixels) {
		return
	}
	m.stop()
	had := m.has()
	m.of, m.still, m.at, m.want, m.plays, m.damaged = k.moves, k.pixels, 0, 0, 0, false
	m.turn++
	m.reel.rest()
	m.body.Objects = m.controls
	if m.has() {
		m.to(0, m.of.Len())
		m.autoplay()
	}
	if had != m.has() {
		m.changed()
		m.body.Refresh() // the slider has taken its colours before it had its place
	}
}

// rest stops it and lets go of what was decoded. The frame on the stage stays.
func (m *movie) rest() {
	m.stop()
	m.want = m.at
	m.reel.rest()
}

// autoplay plays it, unless the user wants no animations.
func (m *movie) autoplay() {
	if m.has() && fyne.CurrentApp().Settings().ShowAnimations() {
		m.start()
	}
}

func (m *movie) toggle() {
	if m.playing {
		m.stop()
	} else {
		m.start()
	}
}

// start plays from the frame that is shown on; if it has been played to its end, from the first.
func (m *movie) start() {
	if !m.has() || m.damaged || m.playing {
		return
	}
	m.playing = true
	m.turn++
	m.setPlaying(true)
	m.when = time.Now()
	if m.atEnd() && m.of.Plays() > 0 && m.plays >= m.of.Plays() {
		m.plays = 0
		m.when = m.when.Add(-m.of.Delay(m.at)) // at once
	}
	m.follow()
}

// atEnd tells whether the last frame is shown.
func (m *movie) atEnd() bool { return m.at == m.of.Len()-1 }

func (m *movie) stop() {
	if !m.playing {
		return
	}
	m.playing, m.due, m.next, m.want = false, false, nil, m.at
	m.turn++
	m.beat.Stop()
	m.setPlaying(false)
	m.stage.frame(m.stage.pixels, false)
}

// follow asks for the frame after the one that is shown, and sets its time.
func (m *movie) follow() {
	m.next, m.due = nil, false
	m.want = (m.at + 1) % m.of.Len()
	m.reel.ask(m.of, m.want, m.turn)
	now := time.Now()
	if m.when = m.when.Add(m.of.Delay(m.at)); m.when.Before(now) {
		m.when = now // it is late: the frames after it must not hurry
	}
	turn, want := m.turn, m.want
	m.beat = time.AfterFunc(m.when.Sub(now), func() {
		m.k.Do(func() {
			if turn == m.turn && want == m.want {
				m.due = true
				m.advance()
			}
		})
	})
}

// advance shows the frame whose time has come, if it is there.
func (m *movie) advance() {
	if !m.due || m.next == nil {
		return
	}
	m.show(m.want, m.next)
	if m.atEnd() {
		m.plays++
		if m.of.Plays() > 0 && m.plays >= m.of.Plays() {
			m.stop()
			return
		}
	}
	m.follow()
}

// seek shows a frame. If that takes long, frames on the way are shown.
func (m *movie) seek(at int) {
	if !m.has() || m.damaged {
		return
	}
	m.want = min(max(at, 0), m.of.Len()-1)
	if m.slider.Value != float64(m.want+1) {
		m.slider.Value = float64(m.want + 1)
		m.slider.Refresh()
	}
	m.reel.ask(m.of, m.want, m.turn)
}

// step shows the frame so many after the one that was asked for last.
func (m *movie) step(by int) {
	if !m.has() {
		return
	}
	m.stop()
	n := m.of.Len()
	m.seek((m.want + by + n) % n)
}

// ready takes a frame that was decoded.
func (m *movie) ready(f movieFrame) {
	switch {
	case f.turn != m.turn:
	case f.err != nil:
		m.fail()
	case m.playing:
		if f.at == m.want {
			m.next = f.pixels
			m.advance()
		}
	default:
		m.show(f.at, f.pixels)
	}
}

// show shows a frame. The slider stays where the user drags it.
func (m *movie) show(at int, pixels *image.RGBA) {
	m.at = at
	m.stage.frame(pixels, m.playing)
	if at == m.want {
		m.to(at, m.of.Len())
	} else {
		m.tell(at, m.of.Len())
	}
}

// fail makes it a still picture.
func (m *movie) fail() {
	m.stop()
	m.turn++
	m.damaged, m.at, m.want = true, 0, 0
	m.stage.frame(m.still, false)
	m.body.Objects = m.trouble
	m.body.Refresh()
}

// settled tells whether the frame that was asked for is shown, and nothing moves.
func (m *movie) settled() bool { return !m.playing && (!m.has() || m.at == m.want) }

// Animate plays the animation that is shown, or stops it.
func (v *View) Animate() { v.movie.toggle() }

// Playing tells whether an animation or versions are being played.
func (v *View) Playing() bool { return v.movie.playing || v.versions.playing }

// StepFrame shows the next frame of the animation, or the one before.
func (v *View) StepFrame(by int) { v.movie.step(by) }

// Pause stops what plays, as when something else is shown in the viewer's place.
func (v *View) Pause() {
	v.versions.stop()
	v.movie.stop()
}

// Frame is the frame of an animation that is shown, which of how many, from 1; nil and 0 if
// nothing moves.
func (v *View) Frame() (m *image.RGBA, at, of int) {
	if !v.movie.has() || v.blank {
		return nil, 0, 0
	}
	return v.stage.pixels, v.movie.at + 1, v.movie.of.Len()
}

// FrameOf is the frame that is shown, if it is one of an image's animation; else nil.
func (v *View) FrameOf(id string) image.Image {
	if m, _, _ := v.Frame(); m != nil && v.shown.ImageID == id {
		return m
	}
	return nil
}

// moves tells whether the row of frames has its place.
func (v *View) moves() bool { return v.movie.has() && !v.full }
