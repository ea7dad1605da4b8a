package remote

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
)

func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "easel-headless-linux-arm64")
	require.NoError(t, os.WriteFile(file, []byte("a program"), 0o700))
	p := Programs{Dirs: []string{t.TempDir(), dir}}
	if got, err := p.find("Linux", "aarch64"); err != nil || got != file {
		t.Errorf("got %q, %v", got, err)
	}
	names := p.names()
	x, err := examine(file)
	if err != nil || x.size != 9 || !strings.Contains(names, "Linux aarch64 "+x.name+" 9\n") || !strings.Contains(names, "Linux arm64 "+x.name+" 9\n") || strings.Contains(names, "x86_64") {
		t.Errorf("got %q; %+v, %v", names, x, err)
	}
	for _, system := range [][2]string{{"Linux", "x86_64"}, {"Linux", "riscv64"}, {"FreeBSD", "x86_64"}, {"Darwin", "arm64"}, {"MINGW64_NT-10.0", "x86_64"}} {
		_, err := p.find(system[0], system[1])
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != NoProgram || e.Remedy == "" {
			t.Errorf("%s: got %v", system, err)
		}
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		p.Self = "/usr/bin/easel"
		if got, err := p.find("Linux", "x86_64"); err != nil || got != p.Self {
			t.Errorf("got %q, %v", got, err)
		}
	}
}
