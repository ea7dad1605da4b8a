package settings_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/settings"
)

func TestServersComeBackAndOnlyTheUserReadsThem(t *testing.T) {
	dir := t.TempDir()
	if got, err := settings.LoadServers(dir); err != nil || got != nil {
		t.Errorf("none: got %v, %v", got, err)
	}
	want := []settings.Server{{Name: "lab", URL: "http://lab:8888/", Token: "secret"}, {Name: "hub", URL: "https://hub/user/ann/"}}
	require.NoError(t, settings.SaveServers(dir, want))
	path := filepath.Join(dir, "servers.json")
	require.NoError(t, os.Chmod(path, 0o644))
	got, err := settings.LoadServers(dir)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if said := fmt.Sprintf("%v %+v %#v %s", got, got, got, got[0]); strings.Contains(said, "secret") {
		t.Errorf("the token is told: %s", said)
	}
}

func TestServersThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"no JSON":         {"{", nil},
		"a name of words": {`[{"name": "my lab", "url": "http://a"}]`, settings.ErrServerName},
		"no name":         {`[{"url": "http://a"}]`, settings.ErrServerName},
		"the same name":   {`[{"name": "a", "url": "http://a"}, {"name": "a", "url": "http://b"}]`, settings.ErrServerTwice},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "servers.json"), []byte(c.text), 0o600))
		if _, err := settings.LoadServers(dir); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestADamagedListOfServersIsSetAside checks that the file is kept, and that the list can be
// written again.
func TestADamagedListOfServersIsSetAside(t *testing.T) {
	for name, text := range map[string]string{"cut off": `[{"name": "a"`, "another type": `{"a": 1}`, "zeros": "\x00\x00"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "servers.json"), []byte(text), 0o600))
			if _, err := settings.LoadServers(dir); !errors.Is(err, settings.ErrServersDamaged) {
				t.Fatalf("got %v, want ErrServersDamaged", err)
			}
			aside, err := settings.SetServersAside(dir)
			require.NoError(t, err)
			if kept, err := os.ReadFile(aside); err != nil || string(kept) != text {
				t.Errorf("the copy has %q, %v", kept, err)
			}
			if got := settings.ServersAside(dir); len(got) != 1 || got[0] != aside {
				t.Errorf("set aside: %q, want %q", got, aside)
			}
			if got, err := settings.LoadServers(dir); err != nil || len(got) != 0 {
				t.Errorf("then there are %v, %v", got, err)
			}
		})
	}
}
