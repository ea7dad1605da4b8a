package vlconvert

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/render"
)

// A trap is a server that must not be called, and a red picture that must not be read.
type trap struct {
	url    string
	file   string
	called atomic.Int64
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	tr := &trap{url: "http://" + l.Addr().String(), file: filepath.Join(t.TempDir(), "red.png")}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			tr.called.Add(1)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
		if n := tr.called.Load(); n > 0 {
			t.Errorf("%d connections were made", n)
		}
	})
	m := image.NewRGBA(image.Rect(0, 0, 50, 50))
	for i := range m.Pix {
		m.Pix[i] = []uint8{255, 0, 0, 255}[i%4]
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	require.NoError(t, os.WriteFile(tr.file, b.Bytes(), 0o600))
	return tr
}

func (tr *trap) fill(text string) string {
	return strings.NewReplacer("$URL", tr.url, "$FILE", tr.file).Replace(text)
}

func TestLiveDataIsNotLoaded(t *testing.T) {
	e, tr := newEngine(t, nil), newTrap(t)
	for name, c := range map[string]struct{ mime, spec, want string }{
		"a file":          {liteType, `{"data":{"url":"file:///etc/passwd","format":{"type":"csv"}},"mark":"bar"}`, "it loads data from file:///etc/passwd"},
		"in capitals":     {liteType, `{"data":{"url":"FILE:///etc/passwd"},"mark":"bar"}`, "FILE:///etc/passwd"},
		"a path":          {liteType, `{"data":{"url":"/etc/passwd"},"mark":"bar"}`, "it loads data from /etc/passwd"},
		"a server":        {liteType, `{"data":{"url":"$URL/a.json"},"mark":"bar"}`, "$URL/a.json"},
		"deep inside":     {liteType, `{"hconcat":[{"layer":[{"data":{"url":"$URL"},"mark":"bar"}]}]}`, "$URL"},
		"for a lookup":    {liteType, `{"transform":[{"lookup":"a","from":{"data":{"url":"$URL"},"key":"a","fields":["b"]}}],"mark":"bar"}`, "$URL"},
		"Vega":            {vegaType, `{"data":[{"name":"t","url":"$URL"}],"marks":[]}`, "$URL"},
		"within a group":  {vegaType, `{"marks":[{"type":"group","data":[{"name":"t","url":"file:///etc/passwd"}]}]}`, "file:///etc/passwd"},
		"by a signal":     {vegaType, `{"signals":[{"name":"u","value":"$URL/b"}],"data":[{"name":"t","url":{"signal":"u"}}],"marks":[]}`, "$URL/b"},
		"a file likewise": {vegaType, `{"signals":[{"name":"u","value":"FILE:///etc/passwd"}],"data":[{"name":"t","url":{"signal":"u"}}],"marks":[]}`, "FILE:///etc/passwd"},
	} {
		p, err := e.Draw(t.Context(), figure(c.mime, tr.fill(c.spec)))
		refused, ok := errors.AsType[*render.RefusedError](err)
		if !ok || !strings.Contains(refused.Reason, tr.fill(c.want)) || !strings.Contains(refused.Reason, "must be in the chart") {
			t.Errorf("%s: %q, %v", name, p.Blocked, err)
		}
	}
	// A chart with inline data is drawn without the other data.
	p, _ := draw(t, e, figure(liteType, tr.fill(`{"layer":[{"data":{"values":[{"a":1}]},"mark":"point","encoding":{"x":{"field":"a","type":"quantitative"}}},
		{"data":{"url":"$URL/world.json","format":{"type":"topojson","feature":"land"}},"mark":"geoshape"}]}`)))
	if !slices.Equal(p.Blocked, []string{tr.url + "/world.json"}) {
		t.Errorf("blocked %q", p.Blocked)
	}
}

