package managed

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"easel/internal/require"
)

// TestForgetProjects checks that only what nobody can need is removed.
func TestForgetProjects(t *testing.T) {
	t.Parallel()
	data, above := t.TempDir(), t.TempDir()
	d, now := newLayout(data), time.Now()
	old := now.Add(-40 * 24 * time.Hour)
	put := func(root string, used time.Time) string {
		p := ProjectServer{Root: root, Name: "sales"}
		files := p.files(d)
		require.NoError(t, os.MkdirAll(files.file("checkpoints"), 0o700))
		require.NoError(t, writeJSON(files.file("project.json"), p))
		require.NoError(t, os.Chtimes(files.file("project.json"), used, used))
		return files.root
	}
	kept := map[string]string{
		"its folder is there":   put(above, old),
		"it was used":           put(filepath.Join(above, "recent"), now),
		"its drive is away":     put(filepath.Join(above, "drive", "gone"), old),
		"it is on another host": put("ssh://gpu/home/ann/sales", old),
	}
	leased := put(filepath.Join(above, "leased"), old)
	require.NoError(t, os.WriteFile(filepath.Join(leased, "lease"), nil, 0o600))
	running := put(filepath.Join(above, "running"), old)
	r := record{ID: "x", PID: os.Getpid(), Started: processStart(os.Getpid())}
	require.NoError(t, (serverFiles{root: running}).writeRecord(r))
	stranger := put(filepath.Join(above, "stranger"), old)
	other := filepath.Join(filepath.Dir(stranger), "mine")
	require.NoError(t, os.Rename(stranger, other))
	kept["it is leased"], kept["it runs"], kept["it is not Easel's"] = leased, running, other
	gone := put(filepath.Join(above, "gone"), old)
	log := ProjectServer{Root: filepath.Join(above, "gone"), Name: "sales"}.files(d).log
	require.NoError(t, os.MkdirAll(filepath.Dir(log), 0o700))
	for _, name := range []string{log, log + ".1"} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	require.NoError(t, ForgetProjects(data, now.Add(-30*24*time.Hour)))
	for why, dir := range kept {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("removed, though %s: %v", why, err)
		}
	}
	for _, name := range []string{gone, log, log + ".1"} {
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("of a project that is gone, %s: %v", filepath.Base(name), err)
		}
	}
	if err := ForgetProjects(t.TempDir(), now); err != nil {
		t.Errorf("without projects: %v", err)
	}
}
