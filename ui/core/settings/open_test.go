package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/internal/system"
)

// TestAFolderOnTheCommandLine covers the forms in which shells and desktops pass a folder or picture.
func TestAFolderOnTheCommandLine(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(home)
	for _, dir := range []string{"photos", "doctor", "a b/写真"} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	picture := filepath.Join(home, "photos", "a.png")
	require.NoError(t, os.WriteFile(picture, nil, 0o600))
	none := func(string) string { return "" }
	here, err := os.Getwd() // may be another spelling of the same directory
	require.NoError(t, err)
	for arg, want := range map[string]string{
		"photos": filepath.Join(here, "photos"), "./doctor": filepath.Join(here, "doctor"), ".": here, "photos/a.png": filepath.Join(here, "photos", "a.png"),
		"~/photos": filepath.Join(home, "photos"), "~": home, picture: picture, "photos/../a b": filepath.Join(here, "a b"),
		system.FileURL(filepath.Join(home, "a b", "写真")).String(): filepath.Join(home, "a b", "写真"),
	} {
		for _, args := range [][]string{{arg}, {arg, "--lang", "ja"}, {"--hidden", arg}} {
			if o, err := Parse(args, none); err != nil || o.Open != want || o.Command != "" {
				t.Errorf("%q: opens %q, %v; want %q", args, o.Open, err, want)
			} else if strings.Contains(strings.Join(o.Args(), " "), want+" ") {
				t.Errorf("%q: another start opens it, too: %q", args, o.Args())
			}
		}
	}
	if o, err := Parse([]string{"doctor"}, none); err != nil || o.Command != "doctor" || o.Open != "" {
		t.Errorf("a directory with the name of a command: %+v, %v", o, err)
	}
	for arg, want := range map[string]string{
		"nowhere": `unknown command "nowhere", and there is no such folder or picture`, "./nowhere": "there is no folder or picture " + here,
		"photos/a.png/b": string(filepath.Separator) + "b", "photos .": "Easel shows one folder at a time",
	} {
		if _, err := Parse(strings.Fields(arg), none); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}
