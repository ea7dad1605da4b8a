package kernels

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
)

//go:embed figure.py
var figureSource string

// mostFigure is the largest size of a redrawn figure that a kernel sends, in bytes.
const mostFigure = 32 << 20

// A FigureRequest says how a kernel draws a figure again.
type FigureRequest struct {
	Hashes        []string // SHA-256 of each form of the displayed picture, in hexadecimal
	Format        string   // png, jpeg, svg or pdf
	Width, Height float64  // of the picture, in inches; 0: as displayed
	DPI           float64  // 0: as displayed
	Scale         float64  // of DPI; 0: 1
	Theme         string   // light or dark; "": as displayed
	Roomy         bool     // a figure for which the size has too little room is laid out for a larger one, and drawn smaller
	Looking       bool     // the user only looks at the plot, so a session that is not joined stays so
	Within        float64  // seconds; a figure that took longer when it was displayed is not drawn; 0: any
}

// A DrawnFigure is a figure that a kernel has drawn again.
type DrawnFigure struct {
	Data          []byte
	Width, Height float64 // in inches; 0 for a raster picture as displayed
	DPI           float64 // pixels per inch
	Seconds       float64 // that drawing took when it was displayed
	Crowded       bool    // the size has too little room: text is cut off, or axes are far smaller than before
}

// A NoFigureError says why a kernel cannot draw a figure again.
type NoFigureError struct{ Reason NoFigure }

// A NoFigure is why a kernel has no figure to draw again.
type NoFigure string

// The reasons.
const (
	FigureUnknown NoFigure = "unknown" // the kernel has not drawn it, or has restarted since
	FigureOff     NoFigure = "off"     // the kernel keeps no figures
	FigureOld     NoFigure = "old"     // newer ones have taken its place
	FigureLarge   NoFigure = "large"   // it takes too much memory
	FigureChanged NoFigure = "changed" // the code changed it after it was displayed
	FigureFixed   NoFigure = "fixed"   // it cannot be copied, so its colours stay
	FigureSlow    NoFigure = "slow"    // drawing it takes too long to be done for the screen
	FigureAnswer  NoFigure = "answer"  // the new file is too large
)

func (e *NoFigureError) Error() string {
	return "the kernel has no figure to draw: " + string(e.Reason)
}

const (
	// settleTime is how long after the end of an execution its kernel may be busy.
	settleTime = 500 * time.Millisecond
	settlePoll = 10 * time.Millisecond
)

