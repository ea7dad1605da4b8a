package state

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Limits of Folders.
const (
	MostRecent = 8   // folders that are remembered without being pinned
	mostPinned = 100 // folders that are pinned
	mostDeep   = 200 // folders that are shown with their subfolders
)

// Folders are the directories of pictures that the user has opened, those that the user has pinned, and
// those that are shown with their subfolders. A Folders is immutable and comparable; the zero value is empty.
type Folders struct{ recent, pinned, deep string } // "path\n"; recent and deep have the last opened first

// Recent returns the directories that were opened and are not pinned, the last one first.
func (f Folders) Recent() []string {
	return slices.DeleteFunc(lines(f.recent), f.Pinned)
}

// AllPinned returns the directories that are pinned, in the order in which they were.
func (f Folders) AllPinned() []string { return lines(f.pinned) }

// Pinned reports whether a directory is pinned.
func (f Folders) Pinned(path string) bool { return slices.Contains(lines(f.pinned), path) }

// Deep reports whether a directory is shown with its subfolders.
func (f Folders) Deep(path string) bool { return slices.Contains(lines(f.deep), path) }

// Deepen returns f with a directory shown with its subfolders, or not.
func (f Folders) Deepen(path string, on bool) Folders {
	if !validFolder(path) || f.Deep(path) == on {
		return f
	}
	deep := slices.DeleteFunc(lines(f.deep), func(x string) bool { return x == path })
	if on {
		deep = append([]string{path}, deep...)
	}
	f.deep = joined(deep, mostDeep)
	return f
}

// Opened returns f after the user has opened a directory.
func (f Folders) Opened(path string) Folders {
	if !validFolder(path) || f.Pinned(path) {
		return f
	}
	recent := slices.DeleteFunc(f.Recent(), func(x string) bool { return x == path })
	f.recent = joined(append([]string{path}, recent...), MostRecent)
	return f
}

// Pin returns f with a directory pinned, or not. One that is no longer pinned is the last opened.
func (f Folders) Pin(path string, on bool) Folders {
	if !validFolder(path) || f.Pinned(path) == on {
		return f
	}
	pinned := slices.DeleteFunc(lines(f.pinned), func(x string) bool { return x == path })
	if on {
		f.pinned = joined(append(pinned, path), mostPinned)
		return f
	}
	f.pinned = joined(pinned, mostPinned)
	return f.Opened(path)
}

// Without returns f without a directory.
func (f Folders) Without(path string) Folders {
	other := func(all string) string {
		return joined(slices.DeleteFunc(lines(all), func(x string) bool { return x == path }), mostPinned)
	}
	return Folders{other(f.recent), other(f.pinned), f.deep}
}

func validFolder(path string) bool {
	return filepath.IsAbs(path) && !strings.ContainsFunc(path, unicode.IsControl)
}

func lines(all string) []string {
	return strings.FieldsFunc(all, func(r rune) bool { return r == '\n' })
}

func joined(all []string, most int) string {
	var b strings.Builder
	for _, path := range all[:min(len(all), most)] {
		b.WriteString(path + "\n")
	}
	return b.String()
}

// folderLists is the form of Folders in the settings file.
type folderLists struct {
	Recent []string `json:"recent,omitempty"`
	Pinned []string `json:"pinned,omitempty"`
	Deep   []string `json:"with_subfolders,omitempty"`
}

// MarshalJSON encodes the directories as lists.
func (f Folders) MarshalJSON() ([]byte, error) {
	return json.Marshal(folderLists{lines(f.recent), lines(f.pinned), lines(f.deep)})
}

// UnmarshalJSON decodes what MarshalJSON writes. It skips invalid entries, so that one wrong
// line in a settings file does not lose the others.
func (f *Folders) UnmarshalJSON(raw []byte) error {
	var read struct {
		Recent, Pinned []any
		Deep           []any `json:"with_subfolders"`
	}
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	valid := func(all []any, most int) string {
		var paths []string
		for _, x := range all {
			if path, ok := x.(string); ok && validFolder(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		return joined(paths, most)
	}
	*f = Folders{valid(read.Recent, MostRecent), valid(read.Pinned, mostPinned), valid(read.Deep, mostDeep)}
	return nil
}
