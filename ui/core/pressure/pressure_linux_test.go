package pressure

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
)

func put(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func TestRead(t *testing.T) {
	const mib = 1 << 20
	meminfo := "MemTotal:       16384000 kB\nMemFree: 1 kB\nMemAvailable:    8192000 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  Reading
	}{
		"the machine":           {map[string]string{"proc/meminfo": meminfo}, Reading{8192000 << 10, 16384000 << 10}},
		"a group without bound": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "cg/a/memory.max": "max\n", "cg/a/memory.current": "5\n"}, Reading{8192000 << 10, 16384000 << 10}},
		"a group": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "1:name=systemd:/x\n0::/a/b\n",
			"cg/a/memory.max": "1048576000\n", "cg/a/memory.current": "943718400\n", "cg/a/memory.stat": "anon 1\ninactive_file 10485760\n", "cg/a/b/memory.max": "max\n",
		}, Reading{110 * mib, 1000 * mib}},
		"a group of version 1": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,memory:/a/b\n1:name=systemd:/x\n0::/\n",
			"cg/memory/a/memory.limit_in_bytes": "1048576000\n", "cg/memory/a/memory.usage_in_bytes": "943718400\n",
			"cg/memory/a/memory.stat": "inactive_file 1\ntotal_inactive_file 10485760\n", "cg/memory/a/b/memory.limit_in_bytes": "9223372036854771712\n",
		}, Reading{110 * mib, 1000 * mib}},
		"nothing to read": {nil, Reading{}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range c.files {
				put(t, root, name, text)
			}
			if got := read(filepath.Join(root, "proc"), filepath.Join(root, "cg")); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	if r := Read(); r.Total <= 0 || r.Available <= 0 {
		t.Errorf("this machine has %+v", r)
	}
}

func TestLow(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		r         Reading
		was, want bool
	}{
		{Reading{gib, 16 * gib}, false, true},
		{Reading{2 * gib, 16 * gib}, false, false},
		{Reading{2 * gib, 16 * gib}, true, true},
		{Reading{3 * gib, 16 * gib}, true, false},
		{Reading{2*gib - 1, 256 * gib}, false, true},
		{Reading{5 * gib, 256 * gib}, false, false},
		{Reading{}, true, false},
	} {
		if got := c.r.Low(c.was); got != c.want {
			t.Errorf("%+v, %v: got %v", c.r, c.was, got)
		}
	}
}
