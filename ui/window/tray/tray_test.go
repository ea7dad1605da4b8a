//go:build linux || freebsd || openbsd || netbsd

package tray

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/assets"
	"easel/internal/require"
	"easel/ui/window/tray/traytest"
)

// onDesktop starts the app on a desktop with a tray and notifications.
func onDesktop(t *testing.T) (*child, *traytest.Desktop) {
	t.Helper()
	address := traytest.StartBus(t)
	d := traytest.NewDesktop(t, address)
	d.ShowTray(t, true)
	d.ShowNotes(t)
	c := start(t, address)
	c.available(true)
	return c, d
}

// label waits until the menu has a row with this label.
func label(t *testing.T, it traytest.Item, want string) {
	t.Helper()
	traytest.Eventually(t, "the label "+want, func() bool { return slices.Contains(it.Labels(t), want) })
}

func TestMenuInEnglishAndJapanese(t *testing.T) {
	c, d := onDesktop(t)
	it := d.Item(t)
	label(t, it, "Quit Easel")
	want := []string{
		"Easel is running – 127.0.0.1:5149", "No kernel yet", "-",
		"Show Easel", "Show latest plot", "Copy server URL", "-",
		"Interrupt running code", "Pause AI", "-",
		"Start at login", "Settings…", "Connect…", "-",
		"Quit Easel",
	}
	if diff := cmp.Diff(want, it.Labels(t)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	before := it.Rows(t)
	c.tell("japanese")
	want = []string{
		"Easel 実行中 – 127.0.0.1:5149", "カーネルはまだありません", "-",
		"Easel を表示", "最新のプロットを表示", "サーバーの URL をコピー", "-",
		"実行中のコードを中断", "AI を一時停止", "-",
		"ログイン時に起動", "設定…", "接続…", "-",
		"Easel を終了",
	}
	for _, l := range want { // the rows change in any order
		label(t, it, l)
	}
	if diff := cmp.Diff(want, it.Labels(t)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	for i, r := range it.Rows(t) {
		if r.ID != before[i].ID {
			t.Errorf("row %d was number %d and is %d: a click in an open menu would be lost", i, before[i].ID, r.ID)
		}
	}
	c.end()
}

func TestClicks(t *testing.T) {
	c, d := onDesktop(t)
	it := d.Item(t)
	label(t, it, "Quit Easel") // the last row
	if menu := it.Property(t, "ItemIsMenu"); menu != false {
		t.Error("the icon takes no tap: ItemIsMenu is", menu)
	}
	for _, dim := range []string{"Easel is", "No kernel", "Show latest", "Interrupt"} {
		traytest.Eventually(t, dim+" that cannot be clicked, as there is nothing for it to do", func() bool { return !it.Row(t, dim).Enabled })
	}
	it.Activate(t)
	c.want("show")
	it.Click(t, "Show Easel")
	c.want("show")
	it.Click(t, "Copy server")
	c.want("copied http://127.0.0.1:5149/mcp")
	it.Click(t, "Settings")
	c.want("settings")
	it.Click(t, "Connect")
	c.want("connect")
	c.tell("plot")
	traytest.Eventually(t, "a plot to show", func() bool { return it.Row(t, "Show latest").Enabled })
	it.Click(t, "Show latest")
	c.want("latest")
	c.tell("close")
	c.want("our close")
	it.Click(t, "Quit")
	c.want("quit")
	c.end()
}

func TestBrake(t *testing.T) {
	c, d := onDesktop(t)
	it := d.Item(t)
	label(t, it, "Quit Easel")
	id := it.Row(t, "Interrupt").ID
	c.tell("running")
	label(t, it, "2 kernels, 1 busy")
	// Each row changes by a message of its own.
	traytest.Eventually(t, "an end for what runs", func() bool { return it.Row(t, "Interrupt").Enabled })
	it.ClickID(t, id) // like a user who opened the menu earlier
	c.want("interrupt b")

	c.tell("both")
	label(t, it, "Interrupt all 2 sessions")
	last := it.Row(t, "Interrupt secret-b").ID
	it.Click(t, "Interrupt secret-a")
	c.want("interrupt a")
	if n := d.Note(t, 0); n.Title != "The code is still running" || strings.Contains(n.Title+n.Text, "secret") {
		t.Errorf("code that catches the interrupt is told as %+v", n)
	}
	c.tell("running") // one of the two ends
	label(t, it, "Interrupt secret-b.ipynb")
	traytest.Eventually(t, "one row for one session", func() bool {
		return !slices.ContainsFunc(it.Rows(t), func(r traytest.Row) bool { return r.ID == last })
	})
	if r := it.Row(t, "Interrupt"); r.ID != id || !r.Enabled {
		t.Errorf("the row of what runs: %+v", r)
	}

	if r := it.Row(t, "Pause"); !r.Checkable || r.Checked {
		t.Errorf("the pause: %+v", r)
	}
	it.Click(t, "Pause")
	traytest.Eventually(t, "the pause's mark", func() bool { return it.Row(t, "Pause").Checked })
	label(t, it, "2 kernels, 1 busy · AI paused, code still running")
	c.tell("paused")
	c.want("paused true")
	it.Click(t, "Pause")
	label(t, it, "2 kernels, 1 busy")
	c.tell("paused")
	c.want("paused false")
	c.end()
}

// argb returns the size and the pixels of a PNG, in the format of the bus.
func argb(t *testing.T, raw []byte) (image.Rectangle, []byte) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	var pix []byte
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, a := img.At(x, y).RGBA()
			pix = append(pix, byte(a), byte(r), byte(g), byte(bl))
		}
	}
	return b, pix
}

