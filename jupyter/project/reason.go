package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Reason says why an environment was found or cannot be used, or why a folder is no project. It
// has the parts of the sentence, so that others can say it in another language.
type Reason struct {
	Kind   string // one of ReasonKinds; "" is no reason
	Detail string // a name, a path or versions, if the kind has one
}

// reasons are the sentences in English, without a period. Those of folders continue a sentence
// that begins with the folder.
var reasons = map[string]string{
	"active":      "It is active (%s)",
	"on_path":     "Its python is the first on PATH",
	"inside":      "It is in the project's folder",
	"in_part":     "It is in the folder %s",
	"above":       "It is in %s, which the project is a part of",
	"named":       "The file %s names it",
	"made":        "%s made it for this project",
	"pixi":        "It is one of pixi's environments of this project",
	"pixi_usual":  "It is pixi's default environment of this project",
	"no_python":   "It has no Python",
	"other":       "It was made on another system, not on %s",
	"windows_own": "It was made on Windows",
	"removed":     "Its Python no longer exists (%s)",
	"unopenable":  "Its Python cannot be opened (%s)",
	"not_program": "Its Python is not executable (%s)",
	"too_old":     fmt.Sprintf("Python %%s is too old: Easel needs 3.%d or newer", oldestMinor),
	"changed":     "It was made for another version of Python (%s)",
	"system_for":  "It was made on another system: its Python is for %s",
	"processor":   "Its Python is for other processors (%s)",

	"not_made": "%s describes an environment that does not exist yet",
	"made_bad": "The environment of %s cannot be used",

	"home":        "is your home directory, not a project",
	"homes":       "has the home directories, not a project",
	"temporary":   "is a directory for temporary files, not a project",
	"system":      "belongs to the system, not a project",
	"windows":     "belongs to Windows, not a project",
	"programs":    "is a folder for programs, not a project",
	"program":     "is the folder of a program, not a project",
	"easel":       "belongs to Easel, not a project",
	"disk":        "is the whole disk",
	"in_system":   "is in %s, which belongs to the system",
	"in_windows":  "is in %s, which belongs to Windows",
	"in_programs": "is in %s, which is a folder for programs",
	"in_program":  "is in %s, which is the folder of a program",
	"in_easel":    "is in %s, which belongs to Easel",
	"unmarked":    "is in a folder for programs (%s) and has no file of a project",
	"empty":       "is empty",
	"control":     "has a control character in its path, such as a line break",
	"missing":     "does not exist",
	"dead_link":   "is a link to %s, which does not exist",
	"forbidden":   "cannot be opened: you have no permission",
	"unreadable":  "cannot be opened (%s)",
	"file":        "is a file",
}

// ReasonKinds returns all kinds of reasons, sorted.
func ReasonKinds() []string { return slices.Sorted(maps.Keys(reasons)) }

// String returns the sentence in English, without a period, or "" if there is no reason.
func (r Reason) String() string {
	text := reasons[r.Kind]
	if strings.Contains(text, "%") {
		return fmt.Sprintf(text, r.Detail)
	}
	return text
}

// MarshalText returns the sentence.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText forgets the sentence: its parts cannot be told from it.
func (r *Reason) UnmarshalText([]byte) error {
	*r = Reason{}
	return nil
}
