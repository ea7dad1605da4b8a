package pool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
)

// A HiddenKernel is a kernel for Easel's own use. It is no session and in no list. Only its
// owner uses it, who must call End.
type HiddenKernel struct {
	*jupyter.Kernel
	all      *HiddenKernels
	client   *jupyter.Server
	model    jupyter.KernelModel
	notebook string // of the session, on the server's disk
}

// HiddenKernels are the hidden kernels. Their ids and the names of their servers are also in a
// file, so that Easel can end them after a crash.
type HiddenKernels struct {
	background Background
	servers    *servers.List
	file       string
	after      func() time.Duration // see FallbackStart.After

	mu   sync.Mutex
	live map[string]string // servers by id
	left map[string]string // of an earlier run
}

// NewHiddenKernels returns the hidden kernels in a file, which may be "": those that an earlier run
// has left. after is FallbackStart.After.
func NewHiddenKernels(b Background, list *servers.List, file string, after func() time.Duration) *HiddenKernels {
	return &HiddenKernels{
		background: b, servers: list, file: file, after: after,
		live: make(map[string]string), left: leftHidden(file, b.Log),
	}
}

// Start starts a hidden kernel in a directory, relative to the server's root, and
// waits until it responds. If the directory is "", it is the session's. The kernel sees what was
// installed from the session's kernel, as long as that runs.
func (a *HiddenKernels) Start(ctx context.Context, of library.Session, dir string) (*HiddenKernel, error) {
	s, err := a.servers.Lookup(of.Server)
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
	if dir == "" && of.NotebookPath == "" {
		dir = within(jup.Root(), of.Directory)
	}
	r := jupyter.StartKernelRequest{Name: of.KernelName, Path: dir}
	if s.Managed {
		r.LayerOf = of.KernelID
	}
	known := a.background.Starts.begin()
	model, err := Start(ctx, jup, r)
	if err == nil {
		a.add(model.ID, s.Name)
	}
	known()
	if err != nil {
		return nil, s.Explained(ctx, err)
	}
	h := &HiddenKernel{all: a, client: jup, model: model, notebook: jup.Disk(jup.Spelling(of.NotebookPath))}
	if err := h.connect(ctx, s, dir); err != nil {
		h.End()
		return nil, s.Explained(ctx, err)
	}
	return h, nil
}

// connect connects to the kernel, or to a second one that is started if it does not respond. Kernels of Easel's own servers
// have private ports, and need no second one.
func (h *HiddenKernel) connect(ctx context.Context, s *servers.Server, dir string) (err error) {
	options := jupyter.FollowOptions{Log: h.all.background.Log, CheckEvery: 2 * time.Second}
	if s.Managed {
		h.Kernel, err = h.client.Follow(ctx, h.model.ID, options)
		return err
	}
	first := h.model
	start := FallbackStart{
		Background: h.all.background, Client: h.client, Options: options, Dir: dir, After: h.all.after(),
		Started: func(k jupyter.KernelModel) func() {
			h.all.add(k.ID, s.Name)
			return func() { h.all.end(h.client, k.ID) }
		},
	}
	conn, model, err := start.Connect(ctx, first)
	if err != nil {
		return err
	}
	if h.Kernel, h.model = conn, model; model.ID != first.ID {
		h.all.end(h.client, first.ID)
	}
	return nil
}

// within returns a directory relative to a server's root, with slashes. It is "" for the root, and
// for a directory that is not in it. Both may be on another machine.
func within(root, dir string) string {
	root = strings.TrimSuffix(filepath.ToSlash(root), "/") + "/"
	rest, ok := strings.CutPrefix(filepath.ToSlash(dir), root)
	if !ok {
		return ""
	}
	return rest
}

// Interrupt interrupts the kernel.
func (h *HiddenKernel) Interrupt(ctx context.Context) error {
	return h.client.InterruptKernel(ctx, h.model.ID)
}

// End ends the kernel. If that fails, the next start of Easel ends it.
func (h *HiddenKernel) End() {
	if h.Kernel != nil {
		_ = h.Close()
	}
	h.all.end(h.client, h.model.ID)
}

// hiddenEnd is the time limit for ending a hidden kernel.
const hiddenEnd = 10 * time.Second

func (a *HiddenKernels) end(client *jupyter.Server, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), hiddenEnd)
	defer cancel()
	if err := deleteKernel(ctx, client, id); err != nil && !errors.Is(err, jupyter.ErrNotFound) {
		a.background.Log.Warn("ending a hidden kernel", "kernel", id, "err", err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.live, id)
	delete(a.left, id)
	a.write()
}

func (a *HiddenKernels) add(id, server string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.live[id] = server
	a.write()
}

// write writes the file. The caller holds a.mu.
func (a *HiddenKernels) write() {
	if a.file == "" {
		return
	}
	var b strings.Builder
	for _, of := range []map[string]string{a.left, a.live} {
		for _, id := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprintf(&b, "%s %s\n", id, of[id])
		}
	}
	err := os.MkdirAll(filepath.Dir(a.file), 0o700)
	if err == nil {
		err = atomicfile.Write(a.file, []byte(b.String()), 0o600)
	}
	if err != nil {
		a.background.Log.Warn("storing the ids of hidden kernels", "err", err)
	}
}

// leftHidden reads the hidden kernels that an earlier run has left.
func leftHidden(file string, log *slog.Logger) map[string]string {
	left := make(map[string]string)
	if file == "" {
		return left
	}
	text, err := system.ReadRegular(file, 1<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		log.Warn("reading the ids of hidden kernels", "err", err)
	}
	for line := range strings.Lines(string(text)) {
		id, server, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && uuid.Validate(id) == nil {
			left[id] = server
		}
	}
	return left
}

// Contains reports whether a kernel is hidden, or was in an earlier run.
func (a *HiddenKernels) Contains(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.live[id] != "" || a.left[id] != ""
}

// EndLeft ends the hidden kernels that an earlier run has left on a server.
func (a *HiddenKernels) EndLeft(name string, jup *jupyter.Server) {
	a.mu.Lock()
	var ids []string
	for id, server := range a.left {
		if server == name {
			ids = append(ids, id)
		}
	}
	a.mu.Unlock()
	for _, id := range ids {
		a.background.Log.Info("ending a hidden kernel left by an earlier run", "kernel", id)
		a.background.Tasks.Go(func() { a.end(jup, id) })
	}
}
