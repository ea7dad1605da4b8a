//go:build !windows

package programs_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/ui/window/desktop/programs"
)

// tree writes files below a home, makes it that of the process, and puts empty programs
// into its PATH.
func tree(t *testing.T, files map[string]string, names ...string) {
	t.Helper()
	home := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(name, text, 0o600)
	}
	for _, n := range names {
		write("bin/"+n, "#!/bin/sh\n", 0o700)
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", filepath.Join(home, "bin"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_CONFIG_DIRS", filepath.Join(home, "etc"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "user"))
	t.Setenv("XDG_DATA_DIRS", filepath.Join(home, "local")+":relative:"+filepath.Join(home, "usr"))
	t.Setenv("XDG_CURRENT_DESKTOP", "ubuntu:GNOME")
}

// app returns a desktop entry.
func app(name, command string, more ...string) string {
	return "[Desktop Entry]\nType=Application\nName=" + name + "\nExec=" + command + "\n" + strings.Join(more, "\n") + "\n"
}

func ids(all []programs.Program) string {
	var s []string
	for _, p := range all {
		id := strings.TrimSuffix(p.ID, ".desktop")
		if p.Default {
			id += "*"
		}
		s = append(s, id)
	}
	return strings.Join(s, " ")
}

const png = "MimeType=image/png;image/jpeg;"

