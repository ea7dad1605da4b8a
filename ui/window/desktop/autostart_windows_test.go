package desktop

import (
	"testing"

	"golang.org/x/sys/windows/registry"

	"easel/internal/require"
)

func TestAutostart(t *testing.T) {
	const id = "io.github.easel.Test"
	t.Cleanup(func() { _ = SetAutostart(id, false, "") })
	if Autostarts(id) {
		t.Fatal("it is on at first")
	}
	if err := SetAutostart(id, false, ""); err != nil {
		t.Errorf("off while it is off: %v", err)
	}
	for range 2 {
		require.NoError(t, SetAutostart(id, true, `C:\Program Files\Easel\easel.exe`, "--hidden", "--data-dir", `D:\my data\`))
	}
	if !Autostarts(id) {
		t.Error("it is off")
	}
	k, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	require.NoError(t, err)
	defer k.Close()
	line, _, err := k.GetStringValue(id)
	if want := `"C:\Program Files\Easel\easel.exe" --hidden --data-dir "D:\my data\\"`; err != nil || line != want {
		t.Errorf("got %s, %v; want %s", line, err, want)
	}

	approved, _, err := registry.CreateKey(registry.CURRENT_USER, approvedKey, registry.SET_VALUE)
	require.NoError(t, err)
	defer approved.Close()
	if err := approved.SetBinaryValue(id, []byte{3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}); err != nil { // as by the Task Manager
		t.Fatal(err)
	}
	if Autostarts(id) {
		t.Error("the Task Manager has turned it off")
	}
	if err := SetAutostart(id, true, `C:\easel.exe`); err != nil || !Autostarts(id) {
		t.Errorf("on again: %v", err)
	}
	if err := SetAutostart(id, false, ""); err != nil || Autostarts(id) {
		t.Errorf("off: %v", err)
	}
}
