package managed

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"easel/internal/require"
)

// TestLiveOverlays checks that the environment provides ipykernel for others of the same Python,
// and that uv is found for the rest.
func TestLiveOverlays(t *testing.T) {
	env := liveEnv(t)
	m := Overlays(Config{DataDir: filepath.Dir(filepath.Dir(env))})
	m.Dir = t.TempDir()
	other := filepath.Join(t.TempDir(), ".venv")
	if out, err := exec.CommandContext(t.Context(), basePython(t.Context()), "-m", "venv", "--without-pip", other).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	steps := 0
	k, err := m.Prepare(t.Context(), venvPython(other), func(string) { steps++ })
	require.NoError(t, err)
	if k.Own || steps > 0 {
		t.Errorf("it was not made of links: %+v", k)
	}
	if _, err := os.Stat(filepath.Join(k.Env["EASEL_OVERLAY"], "ipykernel_launcher.py")); err != nil {
		t.Error(err)
	}
	uv, environ, err := m.UV(t.Context())
	if err != nil || !uvWorks(t.Context(), uv) || len(environ) == 0 {
		t.Errorf("uv %q with %d variables, %v", uv, len(environ), err)
	}
}