func TestIconOfEachState(t *testing.T) {
	c, d := onDesktop(t)
	it := d.Item(t)
	for _, state := range []struct {
		scene, line string
		icon        []byte
	}{
		{"idle", "2 kernels, 0 busy", assets.TrayIdle},
		{"running", "2 kernels, 1 busy", assets.TrayRunning},
		{"died", "1 kernel died", assets.TrayAttention},
		{"down", "Jupyter: does not answer", assets.TrayError},
		{"asked", "1 approval request", assets.TrayAttention},
		{"nothing", "No kernel yet", assets.TrayIdle},
	} {
		c.tell(state.scene)
		label(t, it, state.line)
		bounds, want := argb(t, state.icon)
		traytest.Eventually(t, "the icon of "+state.scene, func() bool {
			w, h, got := it.Icon(t)
			return w == bounds.Dx() && h == bounds.Dy() && bytes.Equal(got, want)
		})
	}
	c.end()
}

func TestTrayThatComesAndGoes(t *testing.T) {
	address := traytest.StartBus(t)
	d := traytest.NewDesktop(t, address)
	c := start(t, address)
	c.available(false)
	d.ShowTray(t, true)
	c.available(true)
	label(t, d.Item(t), "Quit Easel")
	d.HideTray(t)
	c.available(false)
	d.ShowTray(t, true) // as when a panel restarts
	c.available(true)
	d.Item(t).Activate(t)
	c.want("show")
	c.end()
}

func TestTrayThatNobodyDraws(t *testing.T) {
	address := traytest.StartBus(t)
	d := traytest.NewDesktop(t, address)
	d.ShowTray(t, false)
	c := start(t, address)
	d.Item(t) // the icon is registered but not visible
	c.available(false)
	c.end()
}

// TestHiddenWithoutATray checks that a hidden window is shown again when the tray has
// disappeared.
func TestHiddenWithoutATray(t *testing.T) {
	c, d := onDesktop(t)
	c.tell("told", "hidden")
	d.HideTray(t)
	c.want("show")
	c.end()
}

