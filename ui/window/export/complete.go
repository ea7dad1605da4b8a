package export

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"easel/internal/system"
)

// expand returns a typed path with the home directory in the place of ~.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest == "" || !os.IsPathSeparator(rest[0]) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return home + rest
}

// complete completes the typed path, as a shell does: as far as the listed folders agree, or to the
// only one. It reports whether it did; otherwise Tab leaves the field.
func (v *saver) complete() bool {
	text := v.path.Text
	if file, ok := system.FilePath(text); ok {
		text = file
	}
	at := strings.LastIndexFunc(text, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(byte(r)) }) + 1
	dir, begin := text[:at], text[at:]
	if filepath.Clean(expand(dir)) != v.dir && filepath.Clean(expand(text)) != v.dir {
		return false // not listed yet
	}
	if filepath.Clean(expand(text)) == v.dir && begin != "" { // the folder itself: its folders follow
		dir, begin = text+string(filepath.Separator), ""
	}
	common, n := "", 0
	for _, name := range v.dirs {
		if !strings.HasPrefix(strings.ToLower(name), strings.ToLower(begin)) {
			continue
		}
		if n++; n == 1 {
			common = name
		}
		common = common[:agree(common, name)]
	}
	done := dir + common
	switch {
	case n == 0:
		return false
	case n == 1:
		done += string(filepath.Separator)
	case len(common) <= len(begin): // nothing to add
		return false
	}
	if done == v.path.Text {
		return false
	}
	v.set(done)
	return true
}

// agree returns how long the common beginning of two names is, in bytes. It ends with a whole character.
func agree(a, b string) (n int) {
	for n < len(a) && n < len(b) {
		x, size := utf8.DecodeRuneInString(a[n:])
		if y, _ := utf8.DecodeRuneInString(b[n:]); x != y {
			break
		}
		n += size
	}
	return n
}

// choose puts the listed folder into the field that follows the one that is there; after the last, the first.
func (v *saver) choose(text string) {
	if v.yes == "" || len(v.dirs) == 0 {
		return
	}
	i := slices.IndexFunc(v.dirs, func(name string) bool { return filepath.Join(v.dir, name) == text && v.chosen == text })
	v.chosen = filepath.Join(v.dir, v.dirs[(i+1)%len(v.dirs)])
	v.set(v.chosen)
}

// set puts a path into the field, with the cursor at its end.
func (v *saver) set(path string) {
	v.path.SetText(path)
	v.path.CursorColumn = utf8.RuneCountInString(path)
	v.path.Refresh()
}
