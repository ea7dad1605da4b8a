package pool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"easel/internal/system"
	"easel/internal/wake"
	"easel/jupyter"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/mimebundle"
)

//go:embed warm.py
var warmSource string

// A PrestartedKernel is a kernel that is started and warmed up, and has no session yet.
type PrestartedKernel struct {
	Model      jupyter.KernelModel
	Conn       *jupyter.Kernel
	server     *servers.Server
	client     *jupyter.Server
	pid        int                // its process id, if it runs on this machine; else 0
	stopWatch  context.CancelFunc // stops watching its connection
	watchEnded chan struct{}      // closed when the watch has ended
	gone       bool               // it has died; read it after watchEnded is closed
}

// A Prestarter keeps a kernel of a server prestarted.
type Prestarter struct {
	// Patience is how long Take waits for the prestarted kernel to respond.
	Patience time.Duration

	background Background
	servers    *servers.List
	file       string      // stores the id of the prestarted kernel, so that it can be ended after a crash; "" for none
	taken      wake.Signal // buffered, 1: the kernel was taken or has died

	mu       sync.Mutex
	ready    *PrestartedKernel
	id       string // id of the prestarted kernel, also while it starts
	leftover string // id of the one that a crashed run has left; "" if none
}

// NewPrestarter returns a Prestarter without a kernel. It stores the id of its kernel in a file,
// which may be "". A kernel that a crashed run has left there is no longer one of a Prestarter if
// used reports that a session uses it.
func NewPrestarter(b Background, list *servers.List, file string, used func(id string) bool) *Prestarter {
	return &Prestarter{
		Patience: time.Second, background: b, servers: list, file: file,
		taken: wake.New(), leftover: leftoverPrestarted(file, used),
	}
}

// How long Keep waits before it starts the next kernel, so that it does not slow
// down the use of the last one.
const (
	prestartAfterUse   = 3 * time.Second
	prestartAfterError = 30 * time.Second
)

