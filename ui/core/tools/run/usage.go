package run

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/state"
)

// usageOf says what kernels use.
type usageOf struct {
	meter *usage.Meter // nil: nobody knows
}

// complete adds to sessions what their kernels use.
func (u usageOf) complete(ctx context.Context, sessions []catalog.Session) {
	kernels, busy := make([]usage.Kernel, len(sessions)), false
	for i, s := range sessions {
		kernels[i] = usage.Kernel{ID: s.KernelID}
		if s.Process != nil {
			kernels[i].File = s.Process.ConnectionFile
		}
		busy = busy || s.Running != nil
	}
	found := u.measure(ctx, kernels, busy)
	for i, s := range sessions {
		if f, ok := found[s.KernelID]; ok {
			sessions[i].KernelUsage = asCatalog(f)
		}
	}
}

// session returns what the kernel of a live session uses that runs code; nil if nobody knows.
func (u usageOf) session(ctx context.Context, s *state.Snapshot, id string) *catalog.KernelUsage {
	i := slices.IndexFunc(s.Sessions, func(x state.Session) bool { return x.SessionID == id })
	if i < 0 {
		return nil
	}
	kernel := s.Sessions[i].KernelID
	f, ok := u.measure(ctx, []usage.Kernel{{ID: kernel}}, false)[kernel]
	if !ok {
		return nil
	}
	said := asCatalog(f)
	return &said
}

// interval is the time between two measurements of processor time, if there was none lately.
const interval = usage.Soon

// longWait is how long a call waits for code until the use of a processor is measured, for a result that says
// that the code still runs.
const longWait = time.Second

func (u usageOf) measure(ctx context.Context, kernels []usage.Kernel, processor bool) map[string]usage.Figures {
	if u.meter == nil || len(kernels) == 0 {
		return nil
	}
	found := u.meter.Measure(ctx, kernels)
	unknown := false
	for _, f := range found {
		unknown = unknown || f.CPU < 0
	}
	if !processor || !unknown {
		return found
	}
	select {
	case <-time.After(interval):
		return u.meter.Measure(ctx, kernels)
	case <-ctx.Done():
		return found
	}
}

func asCatalog(f usage.Figures) catalog.KernelUsage {
	return catalog.KernelUsage{MemoryBytes: f.Memory, CPUPercent: int(math.Round(max(0, f.CPU))), GPUMemoryBytes: f.GPU}
}

// A pressureNews tells each client once that the memory of the machine is low and that the kernel of its session
// uses most of it.
type pressureNews struct {
	mu   sync.Mutex
	told map[string]time.Time // when the shortage began of which a client was told, by client and session
}

// next returns what a client is to be told with a result of a session, or "".
func (n *pressureNews) next(s *state.Snapshot, session string, caller tool.Caller) string {
	p, id := s.Pressure, caller.Identity()
	if p == nil || p.Most.SessionID != session || id == "" {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told == nil {
		n.told = make(map[string]time.Time)
	}
	if n.told[id+"\n"+session].Equal(p.Since) {
		return ""
	}
	maps.DeleteFunc(n.told, func(_ string, since time.Time) bool { return !since.Equal(p.Since) })
	n.told[id+"\n"+session] = p.Since
	said := fmt.Sprintf("This machine is short of memory: %s of %s are left, and this session uses %s", gigabytes(p.Available), gigabytes(p.Total), gigabytes(p.Most.Bytes))
	if len(p.Most.Variables) > 0 {
		names := make([]string, len(p.Most.Variables))
		for i, v := range p.Most.Variables {
			names[i] = v.Name + " (" + gigabytes(v.Bytes) + ")"
		}
		said += ". Its largest variables: " + strings.Join(names, ", ")
	}
	return said + ". Before you load more, del what is no longer needed; the system kills what asks for too much."
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }
