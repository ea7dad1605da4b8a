package animation

import (
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// madeByPillow writes animations and, for each, the pixels of its frames as Pillow reads them.
const madeByPillow = `
import json, random, sys
import numpy as np
from PIL import Image, ImageDraw, ImageSequence
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation, PillowWriter

folder = sys.argv[1]
facts = {}

def note(name):
    im = Image.open(f"{folder}/{name}")
    frames = []
    for i in range(im.n_frames):
        im.seek(i)
        im.convert("RGBA").save(f"{folder}/{name}.{i}.rgba.png")
        frames.append(im.info.get("duration", 0))
    facts[name] = {"w": im.width, "h": im.height, "delays": frames}

fig, ax = plt.subplots(figsize=(3, 2), dpi=80)
line, = ax.plot([], [])
ax.set_xlim(0, 6.3); ax.set_ylim(-1, 1)
def update(i):
    x = np.linspace(0, 6.3, 100); line.set_data(x, np.sin(x + i / 3)); ax.set_title(f"t = {i}")
    return line,
FuncAnimation(fig, update, frames=12).save(f"{folder}/matplotlib.gif", writer=PillowWriter(fps=10))
note("matplotlib.gif")

def sprites(mode, n=9, size=(90, 60)):
    random.seed(3)
    out = []
    for i in range(n):
        back = (0, 0, 0, 0) if mode == "RGBA" else (240, 240, 250)
        im = Image.new(mode, size, back)
        d = ImageDraw.Draw(im)
        d.ellipse([5 + 7 * i, 10, 25 + 7 * i, 30], fill=(200, 40, 60, 255)[:len(mode)])
        d.rectangle([60 - 4 * i, 40, 80 - 4 * i, 50], fill=(20, 90, 200, 255)[:len(mode)])
        out.append(im)
    return out

for disposal in (0, 1, 2, 3):
    ims = sprites("RGBA")
    ims[0].save(f"{folder}/gif{disposal}.gif", save_all=True, append_images=ims[1:], duration=[30 + 10 * i for i in range(9)], loop=0, disposal=disposal)
    note(f"gif{disposal}.gif")
ims = sprites("RGB")
ims[0].save(f"{folder}/interlaced.gif", save_all=True, append_images=ims[1:], duration=50, loop=2, interlace=True)
note("interlaced.gif")
json.dump(facts, open(f"{folder}/facts.json", "w"))
`

// TestLiveFramesAreThoseOfPillow compares every frame of files that Pillow and matplotlib wrote
// with what Pillow reads: forward, backward, and in no order.
func TestLiveFramesAreThoseOfPillow(t *testing.T) {
	python := os.Getenv(jupytertest.PythonVariable)
	if python == "" {
		t.Skip(jupytertest.PythonVariable + " names no interpreter; make test sets it")
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), python, "-c", madeByPillow, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var facts map[string]struct {
		W, H   int
		Delays []float64
	}
	data, err := os.ReadFile(filepath.Join(dir, "facts.json"))
	require.NoError(t, err)
	if err := json.Unmarshal(data, &facts); err != nil || len(facts) == 0 {
		t.Fatal(len(facts), err)
	}
	for name, want := range facts {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			a, err := Open(data)
			require.NoError(t, err)
			if a.Size() != image.Pt(want.W, want.H) || a.Len() != len(want.Delays) {
				t.Fatalf("%v, %d frames, want %d×%d, %d", a.Size(), a.Len(), want.W, want.H, len(want.Delays))
			}
			var order []int
			for i := range a.Len() {
				order = append(order, i)
			}
			for i := range a.Len() {
				order = append(order, a.Len()-1-i, i*5%a.Len())
			}
			a.kept.most = 2 // nearly every step back composes anew
			for _, i := range order {
				if delay := time.Duration(want.Delays[i]) * time.Millisecond; a.Delay(i) != delay {
					t.Errorf("frame %d is shown for %v, want %v", i, a.Delay(i), delay)
				}
				m, err := a.Frame(t.Context(), i)
				require.NoError(t, err)
				same(t, m, readPNG(t, filepath.Join(dir, fmt.Sprintf("%s.%d.rgba.png", name, i))))
				if t.Failed() {
					t.Fatalf("frame %d of the order %v", i, order)
				}
			}
		})
	}
}