func TestLivePicturesAreNotLoaded(t *testing.T) {
	e, tr := newEngine(t, nil), newTrap(t)
	const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x="http://www.w3.org/1999/xlink" width="50" height="50"`
	image := `<image xlink:href="$FILE" width="50" height="50"/>`
	nested := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(tr.fill(head+`>`+image+`</svg>`)))
	for name, c := range map[string]struct{ svg, want string }{
		"a file":              {head + `>` + image + `</svg>`, "$FILE"},
		"by its address":      {head + `><image href="file://$FILE" width="50" height="50"/></svg>`, "file://$FILE"},
		"another prefix":      {head + `><image x:href=" $FILE " width="50" height="50"/></svg>`, "$FILE"},
		"in a filter":         {head + `><filter id="f"><feImage href="$FILE"/></filter><rect filter="url(#f)" width="50" height="50"/></svg>`, "$FILE"},
		"by an entity":        {`<!DOCTYPE svg [<!ENTITY f "$FILE">]>` + head + `><image href="&f;" width="50" height="50"/></svg>`, "$FILE"},
		"by a default":        {`<!DOCTYPE svg [<!ATTLIST image href CDATA "$FILE">]>` + head + `><image width="50" height="50"/></svg>`, "$FILE"},
		"by characters":       {head + `><image href="` + numbers(tr.file) + `" width="50" height="50"/></svg>`, "$FILE"},
		"a server":            {head + `><image href="$URL/a.png" width="50" height="50"/></svg>`, "$URL/a.png"},
		"elsewhere":           {head + `><use href="$URL/a.svg#b"/></svg>`, "$URL/a.svg#b"},
		"a script":            {head + `><script href="$URL/a.js"/></svg>`, "$URL/a.js"},
		"a link":              {head + `><a href="$URL"><rect width="9" height="9"/></a></svg>`, ""},
		"in an inner picture": {head + `><image href="` + nested + `" width="50" height="50"/></svg>`, ""},
		"a style":             {`<?xml-stylesheet href="$URL/a.css"?>` + head + `><style>@import url($URL/b.css); @font-face { font-family: f; src: url($URL/c.ttf) } rect { fill: url($URL/d.svg#e) }</style><rect width="9" height="9"/><text font-family="f">Hi</text></svg>`, ""},
		"an outer entity":     {`<!DOCTYPE svg SYSTEM "$URL/a.dtd" [<!ENTITY f SYSTEM "file:///etc/passwd">]>` + head + `><text y="20">&f;</text></svg>`, ""},
		"a base":              {head + ` xml:base="$URL/"><image href="a.png" width="50" height="50"/></svg>`, "a.png"},
	} {
		p, err := e.Draw(t.Context(), figure(svgType, tr.fill(c.svg)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := tr.fill(c.want); want != "" && (len(p.Blocked) == 0 || p.Blocked[0] != want) || want == "" && len(p.Blocked) > 0 {
			t.Errorf("%s: blocked %q, want %q", name, p.Blocked, want)
		}
		if m, err := png.Decode(bytes.NewReader(p.PNG)); err != nil || red(m) {
			t.Errorf("%s: the file was drawn, %v", name, err)
		}
	}
	for _, url := range []string{"file://" + tr.file, tr.file, tr.url + "/a.png"} {
		p, m := draw(t, e, figure(vegaType, `{"width":50,"height":50,"marks":[{"type":"image","encode":{"enter":{"url":{"value":"`+url+`"},"width":{"value":50},"height":{"value":50}}}}]}`))
		if len(p.Blocked) != 1 || red(m) {
			t.Errorf("%s in Vega: blocked %q", url, p.Blocked)
		}
	}
}

// numbers returns text as XML character references.
func numbers(text string) (all string) {
	for _, c := range text {
		all += fmt.Sprintf("&#%d;", c)
	}
	return all
}

func red(m image.Image) bool {
	for c := range colours(m) {
		if r, g, b, a := c.RGBA(); r > 0xf000 && g < 0x1000 && b < 0x1000 && a > 0xf000 {
			return true
		}
	}
	return false
}

// TestLiveConfined tries what python/confine.py forbids.
func TestLiveConfined(t *testing.T) {
	python := jupytertest.Python(t)
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	tr := newTrap(t)
	const attempts = `
import os, socket, subprocess, sys
sys.path.insert(0, sys.argv[1])
import confine
allowed, secret, url = sys.argv[2:5]
held = confine.confine([allowed])
print("held", *held)
def attempt(name, f):
    try:
        f()
        print(name, "worked")
    except OSError as e:
        print(name, "failed")
attempt("fonts", lambda: os.listdir(allowed))
attempt("python", lambda: open(os.__file__).read())
attempt("secret", lambda: open(secret).read())
attempt("passwd", lambda: open("/etc/passwd").read())
attempt("environ", lambda: open(f"/proc/{os.getppid()}/environ").read())
attempt("write", lambda: open(allowed + "/x", "w"))
attempt("socket", lambda: socket.socket())
attempt("connect", lambda: socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))))
attempt("run", lambda: subprocess.run(["/bin/true"], check=True))
`
	cmd := exec.CommandContext(t.Context(), python, "-I", "-B", "-c", attempts, "python", t.TempDir(), tr.file, tr.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	held, lines, _ := strings.Cut(string(out), "\n")
	for _, a := range []struct{ name, by string }{
		{"fonts", ""},
		{"python", ""},
		{"secret", "landlock"},
		{"passwd", "landlock"},
		{"environ", "landlock"},
		{"write", "landlock"},
		{"socket", "seccomp"},
		{"connect", "seccomp"},
		{"run", "seccomp"},
	} {
		want := a.name + " failed\n"
		if a.by == "" {
			want = a.name + " worked\n"
		} else if !strings.Contains(held, a.by) {
			t.Logf("this kernel has no %s", a.by)
			continue
		}
		if !strings.Contains("\n"+lines, "\n"+want) {
			t.Errorf("want %sin\n%s", want, lines)
		}
	}
}