func TestOrder(t *testing.T) {
	usr := map[string]string{
		"usr/applications/mimeinfo.cache": "[MIME Cache]\nimage/png=gimp.desktop;eog.desktop;kde-view.desktop;gone.desktop;\n",
		"usr/applications/gimp.desktop":   app("GIMP", "gimp %U", png),
		"usr/applications/eog.desktop":    app("Image Viewer", "eog %U", png),
		"usr/applications/kde/view.desktop": app("View", "view %f", png,
			"[Desktop Action x]", "Name=Not this", "Exec=nothing"),
		"usr/applications/text.desktop":  app("Text", "text %f"),
		"usr/applications/paint.desktop": app("Paint", "paint %f"),
		"local/applications/own.desktop": app("Own", "own %f", png), // its folder has no cache
	}
	programNames := []string{"gimp", "eog", "view", "text", "paint", "own"}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"only caches": {nil, "own gimp eog kde-view"},
		"the user's default": {map[string]string{
			".config/mimeapps.list": "[Default Applications]\nimage/png=gone.desktop;eog.desktop\n",
		}, "eog* own gimp kde-view"},
		"the desktop's list before the general one": {map[string]string{
			".config/gnome-mimeapps.list": "[Default Applications]\nimage/png=kde-view.desktop\n",
			".config/mimeapps.list":       "[Default Applications]\nimage/png=eog.desktop\n",
		}, "kde-view* own gimp eog"},
		"the user's list before the system's": {map[string]string{
			"etc/mimeapps.list":              "[Default Applications]\nimage/png=eog.desktop\n",
			"usr/applications/mimeapps.list": "[Default Applications]\nimage/png=gimp.desktop\n",
		}, "eog* own gimp kde-view"},
		"added and removed": {map[string]string{
			".config/mimeapps.list": "[Added Associations]\nimage/png=paint.desktop;text.desktop;\n[Removed Associations]\nimage/png=gimp.desktop\n",
		}, "paint text own eog kde-view"},
		"added by the system, removed by the user": {map[string]string{
			".config/mimeapps.list": "[Removed Associations]\nimage/png=text.desktop;own.desktop\n",
			"etc/mimeapps.list":     "[Added Associations]\nimage/png=text.desktop;\n",
		}, "gimp eog kde-view"},
		"an entry hides another of its id": {map[string]string{
			"user/applications/gimp.desktop": app("No GIMP", "gimp", "Hidden=true"),
		}, "own eog kde-view"},
		"a damaged list": {map[string]string{
			".config/mimeapps.list": "image/png=eog.desktop\n[Default Applications\n=\n\x00\nimage/png",
		}, "own gimp eog kde-view"},
	} {
		t.Run(name, func(t *testing.T) {
			files := make(map[string]string)
			for _, m := range []map[string]string{usr, c.files} {
				maps.Copy(files, m)
			}
			tree(t, files, programNames...)
			if got := ids(programs.For("image/png", "en")); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWhatIsShown(t *testing.T) {
	tree(t, map[string]string{
		"usr/applications/a-shown.desktop":     app("Shown", "run %f", png, "Name[ja]=表示"),
		"usr/applications/b-nodisplay.desktop": app("Hidden handler", "run %f", png, "NoDisplay=true"),
		"usr/applications/c-only.desktop":      app("For KDE", "run %f", png, "OnlyShowIn=KDE;"),
		"usr/applications/d-here.desktop":      app("For GNOME", "run %f", png, "OnlyShowIn=KDE;GNOME;"),
		"usr/applications/e-not.desktop":       app("Not here", "run %f", png, "NotShowIn=GNOME;"),
		"usr/applications/f-try.desktop":       app("Not installed", "run %f", png, "TryExec=missing"),
		"usr/applications/g-exec.desktop":      app("No program", "missing %f", png),
		"usr/applications/h-term.desktop":      app("In a terminal", "run %f", png, "Terminal=true"),
		"usr/applications/i-link.desktop":      "[Desktop Entry]\nType=Link\nName=Link\nURL=http://example.org\n" + png,
		"usr/applications/j-quote.desktop":     app("Open quote", `run "x`, png),
		"usr/applications/k-empty.desktop":     "",
		"usr/applications/l-calc.desktop":      app("Calculator", "run", png),
	}, "run")
	if got := ids(programs.For("image/png", "en")); got != "a-shown d-here l-calc" {
		t.Errorf("the programs of a type are %q", got)
	}
	if got := ids(programs.All("ja")); got != "d-here a-shown" {
		t.Errorf("all programs that take files are %q", got)
	}
	if got := programs.For("image/png", "ja")[0].Name; got != "表示" {
		t.Errorf("in Japanese, the name is %q", got)
	}
	home := os.Getenv("HOME")
	if err := os.MkdirAll(filepath.Join(home, ".config"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := "[Default Applications]\nimage/png=b-nodisplay.desktop\n"
	if err := os.WriteFile(filepath.Join(home, ".config/mimeapps.list"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ids(programs.For("image/png", "en")); got != "b-nodisplay* a-shown d-here l-calc" {
		t.Errorf("with a default that menus do not show: %q", got)
	}
}

func TestCommand(t *testing.T) {
	const file = "/tmp/a b/図 50%.png"
	const address = "file:///tmp/a%20b/%E5%9B%B3%2050%25.png"
	for command, want := range map[string][]string{
		`run %f`:                     {"run", file},
		`run --new %F --end`:         {"run", "--new", file, "--end"},
		`run %u`:                     {"run", address},
		`run --url=%U`:               {"run", "--url=" + address},
		`run`:                        {"run", file},
		`run "a b" "say \\"c\\"" %f`: {"run", "a b", `say "c"`, file},
		`run "\\$HOME" %f`:           {"run", "$HOME", file},
		`run 100%% %f`:               {"run", "100%", file},
		`run %i %f`:                  {"run", "--icon", "pic", file},
		`run -name %c %f`:            {"run", "-name", "The Name", file},
		`run %d %n %m %f`:            {"run", file},
		`run "" %f`:                  {"run", "", file},
		`run ; rm -rf $HOME %f`:      {"run", ";", "rm", "-rf", "$HOME", file},
	} {
		t.Run(command, func(t *testing.T) {
			tree(t, map[string]string{"usr/applications/x.desktop": app("The Name", command, png, "Icon=pic", "Path=/srv")}, "run")
			all := programs.For("image/png", "en")
			if len(all) != 1 {
				t.Fatalf("%d programs", len(all))
			}
			name, args, dir := all[0].Command(file)
			if got := append([]string{name}, args...); !slices.Equal(got, want) || dir != "/srv" {
				t.Errorf("it runs %q in %s, want %q", got, dir, want)
			}
		})
	}
}

func TestWithoutAnyProgram(t *testing.T) {
	tree(t, nil)
	if got := programs.For("image/png", "en"); got != nil {
		t.Errorf("got %v", got)
	}
	if got := programs.All("en"); got != nil {
		t.Errorf("got %v", got)
	}
}
