// Package usage measures what the kernels of this machine use: memory, processor time and memory of GPUs. What the
// processes use that a kernel has started counts as its own. About kernels on other machines, it says nothing; nor on
// Windows, where the system does not tell who the processes of a kernel are.
//
// Memory is what the processes have in the machine's memory. If a kernel has several, memory that they share counts
// once (PSS, proc(5)), where the system tells.
//
// # Goroutines
//
// It starts none. A [Meter] may be used by several goroutines.
package usage

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Figures are what a kernel uses.
type Figures struct {
	Memory int64 // bytes
	GPU    int64 // bytes; 0 if it uses none, or that is not known
	// CPU is the processor time since the last measurement: 100 is one processor. It is negative if there was
	// no recent measurement.
	CPU float64
}

// A Kernel is whom to measure.
type Kernel struct {
	ID   string
	File string // the name of its connection file, which its arguments contain; "" means that Jupyter has chosen it
}

func (k Kernel) file() string {
	if k.File == "" {
		return "kernel-" + k.ID + ".json"
	}
	return filepath.Base(k.File)
}

// A process is a process of this machine.
type process struct {
	pid, parent int
	start       string // tells it apart from a later process with the same pid
	args        string
	time        time.Duration // on processors, until now
	memory      int64         // bytes; 0 if memoryOf has to be asked
}

const (
	// recent is the longest time since a measurement for which the average of processor time means something.
	recent = time.Minute
	// Soon is the shortest: systems count in steps of about 10 ms. Before that, Measure repeats what it said.
	Soon = 500 * time.Millisecond
)

// A Meter measures. Its zero value is ready for use.
type Meter struct {
	mu     sync.Mutex // guards the fields below
	before map[string]sample
	gpus   gpus

	processes func() []process // nil means those of this machine
	now       func() time.Time // nil means time.Now
}

// A sample is the processor time of a kernel's processes at one time.
type sample struct {
	at    time.Time
	known map[int]process
	said  float64 // Figures.CPU
}

// Measure returns what kernels use, by their ids; only those that run on this machine.
func (m *Meter) Measure(ctx context.Context, kernels []Kernel) map[string]Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, now := m.processes, m.now
	if list == nil {
		list, now = processes, time.Now
	}
	all, at := list(), now()
	trees := treesOf(all, kernels)
	if m.before == nil {
		m.before = make(map[string]sample)
	}
	maps.DeleteFunc(m.before, func(_ string, s sample) bool { return at.Sub(s.at) > recent })
	if len(trees) == 0 {
		return nil
	}
	found, graphics := make(map[string]Figures, len(trees)), m.gpus.used(ctx, at)
	for id, tree := range trees {
		f := Figures{Memory: memoryOf(tree), CPU: m.processor(id, tree, at)}
		for _, p := range tree {
			f.GPU += graphics[p.pid]
		}
		found[id] = f
	}
	return found
}

// processor returns the processor time of the processes of a kernel since the last sample, in percent, and takes
// another one; -1 if there is none.
func (m *Meter) processor(id string, tree []process, at time.Time) float64 {
	before, ok := m.before[id]
	passed := at.Sub(before.at)
	if ok && passed < Soon {
		return before.said
	}
	next, used := sample{at: at, known: make(map[int]process), said: -1}, time.Duration(0)
	for _, p := range tree {
		next.known[p.pid] = p
		used += p.time
		if was, known := before.known[p.pid]; known && was.start == p.start {
			used -= was.time
		}
	}
	if ok {
		next.said = 100 * used.Seconds() / passed.Seconds()
	}
	m.before[id] = next
	return next.said
}

// treesOf returns the processes of kernels: those whose arguments name the connection file of the kernel, and those
// that descend from them.
func treesOf(all []process, kernels []Kernel) map[string][]process {
	children := make(map[int][]process)
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	trees := make(map[string][]process)
	for _, k := range kernels {
		tree := make(map[int]process)
		var add func(p process)
		add = func(p process) {
			if _, ok := tree[p.pid]; ok {
				return
			}
			tree[p.pid] = p
			for _, c := range children[p.pid] {
				add(c)
			}
		}
		for _, p := range all {
			if strings.Contains(p.args, k.file()) {
				add(p)
			}
		}
		if len(tree) > 0 {
			trees[k.ID] = slices.SortedFunc(maps.Values(tree), func(a, b process) int { return a.pid - b.pid })
		}
	}
	return trees
}
