package browser

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"easel/ui/core/picture/axes"
	"easel/ui/core/render"
)

const (
	calmLimit = 5 * time.Second        // timeout for a page to become calm
	pause     = 100 * time.Millisecond // between pictures of a blank page, and memory checks
	look      = 10 * time.Millisecond  // between checks of a page's pending requests

	defaultWidth  = 960 // of the viewport, in CSS pixels
	defaultHeight = 720
	margin        = 8    // around the content of a page, in CSS pixels
	maxEdge       = 8192 // of a picture, in device pixels, and of a page, in CSS pixels
	maxScale      = 8
	maxPixels     = 32_000_000 // of a picture
	maxFrames     = 20         // frames of a page that must be calm
)

// A drawing is a figure that is drawn in a tab.
type drawing struct {
	s       session
	figure  *figure
	request render.Request
	scale   float64
	calm    time.Duration // timeout for the page to become calm
	grow    float64       // render.Picture.Grow
	part    *box          // of the page, in the last picture; nil: the viewport
	shrink  float64       // by what the last picture was scaled down because it would be too large; 0 or 1: not at all
}

// drawIn draws a figure in a tab, which must hold the figure's stage.
func drawIn(ctx context.Context, t *tab, r render.Request, f *figure, calm time.Duration) (pic render.Picture, err error) {
	err = t.use(ctx, f, func(s session) error {
		d := &drawing{s: s, figure: f, request: r, scale: max(1, min(r.Scale, maxScale)), calm: calm}
		pic, err = d.draw()
		return err
	})
	return pic, err
}

func (d *drawing) draw() (pic render.Picture, err error) {
	if err := d.fit(); err != nil {
		return pic, err
	}
	show := d.load
	if d.figure.page.Stage.Body != nil {
		show = d.stage
	}
	if err := show(); err != nil {
		return pic, err
	}
	if pic.PNG, err = d.settled(); err != nil {
		return pic, err
	}
	if d.shrink > 0 && d.shrink < 1 && d.scale > 1 && d.figure.page.Stage.Body == nil {
		// Its canvases may be larger than the browser can draw on, and more than the picture shows.
		if pic.PNG, err = d.coarser(); err != nil {
			return pic, err
		}
	}
	size, err := png.DecodeConfig(bytes.NewReader(pic.PNG))
	if err != nil {
		return pic, &render.RefusedError{Reason: "the browser's picture of it cannot be read: " + err.Error()}
	}
	pic.Width, pic.Height = size.Width, size.Height
	pic.Blocked, pic.Grow = d.figure.refused(), d.grow
	if blank(pic.PNG) {
		return render.Picture{}, d.isBlank()
	}
	pic.PNG = d.described(pic)
	if pic.Title, err = evaluate[string](d.s, titleScript, 0); err != nil && d.s.ctx.Err() != nil {
		return render.Picture{}, err
	}
	return pic, nil
}

// fit sets the size of the viewport.
func (d *drawing) fit() error {
	width, height := d.request.Width, d.request.Height
	if width <= 0 {
		width = defaultWidth
	}
	if height <= 0 {
		height = max(defaultHeight, width*3/4)
	}
	width, height = min(width, maxEdge), min(height, maxEdge)
	return do(d.s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: int64(height), DeviceScaleFactor: d.scale,
	})
}

// described returns the picture with a description of its axes, if the figure's page says where they are. A page of Bokeh may be
// hostile. What it says describes its own picture only, and is read as what a kernel says.
func (d *drawing) described(pic render.Picture) []byte {
	if d.part == nil {
		return pic.PNG
	}
	script := bokehScript
	if d.figure.page.Own {
		script = "window.easelAxes ? easelAxes() : []"
	}
	found, err := evaluate[[]axes.DrawnAxes](d.s, script, 0)
	if err != nil {
		return pic.PNG
	}
	sx, sy := float64(pic.Width)/d.part.Width, float64(pic.Height)/d.part.Height
	for i := range found {
		b := &found[i].Box
		*b = [4]float64{(b[0] - d.part.X) * sx, (b[1] - d.part.Y) * sy, (b[2] - d.part.X) * sx, (b[3] - d.part.Y) * sy}
	}
	return axes.Add(pic.PNG, found)
}

// coarser draws a page again with no more device pixels than its picture has.
func (d *drawing) coarser() ([]byte, error) {
	d.scale = max(1, d.scale*d.shrink)
	if err := d.fit(); err != nil {
		return nil, err
	}
	if err := d.load(); err != nil {
		return nil, err
	}
	return d.settled()
}

// isBlank returns the error for a figure that shows nothing.
func (d *drawing) isBlank() error {
	reason := "it is blank"
	if blocked := d.figure.refused(); len(blocked) > 0 {
		reason += "; it asked for " + blocked[0]
		if n := len(blocked) - 1; n > 0 {
			reason += fmt.Sprintf(" and %d more", n)
		}
		reason += ", and figures get nothing from the network"
	}
	return &render.RefusedError{Reason: reason}
}

// load loads the figure's page. It waits for the page's load event, at most d.calm.
func (d *drawing) load() error {
	if _, err := call(d.s, devpage.Navigate, devpage.NavigateParams{URL: origin}); err != nil {
		return err
	}
	timer := time.NewTimer(d.calm)
	defer timer.Stop()
	select {
	case <-d.figure.loaded:
	case <-timer.C:
	case <-d.s.ctx.Done():
		return d.s.ctx.Err()
	}
	return nil
}

// stage draws the figure on its stage.
func (d *drawing) stage() error {
	answer, err := evaluate[any](d.s, string(d.figure.page.Draw), 0)
	d.grow, _ = answer.(float64)
	if thrown, ok := errors.AsType[*scriptError](err); ok {
		return &render.RefusedError{Reason: "its library says: " + thrown.text}
	}
	return err
}

// A scriptError is an exception in a script.
type scriptError struct{ text string }

func (e *scriptError) Error() string { return e.text }

// evaluate returns the value of an expression. If that is a promise, it waits for it. in is
// the world to evaluate it in; 0 is the page's own. An exception is a *scriptError.
func evaluate[T any](s session, expression string, in runtime.ExecutionContextID) (result T, err error) {
	data, err := s.request(s.ctx, string(s.id), runtime.Evaluate.Method, runtime.EvaluateParams{
		Expression: expression, ContextID: in, AwaitPromise: new(true), ReturnByValue: new(true),
	})
	if err != nil {
		return result, err
	}
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Thrown *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return result, err
	}
	if thrown := answer.Thrown; thrown != nil {
		text, _, _ := strings.Cut(cmp.Or(thrown.Exception.Description, thrown.Text), "\n")
		return result, &scriptError{strings.TrimPrefix(text, "Error: ")}
	}
	if len(answer.Result.Value) == 0 {
		return result, nil
	}
	return result, json.Unmarshal(answer.Result.Value, &result)
}
