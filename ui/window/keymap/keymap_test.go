package keymap

import (
	"errors"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

func TestParseReadsKeysAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]Chord{
		"Ctrl+C": "Ctrl+C", "ctrl+shift+c": "Ctrl+Shift+C", " Ctrl + K ": "Ctrl+K", "f5": "F5", "Shift+F5": "Shift+F5", "delete": "Del", "Del": "Del",
		"shift+del": "Shift+Del", "z": "Z", "+": "+", "Ctrl++": "Ctrl++", "Ctrl+,": "Ctrl+,", "Ctrl+Return": "Ctrl+Enter", "Ctrl+Home": "Ctrl+Home",
		"図": "図", "?": "?", "alt+up": "Alt+Up", "Alt + Left": "Alt+Left", "backspace": "Backspace",
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestParseSaysWhatIsNoKey(t *testing.T) {
	for text, want := range map[string]string{
		"": "keymap.unknown", "Ctrl+": "keymap.unknown", "F13": "keymap.unknown", "Hyper": "keymap.unknown", "Shift+Z": "keymap.shift",
		"Esc": "keymap.unknown", "Home": "keymap.reserved", "Enter": "keymap.reserved", "Shift+F10": "keymap.reserved", "Ctrl+V": "keymap.reserved",
		"Up": "keymap.reserved", "Ctrl+Up": "keymap.reserved", "Alt+K": "keymap.reserved", "Ctrl+Alt+Up": "keymap.reserved", "Alt+Shift+Up": "keymap.reserved",
	} {
		var wrong *ChordError
		if got, err := Parse(text); !errors.As(err, &wrong) || wrong.Reason != want {
			t.Errorf("%q is %q, %v; want %s", text, got, err, want)
		}
	}
}

// TestShortcutsAreToldApart: what the canvas and the fields report is the right key.
func TestShortcutsAreToldApart(t *testing.T) {
	for _, x := range []struct {
		event fyne.Shortcut
		want  Chord
	}{
		{&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl}, "Ctrl+S"},
		{&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl | fyne.KeyModifierShift}, "Ctrl+Shift+S"},
		{&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl | fyne.KeyModifierAlt}, ""},
		{&desktop.CustomShortcut{KeyName: fyne.KeyEnter, Modifier: fyne.KeyModifierControl}, "Ctrl+Enter"},
		{&desktop.CustomShortcut{KeyName: fyne.KeyUp, Modifier: fyne.KeyModifierAlt}, "Alt+Up"},
		{&desktop.CustomShortcut{KeyName: fyne.KeyUp, Modifier: fyne.KeyModifierAlt | fyne.KeyModifierControl}, ""},
		{&desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: fyne.KeyModifierAlt}, ""},
		{&fyne.ShortcutCopy{}, "Ctrl+C"},
		{&fyne.ShortcutCut{Secondary: true}, "Shift+Del"},
		{&fyne.ShortcutCut{}, ""},
		{&fyne.ShortcutUndo{}, "Ctrl+Z"},
		{nil, ""},
	} {
		if got := OfShortcut(x.event); got != x.want {
			t.Errorf("%T %+v is %q, want %q", x.event, x.event, got, x.want)
		}
	}
	for name, want := range map[fyne.KeyName]Chord{fyne.KeyF5: "F5", fyne.KeyDelete: "Del", fyne.KeyBackspace: "Backspace", fyne.KeyUp: "", fyne.KeyZ: "", fyne.KeyHome: "", desktop.KeyMenu: ""} {
		if got := OfKey(name, 0); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestTheUsersKeysCountFirst: an action that had the key is left without it.
func TestTheUsersKeysCountFirst(t *testing.T) {
	m := New([]Action{{"copy", Chords("Ctrl+C")}, {"zoom", Chords("+ =")}, {"quit", Chords("Ctrl+Q")}})
	if m.Action("Ctrl+C") != "copy" || m.Key("zoom") != "+" || m.Action("F5") != "" {
		t.Errorf("at first: %v", m.All())
	}
	m.Choose(map[string][]Chord{"quit": {"Ctrl+C"}, "zoom": nil})
	if m.Action("Ctrl+C") != "quit" || m.Action("Ctrl+Q") != "" || m.Key("copy") != "" || m.Key("zoom") != "" {
		t.Errorf("chosen: %v", m.All())
	}
	if got := m.Keys("quit"); !slices.Equal(got, []Chord{"Ctrl+C"}) || !m.Own("quit") || m.Own("copy") {
		t.Errorf("the keys of quit are %v", got)
	}
}