func TestNoBus(t *testing.T) {
	launched := filepath.Join(t.TempDir(), "launched")
	bin := t.TempDir()
	script := "#!/bin/sh\ntouch " + launched + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte(script), 0o700))
	for name, address := range map[string]string{
		"a bus that is gone":  "unix:path=" + filepath.Join(bin, "nothing"),
		"none and told so":    "disabled:",
		"a senseless address": "what:ever",
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, address, "PATH="+bin+":"+os.Getenv("PATH"))
			c.available(false)
			c.tell("running", "close")
			c.want("our close")
			c.end()
			if _, err := os.Stat(launched); err == nil {
				t.Error("a stray bus was launched")
			}
		})
	}
}

func TestNotifications(t *testing.T) {
	c, d := onDesktop(t)
	c.tell("hidden")
	first := d.Note(t, 0)
	if first.App != "Easel" || first.Title != "Easel is still running" {
		t.Errorf("the first hide: %+v", first)
	}
	traytest.Eventually(t, "that it was told", func() bool {
		c.tell("told?")
		return c.line() == "told? true"
	})
	for range 40 {
		c.tell("failed")
	}
	burst := d.Note(t, 1)
	traytest.Eventually(t, "all are told", func() bool { // by one notification, however slow this machine is
		burst = d.Notes()[len(d.Notes())-1]
		return burst.Title == "40 runs failed"
	})
	for _, n := range d.Notes()[2:] {
		if n.ID != d.Notes()[1].ID {
			t.Errorf("a second one stands beside the first: %+v", d.Notes())
		}
	}
	c.tell("asked", "died", "finished")
	traytest.Eventually(t, "a question is told soon", func() bool {
		n := d.Notes()[len(d.Notes())-1]
		return n.ID == burst.ID && n.Title == "A question waits for your answer" && n.Text == "A kernel died · 40 runs failed · A long run has finished"
	})
	d.ClickNote(t, burst.ID)
	c.want("show")
	c.tell("looking")
	traytest.Eventually(t, "it is withdrawn", func() bool { return slices.Contains(d.Closed(), burst.ID) })
	for _, n := range d.Notes() {
		if strings.Contains(n.Title+n.Text, "secret") {
			t.Errorf("a notification tells what is the user's: %+v", n)
		}
	}
	c.end()
}

// TestDoNotDisturb: while the user does not want to be disturbed, nothing is sent; then, what is still unseen.
func TestDoNotDisturb(t *testing.T) {
	c, d := onDesktop(t)
	d.Disturb(t, false)
	before := d.Asked()
	c.tell("told", "hidden", "asked")
	traytest.Eventually(t, "it is asked whether the user wants to be disturbed", func() bool { return d.Asked() > before })
	c.tell("asked") // the next thing that happens to it
	traytest.Eventually(t, "it is asked again", func() bool { return d.Asked() > before+1 })
	if got := d.Notes(); len(got) > 0 {
		t.Errorf("it disturbs: %+v", got)
	}
	d.Disturb(t, true)
	if n := d.Note(t, 0); n.Title != "2 questions wait for your answer" || len(n.Actions) == 0 {
		t.Errorf("got %+v", n)
	}
	c.end()
}

// TestTheTitleOfAPlotIsData: it is never markup, and stays out if that is unknown.
func TestTheTitleOfAPlotIsData(t *testing.T) {
	const words = "Open Easel to see more."
	for name, c := range map[string]struct {
		setting string
		can     func(*traytest.Desktop)
		want    string
	}{
		"not wanted": {"told", func(d *traytest.Desktop) { d.Can() }, words},
		"unknown":    {"titles", func(*traytest.Desktop) {}, words},
		"plain text": {"titles", func(d *traytest.Desktop) { d.Can() }, words + "\n" + `Newest plot: <a href="x">R&D</a>`},
		"markup": {
			"titles", func(d *traytest.Desktop) { d.Can("body-markup") },
			words + "\n" + `Newest plot: &lt;a href="x"&gt;R&amp;D&lt;/a&gt;`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c0, d := onDesktop(t)
			c.can(d)
			c0.tell("told", c.setting, "hidden", "drawn")
			if n := d.Note(t, 0); n.Title != "A long run has finished" || n.Text != c.want {
				t.Errorf("got %q, %q", n.Title, n.Text)
			}
			c0.end()
		})
	}
}
