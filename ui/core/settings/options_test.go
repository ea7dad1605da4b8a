package settings

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/ui/core/roster"
)

// TestWhatAnOptionIsFrom checks that a flag has priority over its variable, and that empty
// values are ignored.
func TestWhatAnOptionIsFrom(t *testing.T) {
	env := map[string]string{"EASEL_PORT": "6001", "EASEL_ROOT_DIR": "/srv"}
	for name, x := range map[string]struct {
		args       []string
		env        map[string]string
		port, root string
	}{
		"nothing":       {nil, nil, "", ""},
		"variables":     {nil, env, "EASEL_PORT", "EASEL_ROOT_DIR"},
		"flags":         {[]string{"--port", "6002", "--root-dir=/srv"}, env, "--port", "--root-dir"},
		"an empty flag": {[]string{"--root-dir="}, env, "EASEL_PORT", ""},
	} {
		o, err := Parse(x.args, func(name string) string { return x.env[name] })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if o.PortBy != x.port || o.RootDirBy != x.root {
			t.Errorf("%s: port by %q, folder by %q, want %q and %q", name, o.PortBy, o.RootDirBy, x.port, x.root)
		}
	}
}

// TestTheVersionNeedsNoHome covers a program without HOME, for example in a container.
func TestTheVersionNeedsNoHome(t *testing.T) {
	for _, name := range []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	none := func(string) string { return "" }
	for command, ok := range map[string]bool{"version": true, "--version": true, "help": true, "doctor": false} {
		if _, err := Parse([]string{command}, none); (err == nil) != ok {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// TestHelp asks each command for its own help, which mentions only flags that exist.
func TestHelp(t *testing.T) {
	none := func(string) string { return "" }
	flags := regexp.MustCompile(`--[a-z-]+`)
	for _, name := range append(slices.Clone(Commands), "stdio") {
		want := name
		if name == "stdio" {
			want = "mcp"
		}
		for _, args := range [][]string{{name, "--help"}, {name, "-h"}, {"help", name}} {
			if o, err := Parse(args, none); err != nil || o.Command != "help" || o.Topic != want {
				t.Errorf("%q: %+v, %v", args, o, err)
			}
		}
		text := Help(want)
		if !strings.HasPrefix(text, "Usage: easel "+want) || !strings.Contains(text, "\nExample") || text == Usage {
			t.Errorf("%s:\n%s", name, text)
		}
		for _, flag := range flags.FindAllString(text, -1) {
			if !strings.Contains(Usage, "\n  "+flag+" ") {
				t.Errorf("%s: there is no flag %s", name, flag)
			}
		}
	}
	if o, err := Parse([]string{"env", "list", "proj", "--help"}, none); err != nil || o.Topic != "env" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := Parse([]string{"--help"}, none); err != nil || o.Command != "help" || Help(o.Topic) != Usage {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := Parse([]string{"help", "envs"}, none); !errors.Is(err, ErrUsage) {
		t.Error(err)
	}
}

func TestFlagsOfUninstall(t *testing.T) {
	none := func(string) string { return "" }
	o, err := Parse([]string{"uninstall", "--yes", "--all", "--data-dir", t.TempDir()}, none)
	if err != nil || !o.Yes || !o.All || o.KeepLibrary {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"uninstall", "--all", "--keep-library"}, {"--yes"}, {"doctor", "--all"}} {
		if _, err := Parse(args, none); !errors.Is(err, ErrUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestArgumentsOfEnv(t *testing.T) {
	none := func(string) string { return "" }
	for args, want := range map[string]Options{
		"env":                     {},
		"env export p.zip":        {Export: "p.zip"},
		"env add six numpy>2":     {Add: []string{"six", "numpy>2"}},
		"env list":                {List: true},
		"env list proj":           {List: true, Directory: "proj"},
		"env list --json proj":    {List: true, Directory: "proj", JSON: true},
		"env list ../proj --json": {List: true, Directory: "../proj", JSON: true},
	} {
		o, err := Parse(strings.Fields(args), none)
		if err != nil || o.Command != "env" || o.List != want.List || o.Directory != want.Directory || o.JSON != want.JSON || o.Export != want.Export || !slices.Equal(o.Add, want.Add) {
			t.Errorf("%s: %+v, %v", args, o, err)
		}
	}
	for _, args := range []string{"env list a b", "env lists", "env --json", "doctor --json", "env export", "env add"} {
		if _, err := Parse(strings.Fields(args), none); !errors.Is(err, ErrUsage) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestFlagsOfAssistants(t *testing.T) {
	none := func(string) string { return "" }
	for args, want := range map[string]roster.Change{
		"assistants":                         {},
		"assistants --add bot --json":        {Do: roster.Add, Name: "bot"},
		"assistants --rights bot=look":       {Do: roster.Rights, Name: "bot", Set: "look"},
		"assistants --rights a=b=default":    {Do: roster.Rights, Name: "a=b", Set: "default"},
		"assistants --forget bot":            {Do: roster.Forget, Name: "bot"},
		"assistants --pause= ":               {Do: "?"},
		"assistants --rights bot":            {Do: "?"},
		"assistants --rights bot=own":        {Do: "?"},
		"assistants --rights bot=":           {Do: "?"},
		"assistants --rights =look":          {Do: "?"},
		"assistants --pause bot --resume a":  {Do: "?"},
		"assistants bot":                     {Do: "?"},
		"assistants --token easel_client_x":  {Do: "?"},
		"mcp --pause bot":                    {Do: "?"},
		"--forget bot":                       {Do: "?"},
		"assistants --add bot --since 2026 ": {Do: "?"},
	} {
		o, err := Parse(strings.Fields(args), none)
		if bad := want.Do == "?"; bad != errors.Is(err, ErrUsage) || !bad && o.Assistants != want {
			t.Errorf("%s: %+v, %v; want %+v", args, o.Assistants, err, want)
		}
	}
}

func TestTheLogOfAPeriod(t *testing.T) {
	t.Setenv("TZ", "")
	none := func(string) string { return "" }
	day := func(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.Local) } //nolint:gosmopolitan // the user's
	for line, want := range map[string]LogOptions{
		"log": {Format: "jsonl"},
		"log --since 2026-11-01 --until 2026-11-30":  {Format: "jsonl", Since: day(1, 0), Until: day(31, 0)},
		"log --since 2026-11-01T09:00 --session s":   {Format: "jsonl", Since: day(1, 9), Session: "s"},
		"log --format report --thumbnails":           {Format: "report", Thumbnails: true},
		"log --since 2026-11-01T09:00:00Z --session": {},
		"log --since soon":                           {},
		"log --since 2026-11-02 --until 2026-11-01":  {},
		"log --thumbnails":                           {},
		"log --format pdf":                           {},
		"log here":                                   {},
		"doctor --session s":                         {},
		"--output x":                                 {},
	} {
		o, err := Parse(strings.Fields(line), none)
		if got := o.Log; (err != nil) != (want.Format == "") || err == nil && got != want {
			t.Errorf("%s: %+v, %v; want %+v", line, got, err, want)
		}
	}
}
