package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
)

// animation makes an animation, writes every frame as Pillow reads it, and displays it.
const animation = `
import base64
import numpy as np
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation, PillowWriter
from PIL import Image
from IPython.display import display

folder = %q
fig, ax = plt.subplots(figsize=(3.2, 2.4), dpi=100)
line, = ax.plot([], [])
ax.set_xlim(0, 6.3); ax.set_ylim(-1, 1)
def update(i):
    x = np.linspace(0, 6.3, 200)
    line.set_data(x, np.sin(x + i / 2))
    ax.set_title(f"t = {i}")
    return line,
FuncAnimation(fig, update, frames=12).save(f"{folder}/movie.gif", writer=PillowWriter(fps=5))
plt.close(fig)
im = Image.open(f"{folder}/movie.gif")
for i in range(im.n_frames):
    im.seek(i)
    im.convert("RGB").save(f"{folder}/{i + 1}.png")
display({"image/gif": base64.b64encode(open(f"{folder}/movie.gif", "rb").read()).decode()}, raw=True)
`

const animationFrames = 12

// A projection is a window that shows an animation.
type projection struct {
	*hand
	socket, folder string
}

// shown is the viewer's picture as the window claims it, and whether nothing moves.
func (p *projection) shown() (x claimed, steady bool) {
	p.t.Helper()
	c := claimAt(p.t, p.socket)
	for _, x := range c.Pictures {
		if x.Place == "viewer" {
			return x, c.Settled
		}
	}
	return claimed{}, false
}

// paused waits until nothing moves and the screen has the frame that the window claims,
// pixel for pixel; it gives its number.
func (p *projection) paused(what string) (at int) {
	p.t.Helper()
	wrong := ""
	if !p.within(func() bool {
		x, steady := p.shown()
		if at = x.Frame; !steady || at == 0 {
			wrong = "it does not settle"
			return false
		}
		wrong = p.differs(x)
		return wrong == ""
	}) {
		screen(p.t, "movie-failed")
		p.t.Fatalf("%s, frame %d: %s", what, at, wrong)
	}
	return at
}

// differs tells where the screen differs from the frame that Pillow read.
func (p *projection) differs(x claimed) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.folder, fmt.Sprintf("%d.png", x.Frame)))
	require.NoError(p.t, err)
	m, err := png.Decode(bytes.NewReader(data))
	require.NoError(p.t, err)
	b := m.Bounds()
	corner := image.Pt(int(math.Round(x.Rect[0])), int(math.Round(x.Rect[1]))).Add(p.at)
	if w, h := int(math.Round(x.Rect[2])), int(math.Round(x.Rect[3])); w != b.Dx() || h != b.Dy() {
		return fmt.Sprintf("it is shown with %d×%d pixels", w, h)
	}
	for y := range b.Dy() {
		for x := range b.Dx() {
			want := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) //nolint:forcetypeassert // the model's own type
			if got := p.fb.at(corner.X+x, corner.Y+y); !within(1, got, want) {
				return fmt.Sprintf("at %d, %d the screen has %v, want %v", x, y, got, want)
			}
		}
	}
	return ""
}

// TestWindowPlaysAnimations: what matplotlib wrote plays when it is opened, pauses,
// and goes to each frame by keys and by the slider; the screen has the frames as Pillow reads
// them.
func TestWindowPlaysAnimations(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	base, folder := t.TempDir(), t.TempDir()
	socket := filepath.Join(base, "inspect")
	e := launch(t, options{base: base, window: true, bright: true, jupyter: startJupyter(t), inspect: socket})
	h := newHand(t, e)
	session := e.call(t, "session_create", nil)["session_id"]
	ran := e.call(t, "execute_code", map[string]any{"session_id": session, "code": fmt.Sprintf(animation, folder), "wait": 50})
	if ran["status"] != "ok" {
		t.Fatal(ran)
	}
	h.until("the animation to be there", func() bool { return len(h.files()) == 1 })
	p := &projection{hand: h, socket: socket, folder: folder}
	play(t, p, h.files()[0]["image_id"])
	quit(t, e)
}

func play(t *testing.T, p *projection, id any) {
	t.Helper()
	p.e.call(t, "select_file", map[string]any{"path": id})
	p.until("the animation to be selected", func() bool { c := claimAt(t, p.socket); return c.Settled && c.Current == id })
	p.keys("Return")
	p.until("the animation", func() bool { x, _ := p.shown(); return x.ID == id })
	first, _ := p.shown()
	p.until("another frame", func() bool { x, _ := p.shown(); return x.Frame != first.Frame })
	p.keys("a")
	held := p.paused("paused")
	screen(t, "movie")
	p.keys("period")
	p.until("the next frame", func() bool { x, _ := p.shown(); return x.Frame == held%animationFrames+1 })
	p.paused("one step on")
	p.keys("comma", "comma")
	p.until("the frame before", func() bool { x, _ := p.shown(); return x.Frame == (held+animationFrames-2)%animationFrames+1 })
	p.paused("two steps back")
	// The slider is in the row under the picture, between the button and the number.
	x, _ := p.shown()
	row := int(x.Clip[1]+x.Clip[3]) + 19
	for _, part := range []float64{0.9, 0.1} {
		at := image.Pt(int(x.Clip[0])+58+int(part*(x.Clip[2]-58-105)), row)
		p.click(at)
		var last claimed
		var steady bool
		if !p.within(func() bool {
			last, steady = p.shown()
			return steady && math.Abs(float64(last.Frame-1)/(animationFrames-1)-part) < 0.1
		}) {
			screen(t, "movie-slider")
			t.Fatalf("a click at %v, for %.1f of the animation: it shows %+v, steady %v", at, part, last, steady)
		}
		p.paused("by the slider")
	}
	p.keys("a")
	last, _ := p.shown()
	p.until("it to go on", func() bool { x, _ := p.shown(); return x.Frame != last.Frame })
	p.keys("Escape")
	p.until("the gallery", func() bool { c := claimAt(t, p.socket); return c.Settled && c.Mode != "viewer" })
}

// TestWindowPausesAnimationsWhileMinimized: nobody sees them.
func TestWindowPausesAnimationsWhileMinimized(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	base, folder := t.TempDir(), t.TempDir()
	socket := filepath.Join(base, "inspect")
	e := launch(t, options{base: base, window: true, bright: true, inspect: socket})
	h := newHand(t, e)
	var g gif.GIF
	for i := range 3 {
		m := image.NewPaletted(image.Rect(0, 0, 60, 40), color.Palette{color.White, color.Black})
		m.SetColorIndex(i, 0, 1)
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &g))
	path := filepath.Join(folder, "movie.gif")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	e.call(t, "open_folder", map[string]any{"path": folder})
	h.until("the animation", func() bool { return len(h.files()) == 1 })
	e.call(t, "select_file", map[string]any{"path": path})
	h.until("the animation to be selected", func() bool { c := claimAt(t, socket); return c.Settled && c.Current != "" })
	h.keys("Return")
	plays := func() bool { c := claimAt(t, socket); return c.Mode == "viewer" && !c.Settled }
	h.until("the animation to play", plays)
	xdo(t, "windowminimize", h.window)
	h.until("it to pause", func() bool { return claimAt(t, socket).Settled })
	xdo(t, "windowmap", h.window)
	h.find()
	h.until("it to play again", func() bool {
		if !plays() {
			h.keys("a")
		}
		return plays()
	})
	quit(t, e)
}
