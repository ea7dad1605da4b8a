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

	"easel/jupyter"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
)

//go:embed warm.py
var warmSource string

// A spare is a kernel that is started and warm, and belongs to no session yet.
type spare struct {
	server *server
	client *jupyter.Server
	model  jupyter.KernelModel
	conn   *jupyter.Kernel
	pid    int                // of its process, if that runs on this machine; else 0
	taken  context.CancelFunc // ends the watch
	over   chan struct{}      // closed when the watch has ended
	gone   bool               // set before over is closed
}

// spares keeps the spare kernel, if there is one.
type spares struct {
	mu     sync.Mutex
	ready  *spare
	id     string        // of the kernel that is the spare one, or becomes it
	former string        // of the one that a crashed Easel has left; "" if none
	used   chan struct{} // one slot: the spare was taken or has died
}

// How long Warm waits before it starts the next spare: what the user does with
// the last one comes first.
const (
	spareAfterUse   = 3 * time.Second
	spareAfterError = 30 * time.Second
)

// Warm keeps one kernel of the named server started and warm until ctx ends, so
// that Create need not wait for it. The kernel has its default name.
func (m *Manager) Warm(ctx context.Context, name string) {
	s, err := m.lookup(name)
	if err != nil {
		return
	}
	defer m.dropSpare()
	for ctx.Err() == nil {
		jup, err := s.ready(ctx)
		if err != nil {
			if !s.wait(ctx) {
				return
			}
			continue
		}
		pause := spareAfterUse
		sp, err := m.startSpare(ctx, s, jup)
		if err != nil {
			m.cfg.Log.WarnContext(ctx, "starting a spare kernel", "err", err)
			pause = spareAfterError
		} else {
			m.putSpare(sp)
			select {
			case <-m.spares.used:
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

// wait returns at the next change of the server, or false when ctx ends.
func (s *server) wait(ctx context.Context) bool {
	s.mu.Lock()
	changed := s.changed
	s.mu.Unlock()
	select {
	case <-changed:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *Manager) startSpare(ctx context.Context, s *server, jup *jupyter.Server) (*spare, error) {
	specs, err := jup.KernelSpecs(ctx)
	if err != nil {
		return nil, err
	}
	model, err := startKernel(ctx, jup, specs.Default, "")
	if err != nil {
		return nil, err
	}
	m.rememberSpare(model.ID)
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
	return &spare{server: s, client: jup, model: model, conn: conn, pid: pid, over: make(chan struct{})}, nil
}

// warmUp has a kernel load what a first plot needs, and gives its process, or 0 if
// that is not seen on this machine. It knows only Python: other kernels stay cold.
func warmUp(ctx context.Context, conn *jupyter.Kernel) (pid int, err error) {
	if conn.Info().Language != "python" {
		return 0, nil
	}
	results, err := conn.Evaluate(ctx, jupyter.Evaluation{Expressions: map[string]string{
		"warm": fmt.Sprintf("(lambda b: b.exec(b.compile(%s, '<easel>', 'exec'), {}))(__import__('builtins'))", quote(warmSource)),
		"pid":  "__import__('os').getpid()",
	}})
	if err != nil {
		return 0, err
	}
	if pid, _ = strconv.Atoi(mimebundle.Text(results["pid"].Data, "text/plain")); !runsHere(pid, conn.ID()) {
		pid = 0
	}
	return pid, nil
}

// alive tells whether the spare kernel can be given away. A look at its process takes a
// tenth of a millisecond, a sign of life five or more: Jupyter has to pass it on.
func (sp *spare) alive(ctx context.Context) bool {
	switch {
	case sp.gone:
		return false
	case sp.pid != 0:
		return runsHere(sp.pid, sp.model.ID)
	default:
		return sp.conn.ProbeControl(ctx) == nil
	}
}

// connected is a [connector] that gives the spare kernel's connection.
func (sp *spare) connected(context.Context, *library.Session) (*jupyter.Kernel, jupyter.KernelModel, error) {
	return sp.conn, jupyter.KernelModel{}, nil
}

// putSpare makes sp the spare kernel, and watches whether it dies.
func (m *Manager) putSpare(sp *spare) {
	ctx, cancel := context.WithCancel(m.ctx)
	sp.taken = cancel
	m.spares.mu.Lock()
	m.spares.ready = sp
	m.spares.mu.Unlock()
	m.task(func() {
		defer close(sp.over)
		for {
			in, err := sp.conn.Next(ctx)
			if ctx.Err() != nil {
				return
			}
			if err != nil || in.Link == jupyter.LinkGone || in.Link == jupyter.LinkLost {
				break
			}
		}
		m.spares.mu.Lock()
		sp.gone = true
		mine := m.spares.ready == sp
		if mine {
			m.spares.ready = nil
		}
		m.spares.mu.Unlock()
		if mine {
			_ = sp.conn.Close()
			m.discard(sp.client, library.Session{KernelID: sp.model.ID})
			m.spares.signal()
		}
	})
}

func (s *spares) signal() {
	select {
	case s.used <- struct{}{}:
	default:
	}
}

// takeSpare gives the spare kernel, if it is one of that server and name and
// lives.
func (m *Manager) takeSpare(ctx context.Context, s *server, jup *jupyter.Server, kernelName string) *spare {
	m.spares.mu.Lock()
	sp := m.spares.ready
	if sp == nil || sp.server != s || sp.client != jup || sp.model.Name != kernelName {
		m.spares.mu.Unlock()
		return nil
	}
	m.spares.ready = nil
	m.spares.mu.Unlock()
	m.rememberSpare("")
	m.spares.signal()
	sp.taken()
	<-sp.over
	ctx, cancel := context.WithTimeout(ctx, m.pace.spare)
	defer cancel()
	if !sp.alive(ctx) {
		_ = sp.conn.Close()
		m.discard(jup, library.Session{KernelID: sp.model.ID})
		return nil
	}
	return sp
}

// dropSpare ends the spare kernel.
func (m *Manager) dropSpare() {
	m.spares.mu.Lock()
	sp := m.spares.ready
	m.spares.ready = nil
	m.spares.mu.Unlock()
	if sp == nil {
		return
	}
	sp.taken()
	<-sp.over
	_ = sp.conn.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), 2*time.Second)
	defer cancel()
	if err := sp.client.DeleteKernel(ctx, sp.model.ID); err != nil && !isUnknown(err) {
		m.cfg.Log.Warn("ending the spare kernel", "err", err)
		return
	}
	m.rememberSpare("")
}

// formerSpare is the spare kernel of an Easel that crashed before this one, unless
// a session had got it.
func formerSpare(c Config) string {
	if c.SpareFile == "" {
		return ""
	}
	text, err := os.ReadFile(c.SpareFile)
	id := strings.TrimSpace(string(text))
	if err != nil || uuid.Validate(id) != nil {
		return ""
	}
	if _, err := c.Library.Session(context.Background(), id); !errors.Is(err, library.ErrNotFound) {
		return ""
	}
	return id
}

// rememberSpare writes down which kernel is the spare one, "" for none.
func (m *Manager) rememberSpare(id string) {
	m.spares.mu.Lock()
	m.spares.id = id
	m.spares.mu.Unlock()
	if m.cfg.SpareFile == "" {
		return
	}
	if err := os.WriteFile(m.cfg.SpareFile, []byte(id+"\n"), 0o600); err != nil {
		m.cfg.Log.Warn("remembering the spare kernel", "err", err)
	}
}

// isSpare tells whether a kernel is the spare one, or that of an Easel that crashed,
// which nobody is shown.
func (m *Manager) isSpare(kernelID string) bool {
	m.spares.mu.Lock()
	defer m.spares.mu.Unlock()
	return m.spares.former == kernelID || m.spares.id == kernelID
}

// HasSpare tells whether a spare kernel is ready.
func (m *Manager) HasSpare() bool {
	m.spares.mu.Lock()
	defer m.spares.mu.Unlock()
	return m.spares.ready != nil
}