// runs reports whether the kernel executes code that has not ended.
func (r *recorder) runs() bool {
	r.mu.Lock()
	shown := r.shown
	r.mu.Unlock()
	if shown == nil {
		return false
	}
	r.m.mu.Lock()
	x := r.m.executions[shown.ExecutionID]
	r.m.mu.Unlock()
	if x == nil {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return !catalog.Ended(x.rec.Status)
}

// settled reports whether the kernel is idle. An execution ends with the kernel's reply, and
// the message that the kernel is idle follows. So if no code runs, settled waits for it.
func (r *recorder) settled(ctx context.Context) bool {
	for until := time.Now().Add(settleTime); ; {
		switch {
		case !r.busy():
			return true
		case r.runs() || time.Now().After(until):
			return false
		}
		select {
		case <-time.After(settlePoll):
		case <-ctx.Done():
			return false
		}
	}
}

// DrawFigure draws a figure of a session's kernel again. It changes nothing there. A busy
// kernel is jupyter.ErrKernelBusy; a figure that is not kept is a [*NoFigureError]. The kernel
// draws on if ctx ends before. A session that is not joined is joined, or with q.Looking, the
// error is ErrNotJoined.
func (m *Manager) DrawFigure(ctx context.Context, id string, q FigureRequest) (DrawnFigure, error) {
	find := m.joined
	if q.Looking {
		find = m.followed
	}
	r, err := find(ctx, id)
	if err != nil {
		return DrawnFigure{}, err
	}
	if !r.settled(ctx) { // rcParams are those of the whole process, so no other thread may draw
		return DrawnFigure{}, jupyter.ErrKernelBusy
	}
	hashes, err := json.Marshal(q.Hashes)
	if err != nil {
		return DrawnFigure{}, err
	}
	call := fmt.Sprintf("draw(%s, %s, %g, %g, %g, %g, %s, %g, %s, %d)", hashes, quote(q.Format), q.Width, q.Height, q.DPI, q.Scale, quote(q.Theme), q.Within, pythonBool(q.Roomy), mostFigure)
	var answer struct {
		Missing NoFigure `json:"missing"`
		DrawnFigure
	}
	if err := r.evaluate(ctx, oversight.RedrawFigure, expression(variablesSource+figureSource, call), false, &answer); err != nil {
		return DrawnFigure{}, err
	}
	if answer.Missing == FigureOff && r.m.cfg.Figures != nil && r.m.cfg.Figures(r.managed) {
		answer.Missing = FigureUnknown // the kernel is new, or of another environment
		r.mu.Lock()
		r.keeps = keepingUnknown
		r.mu.Unlock()
		r.keepFigures()
	}
	if answer.Missing != "" {
		return DrawnFigure{}, &NoFigureError{answer.Missing}
	}
	return answer.DrawnFigure, nil
}

// hasFigure is how long FindFigure waits for the kernel.
const hasFigure = 2 * time.Second

// FindFigure returns a [*NoFigureError] if the kernel of a joined session does not keep a figure,
// and jupyter.ErrKernelBusy if it cannot say so now.
func (m *Manager) FindFigure(ctx context.Context, id string, hashes []string) error {
	ctx, cancel := context.WithTimeout(ctx, hasFigure)
	defer cancel()
	ctx = tool.WithCaller(ctx, tool.Caller{}) // a client that looks at a plot does not use its session
	r, err := m.followed(ctx, id)
	if err != nil {
		return err
	}
	if !r.settled(ctx) {
		return jupyter.ErrKernelBusy
	}
	raw, err := json.Marshal(hashes)
	if err != nil {
		return err
	}
	var answer struct {
		Missing NoFigure `json:"missing"`
	}
	if err := r.evaluate(ctx, oversight.RedrawFigure, expression(variablesSource+figureSource, "has("+string(raw)+")"), false, &answer); err != nil {
		return err
	}
	if answer.Missing != "" {
		return &NoFigureError{answer.Missing}
	}
	return nil
}

// KeepsFigures reports whether the kernel of a session runs, is to keep its figures, and has not
// been replaced since a time. It does not ask the kernel.
func (m *Manager) KeepsFigures(id string, since time.Time) bool {
	r := m.recorderOf(id)
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.keeps == keepingOn && r.phase != kernelGone && (r.sess.Replaced == nil || r.sess.Replaced.At.Before(since))
}

// quoteAll returns strings by name as a Python dictionary.
func quoteAll(m map[string]string) string {
	raw, _ := json.Marshal(m) // cannot fail for strings
	return string(raw)
}

// CheckFigures has every kernel keep its figures, or release them, as the settings say now.
func (m *Manager) CheckFigures() {
	m.mu.Lock()
	rs := make([]*recorder, 0, len(m.kernels))
	for _, r := range m.kernels {
		rs = append(rs, r)
	}
	m.mu.Unlock()
	for _, r := range rs {
		r.keepFigures()
	}
}

// A keeping is whether a kernel keeps its figures.
type keeping int

const (
	keepingUnknown keeping = iota
	keepingOff
	keepingOn
)

// keepsAtStart is whether a new kernel keeps its figures.
func (r *recorder) keepsAtStart() keeping {
	if r.managed {
		return keepingOn
	}
	return keepingOff
}

// restartedFigures notes that the kernel is a new process.
func (r *recorder) restartedFigures() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keeps = r.keepsAtStart()
}

// keepFigures has the kernel keep its figures or stop, unless it does so already. It does
// not wait for the kernel.
func (r *recorder) keepFigures() {
	if r.m.cfg.Figures == nil || !r.python() {
		return
	}
	r.m.task(func() {
		r.keepTurn.Lock()
		defer r.keepTurn.Unlock()
		want := keepingOff
		if r.m.cfg.Figures(r.managed) {
			want = keepingOn
		}
		r.mu.Lock()
		same := r.keeps == want
		r.keeps = want
		r.mu.Unlock()
		if same {
			return
		}
		ctx := r.m.ctx
		call := "switch(" + quoteAll(r.m.cfg.FigureKeeper) + ", " + pythonBool(want == keepingOn) + ")"
		err := r.evaluate(ctx, oversight.KeepFigures, expression(variablesSource+figureSource, call), true, new(bool))
		if errors.Is(err, jupyter.ErrKernelBusy) { // it has no subshells
			err = r.evaluate(ctx, oversight.KeepFigures, expression(variablesSource+figureSource, call), false, new(bool))
		}
		if err != nil && ctx.Err() == nil {
			r.log.Info("telling a kernel whether to keep figures", "err", err)
		}
	})
}

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
