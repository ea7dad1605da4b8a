package settings

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

func TestSettingsComeBack(t *testing.T) {
	dir := t.TempDir()
	want := state.DefaultSettings()
	want.Language, want.Port, want.Access = "ja", 6000, "ask"
	require.NoError(t, Save(dir, want))
	got, problem, err := Load(dir)
	if err != nil || problem != (Problem{}) || got != want {
		t.Errorf("got %+v, %q, %v", got, problem, err)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestLoad(t *testing.T) {
	t.Run("nothing kept: the defaults", func(t *testing.T) {
		got, problem, err := Load(t.TempDir())
		if err != nil || problem != (Problem{}) || got != state.DefaultSettings() {
			t.Errorf("got %+v, %q, %v", got, problem, err)
		}
	})
}

// TestSettingsThatCannotBeReadMeanReadOnly covers a damaged file, a damaged access mode and a
// damaged neighbour of it: until the user chooses again, assistants may only read, also after
// a restart and after other settings were saved.
func TestSettingsThatCannotBeReadMeanReadOnly(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"cut off":                {`{"access": "allow", "port": 6`, "unexpected end"},
		"empty":                  {``, "unexpected end"},
		"zeros":                  {"\x00\x00\x00\x00", "invalid character"},
		"an array":               {`["allow"]`, "array"},
		"null":                   {`null`, "no object"},
		"rubbish after it":       {`{"access": "allow"}}`, "invalid character"},
		"an unknown mode":        {`{"access": "all"}`, `access is "all"`},
		"another case":           {`{"access": "Allow"}`, `access is "Allow"`},
		"no mode":                {`{"access": ""}`, `access is ""`},
		"access is null":         {`{"access": null}`, "access is null"},
		"access is a list":       {`{"access": ["ask"]}`, "array"},
		"a misspelt key":         {`{"acces": "ask"}`, `"acces" is not a setting`},
		"another misspelt key":   {`{"acess": "read_only", "port": 5149}`, `"acess" is not a setting`},
		"a neighbour's type":     {`{"access": "allow", "timeout": "long"}`, "timeout"},
		"a nested type":          {`{"access": "allow", "export": 7}`, "export"},
		"a neighbour's range":    {`{"access": "allow", "port": 70000, "timeout": -1}`, "port is 70000"},
		"a key twice":            {`{"access": "read_only", "theme": "dark", "access": "allow"}`, `"access" is there twice`},
		"a neighbour twice":      {`{"access": "allow", "port": 1, "port": 2}`, `"port" is there twice`},
		"an escaped key twice":   {`{"acc\u0065ss": "ask", "access": "allow"}`, `"access" is there twice`},
		"a second case":          {`{"access": "read_only", "ACCESS": "allow"}`, `"ACCESS" is not a setting`},
		"only another case":      {`{"Access": "allow"}`, `"Access" is not a setting; access is meant`},
		"a neighbour's case":     {`{"access": "allow", "Timeout": 60}`, "timeout is meant"},
		"a neighbour's name":     {`{"access": "allow", "lang": "xx"}`, "language is meant"},
		"a neighbour's word":     {`{"access": "allow", "language": "fr"}`, `language is "fr"`},
		"another word":           {`{"access": "allow", "on_close": "never"}`, `it must be one of ["hide" "quit"]`},
		"a neighbour is null":    {`{"access": "allow", "quota_mb": null}`, "quota_mb is null"},
		"a number without bound": {`{"access": "allow", "timeout": 1e400}`, "1e400"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(c.text), 0o644))
			if got := Check(dir); !strings.Contains(got, c.says) {
				t.Errorf("Check says %q, want %q", got, c.says)
			}
			got, problem, err := Load(dir)
			if err != nil || !strings.Contains(problem.Reason, c.says) || got.Access != "read_only" || !got.ChooseAccess {
				t.Fatalf("got %+v, %+v, %v", got, problem, err)
			}
			if kept, err := os.ReadFile(problem.Aside); err != nil || string(kept) != c.text {
				t.Errorf("the copy has %q, %v", kept, err)
			}
			if info, err := os.Stat(problem.Aside); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("the copy: %v, %v", info, err)
			}
			got.Theme = "dark" // something else is changed and saved
			require.NoError(t, Save(dir, got))
			again, problem, err := Load(dir)
			if err != nil || problem != (Problem{}) || again != got || Check(dir) == "" {
				t.Errorf("after a restart: %+v, %+v, %v; %q", again, problem, err, Check(dir))
			}
			again.Access, again.ChooseAccess = "ask", false // the user's choice
			require.NoError(t, Save(dir, again))
			if last, _, err := Load(dir); err != nil || last != again || Check(dir) != "" {
				t.Errorf("after the choice: %+v, %v; %q", last, err, Check(dir))
			}
		})
	}
}

