package doctor

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTheKernelOfAnotherPython is noted, because nothing else tells that sessions run elsewhere.
func TestTheKernelOfAnotherPython(t *testing.T) {
	unixOnly(t, script)
	for _, argv := range []string{"", "python", "/opt/conda/bin/python"} {
		cfg := machine(t)
		env := filepath.Join(cfg.DataDir, "jupyter", "env")
		put(t, filepath.Join(env, "bin", "python"), "#!/bin/sh\n")
		if argv != "" {
			put(t, filepath.Join(env, "share", "jupyter", "kernels", "python3", "kernel.json"), `{"argv": ["`+argv+`", "-m", "ipykernel_launcher"]}`)
		}
		report, _ := run(t, cfg)
		if noted := strings.Contains(report, "! Kernel"); noted != (argv != "python") {
			t.Errorf("%q: noted %v in\n%s", argv, noted, report)
		}
		if argv != "python" {
			wantLines(t, report, argv, "→ Quit Easel and start it again")
		}
	}
}
