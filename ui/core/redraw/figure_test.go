package redraw

import (
	"context"
	"errors"
	"strings"
	"testing"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/figurestore"
	"easel/ui/core/figurestore/sealed"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// A store has one stored figure, or says why not.
type store struct {
	unstored error
	drawn    []inspect.FigureRequest
	asks     []bool // whether the user may be asked
	values   int    // how often it was asked for values
}

func (s *store) Stored(context.Context, library.Image) error { return s.unstored }

func (s *store) Draw(_ context.Context, _ library.Image, q inspect.FigureRequest, ask bool) (inspect.DrawnFigure, []string, error) {
	s.drawn, s.asks = append(s.drawn, q), append(s.asks, ask)
	return inspect.DrawnFigure{Data: pngOf(640, 480), DPI: 100}, nil, s.unstored
}

func (s *store) Values(context.Context, library.Image, []string) ([]byte, error) {
	s.values++
	return []byte("values"), s.unstored
}

// TestAPartOfAnEndedKernelsFigure is drawn from the stored figure, and nobody is asked for it.
func TestAPartOfAnEndedKernelsFigure(t *testing.T) {
	for what, c := range map[string]struct {
		kernel, unstored error
		drawn            bool
		why              Reason
	}{
		"the kernel has it":       {},
		"the kernel has ended":    {jupyter.ErrNotFound, nil, true, ""},
		"the kernel is busy":      {jupyter.ErrKernelBusy, nil, true, ""},
		"newer ones are there":    {&inspect.NoFigureError{Reason: inspect.FigureOld}, nil, true, ""},
		"code must not run":       {jupyter.ErrNotFound, oversight.ErrUnasked, true, Denied},
		"it is not stored":        {jupyter.ErrNotFound, &figurestore.UnstoredError{Why: "large"}, true, Ended},
		"another Easel stored it": {jupyter.ErrNotFound, sealed.ErrForeign, true, Foreign},
	} {
		b, s := &bench{drawn: inspect.DrawnFigure{Data: pngOf(640, 480), DPI: 100}, refused: c.kernel}, &store{unstored: c.unstored}
		d := &Redrawer{Kernels: b, Engines: b, Library: b, Figures: s}
		p, err := d.RedrawPart(t.Context(), of("image/png"), Part{0, 0, 0.5, 0.5}, 4)
		if why(err) != c.why || (len(s.drawn) == 1) != c.drawn || err == nil && p.Figure != c.drawn {
			t.Errorf("%s: %v; drawn from the stored figure: %v", what, err, s.drawn)
		}
		for i, q := range s.drawn {
			if s.asks[i] || q.Scale != 4 || q.Part != [4]float64{0, 0, 0.5, 0.5} || q.Within != 0 {
				t.Errorf("%s: %+v; the user may be asked: %v", what, q, s.asks[i])
			}
		}
		raw, err := d.Values(t.Context(), of("image/png"))
		if why(err) != c.why || (s.values == 1) != c.drawn || c.drawn && err == nil && string(raw) != "values" {
			t.Errorf("%s: values %q, %v", what, raw, err)
		}
	}
}

// TestWhyOnlyCodeDrawsAgain: the reason names both the kernel and the stored figure.
func TestWhyOnlyCodeDrawsAgain(t *testing.T) {
	for what, c := range map[string]struct {
		unstored error
		way      string
		says     string
	}{
		"it is stored":       {nil, catalog.RedrawnStored, ""},
		"it is too large":    {&figurestore.UnstoredError{Why: "large"}, catalog.RedrawnByReplay, "has ended: the figure is not stored, because it is too large"},
		"it has a lock":      {&figurestore.UnstoredError{Why: "TypeError: cannot pickle '_thread.lock' object"}, catalog.RedrawnByReplay, "cannot pickle '_thread.lock'"},
		"another program's":  {&figurestore.UnstoredError{Why: figurestore.OfOthers}, catalog.RedrawnByReplay, "its own kernels"},
		"it was not taken":   {&figurestore.UnstoredError{Why: figurestore.Absent}, catalog.RedrawnByReplay, "ended too early"},
		"another Easel's":    {sealed.ErrForeign, catalog.RedrawnByReplay, "not as this Easel has stored it"},
		"of another picture": {sealed.ErrOther, catalog.RedrawnByReplay, "another picture"},
	} {
		b := &bench{content: "Matplotlib version 3.10"}
		d := &Redrawer{Kernels: b, Engines: b, Library: b, Figures: &store{unstored: c.unstored}}
		way := d.Way(t.Context(), of("image/png"), true)
		said := ""
		if way.Why != nil {
			said = way.Why.Error()
		}
		if way.By != c.way || !strings.Contains(said, c.says) || (said == "") != (c.says == "") {
			t.Errorf("%s: %s, %q", what, way.By, said)
		}
		if unstored := new(figurestore.UnstoredError); errors.As(c.unstored, &unstored) && !errors.As(way.Why, &unstored) {
			t.Errorf("%s: the cause is lost", what)
		}
	}
}

// TestAFigureThatItsReaderMayNotRead is drawn in no other way, and the reason is said as it is.
func TestAFigureThatItsReaderMayNotRead(t *testing.T) {
	withdrawn := &oversight.WithdrawnError{Root: "/sales"}
	b, s := &bench{refused: &kernels.RefusedError{Err: withdrawn}}, &store{}
	d := &Redrawer{Kernels: b, Engines: b, Library: b, Figures: s}
	_, whole := d.Redraw(t.Context(), of("image/png", "image/svg+xml"), Request{Format: PNG, Stored: true})
	_, part := d.RedrawPart(t.Context(), of("image/png"), Part{0, 0, 0.5, 0.5}, 4)
	_, values := d.Values(t.Context(), of("image/png"))
	for what, err := range map[string]error{"the whole": whole, "a part": part, "its values": values} {
		if !errors.Is(err, withdrawn) || errors.As(err, new(*Error)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(s.drawn) > 0 || s.values > 0 {
		t.Error("the stored figure was used")
	}
}