// TestWhatCanBeReadStays checks that the other settings stay, and that keys of a newer
// version are no damage.
func TestWhatCanBeReadStays(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(`{"theme": "dark", "thumb_size": 5, "timeout": "x", "language": "ja", "new": 1}`), 0o600))
	got, _, err := Load(dir)
	want := state.DefaultSettings()
	want.Theme, want.Language = "dark", "ja"
	closed(&want)
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(`{"new": {"a": null}, "palette": 1, "theme": "dark"}`), 0o600))
	got, problem, err := Load(dir)
	if err != nil || problem != (Problem{}) || got.Access != "allow" || got.Theme != "dark" {
		t.Errorf("a newer file: %+v, %+v, %v", got, problem, err)
	}
}

func TestDeliveriesOfSingleClientsComeBack(t *testing.T) {
	dir := t.TempDir()
	want := state.DefaultSettings()
	want.DeliveryBy = want.DeliveryBy.With("Codex-MCP-Client", "link")
	require.NoError(t, Save(dir, want))
	if got, aside, err := Load(dir); err != nil || aside != (Problem{}) || got != want {
		t.Errorf("got %+v, %q, %v", got, aside, err)
	}
	// A file from before this setting existed, and one that the user has edited.
	for text, want := range map[string]string{`{}`: "", `{"delivery_by_client": {"codex-mcp-client": "link", "b": "loud"}}`: "link"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(text), 0o600))
		got, aside, err := Load(dir)
		if err != nil || aside != (Problem{}) || got.DeliveryBy.Of("codex-mcp-client") != want || got.DeliveryBy.Of("b") != "" {
			t.Errorf("%s: got %+v, %q, %v", text, got.DeliveryBy, aside, err)
		}
	}
}

func TestKeepWritesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	keep := Keep(store, dir, slog.New(slog.DiscardHandler))
	go func() { defer close(done); keep(ctx) }()
	store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	cancel() // keep saves the last change before it returns
	<-done
	if got, _, err := Load(dir); err != nil || got.Theme != "dark" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args string
		env  map[string]string
		ok   func(Options) bool
	}{
		"no command is the app":       {"", nil, func(o Options) bool { return o.Command == "" && o.DataDir != "" && o.Port == 0 }},
		"a flag beats its variable":   {"--port 6000", map[string]string{"EASEL_PORT": "7000"}, func(o Options) bool { return o.Port == 6000 }},
		"a variable":                  {"", map[string]string{"EASEL_PORT": "7000", "EASEL_LANG": "ja"}, func(o Options) bool { return o.Port == 7000 && o.Lang == "ja" }},
		"Jupyter's own names":         {"", map[string]string{"JUPYTER_SERVER_URL": "http://h", "JUPYTER_TOKEN": "t"}, func(o Options) bool { return o.JupyterURL == "http://h" && o.JupyterToken == "t" }},
		"ours beat Jupyter's":         {"", map[string]string{"JUPYTER_TOKEN": "t", "EASEL_JUPYTER_TOKEN": "e"}, func(o Options) bool { return o.JupyterToken == "e" }},
		"a command with flags":        {"mcp --toolsets core,gallery", nil, func(o Options) bool { return o.Command == "mcp" && o.Toolsets == "core,gallery" }},
		"stdio is mcp":                {"stdio", nil, func(o Options) bool { return o.Command == "mcp" }},
		"help as a flag":              {"--help", nil, func(o Options) bool { return o.Command == "help" }},
		"directories become absolute": {"--data-dir d --root-dir r", nil, func(o Options) bool { return filepath.IsAbs(o.DataDir) && filepath.IsAbs(o.RootDir) }},
		"hidden and headless":         {"--hidden --headless", nil, func(o Options) bool { return o.Hidden && o.Headless }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := Parse(strings.Fields(tt.args), func(n string) string { return tt.env[n] })
			if err != nil || !tt.ok(o) {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
	for _, bad := range []string{"paint", "--port x", "--port 0", "--port 70000", "--lang fr", "--log-level loud", "--nope", "demo extra", "--port", "mcp --toolsets nope", "mcp --toolsets core,"} {
		o, err := Parse(strings.Fields(bad), func(string) string { return "" })
		if !errors.Is(err, ErrUsage) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %+v, %v, want one line", bad, o, err)
		}
	}
	for bad, want := range map[string]string{
		"--nope":              "unknown flag --nope; `easel help` lists the flags",
		"--port":              "--port needs a value; `easel help` lists the flags",
		"mcp --toolsets nope": "There is no toolset “nope”; there are core, jupyter, notebook, gallery",
		"paint":               `unknown command "paint", and there is no such folder or picture; the commands are mcp, demo, doctor, env, assistants, questions, library, log, uninstall, version, help`,
	} {
		if _, err := Parse(strings.Fields(bad), func(string) string { return "" }); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", bad, err, want)
		}
	}
}

