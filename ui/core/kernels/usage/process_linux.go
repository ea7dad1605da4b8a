package usage

import (
	"strings"
	"time"

	"easel/internal/system"
	"easel/ui/core/kernels/inspect"
)

// tick is the unit of processor time in /proc, on every Linux system that Go supports.
const tick = 10 * time.Millisecond

// processes lists the processes of this machine.
func processes() (all []process) {
	for _, pid := range system.Processes() {
		if s, ok := system.ReadStat(pid); ok {
			all = append(all, process{
				pid: pid, parent: s.Parent, start: s.Start, time: time.Duration(s.Ticks) * tick,
				args: strings.Join(system.Arguments(pid), " "),
			})
		}
	}
	return all
}

// memoryOf returns the memory of the processes of a kernel. To find out what processes share takes long for large
// ones, so it is asked only if there are several.
func memoryOf(tree []process) (sum int64) {
	for _, p := range tree {
		sum += inspect.ProcessMemory(p.pid, len(tree) > 1)
	}
	return sum
}
