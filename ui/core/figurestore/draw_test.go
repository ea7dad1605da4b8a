package figurestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/figurestore/sealed"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// A bench is a library with one figure, and a kernel that counts.
type bench struct {
	data    []byte // of the stored figure
	absent  error
	started int
	loaded  int // how often a kernel has loaded the figure
	ended   atomic.Int32
	asked   []oversight.Exemption // of the kernel
	why     string                // why it cannot load the figure
	onStart func()
	unknown int // how often no plot has the picture of a figure
	kept    map[string][]byte
	gone    string        // how the names of pictures begin that are not in the library; "" if all are
	keeps   chan struct{} // gets a value for each figure that is kept; may be nil
}

func (b *bench) ReadFigure(context.Context, library.Image) ([]byte, error) { return b.data, b.absent }

func (b *bench) KeepFigure(_ context.Context, sum string, data []byte) (int, error) {
	if b.gone != "" && strings.HasPrefix(sum, b.gone) {
		return 0, nil
	}
	if b.unknown > 0 {
		b.unknown--
		return 0, nil
	}
	b.kept[sum] = data
	if b.keeps != nil {
		b.keeps <- struct{}{}
	}
	return 1, nil
}

func (b *bench) Inquiry() inspect.Kernel { return b }

func (b *bench) End() { b.ended.Add(1) }

func (b *bench) Ask(ctx context.Context, why oversight.Exemption, q inspect.Question, into any) error {
	return b.Evaluate(ctx, why, q, false, into)
}

func (b *bench) Evaluate(_ context.Context, why oversight.Exemption, _ inspect.Question, _ bool, into any) error {
	b.asked = append(b.asked, why)
	if why == oversight.LoadFigure {
		b.loaded++
	}
	answer := fmt.Sprintf(`{"why": %q, "python": "3.12.3", "matplotlib": "3.12.0", "data": "UERG"}`, b.why)
	return decode(answer, into)
}

func (b *bench) Settled(context.Context) bool { return true }

// aPlot is a plot whose figure is stored, and what draws it.
func aPlot(t *testing.T) (*bench, *Drawer, *state.Store, library.Image) {
	t.Helper()
	key, err := sealed.LoadKey(filepath.Join(t.TempDir(), "key"))
	require.NoError(t, err)
	name := strings.Repeat("ab", 32)
	data, err := key.Seal(inspect.PickledFigure{
		Names: []string{name}, How: []byte("how"), Figure: []byte("figure"),
		FigureOrigin: inspect.FigureOrigin{Python: "3.12.3", Matplotlib: "3.11.0"},
	})
	require.NoError(t, err)
	b := &bench{data: data, kept: map[string][]byte{}}
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	store.Update(func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAllow })
	d := &Drawer{
		Images: b, Key: key, Gate: oversight.NewGate(store),
		Session: func(context.Context, string) (library.Session, error) { return library.Session{}, nil },
		Start: func(context.Context, library.Session, string) (Kernel, error) {
			b.started++
			if b.onStart != nil {
				b.onStart()
			}
			return b, nil
		},
	}
	return b, d, store, library.Image{Image: catalog.Image{SessionID: "s", ImageID: "one"}, ETag: name[:32]}
}

var request = inspect.FigureRequest{Hashes: []string{strings.Repeat("ab", 32)}, Format: "pdf"}

func TestAStoredFigureIsDrawn(t *testing.T) {
	b, d, _, im := aPlot(t)
	drawn, changes, err := d.Draw(t.Context(), im, request, true)
	d.ends.Wait()
	if err != nil || string(drawn.Data) != "PDF" || b.started != 1 || b.ended.Load() != 1 {
		t.Errorf("%q, %v; %d kernels started, %d ended", drawn.Data, err, b.started, b.ended.Load())
	}
	if want := []string{"matplotlib 3.12.0 instead of 3.11.0"}; !slices.Equal(changes, want) {
		t.Errorf("changes: %q", changes)
	}
	d.Linger = time.Hour
	for range 2 { // the second time, the kernel of the first draws
		if _, _, err := d.Draw(t.Context(), im, request, true); err != nil {
			t.Error(err)
		}
	}
	other := im
	other.ImageID = "other"
	b.loaded = 0
	if _, _, err := d.Draw(t.Context(), other, request, true); err != nil || b.started != 2 || b.loaded != 1 {
		t.Errorf("another plot of the session: %v; %d kernels were started, and it was loaded %d times", err, b.started, b.loaded)
	}
	other.SessionID = "t"
	if _, _, err := d.Draw(t.Context(), other, request, true); err != nil || b.started != 3 {
		t.Errorf("%v; %d kernels were started", err, b.started)
	}
	d.Allows = func(library.Session) bool { return false } // a kernel that waits does not draw then, either
	if _, _, err := d.Draw(t.Context(), other, request, true); !errors.Is(err, ErrProject) {
		t.Errorf("of a project that the user no longer allows: %v", err)
	}
	d.Allows = nil
	d.Close()
	if _, _, err := d.Draw(t.Context(), im, request, true); err != nil || b.started != 4 {
		t.Errorf("after the end: %v; %d kernels were started", err, b.started)
	}
}