func TestAnotherProcessGetsTheSameOptionsAndNoSecretInItsArguments(t *testing.T) {
	o, err := Parse(strings.Fields("--port 6000 --token secret --data-dir /d --jupyter-url http://h --jupyter-token hidden --lang ja --headless"), func(string) string { return "" })
	require.NoError(t, err)
	if args := strings.Join(o.Args(), " "); strings.Contains(args, "secret") || strings.Contains(args, "hidden") {
		t.Errorf("arguments %q", args)
	}
	env := make(map[string]string)
	for _, e := range o.Env() {
		k, v, _ := strings.Cut(e, "=")
		env[k] = v
	}
	again, err := Parse(o.Args(), func(n string) string { return env[n] })
	if err != nil || !reflect.DeepEqual(again, o) {
		t.Errorf("got %+v, %v, want %+v", again, err, o)
	}
}

func TestTheBridgeLeadsToThisEasel(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	t.Setenv("XDG_DATA_HOME", "")
	for want, args := range map[string][]string{
		"mcp":                                nil,
		"mcp --data-dir /data/b --port 6000": {"--data-dir", "/data/b", "--port", "6000"},
	} {
		o, err := Parse(args, func(string) string { return "" })
		require.NoError(t, err)
		if runtime.GOOS == "linux" && strings.Join(o.Bridge(), " ") != want {
			t.Errorf("%q: got %q", args, o.Bridge())
		}
		again, err := Parse(o.Bridge(), func(string) string { return "" })
		if err != nil || again.Command != "mcp" || again.DataDir != o.DataDir || again.Port != o.Port {
			t.Errorf("%q leads to %+v, %v", o.Bridge(), again, err)
		}
	}
	o, err := Parse(nil, func(name string) string { return map[string]string{"EASEL_DATA_DIR": "/data/c"}[name] })
	dir, _ := filepath.Abs("/data/c")
	if err != nil || strings.Join(o.Bridge(), " ") != "mcp --data-dir "+dir {
		t.Errorf("by the environment: %q, %v", o.Bridge(), err)
	}
	if runtime.GOOS == "linux" { // a client may start the bridge without this variable
		t.Setenv("XDG_DATA_HOME", "/data/d")
		if o, err = Parse(nil, func(string) string { return "" }); err != nil || strings.Join(o.Bridge(), " ") != "mcp --data-dir /data/d/easel" {
			t.Errorf("by XDG_DATA_HOME: %q, %v", o.Bridge(), err)
		}
	}
}

// TestBegin checks that only a new installation with a window begins with the mode that asks about risky code.
func TestBegin(t *testing.T) {
	for name, c := range map[string]struct {
		window bool
		before func(dir string) error
		want   string
	}{
		"new, with a window":          {true, func(string) error { return nil }, oversight.AccessAskRisky},
		"new, without a window":       {false, func(string) error { return nil }, oversight.AccessAllow},
		"it has a library":            {true, func(dir string) error { return os.Mkdir(filepath.Join(dir, "library"), 0o700) }, oversight.AccessAllow},
		"the user has chosen another": {true, func(dir string) error { return Save(dir, state.DefaultSettings()) }, oversight.AccessAllow},
	} {
		dir := t.TempDir()
		require.NoError(t, c.before(dir))
		s, _, err := Begin(dir, c.window)
		require.NoError(t, err)
		if s.Access != c.want {
			t.Errorf("%s: %s, want %s", name, s.Access, c.want)
		}
		if again, _, err := Begin(dir, false); err != nil || again.Access != c.want {
			t.Errorf("%s: %s after the next start, %v", name, again.Access, err)
		}
	}
}
