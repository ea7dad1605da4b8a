package usage

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
)

// TestWhatKernelsUse covers processes that a kernel starts, one that takes the place of another, and times between
// measurements for which processor time means nothing.
func TestWhatKernelsUse(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // there is no GPU
	clock := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	var all []process
	m := Meter{processes: func() []process { return all }, now: func() time.Time { return clock }}
	kernel := process{pid: math.MaxInt32, parent: 1, start: "1", args: "python -f /run/kernel-a.json", time: ms(1000)}
	worker := process{pid: math.MaxInt32 - 1, parent: kernel.pid, start: "2", args: "worker"}
	other := process{pid: math.MaxInt32 - 2, parent: 1, args: "python -f /run/kernel-b.json", time: ms(60_000)}
	for _, step := range []struct {
		what   string
		passes int // ms
		all    []process
		want   float64
	}{
		{"at first", 0, []process{kernel, other}, -1},
		{"at once", 10, []process{at(kernel, ms(1010)), other}, -1},
		{"half of a processor", 1990, []process{at(kernel, ms(2000)), at(other, ms(61_000))}, 50},
		{"again at once", 10, []process{at(kernel, ms(2010)), other}, 50},
		{"and all of another", 990, []process{at(kernel, ms(2500)), at(worker, ms(1000)), other}, 150},
		{"the worker is another", 1000, []process{at(kernel, ms(2500)), {pid: worker.pid, parent: kernel.pid, start: "3", time: ms(100)}}, 10},
		{"nothing", 1000, []process{at(kernel, ms(2500))}, 0},
		{"long ago", 61_000, []process{at(kernel, ms(9000))}, -1},
	} {
		clock, all = clock.Add(ms(step.passes)), step.all
		got := m.Measure(t.Context(), []Kernel{{ID: "a"}, {ID: "elsewhere"}})
		if f, ok := got["a"]; !ok || len(got) != 1 || math.Abs(f.CPU-step.want) > 1e-6 {
			t.Errorf("%s: %+v, want %v", step.what, got, step.want)
		}
	}
	if got := m.Measure(t.Context(), []Kernel{{ID: "elsewhere"}}); got != nil {
		t.Errorf("kernels of other machines: %+v", got)
	}
}

func at(p process, cpu time.Duration) process {
	p.time = cpu
	return p
}

// TestGPUsAreAskedSeldom has a program in the place of NVIDIA's, which counts how often it runs.
func TestGPUsAreAskedSeldom(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	script := "#!/bin/sh\necho >> " + dir + "/asked\nprintf '7, 512\\n7, 100\\n8, [N/A]\\n'\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script), 0o700))
	var g gpus
	now := time.Now()
	for i := range 10 {
		got := g.used(t.Context(), now.Add(time.Duration(i)*gpuEvery/5))
		if diff := cmp.Diff(map[int]int64{7: 612 << 20}, got); diff != "" {
			t.Fatal(diff)
		}
	}
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil || len(asked) != 2 {
		t.Errorf("it was asked %d times, %v", len(asked), err)
	}
	t.Setenv("PATH", t.TempDir())
	if got := g.used(t.Context(), now.Add(time.Hour)); got != nil {
		t.Errorf("without the program: %v", got)
	}
}

func TestParsePS(t *testing.T) {
	got := parsePS("  501     1  2048   0:01.50 /usr/bin/python3 -m ipykernel_launcher -f /x/kernel-a.json\n 9 501 1 1-02:03:04 a b\nnonsense\n")
	want := []process{
		{pid: 501, parent: 1, memory: 2 << 20, time: 1500 * time.Millisecond, args: "/usr/bin/python3 -m ipykernel_launcher -f /x/kernel-a.json"},
		{pid: 9, parent: 501, memory: 1 << 10, time: 26*time.Hour + 3*time.Minute + 4*time.Second, args: "a b"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(process{})); diff != "" {
		t.Error(diff)
	}
}
