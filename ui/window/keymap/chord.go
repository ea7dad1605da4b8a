// Package keymap says which keys do what: the keys that the window comes with, and those that the
// user has chosen instead, in a file.
//
// # Goroutines
//
// A Map belongs to the UI goroutine. The other functions may be called from any goroutine; Read
// and Write use a file.
package keymap

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// A Chord is a key with its modifiers, as it is shown and written: "Ctrl+Shift+C", "F5", "Z".
// A single character without Ctrl works in the gallery, the others everywhere.
type Chord string

// The modifiers, in the order in which they are written.
const ctrl, alt, shift = "Ctrl+", "Alt+", "Shift+"

// named are the keys that have another name in Fyne.
var named = map[string]fyne.KeyName{
	"Enter": fyne.KeyReturn, "Del": fyne.KeyDelete, "Ins": fyne.KeyInsert, "Home": fyne.KeyHome, "End": fyne.KeyEnd,
	"PageUp": fyne.KeyPageUp, "PageDown": fyne.KeyPageDown, "Backspace": fyne.KeyBackspace,
	"Up": fyne.KeyUp, "Down": fyne.KeyDown, "Left": fyne.KeyLeft, "Right": fyne.KeyRight,
}

// arrows are the keys that chords have with Alt only, which no others have.
var arrows = map[string]bool{"Up": true, "Down": true, "Left": true, "Right": true}

// alone are the named keys that need no Ctrl. The others move the focus, the selection or a page.
var alone = map[string]bool{"Del": true, "Ins": true, "Backspace": true}

// standard are the chords for which Fyne has shortcuts of its own.
var standard = map[Chord]fyne.Shortcut{
	"Ctrl+C": &fyne.ShortcutCopy{}, "Ctrl+X": &fyne.ShortcutCut{}, "Ctrl+V": &fyne.ShortcutPaste{}, "Ctrl+A": &fyne.ShortcutSelectAll{},
	"Ctrl+Z": &fyne.ShortcutUndo{}, "Ctrl+Y": &fyne.ShortcutRedo{}, "Shift+Del": &fyne.ShortcutCut{Secondary: true},
}

// A ChordError says why a text is no chord.
type ChordError struct {
	Text   string
	Reason string // the message ID of what is wrong
}

// Error implements error.
func (e *ChordError) Error() string { return fmt.Sprintf("%q is not a key: %s", e.Text, e.Reason) }

// Parse reads a chord as people write it: the case does not matter, nor do spaces around +.
func Parse(text string) (Chord, error) {
	rest, mods := strings.TrimSpace(text), ""
	for _, m := range []string{ctrl, alt, shift} {
		for _, name := range []string{m, strings.Replace(m, "+", " +", 1)} {
			if len(rest) > len(name) && strings.EqualFold(rest[:len(name)], name) {
				mods, rest = mods+m, strings.TrimSpace(rest[len(name):])
				break
			}
		}
	}
	key := keyOf(rest)
	if key == "" {
		return "", &ChordError{text, "keymap.unknown"}
	}
	single := utf8.RuneCountInString(key) == 1
	switch c := Chord(mods + key); {
	case mods == alt && arrows[key]:
		return c, nil
	case strings.Contains(mods, alt) || arrows[key]:
		return "", &ChordError{text, "keymap.reserved"}
	case strings.Contains(mods, ctrl), mods == "" && (single || alone[key] || isF(key)), mods == shift && (isF(key) || key == "Del"):
		if c == "Shift+F10" || c == "Ctrl+V" || c == "Ctrl+X" {
			return "", &ChordError{text, "keymap.reserved"}
		}
		return c, nil
	case mods == shift && single:
		return "", &ChordError{text, "keymap.shift"}
	default:
		return "", &ChordError{text, "keymap.reserved"}
	}
}

// keyOf returns the name of a key as chords have it, or "".
func keyOf(text string) string {
	if utf8.RuneCountInString(text) == 1 {
		r, _ := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return ""
		}
		return string(unicode.ToUpper(r))
	}
	for name, fyneName := range named {
		if strings.EqualFold(text, name) || strings.EqualFold(text, string(fyneName)) {
			return name
		}
	}
	if up := strings.ToUpper(text); isF(up) {
		return up
	}
	return ""
}

// isF reports whether a key is one of F1 to F12.
func isF(key string) bool {
	var n int
	_, err := fmt.Sscanf(key, "F%d", &n)
	return err == nil && n >= 1 && n <= 12 && fmt.Sprint("F", n) == key
}

// OfRune returns the chord of a character that was typed.
func OfRune(r rune) Chord { return Chord(unicode.ToUpper(r)) }

// OfKey returns the chord of a key that was pressed without Ctrl; "" if that is none.
func OfKey(name fyne.KeyName, mod fyne.KeyModifier) Chord {
	text := keyOf(string(name))
	if utf8.RuneCountInString(text) == 1 { // it comes as a character, too
		return ""
	}
	if mod&fyne.KeyModifierShift != 0 {
		text = shift + text
	}
	c, err := Parse(text)
	if err != nil {
		return ""
	}
	return c
}

// OfShortcut returns the chord of a shortcut; "" if it is none. A field passes on Ctrl, while the
// desktop's own modifier may be another, so both count as Ctrl.
func OfShortcut(s fyne.Shortcut) Chord {
	switch s := s.(type) {
	case *desktop.CustomShortcut:
		text := ctrl
		switch isCtrl := s.Modifier&(fyne.KeyModifierControl|fyne.KeyModifierSuper) != 0; {
		case isCtrl == (s.Modifier&fyne.KeyModifierAlt != 0): // neither, or both, which types characters
			return ""
		case !isCtrl:
			text = alt
		}
		if s.Modifier&fyne.KeyModifierShift != 0 {
			text += shift
		}
		name := string(s.KeyName)
		if s.KeyName == fyne.KeyEnter {
			name = "Enter"
		}
		c, err := Parse(text + name)
		if err != nil {
			return ""
		}
		return c
	case *fyne.ShortcutCut:
		if s.Secondary {
			return "Shift+Del"
		}
	case nil:
	default:
		for c, x := range standard {
			if x.ShortcutName() == s.ShortcutName() && c != "Shift+Del" {
				return c
			}
		}
	}
	return ""
}

// Shortcuts returns what a canvas must be told about, so that it reports the chord; none if it
// comes as a key or a character.
func (c Chord) Shortcuts() []fyne.Shortcut {
	if s := standard[c]; s != nil {
		return []fyne.Shortcut{s}
	}
	mod := fyne.KeyModifierShortcutDefault
	rest, ok := strings.CutPrefix(string(c), ctrl)
	if !ok {
		mod = fyne.KeyModifierAlt
		if rest, ok = strings.CutPrefix(string(c), alt); !ok {
			return nil
		}
	}
	if r, ok := strings.CutPrefix(rest, shift); ok {
		rest, mod = r, mod|fyne.KeyModifierShift
	}
	name := fyne.KeyName(rest)
	if n, ok := named[rest]; ok {
		name = n
	}
	all := []fyne.Shortcut{&desktop.CustomShortcut{KeyName: name, Modifier: mod}}
	if rest == "Enter" { // there are two of them
		all = append(all, &desktop.CustomShortcut{KeyName: fyne.KeyEnter, Modifier: mod})
	}
	return all
}

// InGallery reports whether a chord works only in the gallery, while no field has the focus.
func (c Chord) InGallery() bool { return utf8.RuneCountInString(string(c)) == 1 }
