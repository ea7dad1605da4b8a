package kit

import (
	"regexp"
	"strings"
)

// keyMark is the place of an action's key in a text, with the brackets around it.
var keyMark = regexp.MustCompile(` ?[(（]\{key:([a-z_0-9]+)\}[)）]`)

// Keyed returns a text with the user's keys in place of marks such as "({key:fit})". Where an action has no key, the
// brackets disappear. Tips do this by themselves when they appear.
func (k *Kit) Keyed(text string) string { return keyed(text, k.Key) }

func keyed(text string, key func(action string) string) string {
	if !strings.Contains(text, "{key:") {
		return text
	}
	return keyMark.ReplaceAllStringFunc(text, func(mark string) string {
		action := keyMark.FindStringSubmatch(mark)[1]
		if key == nil || key(action) == "" {
			return ""
		}
		return strings.Replace(mark, "{key:"+action+"}", key(action), 1)
	})
}

// fixedKey is a key in brackets at the end of a text that the user cannot change.
var fixedKey = regexp.MustCompile(` ?[(（]((?:(?:Ctrl|Shift|Alt)\+)*(?:Enter|Esc|Tab|Space|Home|End|F\d{1,2}|[A-Z]))[)）]$`)

// unkeyed returns a text without such marks, and the key of the last of them, or that at its end.
func (k *Kit) unkeyed(text string) (plain, key string) {
	if m := fixedKey.FindStringSubmatch(text); m != nil {
		return strings.TrimSuffix(text, m[0]), m[1]
	}
	for _, m := range keyMark.FindAllStringSubmatch(text, -1) {
		if k.Key != nil {
			key = k.Key(m[1])
		}
	}
	return keyed(text, nil), key
}
