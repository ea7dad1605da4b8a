package local

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"easel/jupyter"
)

// address is the address of the gateway. It is never resolved.
const address = "http://kernels.localhost"

// A Gateway offers the kernels of a [Finder] to a [jupyter.Server] in this process.
type Gateway struct {
	finder   *Finder
	log      *slog.Logger
	tuning   gatewayTimes
	server   *http.Server
	listener *listener
	ctx      context.Context //nolint:containedctx // from NewGateway to Close
	cancel   context.CancelFunc
	tasks    sync.WaitGroup

	mu    sync.Mutex
	known map[string]Kernel   // by id, as last found
	open  map[string]*channel // the newest connection to each kernel

	guests map[string]*Guest // by id
}

// gatewayTimes has the times of a gateway. Tests shorten them.
type gatewayTimes struct {
	answer   time.Duration // for a kernel's first answer
	idle     time.Duration // after an answer on control, for the one on shell of an idle kernel
	write    time.Duration // to write one message
	farewell time.Duration // for the last messages of a kernel that closes its sockets
}

func defaultTuning() gatewayTimes {
	return gatewayTimes{answer: 10 * time.Second, idle: 300 * time.Millisecond, write: 20 * time.Second, farewell: time.Second}
}

// NewGateway returns a gateway. Close it after use.
func NewGateway(finder *Finder, log *slog.Logger) *Gateway {
	g := &Gateway{
		finder: finder, log: log, tuning: defaultTuning(),
		listener: &listener{conns: make(chan net.Conn), done: make(chan struct{})},
		known:    make(map[string]Kernel), open: make(map[string]*channel), guests: make(map[string]*Guest),
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/kernels", g.list)
	mux.HandleFunc("GET /api/kernels/{id}", g.about)
	mux.HandleFunc("GET /api/kernels/{id}/channels", g.connect)
	mux.HandleFunc("POST /api/kernels/{id}/interrupt", g.interrupt)
	mux.HandleFunc("GET /api/kernelspecs", g.specs)
	g.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return g.ctx },
	}
	g.tasks.Go(func() { _ = g.server.Serve(g.listener) }) // until Close
	return g
}

// Client returns a client of the gateway.
func (g *Gateway) Client() (*jupyter.Server, error) {
	return jupyter.New(address, "", jupyter.WithLogger(g.log), jupyter.WithDialer(g.listener.dial))
}

// A listener accepts the connections of the gateway's clients, until Close.
type listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// dial connects to the gateway.
func (l *listener) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (*listener) Addr() net.Addr { return &net.UnixAddr{Name: address, Net: "pipe"} }

// Close disconnects from all kernels, which continue, and waits for the goroutines.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.cancel()
	g.mu.Unlock()
	err := g.server.Close()
	g.tasks.Wait()
	return err
}

// enter makes Close wait for a request, until it calls leave. It returns nil after Close.
func (g *Gateway) enter() (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return nil
	}
	g.tasks.Add(1)
	return g.tasks.Done
}

// find finds the kernels now.
func (g *Gateway) find() []Kernel {
	found := g.finder.Find()
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.known)
	for _, k := range found {
		g.known[k.ID] = k
	}
	return found
}

// kernel returns a kernel that is running now.
func (g *Gateway) kernel(id string) (Kernel, bool) {
	g.mu.Lock()
	k, ok := g.known[id]
	g.mu.Unlock()
	if ok && g.finder.Current(k) {
		return k, true
	}
	for _, k := range g.find() {
		if k.ID == id {
			return k, true
		}
	}
	return Kernel{}, false
}

func (g *Gateway) list(w http.ResponseWriter, _ *http.Request) {
	models := []jupyter.KernelModel{}
	for _, k := range g.find() {
		models = append(models, g.model(k))
	}
	g.mu.Lock()
	for _, k := range g.guests {
		models = append(models, k.model())
	}
	g.mu.Unlock()
	answer(w, models)
}

func (g *Gateway) about(w http.ResponseWriter, r *http.Request) {
	if guest := g.guest(r); guest != nil {
		answer(w, guest.model())
		return
	}
	k, ok := g.kernel(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "the kernel has ended, or its program has restarted it")
		return
	}
	answer(w, g.model(k))
}

// model returns what a server would say about a kernel. Its state is unknown before
// somebody connects to it.
func (g *Gateway) model(k Kernel) jupyter.KernelModel {
	m := jupyter.KernelModel{ID: k.ID, Name: k.Spec.Name, State: "unknown", LastActivity: k.Process.Started, Process: &k.Process}
	if k.Problem != nil {
		m.Process.Problem = k.Problem.Error()
	}
	g.mu.Lock()
	c := g.open[k.ID]
	g.mu.Unlock()
	if c != nil {
		m.Connections = 1
		m.State, m.LastActivity = c.activity.now(k.Process.Started)
	}
	return m
}

// specs says that no kernel can be started here.
func (*Gateway) specs(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{"default": "", "kernelspecs": map[string]any{}})
}

func (g *Gateway) connect(w http.ResponseWriter, r *http.Request) {
	if guest := g.guest(r); guest != nil {
		if leave := g.enter(); leave != nil {
			defer leave()
			guest.serve(g.ctx, w, r)
		}
		return
	}
	k, ok := g.kernel(r.PathValue("id"))
	switch {
	case !ok:
		refuse(w, http.StatusNotFound, "the kernel has ended, or its program has restarted it")
		return
	case k.Problem != nil:
		refuse(w, http.StatusServiceUnavailable, k.Problem.Error())
		return
	}
	leave := g.enter()
	if leave == nil {
		refuse(w, http.StatusServiceUnavailable, "Easel is shutting down")
		return
	}
	defer leave()
	c, err := g.reach(r.Context(), k)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	c.serve(w, r)
}

// interruptTime is the time limit for a kernel's answer to an interrupt by message.
const interruptTime = 5 * time.Second

// interrupt interrupts a kernel as its kernelspec says: by a message, or by the signal that
// its program would send.
func (g *Gateway) interrupt(w http.ResponseWriter, r *http.Request) {
	if guest := g.guest(r); guest != nil {
		if err := guest.Interrupt(r.Context()); err != nil {
			refuse(w, http.StatusServiceUnavailable, "the kernel cannot be interrupted: "+err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	k, ok := g.kernel(r.PathValue("id"))
	if !ok {
		refuse(w, http.StatusNotFound, "the kernel has ended, or its program has restarted it")
		return
	}
	var err error
	if k.Spec.InterruptMode == byMessage || k.Process.PID == 0 {
		g.mu.Lock()
		c := g.open[k.ID]
		g.mu.Unlock()
		if c == nil {
			err = errors.New("Easel is not connected to it") //nolint:staticcheck // its name
		} else {
			ctx, cancel := context.WithTimeout(r.Context(), interruptTime)
			defer cancel()
			err = c.interrupt(ctx)
		}
	} else {
		err = signal(k.Process.PID)
	}
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "the kernel cannot be interrupted: "+err.Error())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client has left otherwise
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}
