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

	"easel/ui/core/settings"
)

func TestServersComeBackAndOnlyTheUserReadsThem(t *testing.T) {
	dir := t.TempDir()
	if got, err := settings.LoadServers(dir); err != nil || got != nil {
		t.Errorf("none: got %v, %v", got, err)
	}
	want := []settings.Server{{Name: "lab", URL: "http://lab:8888/", Token: "secret"}, {Name: "hub", URL: "https://hub/user/ann/"}}
	if err := settings.SaveServers(dir, want); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "servers.json")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(filepath.Join(dir, "servers.json"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := settings.LoadServers(dir); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
