package usage

import (
	"io"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"easel/internal/require"
)

// TestThisMachinesProcesses measures a process that uses memory and a processor, with a child.
func TestThisMachinesProcesses(t *testing.T) {
	const id = "0b3a1f5e-52f8-4a4c-9d6e-3f1f6f0c8a22"
	// awk uses a processor until its output ends; the shell waits for it.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `awk 'BEGIN { for (i = 0; i < 400000; i++) a[i] = "x" i; print "up"; fflush(); while (1) i++ }'; :`, "-f", "/run/kernel-"+id+".json")
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	if _, err := io.ReadFull(out, make([]byte, len("up\n"))); err != nil {
		t.Fatal(err)
	}
	var m Meter
	f := m.Measure(t.Context(), []Kernel{{ID: id}, {ID: "other"}})
	if len(f) != 1 || f[id].Memory < 10<<20 || f[id].CPU >= 0 {
		t.Errorf("%+v", f)
	}
	tree := treesOf(processes(), []Kernel{{ID: id}})[id]
	if len(tree) != 2 {
		t.Fatalf("the processes are %+v", tree)
	}
	require.Eventually(t, "it uses a processor", func() bool { return m.Measure(t.Context(), []Kernel{{ID: id}})[id].CPU > 0 })
	for _, p := range tree {
		require.NoError(t, exec.CommandContext(t.Context(), "kill", "-9", strconv.Itoa(p.pid)).Run())
	}
	_ = cmd.Wait()
}
