package jupyter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// TestLiveKernelsThatEndEarly covers kernels that never answer, on a server that starts
// them again several times before it gives up.
func TestLiveKernelsThatEndEarly(t *testing.T) {
	t.Parallel()
	real := jupytertest.Start(t, jupytertest.WithArgs("--KernelRestarter.time_to_dead=0.2"))
	s, err := New(real.URL, real.Token)
	require.NoError(t, err)
	for _, c := range []struct{ name, argv, want string }{
		{"missing", `"/missing/python", "-m", "ipykernel_launcher", "-f"`, "its program may be missing: /missing/python"},
		{"three", `"python3", "-c", "raise SystemExit(3)"`, "the kernel three ended before it answered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(real.Dir, "data", "kernels", c.name)
			require.NoError(t, os.MkdirAll(dir, 0o700))
			spec := `{"argv": [` + c.argv + `, "{connection_file}"], "display_name": "x", "language": "python"}`
			require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(spec), 0o600))
			m, err := s.StartKernel(live(t), StartKernelRequest{Name: c.name})
			if err == nil {
				_, err = s.Follow(live(t), m.ID, FollowOptions{})
			}
			if !errors.Is(err, ErrKernelStart) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrKernelStart with %q", err, c.want)
			}
		})
	}
}
