package viewer

import (
	"image"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/picture/animation"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A movie plays the animation that a stage shows, and has the controls below it.
//
// It requests one frame at a time: the one after the frame that is shown. A frame that comes
// late is shown when it comes. No frame is skipped.
type movie struct {
	*track
	k       *kit.Kit
	stage   *stage
	reel    *reel
	changed func() // called when the row appears or disappears

	of      *animation.Animation // nil for a still picture
	still   *image.RGBA          // the first frame
	at      int                  // the frame on the stage
	want    int                  // the requested frame
	next    *image.RGBA          // the requested frame, until its time
	due     bool                 // the time of the requested frame has come
	playing bool
	plays   int         // complete turns
	beat    *time.Timer // fires at when
	when    time.Time   // the time of the requested frame
	turn    int         // increases when earlier requests and timers no longer count
	damaged bool        // a frame could not be decoded
	once    bool        // it plays one turn, even if it repeats

	controls, trouble []fyne.CanvasObject // the row's objects, normally and if damaged
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

// has reports whether the stage shows an animation, even if it is damaged.
func (m *movie) has() bool { return m.of != nil }

// take is called when the stage shows another image.
func (m *movie) take(k loadedImage) {
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
		m.body.Refresh() // the slider takes its colours when it is first laid out
	}
}

// rest stops playing and frees the decoded frames. The stage keeps its frame.
func (m *movie) rest() {
	m.stop()
	m.want = m.at
	m.reel.rest()
}

// autoplay starts playing, unless animations are disabled in Fyne's settings.
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

// start plays from the current frame, or from the first if all turns have been played.
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

// atEnd reports whether the last frame is shown.
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

// follow requests the next frame and sets its time.
func (m *movie) follow() {
	m.next, m.due = nil, false
	m.want = (m.at + 1) % m.of.Len()
	m.reel.ask(m.of, m.want, m.turn)
	now := time.Now()
	if m.when = m.when.Add(m.of.Delay(m.at)); m.when.Before(now) {
		m.when = now // after a delay, the next frames are not shown faster
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

// advance shows the requested frame if it is decoded and its time has come.
func (m *movie) advance() {
	if !m.due || m.next == nil {
		return
	}
	m.show(m.want, m.next)
	if m.atEnd() {
		m.plays++
		if m.once || m.of.Plays() > 0 && m.plays >= m.of.Plays() {
			m.stop()
			return
		}
	}
	m.follow()
}

// seek requests a frame. Frames that were requested before it may still be shown.
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

// step goes by frames forward or, if negative, back.
func (m *movie) step(by int) {
	if !m.has() {
		return
	}
	m.stop()
	n := m.of.Len()
	m.seek((m.want + by + n) % n)
}

// ready is called with each decoded frame.
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

// show shows a frame. It does not move the slider away from the requested frame.
func (m *movie) show(at int, pixels *image.RGBA) {
	m.at = at
	m.stage.frame(pixels, m.playing)
	if at == m.want {
		m.to(at, m.of.Len())
	} else {
		m.tell(at, m.of.Len())
	}
}

// fail shows the first frame and a message instead of the controls.
func (m *movie) fail() {
	m.stop()
	m.turn++
	m.damaged, m.at, m.want = true, 0, 0
	m.stage.frame(m.still, false)
	m.body.Objects = m.trouble
	m.body.Refresh()
}

// settled reports whether the requested frame is shown and nothing plays.
func (m *movie) settled() bool { return !m.playing && (!m.has() || m.at == m.want) }

// Animate plays or pauses the animation.
func (v *View) Animate() { v.movie.toggle() }

// Playing reports whether an animation or the versions of a figure are playing.
func (v *View) Playing() bool { return v.movie.playing || v.versions.playing }

// StepFrame pauses the animation and goes by frames forward or, if negative, back.
func (v *View) StepFrame(by int) { v.movie.step(by) }

// Pause stops playing, for example when another view covers the viewer.
func (v *View) Pause() {
	v.versions.stop()
	v.movie.stop()
}

// Frame returns the frame of the animation that is shown, its number from 1, and the number
// of frames. It returns zero values for a still picture.
func (v *View) Frame() (m *image.RGBA, at, of int) {
	if !v.movie.has() || v.blank {
		return nil, 0, 0
	}
	return v.stage.pixels, v.movie.at + 1, v.movie.of.Len()
}

// FrameOf returns the frame that is shown if it belongs to the image id; otherwise nil.
func (v *View) FrameOf(id string) image.Image {
	if m, _, _ := v.Frame(); m != nil && v.shown.ImageID == id {
		return m
	}
	return nil
}

// moves reports whether the row of frames is displayed.
func (v *View) moves() bool { return v.movie.has() && !v.full }
