//go:build linux || freebsd || openbsd || netbsd

package desktop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
)

func TestAutostart(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if Autostarts("x.y.Z") {
		t.Error("it starts at login, and nobody said so")
	}
	require.NoError(t, SetAutostart("x.y.Z", true, "/opt/my easel/easel", "--hidden", "--data-dir", `/home/a"b$c%d\e`))
	text, err := os.ReadFile(filepath.Join(dir, "autostart", "x.y.Z.desktop"))
	require.NoError(t, err)
	want := `Exec="/opt/my easel/easel" --hidden --data-dir "/home/a\\"b\\$c%%d\\\\e"` + "\n"
	if !strings.Contains(string(text), want) || !Autostarts("x.y.Z") {
		t.Errorf("the file is\n%swant in it\n%s", text, want)
	}
	for range 2 { // the second finds nothing to remove
		if err := SetAutostart("x.y.Z", false, ""); err != nil {
			t.Error(err)
		}
	}
	if Autostarts("x.y.Z") {
		t.Error("it still starts at login")
	}
}