// Keep keeps one kernel of the named server started and warmed up until ctx ends,
// so that a session need not wait for a start. It uses the server's default kernelspec.
func (p *Prestarter) Keep(ctx context.Context, name string) {
	s, err := p.servers.Lookup(name)
	if err != nil {
		return
	}
	defer p.end()
	for ctx.Err() == nil {
		jup, err := s.Ready(ctx)
		if err != nil {
			if !s.Wait(ctx) {
				return
			}
			continue
		}
		pause := prestartAfterUse
		sp, err := p.start(ctx, s, jup)
		if err != nil {
			p.background.Log.WarnContext(ctx, "starting a prestarted kernel", "err", err)
			pause = prestartAfterError
		} else {
			p.offer(sp)
			select {
			case <-p.taken:
			case <-ctx.Done():
				return
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

func (p *Prestarter) start(ctx context.Context, s *servers.Server, jup *jupyter.Server) (*PrestartedKernel, error) {
	specs, err := jup.KernelSpecs(ctx)
	if err != nil {
		return nil, err
	}
	known := p.background.Starts.begin()
	model, err := Start(ctx, jup, jupyter.StartKernelRequest{Name: specs.Default})
	if err == nil {
		p.remember(model.ID)
	}
	known()
	if err != nil {
		return nil, err
	}
	discard := func() { p.background.Discard(jup, model.ID) }
	conn, err := jup.Follow(ctx, model.ID, jupyter.FollowOptions{Log: p.background.Log})
	if err != nil {
		discard()
		return nil, err
	}
	pid, err := warmUp(ctx, conn)
	if err != nil {
		_ = conn.Close()
		discard()
		return nil, err
	}
	return &PrestartedKernel{Model: model, Conn: conn, server: s, client: jup, pid: pid, watchEnded: make(chan struct{})}, nil
}

// warmUp makes a Python kernel load what a first plot needs, in every mode; see
// oversight.WarmUp. It returns the kernel's process
// id, or 0 if the kernel does not run on this machine or its language is not Python.
func warmUp(ctx context.Context, conn *jupyter.Kernel) (pid int, err error) {
	if conn.Info().Language != "python" {
		return 0, nil
	}
	results, err := conn.Evaluate(ctx, jupyter.Evaluation{Expressions: map[string]string{
		"warm": fmt.Sprintf("(lambda b: b.exec(b.compile(%s, '<easel>', 'exec'), {}))(__import__('builtins'))", inspect.Quote(warmSource)),
		"pid":  "__import__('os').getpid()",
	}})
	if err != nil {
		return 0, err
	}
	if pid, _ = strconv.Atoi(mimebundle.Text(results["pid"].Data, "text/plain")); !inspect.IsKernel(pid, conn.ID()) {
		pid = 0
	}
	return pid, nil
}

// alive reports whether the prestarted kernel is usable. A check of its process takes 0.1 ms.
// A probe takes 5 ms or more, because Jupyter has to relay it.
func (sp *PrestartedKernel) alive(ctx context.Context) bool {
	switch {
	case sp.gone:
		return false
	case sp.pid != 0:
		return inspect.IsKernel(sp.pid, sp.Model.ID)
	default:
		return sp.Conn.ProbeControl(ctx) == nil
	}
}

// offer makes sp available to Take, and discards it if it dies.
func (p *Prestarter) offer(sp *PrestartedKernel) {
	ctx, cancel := context.WithCancel(p.background.Tasks.Context())
	sp.stopWatch = cancel
	p.mu.Lock()
	p.ready = sp
	p.mu.Unlock()
	p.background.Tasks.Go(func() {
		defer close(sp.watchEnded)
		for {
			in, err := sp.Conn.Next(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil || in.Event == jupyter.KernelGone || in.Event == jupyter.ConnectionLost {
				break
			}
		}
		p.mu.Lock()
		sp.gone = true
		mine := p.ready == sp
		if mine {
			p.ready = nil
		}
		p.mu.Unlock()
		if mine {
			_ = sp.Conn.Close()
			p.background.Discard(sp.client, sp.Model.ID)
			p.signal()
		}
	})
}

func (p *Prestarter) signal() {
	p.taken.Notify()
}

// Take returns the prestarted kernel if it is alive and has that server and name,
// or nil otherwise. The caller owns it from then on.
func (p *Prestarter) Take(ctx context.Context, s *servers.Server, jup *jupyter.Server, kernelName string) *PrestartedKernel {
	p.mu.Lock()
	sp := p.ready
	if sp == nil || sp.server != s || sp.client != jup || sp.Model.Name != kernelName {
		p.mu.Unlock()
		return nil
	}
	p.ready = nil
	p.mu.Unlock()
	p.remember("")
	p.signal()
	sp.stopWatch()
	<-sp.watchEnded
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	if !sp.alive(ctx) {
		_ = sp.Conn.Close()
		p.background.Discard(jup, sp.Model.ID)
		return nil
	}
	return sp
}

// end deletes the prestarted kernel, if there is one.
func (p *Prestarter) end() {
	p.mu.Lock()
	sp := p.ready
	p.ready = nil
	p.mu.Unlock()
	if sp == nil {
		return
	}
	sp.stopWatch()
	<-sp.watchEnded
	_ = sp.Conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.background.Tasks.Context()), 2*time.Second)
	defer cancel()
	if err := sp.client.DeleteKernel(ctx, sp.Model.ID); err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		p.background.Log.Warn("ending the prestarted kernel", "err", err)
		return
	}
	p.remember("")
}

// leftoverPrestarted returns the id of the prestarted kernel that a crashed run of Easel has
// left, or "" if there is none or a session uses it.
func leftoverPrestarted(file string, used func(id string) bool) string {
	if file == "" {
		return ""
	}
	text, err := system.ReadRegular(file, 4096)
	id := strings.TrimSpace(string(text))
	if err != nil || uuid.Validate(id) != nil {
		return ""
	}
	if used(id) {
		return ""
	}
	return id
}

// remember sets the id of the prestarted kernel and stores it. "" means none.
func (p *Prestarter) remember(id string) {
	p.mu.Lock()
	p.id = id
	p.mu.Unlock()
	if p.file == "" {
		return
	}
	if err := os.WriteFile(p.file, []byte(id+"\n"), 0o600); err != nil {
		p.background.Log.Warn("storing the id of the prestarted kernel", "err", err)
	}
}

// Contains reports whether a kernel is the prestarted one, or one that a crashed run has
// left. Lists of sessions do not contain these.
func (p *Prestarter) Contains(kernelID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leftover == kernelID || p.id == kernelID
}

// Ready reports whether a prestarted kernel is ready, and its process id; 0 if that is not known.
func (p *Prestarter) Ready() (pid int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ready == nil {
		return 0, false
	}
	return p.ready.pid, true
}
