package e2e

import (
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
)

// screen returns a screenshot of the display. If EASEL_TEST_SHOTS names a directory, it is
// stored there.
func screen(t *testing.T, name string) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".png")
	if dir := os.Getenv("EASEL_TEST_SHOTS"); dir != "" {
		path = filepath.Join(dir, name+".png")
	}
	if out, err := exec.CommandContext(t.Context(), "import", "-window", "root", path).CombinedOutput(); err != nil {
		t.Fatalf("screenshot: %v\n%s", err, out)
	}
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	return img
}

// shades returns the number of pixels near each of the given colours. Scaling and colour
// conversion may change them slightly.
func shades(img image.Image, want ...color.RGBA) []int {
	near := func(a uint32, b uint8) bool {
		d := int(a>>8) - int(b)
		return -12 <= d && d <= 12
	}
	n := make([]int, len(want))
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			for i, w := range want {
				if near(r, w.R) && near(g, w.G) && near(bl, w.B) {
					n[i]++
				}
			}
		}
	}
	return n
}

// distinct returns the number of colours, up to a limit. A blank screen has one.
func distinct(img image.Image) int {
	seen := map[color.Color]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y && len(seen) < 1000; y += 2 {
		for x := b.Min.X; x < b.Max.X; x += 2 {
			seen[color.RGBAModel.Convert(img.At(x, y))] = true
		}
	}
	return len(seen)
}

// xdo runs xdotool.
func xdo(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "xdotool", args...).CombinedOutput(); err != nil {
		t.Fatalf("xdotool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// visible returns the id of the newest visible window of a process, or "".
func visible(t *testing.T, pid int) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "xdotool", "search", "--onlyvisible", "--pid", strconv.Itoa(pid)).Output()
	ids := strings.Fields(string(out))
	if err != nil || len(ids) == 0 { // xdotool fails if it finds none
		return ""
	}
	return ids[len(ids)-1]
}

// launchWindow starts Easel with its window and waits until the window shows something.
func launchWindow(t *testing.T, j *jupyter) (e *easel, window string) {
	t.Helper()
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e = launch(t, options{jupyter: j, window: true})
	eventually(t, "the window", func() bool {
		window = visible(t, e.Process.Pid)
		return window != ""
	})
	eventually(t, "the window's content", func() bool { return distinct(screen(t, "start")) > 8 })
	return e, window
}

// quit ends Easel with SIGTERM, and checks its exit code and its output.
func quit(t *testing.T, e *easel) {
	t.Helper()
	if code := e.stop(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	for _, bad := range []string{"Error in Fyne call thread", "panic:", "DATA RACE"} {
		if strings.Contains(e.out.String(), bad) {
			t.Errorf("its log has %q:\n%s", bad, e.out.String())
		}
	}
}

// Two colours that no theme contains.
var (
	magenta = color.RGBA{R: 0xd8, G: 0x10, B: 0xb4, A: 0xff}
	lime    = color.RGBA{R: 0x90, G: 0xe0, B: 0x20, A: 0xff}
)

const colouredPlot = `
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(6, 4), facecolor="#d810b4")
ax.set_position([0.25, 0.25, 0.5, 0.5])
ax.set_facecolor("#90e020")
ax.set_xticks([]); ax.set_yticks([])
plt.show()
`

// TestWindowShowsThePlot checks that a plot of the assistant appears on the screen, and remains
// there while the user clicks and types.
func TestWindowShowsThePlot(t *testing.T) {
	j := startJupyter(t)
	e, window := launchWindow(t, j)
	if n := shades(screen(t, "empty"), magenta, lime); n[0]+n[1] > 50 {
		t.Fatalf("the colours of the plot are there before it: %v", n)
	}
	session := e.call(t, "session_create", nil)["session_id"]
	ran := e.call(t, "execute_code", map[string]any{"session_id": session, "code": colouredPlot})
	if ran["status"] != "ok" {
		t.Fatal(ran)
	}
	small := 0 // pixels of the plot in the grid
	eventually(t, "the plot on the screen", func() bool {
		n := shades(screen(t, "plot"), magenta, lime)
		small = n[0]
		return n[0] > 500 && n[1] > 200
	})

	// The user opens the plot, goes back, clicks, scrolls, and resizes the window.
	xdo(t, "windowfocus", "--sync", window)
	xdo(t, "key", "--delay", "40", "Home", "Return")
	eventually(t, "the plot large after Return", func() bool { return shades(screen(t, "large"), magenta)[0] > 2*small })
	xdo(t, "key", "--delay", "40", "Escape")
	eventually(t, "the grid after Escape", func() bool { return shades(screen(t, "back"), magenta)[0] < 2*small })
	xdo(t, "mousemove", "--window", window, "400", "300", "click", "1", "click", "4", "click", "5")
	xdo(t, "windowsize", window, "900", "600")
	eventually(t, "the plot after all that", func() bool { return shades(screen(t, "after"), magenta)[0] > 300 })
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": "'still served'"})
	quit(t, e)
}

// TestWindowKeepsUpWithABurst draws many plots in a burst. The host must answer, and the newest
// plot must appear.
func TestWindowKeepsUpWithABurst(t *testing.T) {
	j := startJupyter(t)
	e, _ := launchWindow(t, j)
	session := e.call(t, "session_create", nil)["session_id"]
	e.call(t, "execute_code", map[string]any{
		"session_id": session, "images": "none",
		"code": "import matplotlib.pyplot as plt\nfor i in range(80):\n    plt.figure(figsize=(2, 2)); plt.plot([i]); plt.show()\n",
	})
	if r, _ := do(t, e.request(t, http.MethodGet, "/api/health", nil)); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": colouredPlot})
	eventually(t, "the newest plot on the screen", func() bool {
		n := shades(screen(t, "burst"), magenta, lime)
		return n[0] > 500 && n[1] > 200
	})
	quit(t, e)
}

// TestWindowClosedByItsUser checks that closing the window quits Easel if there is no tray.
func TestWindowClosedByItsUser(t *testing.T) {
	e, window := launchWindow(t, nil)
	// Close it through the window manager, unlike xdotool's windowkill.
	xdo(t, "windowfocus", "--sync", window)
	xdo(t, "key", "alt+F4")
	if code := e.end(t); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, e.out.String())
	}
}

// TestWindowOfTheFirstIsShownByASecondStart checks that a second start shows the first one's
// window and ends with exit code 0.
func TestWindowOfTheFirstIsShownByASecondStart(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e, window := launchWindow(t, nil)
	xdo(t, "windowminimize", "--sync", window)
	o := options{base: filepath.Dir(e.data), window: true}
	o.fill(t)
	second := start(t, o.env(t), binary(t))
	if code := second.end(t); code != 0 {
		t.Errorf("the second start ended with %d:\n%s", code, second.out.String())
	}
	eventually(t, "the first one's window", func() bool {
		return visible(t, e.Process.Pid) != ""
	})
	quit(t, e)
}
