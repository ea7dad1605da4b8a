package kernels

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/jupyter"
)

// A Hidden is a kernel for Easel's own use. It is no session and in no list. Only its
// owner uses it, who must call End.
type Hidden struct {
	*jupyter.Kernel
	m      *Manager
	client *jupyter.Server
	model  jupyter.KernelModel
}

// hidden holds the hidden kernels, by id, with the names of their servers. They are also in
// Config.HiddenFile, so that Easel can end them after a crash.
type hidden struct {
	mu   sync.Mutex
	live map[string]string
	left map[string]string // of an earlier run
}

// StartHidden starts a hidden kernel in a directory, relative to the server's root, and
// waits until it responds.
func (m *Manager) StartHidden(ctx context.Context, serverName, kernelName, dir string) (*Hidden, error) {
	s, err := m.Servers.Lookup(serverName)
	if err != nil {
		return nil, err
	}
	if err := s.StartsNone(); err != nil {
		return nil, err
	}
	jup, err := s.Ready(ctx)
	if err != nil {
		return nil, err
	}
	model, err := startKernel(ctx, jup, kernelName, dir)
	if err != nil {
		return nil, s.Explained(ctx, err)
	}
	h := &Hidden{m: m, client: jup, model: model}
	m.hide(model.ID, s.Name)
	if h.Kernel, err = jup.Follow(ctx, model.ID, jupyter.FollowOptions{Log: m.cfg.Log, CheckEvery: 2 * time.Second}); err != nil {
		h.End()
		return nil, s.Explained(ctx, err)
	}
	return h, nil
}

// Interrupt interrupts the kernel.
func (h *Hidden) Interrupt(ctx context.Context) error {
	return h.client.InterruptKernel(ctx, h.model.ID)
}

// End ends the kernel. If that fails, the next start of Easel ends it.
func (h *Hidden) End() {
	if h.Kernel != nil {
		_ = h.Close()
	}
	h.m.endHidden(h.client, h.model.ID)
}

// hiddenEnd is the time limit for ending a hidden kernel.
const hiddenEnd = 10 * time.Second

func (m *Manager) endHidden(client *jupyter.Server, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), hiddenEnd)
	defer cancel()
	if err := deleteKernel(ctx, client, id); err != nil && !isUnknown(err) {
		m.cfg.Log.Warn("ending a hidden kernel", "kernel", id, "err", err)
		return
	}
	m.hidden.mu.Lock()
	defer m.hidden.mu.Unlock()
	delete(m.hidden.live, id)
	delete(m.hidden.left, id)
	m.writeHidden()
}

// deleteAgain is the pause before a kernel is deleted again. Jupyter refuses to delete a
// kernel that it is restarting.
const deleteAgain = 200 * time.Millisecond

// deleteKernel deletes a kernel, and repeats that if the server fails.
func deleteKernel(ctx context.Context, client *jupyter.Server, id string) error {
	for {
		err := client.DeleteKernel(ctx, id)
		if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Status != http.StatusInternalServerError {
			return err
		}
		timer := time.NewTimer(deleteAgain)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// hide adds a kernel to the hidden ones.
func (m *Manager) hide(id, server string) {
	m.hidden.mu.Lock()
	defer m.hidden.mu.Unlock()
	m.hidden.live[id] = server
	m.writeHidden()
}

// writeHidden writes Config.HiddenFile. The caller holds hidden.mu.
func (m *Manager) writeHidden() {
	if m.cfg.HiddenFile == "" {
		return
	}
	var b strings.Builder
	for _, of := range []map[string]string{m.hidden.left, m.hidden.live} {
		for _, id := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprintf(&b, "%s %s\n", id, of[id])
		}
	}
	err := os.MkdirAll(filepath.Dir(m.cfg.HiddenFile), 0o700)
	if err == nil {
		err = atomicfile.Write(m.cfg.HiddenFile, []byte(b.String()), 0o600)
	}
	if err != nil {
		m.cfg.Log.Warn("storing the ids of hidden kernels", "err", err)
	}
}

// leftHidden reads the hidden kernels that an earlier run has left.
func leftHidden(c Config) map[string]string {
	left := make(map[string]string)
	if c.HiddenFile == "" {
		return left
	}
	text, err := system.ReadRegular(c.HiddenFile, 1<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.Log.Warn("reading the ids of hidden kernels", "err", err)
	}
	for line := range strings.Lines(string(text)) {
		id, server, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && uuid.Validate(id) == nil {
			left[id] = server
		}
	}
	return left
}

// isHidden reports whether a kernel is hidden, or was in an earlier run.
func (m *Manager) isHidden(id string) bool {
	m.hidden.mu.Lock()
	defer m.hidden.mu.Unlock()
	return m.hidden.live[id] != "" || m.hidden.left[id] != ""
}

// endLeft ends the hidden kernels that an earlier run has left on a server.
func (m *Manager) endLeft(name string, jup *jupyter.Server) {
	m.hidden.mu.Lock()
	var ids []string
	for id, server := range m.hidden.left {
		if server == name {
			ids = append(ids, id)
		}
	}
	m.hidden.mu.Unlock()
	for _, id := range ids {
		m.cfg.Log.Info("ending a hidden kernel left by an earlier run", "kernel", id)
		m.tasks.Go(func() { m.endHidden(jup, id) })
	}
}
