package viewer

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Few and Many are the minimum and maximum number of images to compare.
const (
	Few  = 2
	Many = 4
)

// A Mode is a way to compare images.
type Mode int

// The modes. Flicker alternates between the images in one place. Difference highlights
// the differences between two images.
const (
	SideBySide Mode = iota
	Flicker
	Difference
)

// flickerEvery is how long each image is shown in Flicker mode.
const flickerEvery = 700 * time.Millisecond

// CompareActions are called when the user does something in the comparison. They are
// called on the UI goroutine and must not block.
type CompareActions struct {
	Close      func()
	Open       func(id string) // shows one image in the viewer
	Menu       func(id string, at fyne.Position)
	Fullscreen func()
	Rate       func(ids []string, rating int) // nil: there are no stars
	Rates      func(id string) bool           // reports whether an image can be rated; nil: each can
	Moved      func()                         // another side is the current one; may be nil
	// Differences calls told on the UI goroutine with what is different between two plots, in words, unless that is
	// not known. May be nil.
	Differences func(before, after string, told func(text string))
}

var _ fyne.Widget = (*Compare)(nil)

// A Compare shows two to four images, all at the same zoom and place.
//
// # Goroutines
//
// It belongs to the UI goroutine. Each Open starts a goroutine that decodes the images;
// it ends when they are decoded or in Close.
type Compare struct {
	widget.BaseWidget
	k     *kit.Kit
	lib   Library
	act   CompareActions
	ctx   context.Context //nolint:containedctx // the life of the readers; Close ends it
	end   context.CancelFunc
	tasks sync.WaitGroup

	panes   []*pane
	opened  int // counts calls of Open and Stop; results for an earlier count are dropped
	seen    uint64
	reading int // captions that are being read again
	mode    Mode
	front   int // index of the current pane: the one to which keys apply, and that Flicker mode shows
	beat    *time.Timer
	diff    *stage
	unlike  int // number of pixels that differ
	between head
	foot    *kit.Para // what is different in code and values

	bar     fyne.CanvasObject
	back    *kit.Button
	modes   [3]*kit.Button
	texts   float32 // the width of the bar with the texts of these
	percent *kit.Button
	full    bool
	habits  Habits
}

// A pane shows one of the images.
type pane struct {
	id    string
	stage *stage
	head  head
	foot  fyne.CanvasObject // stars
	stars *kit.Stars
	done  bool
	im    library.Image
	err   error
	card  *fyne.Container // of a figure that has no picture
}

// NewCompare returns an empty comparison. The caller must call Close.
func NewCompare(k *kit.Kit, lib Library, act CompareActions) *Compare {
	ctx, end := context.WithCancel(context.Background())
	c := &Compare{k: k, lib: lib, act: act, ctx: ctx, end: end, diff: newStage(k)}
	c.diff.changed = c.zoomed
	c.between = c.newHead()
	c.foot = kit.NewPara("", theme.TextCaption, k.P.Muted, fyne.TextStyle{}).Most(mostFoot)
	c.makeBar()
	c.ExtendBaseWidget(c)
	return c
}

// Open compares two to four images. It ignores any beyond Many.
func (c *Compare) Open(ids []string) {
	ids = ids[:min(len(ids), Many)]
	c.opened++
	turn := c.opened
	c.panes = nil
	c.diff.set(nil, false)
	for _, id := range ids {
		c.panes = append(c.panes, c.newPane(id))
	}
	c.front = 0
	c.enlarges()
	c.modes[Difference].SetEnabled(len(ids) == 2)
	c.foot.Set("")
	if len(ids) == 2 && c.act.Differences != nil {
		c.act.Differences(ids[0], ids[1], func(text string) {
			if turn == c.opened {
				c.foot.Set(text)
				c.Refresh()
			}
		})
	}
	c.SetMode(SideBySide)
	c.tasks.Go(func() {
		var read []loadedImage
		for i, id := range ids {
			k := decode(c.ctx, c.lib, id)
			if c.ctx.Err() != nil {
				return
			}
			read = append(read, k)
			m, n := compute(read)
			c.k.Do(func() {
				if turn == c.opened {
					c.diff.set(m, false)
					c.unlike = n
					c.got(i, k)
				}
			})
		}
	})
}

// A head is the caption above a picture.
type head struct {
	root            fyne.CanvasObject
	caption, detail *kit.Line
}

func (c *Compare) newHead(right ...fyne.CanvasObject) head {
	k := c.k
	h := head{
		caption: kit.NewLine("", theme.TextBody, k.P.Text, fyne.TextStyle{Bold: true}, 40),
		detail:  kit.NewLine("", theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 40),
	}
	ground := canvas.NewRectangle(k.P.Panel)
	h.root = &fyne.Container{Objects: append([]fyne.CanvasObject{ground, h.caption, h.detail}, right...), Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			kit.Place(h.caption, 12, 3, s.Width-52, 20)
			kit.Place(h.detail, 12, 22, s.Width-52, 16)
			for _, o := range right {
				kit.Place(o, s.Width-34, (s.Height-24)/2, 24, 24)
			}
		},
	}}
	return h
}

