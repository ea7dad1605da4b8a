package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// testImage is the n-th image of a session.
func testImage(session string, n int) catalog.Image {
	id := fmt.Sprintf("img%04d", n)
	return catalog.Image{
		ResourceURI: "jupyter://sessions/" + session + "/images/" + id + ".png", ImageID: id,
		MIMEType: "image/png", Width: 32, Height: 16, Bytes: 99, Title: "Plot " + strconv.Itoa(n),
		Description: "matplotlib figure", Path: "/data/" + id + ".png", SessionID: session,
		CreatedAt: testTime, Rating: 3, Tags: []string{"a"},
	}
}

// noise returns an incompressible PNG of about n bytes. It generates each size once.
func noise(n int) []byte {
	noises.Lock()
	defer noises.Unlock()
	if b, ok := noises.of[n]; ok {
		return b
	}
	edge := 1
	for edge*edge*4 < n {
		edge++
	}
	m := image.NewNRGBA(image.Rect(0, 0, edge, edge))
	src := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(src.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	noises.of[n] = b.Bytes()
	return b.Bytes()
}

var noises = struct {
	sync.Mutex
	of map[int][]byte
}{of: make(map[int][]byte)}

const imageCount = 7 // in the fake library, all in session s1

func (r *rig) note(ctx context.Context) tool.Caller {
	c := tool.CallerFrom(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callers = append(r.callers, c)
	return c
}

// handle registers the fake bodies of tools and topics.
func (r *rig) handle() {
	b := r.bus
	catalog.SessionCreate.Handle(b, func(ctx context.Context, in catalog.SessionCreateIn) (catalog.SessionCreateOut, error) {
		r.note(ctx)
		if in.Name == "nope" {
			return catalog.SessionCreateOut{}, &tool.Error{Code: tool.KernelStartFailed, Detail: "There is no kernel “nope”.", Hint: "There are python3, ir."}
		}
		return catalog.SessionCreateOut{Result: catalog.OK, SessionID: "s1", KernelID: "k1", Status: "idle", CreatedAt: testTime, KernelName: in.Name, AtServer: catalog.AtServer{Server: "managed"}}, nil
	}, nil)
	catalog.SessionList.Handle(b, func(ctx context.Context, _ catalog.SessionListIn) (catalog.SessionListOut, error) {
		r.note(ctx)
		return catalog.SessionListOut{Result: catalog.OK, Sessions: []catalog.Session{}}, nil
	}, nil)
	catalog.SessionInterrupt.Handle(b, func(context.Context, catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
		panic("a bug with a secret in it")
	}, func(_ context.Context, in catalog.SessionInterruptIn) error {
		if in.SessionID == "never" {
			return tool.Errorf(tool.NotExecutable, "nothing runs there")
		}
		return nil
	})
	catalog.ExecuteCode.Handle(b, r.execute, nil)
	catalog.GetExecution.Handle(b, func(ctx context.Context, in catalog.GetExecutionIn) (catalog.Execution, error) {
		r.note(ctx)
		if in.ExecutionID != "e1" {
			return catalog.Execution{}, tool.Errorf(tool.ExecutionNotFound, "no execution has the id %q", in.ExecutionID)
		}
		return execution("ok"), nil
	}, nil)
	catalog.GetVariables.Handle(b, func(ctx context.Context, in catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
		r.note(ctx)
		if in.SessionID == "gone" {
			return catalog.GetVariablesOut{}, tool.Errorf(tool.KernelNotFound, "the session %q is unknown or its kernel has ended", in.SessionID)
		}
		return catalog.GetVariablesOut{Result: catalog.OK, Variables: []catalog.Variable{{Name: "x", Type: "int", Value: 1}}}, nil
	}, nil)
	catalog.ListSessionImages.Handle(b, func(ctx context.Context, in catalog.ListSessionImagesIn) (catalog.ListSessionImagesOut, error) {
		r.note(ctx)
		return catalog.ListSessionImagesOut{Result: catalog.OK, Images: []catalog.Image{testImage(in.SessionID, 1)}}, nil
	}, nil)
	catalog.GetImageResource.Handle(b, func(ctx context.Context, in catalog.GetImageResourceIn) (catalog.GetImageResourceOut, error) {
		c := r.note(ctx)
		got, err := readImage(catalog.ReadImageIn{URI: in.ResourceURI})
		out := catalog.GetImageResourceOut{Result: catalog.OK, Image: got.Image, Edge: in.MaxEdge}
		if c.Transport == tool.REST {
			out.Data, out.DataMIMEType = "QUJD", "image/png"
		}
		return out, err
	}, nil)
	catalog.ListImages.Handle(b, func(_ context.Context, in catalog.ListImagesIn) (catalog.ListImagesOut, error) {
		return listImages(in)
	}, nil)
	catalog.ReadPlotData.Handle(b, func(_ context.Context, uri string) (catalog.ReadPlotDataOut, error) {
		im := testImage("s1", 1)
		if !strings.Contains(uri, im.ImageID) {
			return catalog.ReadPlotDataOut{}, tool.Errorf(tool.NotExecutable, "nothing is stored of %q", uri)
		}
		return catalog.ReadPlotDataOut{Image: im, CSV: []byte("x,y\r\n1,2\r\n"), Sample: true}, nil
	}, nil)
	catalog.ReadImage.Handle(b, func(_ context.Context, in catalog.ReadImageIn) (catalog.ReadImageOut, error) {
		if r.figure != nil {
			return *r.figure, nil
		}
		return readImage(in)
	}, nil)
	catalog.ReadDocument.Handle(b, func(_ context.Context, d catalog.Document) (json.RawMessage, error) {
		return json.Marshal(map[string]any{"document": d})
	}, nil)
	catalog.Health.Handle(b, func(context.Context, struct{}) (catalog.HealthOut, error) {
		return catalog.HealthOut{Window: "none", Servers: []catalog.ServerHealth{{Name: "managed", State: "ready", Managed: true}}}, nil
	}, nil)
}

func execution(status string) catalog.Execution {
	return catalog.Execution{
		Outputs: []catalog.Output{},
		Result:  catalog.OK, ExecutionID: "e1", SessionID: "s1", Status: status, Code: "1+1",
		Stdout: "out\n", Images: []catalog.Image{}, CreatedAt: testTime,
	}
}

// execute understands a few words instead of Python.
func (r *rig) execute(ctx context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
	c := r.note(ctx)
	out := execution("ok")
	out.Code = in.Code
	word, rest, _ := strings.Cut(in.Code, " ")
	n, _ := strconv.Atoi(rest)
	switch word {
	case "hold":
		r.held <- c
		select {
		case <-r.hold:
		case <-c.Cancelled:
			out.Status = "cancelled"
		case <-ctx.Done():
			return out, fmt.Errorf("hold: %w", context.Cause(ctx))
		}
	case "start":
		c.Started("e1")
	case "replaced":
		out.SetKernelReplaced(&catalog.KernelReplaced{Generation: 2, By: rest, At: testTime})
	case "fail":
		fail(&out)
	case "plots", "links", "blind", "unlinked":
		draw(&out, n, word == "plots")
		out.Blind, out.Unlinked = word == "blind", word == "unlinked"
	case "failplots":
		fail(&out)
		draw(&out, n, true)
	case "printplots":
		out.Stdout = strings.Repeat("x", n)
		draw(&out, 1, true)
	case "print":
		out.Stdout = strings.Repeat("x", n)
	case "quotes":
		out.Stdout = strings.Repeat(`"`, n)
	case "echo":
		out.Stdout = rest
	case "open":
		c.Open()
		out.Stdout = rest
	case "say":
		if c.Progress != nil {
			c.Progress(tool.Progress{Done: 1, Message: rest})
		}
	case "progress":
		for i := range n {
			if c.Progress != nil {
				c.Progress(tool.Progress{Done: float64(i), Message: "line " + strconv.Itoa(i)})
			}
		}
	}
	if out.Stdout != "out\n" {
		out.Outputs = []catalog.Output{{Type: "stdout", Text: out.Stdout}}
	}
	return out, nil
}

func fail(x *catalog.Execution) {
	x.Status, x.Success = "error", false
	x.Error = &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "ZeroDivisionError", Message: "division by zero"}
}

func draw(x *catalog.Execution, n int, inline bool) {
	for i := range n {
		im := testImage(x.SessionID, i+1)
		x.Images = append(x.Images, im)
		if inline {
			x.Inline = append(x.Inline, im.ResourceURI)
		}
	}
}

func listImages(in catalog.ListImagesIn) (catalog.ListImagesOut, error) {
	from := 0
	if in.Cursor != "" {
		var err error
		if from, err = strconv.Atoi(in.Cursor); err != nil {
			return catalog.ListImagesOut{}, tool.Errorf(tool.Validation, "the cursor is not one of ours")
		}
	}
	limit := in.Limit
	if limit == 0 {
		limit = 3
	}
	out := catalog.ListImagesOut{Images: []catalog.ListedImage{}}
	for i := from; i < imageCount; i++ {
		im := testImage("s1", imageCount-i)
		if !strings.HasPrefix(im.ResourceURI, in.URIPrefix) {
			continue
		}
		if len(out.Images) == limit {
			out.NextCursor = strconv.Itoa(i)
			break
		}
		out.Images = append(out.Images, catalog.ListedImage{Image: im, Name: fmt.Sprintf("matplotlib output [%d]", (imageCount-i)%2)})
	}
	return out, nil
}

// readImage returns images of 300 kB, and previews of the largest size allowed.
func readImage(in catalog.ReadImageIn) (catalog.ReadImageOut, error) {
	for n := range imageCount {
		im := testImage("s1", n+1)
		if im.ResourceURI != in.URI {
			continue
		}
		size := 300_000
		if in.MaxBytes > 0 {
			size = min(size, in.MaxBytes*9/10)
		}
		return catalog.ReadImageOut{Image: im, MIMEType: "image/png", Data: noise(size), ETag: im.ImageID + "-" + strconv.Itoa(in.MaxEdge)}, nil
	}
	return catalog.ReadImageOut{}, tool.Errorf(tool.ImageNotFound, "no image has the URI %q", in.URI)
}
