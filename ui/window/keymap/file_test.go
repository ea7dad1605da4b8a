package keymap

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"easel/internal/require"
)

var some = []Action{{"copy", Chords("Ctrl+C")}, {"zoom", Chords("+ =")}, {"quit", Chords("Ctrl+Q")}}

// TestWhatIsWrongInTheFileIsNamedByItsLine, has no effect, and the rest counts.
func TestWhatIsWrongInTheFileIsNamedByItsLine(t *testing.T) {
	chosen, problems := read([]byte(`{
  "copy": "Ctrl+Shift+X",
  "zoom": ["F7", "Ctrl++"],
  "paste": "F8",
  "quit": "Hyper",
  "copy": 3,
  "quit":
    "F7"
}`), some)
	if want := (map[string][]Chord{"copy": {"Ctrl+Shift+X"}, "zoom": {"F7", "Ctrl++"}}); !reflect.DeepEqual(chosen, want) {
		t.Errorf("chosen: %v", chosen)
	}
	want := []Problem{
		{4, "paste", "keymap.no_action"},
		{5, "Hyper", "keymap.unknown"},
		{6, "copy", "keymap.type"},
		{7, "F7", "keymap.taken"},
	}
	if !reflect.DeepEqual(problems, want) {
		t.Errorf("problems: %v", problems)
	}
	for raw, want := range map[string]Problem{
		"": {1, "", "keymap.syntax"}, "keys": {1, "keys", "keymap.syntax"}, "{\n\"copy\": \"F5\",\n\"zoom\": }": {3, "zoom", "keymap.syntax"},
	} {
		if _, problems := read([]byte(raw), some); len(problems) != 1 || problems[0] != want {
			t.Errorf("%q: %v", raw, problems)
		}
	}
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	chosen, problems, err := Read(path, some)
	if len(chosen)+len(problems) != 0 || err != nil {
		t.Errorf("without a file: %v, %v, %v", chosen, problems, err)
	}
	want := map[string][]Chord{"copy": {"F5"}, "zoom": {"Ctrl++", "Z"}, "quit": {}}
	require.NoError(t, Write(path, want, some))
	if chosen, problems, err = Read(path, some); !reflect.DeepEqual(chosen, want) || len(problems) != 0 || err != nil {
		t.Errorf("read: %v, %v, %v", chosen, problems, err)
	}
	require.NoError(t, Write(path, nil, some))
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("without keys, the file stays: %v", err)
	}
}

// TestWhatCouldNotBeReadIsKept when keys are changed in the settings.
func TestWhatCouldNotBeReadIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	const byHand = "{\n\"copy\": \"F5\", \"zoom\": \"Hyper\"\n}"
	require.NoError(t, os.WriteFile(path, []byte(byHand), 0o600))
	for range 2 { // what is written then is right, and replaces nothing
		require.NoError(t, Write(path, map[string][]Chord{"copy": {"F6"}}, some))
		kept, err := filepath.Glob(path + ".broken-*")
		require.NoError(t, err)
		if len(kept) != 1 {
			t.Fatalf("kept %q", kept)
		}
		if raw, err := os.ReadFile(kept[0]); string(raw) != byHand {
			t.Errorf("kept %q, %v", raw, err)
		}
	}
}
