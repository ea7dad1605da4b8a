package kernels

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
	"easel/jupyter"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
)

//go:embed warm.py
var warmSource string

// A prestarted is a kernel that is started and warmed up, and has no session yet.
type prestarted struct {
	server     *servers.Server
	client     *jupyter.Server
	model      jupyter.KernelModel
	conn       *jupyter.Kernel
	pid        int                // its process id, if it runs on this machine; else 0
	stopWatch  context.CancelFunc // stops watching its connection
	watchEnded chan struct{}      // closed when the watch has ended
	gone       bool               // it has died; read it after watchEnded is closed
}

// A prestart holds the prestarted kernel, if there is one.
type prestart struct {
	mu       sync.Mutex
	ready    *prestarted
	id       string        // id of the prestarted kernel, also while it starts
	leftover string        // id of the one that a crashed run has left; "" if none
	taken    chan struct{} // buffered, 1: the kernel was taken or has died
}

// How long KeepPrestarted waits before it starts the next kernel, so that it does not slow
// down the use of the last one.
const (
	prestartAfterUse   = 3 * time.Second
	prestartAfterError = 30 * time.Second
)

// KeepPrestarted keeps one kernel of the named server started and warmed up until ctx ends,
// so that Create need not wait for a start. It uses the server's default kernelspec.
func (m *Manager) KeepPrestarted(ctx context.Context, name string) {
	s, err := m.Servers.Lookup(name)
	if err != nil {
		return
	}
	defer m.endPrestarted()
	for ctx.Err() == nil {
		jup, err := s.Ready(ctx)
		if err != nil {
			if !s.Wait(ctx) {
				return
			}
			continue
		}
		pause := prestartAfterUse
		sp, err := m.startPrestarted(ctx, s, jup)
		if err != nil {
			m.cfg.Log.WarnContext(ctx, "starting a prestarted kernel", "err", err)
			pause = prestartAfterError
		} else {
			m.offerPrestarted(sp)
			select {
			case <-m.prestart.taken:
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

func (m *Manager) startPrestarted(ctx context.Context, s *servers.Server, jup *jupyter.Server) (*prestarted, error) {
	specs, err := jup.KernelSpecs(ctx)
	if err != nil {
		return nil, err
	}
	model, err := startKernel(ctx, jup, specs.Default, "")
	if err != nil {
		return nil, err
	}
	m.rememberPrestarted(model.ID)
	discard := func() { m.discard(jup, library.Session{KernelID: model.ID}) }
	conn, err := jup.Follow(ctx, model.ID, jupyter.FollowOptions{Log: m.cfg.Log})
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
	return &prestarted{server: s, client: jup, model: model, conn: conn, pid: pid, watchEnded: make(chan struct{})}, nil
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
func (sp *prestarted) alive(ctx context.Context) bool {
	switch {
	case sp.gone:
		return false
	case sp.pid != 0:
		return inspect.IsKernel(sp.pid, sp.model.ID)
	default:
		return sp.conn.ProbeControl(ctx) == nil
	}
}

// connected is a [connector] that returns the connection of the prestarted kernel.
func (sp *prestarted) connected(context.Context, *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error) {
	return sp.conn, jupyter.KernelModel{}, nil
}

// offerPrestarted makes sp available to takePrestarted, and discards it if it dies.
func (m *Manager) offerPrestarted(sp *prestarted) {
	ctx, cancel := context.WithCancel(m.tasks.Context())
	sp.stopWatch = cancel
	m.prestart.mu.Lock()
	m.prestart.ready = sp
	m.prestart.mu.Unlock()
	m.tasks.Go(func() {
		defer close(sp.watchEnded)
		for {
			in, err := sp.conn.Next(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil || in.Link == jupyter.LinkGone || in.Link == jupyter.LinkLost {
				break
			}
		}
		m.prestart.mu.Lock()
		sp.gone = true
		mine := m.prestart.ready == sp
		if mine {
			m.prestart.ready = nil
		}
		m.prestart.mu.Unlock()
		if mine {
			_ = sp.conn.Close()
			m.discard(sp.client, library.Session{KernelID: sp.model.ID})
			m.prestart.signal()
		}
	})
}

func (s *prestart) signal() {
	select {
	case s.taken <- struct{}{}:
	default:
	}
}

// takePrestarted returns the prestarted kernel if it is alive and has that server and name,
// or nil otherwise. The caller owns it from then on.
func (m *Manager) takePrestarted(ctx context.Context, s *servers.Server, jup *jupyter.Server, kernelName string) *prestarted {
	m.prestart.mu.Lock()
	sp := m.prestart.ready
	if sp == nil || sp.server != s || sp.client != jup || sp.model.Name != kernelName {
		m.prestart.mu.Unlock()
		return nil
	}
	m.prestart.ready = nil
	m.prestart.mu.Unlock()
	m.rememberPrestarted("")
	m.prestart.signal()
	sp.stopWatch()
	<-sp.watchEnded
	ctx, cancel := context.WithTimeout(ctx, m.timing.prestart)
	defer cancel()
	if !sp.alive(ctx) {
		_ = sp.conn.Close()
		m.discard(jup, library.Session{KernelID: sp.model.ID})
		return nil
	}
	return sp
}

// endPrestarted deletes the prestarted kernel, if there is one.
func (m *Manager) endPrestarted() {
	m.prestart.mu.Lock()
	sp := m.prestart.ready
	m.prestart.ready = nil
	m.prestart.mu.Unlock()
	if sp == nil {
		return
	}
	sp.stopWatch()
	<-sp.watchEnded
	_ = sp.conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.tasks.Context()), 2*time.Second)
	defer cancel()
	if err := sp.client.DeleteKernel(ctx, sp.model.ID); err != nil && !isUnknown(err) {
		m.cfg.Log.Warn("ending the prestarted kernel", "err", err)
		return
	}
	m.rememberPrestarted("")
}

// leftoverPrestarted returns the id of the prestarted kernel that a crashed run of Easel has
// left, or "" if there is none or a session uses it.
func leftoverPrestarted(c Config) string {
	if c.PrestartFile == "" {
		return ""
	}
	text, err := system.ReadRegular(c.PrestartFile, 4096)
	id := strings.TrimSpace(string(text))
	if err != nil || uuid.Validate(id) != nil {
		return ""
	}
	if _, err := c.Library.Session(context.Background(), id); !errors.Is(err, library.ErrNotFound) {
		return ""
	}
	return id
}

// rememberPrestarted sets the id of the prestarted kernel and stores it in
// Config.PrestartFile. "" means none.
func (m *Manager) rememberPrestarted(id string) {
	m.prestart.mu.Lock()
	m.prestart.id = id
	m.prestart.mu.Unlock()
	if m.cfg.PrestartFile == "" {
		return
	}
	if err := os.WriteFile(m.cfg.PrestartFile, []byte(id+"\n"), 0o600); err != nil {
		m.cfg.Log.Warn("storing the id of the prestarted kernel", "err", err)
	}
}

// isPrestarted reports whether a kernel is the prestarted one, or one that a crashed run has
// left. Lists of sessions do not contain these.
func (m *Manager) isPrestarted(kernelID string) bool {
	m.prestart.mu.Lock()
	defer m.prestart.mu.Unlock()
	return m.prestart.leftover == kernelID || m.prestart.id == kernelID
}