func (c *Compare) newPane(id string) *pane {
	k := c.k
	p := &pane{id: id, stage: newStage(k)}
	p.head = c.newHead(k.Button(kit.Ghost, "external", "", k.T("compare.open"), func() { c.act.Open(id) }).Small())
	p.stage.shifted = func() { c.syncPanes(p.stage) }
	p.stage.changed = c.zoomed
	p.stage.wheel = func(bool) { c.Swap() }
	p.stage.touched = func() { c.SetCurrent(id) }
	p.foot = c.newFoot(p)
	if c.act.Rates != nil && !c.act.Rates(id) {
		p.stars.Hide()
	}
	p.stage.secondary = func(at fyne.Position) { c.act.Menu(id, at) }
	return p
}

// got shows a decoded image in its pane.
func (c *Compare) got(i int, k loadedImage) {
	p := c.panes[i]
	p.done, p.im, p.err = true, k.im, k.err
	c.describe(p)
	if k.err != nil {
		p.head.detail.Set(c.k.T("viewer.unreadable"), c.k.P.Bad)
	}
	if p.err == nil {
		p.card = newFigure(c.k, k.im, false)
	}
	p.stage.set(k.pixels, false)
	c.tell()
	c.Refresh()
}

// syncPanes shows the same part in all stages as in s. It does nothing while Shift is
// pressed, so that the user can move one image alone.
func (c *Compare) syncPanes(s *stage) {
	if kit.Modifiers()&fyne.KeyModifierShift != 0 {
		return
	}
	for _, p := range c.panes {
		if p.stage != s {
			p.stage.as(s)
		}
	}
	if s != c.diff && c.diff.pixels != nil {
		c.diff.as(s)
	}
}

// stageNow returns the stage that keys and buttons act on.
func (c *Compare) stageNow() *stage {
	switch {
	case c.mode == Difference && c.diff.pixels != nil:
		return c.diff
	case len(c.panes) == 0:
		return c.diff
	default:
		return c.panes[c.front].stage
	}
}

func (c *Compare) zoomed() {
	c.percent.SetText(fmt.Sprintf("%d %%", int(math.Round(c.stageNow().current()*100))))
}

// Mode returns how the images are compared.
func (c *Compare) Mode() Mode { return c.mode }

// SetMode changes how the images are compared.
func (c *Compare) SetMode(w Mode) {
	if w == Difference && len(c.panes) != 2 {
		return
	}
	c.mode = w
	for i, b := range c.modes {
		b.SetOn(Mode(i) == w)
	}
	c.stopBeat()
	if w == Flicker {
		c.startBeat()
	}
	c.tell()
	c.Refresh()
}

func (c *Compare) startBeat() {
	turn := c.opened
	c.beat = time.AfterFunc(flickerEvery, func() {
		c.k.Do(func() {
			if c.beat != nil && turn == c.opened && c.mode == Flicker {
				c.Swap()
				c.startBeat()
			}
		})
	})
}

func (c *Compare) stopBeat() {
	if c.beat != nil {
		c.beat.Stop()
		c.beat = nil
	}
}

// Stop releases the pictures.
func (c *Compare) Stop() {
	c.stopBeat()
	c.opened++
	c.panes = nil
	c.diff.set(nil, false)
}

// Close stops decoding and waits for its goroutines.
func (c *Compare) Close() {
	c.Stop()
	c.end()
	c.tasks.Wait()
}

// Settled reports whether all images have been decoded.
func (c *Compare) Settled() bool {
	if c.reading > 0 {
		return false
	}
	for _, p := range c.panes {
		if !p.done {
			return false
		}
	}
	return true
}

// IDs returns the ids of the compared images.
func (c *Compare) IDs() (ids []string) {
	for _, p := range c.panes {
		ids = append(ids, p.id)
	}
	return ids
}

// Fit fits the pictures.
func (c *Compare) Fit() { c.stageNow().toFit() }

// Actual shows the pictures at 100 %.
func (c *Compare) Actual() { s := c.stageNow(); s.zoomTo(1, s.middle()) }

// Larger zooms in by one step.
func (c *Compare) Larger() { s := c.stageNow(); s.zoomTo(s.current()*zoomStep, s.middle()) }

// Smaller zooms out by one step.
func (c *Compare) Smaller() { s := c.stageNow(); s.zoomTo(s.current()/zoomStep, s.middle()) }

// Toggle switches between fitted and 100 %.
func (c *Compare) Toggle() { c.stageNow().toggle() }

// Blink switches between Flicker and SideBySide.
func (c *Compare) Blink() {
	if c.mode == Flicker {
		c.SetMode(SideBySide)
		return
	}
	c.SetMode(Flicker)
}

// Key handles a key. It reports whether the comparison uses the key.
func (c *Compare) Key(name fyne.KeyName) bool {
	const step = 60
	s := c.stageNow()
	if c.stepKey(name) {
		return true
	}
	//exhaustive:ignore
	switch name {
	case fyne.KeyLeft:
		s.pan(step, 0)
	case fyne.KeyRight:
		s.pan(-step, 0)
	case fyne.KeyUp:
		s.pan(0, step)
	case fyne.KeyDown:
		s.pan(0, -step)
	case fyne.KeySpace:
		if c.mode == Flicker {
			c.stopBeat() // from now on the user alternates by hand
			c.Swap()
			return true
		}
		c.Toggle()
	case fyne.KeyEscape, fyne.KeyReturn, fyne.KeyEnter:
		c.act.Close()
	default:
		return false
	}
	return true
}
