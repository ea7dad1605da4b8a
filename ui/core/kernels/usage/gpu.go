package usage

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	gpuEvery = 15 * time.Second // between two questions about GPUs, each of which starts a program
	gpuTime  = 2 * time.Second  // the time limit for its answer
	gpuLater = 10 * time.Minute // until the next try, if there is no such program or it fails
)

// gpus asks NVIDIA's program what processes use of GPUs, seldom, and never if there is none.
type gpus struct {
	due  time.Time
	said map[int]int64 // bytes by pid, as last said
}

func (g *gpus) used(ctx context.Context, now time.Time) map[int]int64 {
	if now.Before(g.due) {
		return g.said
	}
	g.said, g.due = nil, now.Add(gpuLater)
	program, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gpuTime)
	defer cancel()
	//nolint:gosec // the program that PATH names
	out, err := exec.CommandContext(ctx, program, "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return nil
	}
	g.said, g.due = parseGPUs(string(out)), now.Add(gpuEvery)
	return g.said
}

// parseGPUs reads lines such as "4711, 512": a pid and mebibytes. A process may use several GPUs.
func parseGPUs(text string) map[int]int64 {
	used := make(map[int]int64)
	for line := range strings.Lines(text) {
		pid, mebibytes, _ := strings.Cut(line, ",")
		p, err := strconv.Atoi(strings.TrimSpace(pid))
		n, bad := strconv.ParseInt(strings.TrimSpace(mebibytes), 10, 64)
		if err == nil && bad == nil { // [N/A] where the driver does not tell
			used[p] += n << 20
		}
	}
	return used
}