func TestAKernelThatCannotLoadAFigureEnds(t *testing.T) {
	b, d, _, im := aPlot(t)
	b.why = "ModuleNotFoundError: No module named 'mine'"
	_, _, err := d.Draw(t.Context(), im, request, true)
	if !errors.As(err, new(*LoadError)) || b.ended.Load() != 1 {
		t.Fatalf("it cannot be loaded: %v; %d kernels ended", err, b.ended.Load())
	}
	if got, want := err.Error(), "its environment does not have the module 'mine' any more, and matplotlib 3.12.0 instead of 3.11.0"; got != want {
		t.Errorf("it says %q", got)
	}
}

// TestNothingRunsOfAFigureThatIsNotOurs: not even a kernel is started.
func TestNothingRunsOfAFigureThatIsNotOurs(t *testing.T) {
	for what, change := range map[string]func(b *bench, d *Drawer, im *library.Image){
		"one byte":        func(b *bench, _ *Drawer, _ *library.Image) { b.data[len(b.data)-1] ^= 1 },
		"another Easel":   func(_ *bench, d *Drawer, _ *library.Image) { _, other, _, _ := aPlot(t); d.Key = other.Key },
		"another picture": func(_ *bench, _ *Drawer, im *library.Image) { im.ETag = strings.Repeat("cd", 16) },
		"no key":          func(_ *bench, d *Drawer, _ *library.Image) { d.Key = sealed.Key{} },
		"a damaged file":  func(b *bench, _ *Drawer, _ *library.Image) { b.absent = library.ErrDamaged },
		"no figure":       func(b *bench, _ *Drawer, _ *library.Image) { b.absent = library.ErrNotFound },
		"only a reason": func(b *bench, d *Drawer, im *library.Image) {
			b.data, _ = d.Key.Seal(inspect.PickledFigure{Names: []string{strings.Repeat("ab", 32)}, Why: "slow"})
		},
	} {
		b, d, _, im := aPlot(t)
		change(b, d, &im)
		if _, _, err := d.Draw(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window}), im, request, true); err == nil || b.started != 0 {
			t.Errorf("%s: %v; %d kernels were started", what, err, b.started)
		}
		if err := d.Stored(t.Context(), im); err == nil {
			t.Errorf("%s: it counts as stored", what)
		}
	}
}

func TestAFigureIsLoadedOnlyIfCodeMayRunNow(t *testing.T) {
	user := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	for what, set := range map[string]func(s *state.Snapshot){
		"paused":    func(s *state.Snapshot) { s.Paused = true },
		"read only": func(s *state.Snapshot) { s.Settings.Access = oversight.AccessReadOnly },
		"ask first": func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAsk },
	} {
		b, d, store, im := aPlot(t)
		b.onStart = func() { store.Update(set) } // while the kernel starts
		if _, _, err := d.Draw(t.Context(), im, request, true); err == nil || len(b.asked) > 0 || b.ended.Load() != 1 {
			t.Errorf("%s while the kernel starts: %v; it was asked %v", what, err, b.asked)
		}
		b.started = 0
		if _, _, err := d.Draw(t.Context(), im, request, true); err == nil || b.started > 0 {
			t.Errorf("%s: %v; %d kernels were started", what, err, b.started)
		}
		if _, _, err := d.Draw(user, im, request, true); err != nil {
			t.Errorf("%s, by the user: %v", what, err)
		}
	}
	b, d, store, im := aPlot(t)
	store.Update(func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAsk })
	denied := errors.New("no")
	d.Ask = func(context.Context, library.Image) error { return denied }
	if _, _, err := d.Draw(t.Context(), im, request, true); !errors.Is(err, denied) || b.started > 0 {
		t.Errorf("denied: %v; %d kernels were started", err, b.started)
	}
	d.Ask = func(context.Context, library.Image) error { return nil }
	if _, _, err := d.Draw(t.Context(), im, request, false); !errors.Is(err, oversight.ErrUnasked) || b.started > 0 {
		t.Errorf("without a question: %v; %d kernels were started", err, b.started)
	}
	if _, _, err := d.Draw(t.Context(), im, request, true); err != nil {
		t.Errorf("approved: %v", err)
	}
	d.Ask = func(context.Context, library.Image) error {
		store.Update(func(s *state.Snapshot) { s.Settings.Access = oversight.AccessReadOnly })
		return nil
	}
	b.started = 0
	if _, _, err := d.Draw(t.Context(), im, request, true); !errors.Is(err, oversight.ErrReadOnly) {
		t.Errorf("read only after the approval: %v", err)
	}
}

var quiet = slog.New(slog.DiscardHandler)

func decode(text string, into any) error { return json.Unmarshal([]byte(text), into) }
