package core_test

import (
	"bytes"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/eventbus"
	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core"
	"easel/ui/core/command"
	"easel/ui/core/facts/checks"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// marked draws red points of which many have one value, on a log axis and in the second of two axes.
const marked = `
import numpy as np, matplotlib.pyplot as plt
rng = np.random.default_rng(7)
fig, (first, ax) = plt.subplots(1, 2, figsize=(9, 4))
first.plot([1, 2], [3, 5])
x, y = rng.uniform(0, 9, 300), np.exp(rng.normal(2, 1, 300))
y[100:120] = 8.45
ax.scatter(x, y, s=20, color="#ff0000", linewidths=0)
ax.set_yscale("log")
h = display(fig, display_id="figure")
plt.close(fig)
`

// A findingsBench is an Easel with a real Jupyter, whose kernels keep their figures.
type findingsBench struct {
	t    *testing.T
	core *core.Core
	bus  *eventbus.Bus
	in   library.Session
}

func newFindingsBench(t *testing.T) *findingsBench {
	t.Helper()
	real, dir := jupytertest.Start(t), t.TempDir()
	t.Setenv("JUPYTER_RUNTIME_DIR", t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"access": "allow", "keep_their_figures": true, "local_servers": false}`), 0o600))
	b := &findingsBench{t: t, bus: eventbus.New()}
	var err error
	b.core, err = core.Open(t.Context(), core.Config{
		Options: settings.Options{DataDir: dir, JupyterURL: real.URL, JupyterToken: real.Token},
		Bus:     b.bus, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Window: state.WindowNone,
	})
	require.NoError(t, err)
	t.Cleanup(func() { closed(t, b.core) })
	b.core.Start(t.Context())
	awaitServers(t, b.core, core.ExternalServer)
	if b.in, err = b.core.Kernels.Create(t.Context(), kernels.NewSession{Server: core.ExternalServer, KernelName: "python3", Client: "test"}); err != nil {
		t.Fatal(err)
	}
	return b
}

// run runs code and returns the last plot that it drew, once its findings are known.
func (b *findingsBench) run(code string, want int) library.Image {
	b.t.Helper()
	x, err := b.core.Kernels.Execute(b.t.Context(), record.Request{SessionID: b.in.ID, Code: code, Caller: tool.Caller{Name: "test"}})
	require.NoError(b.t, err)
	select {
	case <-x.Done():
	case <-time.After(time.Minute):
		b.t.Fatal("did not end")
	}
	v, err := x.View(b.t.Context(), "")
	if err != nil || len(v.Images) == 0 {
		b.t.Fatalf("drew %d plots: %+v, %v", len(v.Images), v.Error, err)
	}
	return b.open(v.Images[len(v.Images)-1].ImageID, want)
}

// open waits until a plot has that many open findings.
func (b *findingsBench) open(id string, want int) (im library.Image) {
	b.t.Helper()
	changes := b.core.Library.Changes()
	for deadline := time.After(time.Minute); ; {
		seen := changes.Last()
		var err error
		if im, err = b.core.Library.Images.Image(b.t.Context(), id); err != nil {
			b.t.Fatal(err)
		}
		pending, err := b.core.Library.Images.Unexamined(b.t.Context(), 1)
		require.NoError(b.t, err)
		if im.Findings == want && len(pending) == 0 {
			return im
		}
		select {
		case <-changes.More(seen):
		case <-time.After(100 * time.Millisecond): // what was found without a change of the count is in no feed
		case <-deadline:
			b.t.Fatalf("%d findings are open, want %d; the plot has numbers: %t, and %+v", im.Findings, want, im.Facts != nil, b.findings(id))
		}
	}
}

func (b *findingsBench) findings(id string) []command.PlotFinding {
	b.t.Helper()
	list, err := command.FindingsOf.Ask(b.t.Context(), b.bus, id)
	require.NoError(b.t, err)
	return list
}

func (b *findingsBench) judge(id, key string, dismiss bool) {
	b.t.Helper()
	out, err := command.JudgeFinding.Ask(b.t.Context(), b.bus, command.JudgeFindingIn{ImageID: id, Key: key, Dismiss: dismiss})
	if err != nil || out.Edit.Seq == 0 {
		b.t.Fatalf("judged: %+v, %v", out, err)
	}
}

// TestLiveFindings draws a plot in a real kernel and follows its finding: where it is in the picture, the judgement
// that it is no problem, its undo, a later version of the figure, and the check that is turned off and on.
func TestLiveFindings(t *testing.T) {
	b := newFindingsBench(t)
	im := b.run(marked, 1)
	list := b.findings(im.ImageID)
	if len(list) != 1 || list[0].Check != checks.Repeats || list[0].Axes != 2 || list[0].Dismissed || list[0].English == list[0].Japanese {
		t.Fatalf("got %+v", list)
	}
	b.checkPlaces(im, list[0].Where)

	b.judge(im.ImageID, list[0].Key, true)
	im = b.open(im.ImageID, 0)
	if again := b.findings(im.ImageID); len(again) != 1 || !again[0].Dismissed {
		t.Errorf("judged: %+v", again)
	}
	b.told(im, "judged", "", "The user judged 1 of the findings to be no problem: Axes 2: 20 of 300 y values are exactly 8.45")

	later := b.run(`ax.set_title("later"); h.update(fig)`, 0)
	if later.Replaces == "" || !slices.Equal(later.Judged, []string{list[0].Key}) {
		t.Errorf("the later version replaces %q and has judged %q", later.Replaces, later.Judged)
	}
	if again := b.findings(later.ImageID); len(again) != 1 || !again[0].Dismissed {
		t.Errorf("the later version: %+v", again)
	}

	if _, err := command.Undo.Ask(t.Context(), b.bus, command.UndoIn{}); err != nil {
		t.Fatal(err)
	}
	b.open(im.ImageID, 1)
	b.told(b.open(later.ImageID, 1), "not judged", "20 of 300 y values are exactly 8.45", "next most frequent: 1× [x ")

	turn := func(on bool) {
		b.core.Store.Update(func(s *state.Snapshot) { s.Settings.PlotChecks = s.Settings.PlotChecks.With(checks.Repeats, on) })
	}
	turn(false)
	off := b.open(later.ImageID, 0)
	if list := b.findings(later.ImageID); len(list) != 0 {
		t.Errorf("turned off: %+v", list)
	}
	b.told(off, "turned off", "", "")
	turn(true)
	b.told(b.open(later.ImageID, 1), "turned on", "20 of 300", "20 of 300")
}

// checkPlaces checks that the regions are the red points of the picture.
func (b *findingsBench) checkPlaces(im library.Image, where []command.Region) {
	b.t.Helper()
	data, _, err := b.core.Library.Images.Read(b.t.Context(), im.ImageID)
	require.NoError(b.t, err)
	pic, err := png.Decode(bytes.NewReader(data))
	require.NoError(b.t, err)
	red := func(p image.Point) bool {
		r, g, blue, _ := pic.At(p.X, p.Y).RGBA()
		return r>>8 > 250 && g>>8 < 5 && blue>>8 < 5
	}
	if len(where) != 20 {
		b.t.Errorf("%d places", len(where))
	}
	if all := pic.Bounds(); red(image.Pt(all.Dx()*3/4, 2)) {
		b.t.Error("all of it is red")
	}
	for _, r := range where {
		if at := image.Pt(int(r.X0), int(r.Y0)); !r.IsPoint() || r.Y0 != where[0].Y0 || !red(at) {
			b.t.Errorf("no red point at %v", r)
		}
	}
}

// told checks what models are told of a plot: beside the picture, and when they ask for it.
func (b *findingsBench) told(im library.Image, when, beside, asked string) {
	b.t.Helper()
	ctx := tool.WithCaller(b.t.Context(), tool.Caller{Transport: tool.MCP, Name: "test"})
	const exactly = "exactly 8.45"
	out, err := catalog.GetImageResource.Ask(ctx, b.bus, catalog.GetImageResourceIn{ResourceURI: im.ResourceURI, MaxEdge: 200})
	if err != nil || !strings.Contains(out.Facts, asked) || asked == "" && strings.Contains(out.Facts, exactly) {
		b.t.Errorf("%s, asked: %q, %v", when, out.Facts, err)
	}
	info, err := catalog.GetPromptInfo.Ask(ctx, b.bus, catalog.GetPromptInfoIn{Path: im.ResourceURI})
	if err != nil || info.File.Facts != out.Facts {
		b.t.Errorf("%s: the code comes with %q, %v", when, info.File.Facts, err)
	}
	run, err := catalog.GetExecution.Ask(ctx, b.bus, catalog.GetExecutionIn{ExecutionID: im.ExecutionID})
	if err != nil || len(run.Images) == 0 {
		b.t.Fatalf("%s: %+v, %v", when, run, err)
	}
	i := slices.IndexFunc(run.Images, func(o catalog.Image) bool { return o.ImageID == im.ImageID })
	if i < 0 {
		b.t.Fatalf("%s: the result has %+v", when, run.Images)
	}
	if text := run.Images[i].Facts; !strings.Contains(text, beside) || beside == "" && strings.Contains(text, exactly) || strings.Contains(text, "judged") {
		b.t.Errorf("%s, beside the picture: %q", when, text)
	}
}
