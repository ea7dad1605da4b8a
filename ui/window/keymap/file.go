package keymap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"easel/internal/atomicfile"
)

// FileName is the file in the data directory that has the keys that the user has chosen: an object
// with an action's id and its key, or a list of keys. "" means no key.
const FileName = "keys.json"

// A Problem is a line of the file that has no effect.
type Problem struct {
	Line   int
	Text   string // what is wrong
	Reason string // the message ID of why, with Text as its argument
}

// Read reads the file. What is wrong in it has no effect and is a problem. A file that does not
// exist is an empty one.
func Read(path string, actions []Action) (map[string][]Chord, []Problem, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("keys: %w", err)
	}
	chosen, problems := read(raw, actions)
	return chosen, problems, nil
}

// A reader reads a file of keys.
type reader struct {
	raw      []byte
	dec      *json.Decoder
	actions  []Action
	chosen   map[string][]Chord
	by       map[Chord]string
	problems []Problem
}

func read(raw []byte, actions []Action) (map[string][]Chord, []Problem) {
	r := &reader{
		raw: raw, dec: json.NewDecoder(bytes.NewReader(raw)), actions: actions,
		chosen: make(map[string][]Chord), by: make(map[Chord]string),
	}
	if t, err := r.dec.Token(); err != nil || t != json.Delim('{') {
		r.wrong(firstLine(raw), "keymap.syntax")
		return nil, r.problems
	}
	for r.dec.More() {
		if !r.entry() {
			break
		}
	}
	return r.chosen, r.problems
}

func firstLine(raw []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(raw), []byte("\n"))
	return string(line[:min(len(line), 40)])
}

// entry reads an id and its keys. It reports whether the file can be read further.
func (r *reader) entry() bool {
	t, err := r.dec.Token()
	id, isText := t.(string)
	if err != nil || !isText {
		r.wrong("", "keymap.syntax")
		return false
	}
	line := r.line()
	var value json.RawMessage
	if err := r.dec.Decode(&value); err != nil {
		r.problems = append(r.problems, Problem{line, id, "keymap.syntax"})
		return false
	}
	if !slices.ContainsFunc(r.actions, func(a Action) bool { return a.ID == id }) {
		r.problems = append(r.problems, Problem{line, id, "keymap.no_action"})
		return true
	}
	var one string
	var several []string
	if json.Unmarshal(value, &one) == nil {
		several = []string{one}
	} else if json.Unmarshal(value, &several) != nil {
		r.problems = append(r.problems, Problem{line, id, "keymap.type"})
		return true
	}
	keys := []Chord{}
	for _, text := range several {
		if text == "" {
			continue
		}
		c, err := Parse(text)
		var wrong *ChordError
		switch {
		case errors.As(err, &wrong):
			r.problems = append(r.problems, Problem{line, text, wrong.Reason})
			return true
		case r.by[c] != "" && r.by[c] != id:
			r.problems = append(r.problems, Problem{line, text, "keymap.taken"})
			return true
		}
		r.by[c] = id
		keys = append(keys, c)
	}
	r.chosen[id] = keys
	return true
}

func (r *reader) wrong(text, reason string) {
	r.problems = append(r.problems, Problem{r.line(), text, reason})
}

// line returns the number of the line that is being read.
func (r *reader) line() int {
	return 1 + bytes.Count(r.raw[:min(int(r.dec.InputOffset()), len(r.raw))], []byte("\n"))
}

// Write replaces the file. Without keys, it removes it. A file in which something was wrong is kept beside
// it: its author may still want the lines that have no effect.
func Write(path string, chosen map[string][]Chord, actions []Action) error {
	if _, problems, err := Read(path, actions); err != nil || len(problems) > 0 {
		if err := os.Rename(path, path+".broken-"+time.Now().UTC().Format("20060102T150405.000")); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	if len(chosen) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keys: %w", err)
		}
		return nil
	}
	plain := make(map[string]any, len(chosen))
	for id, keys := range chosen {
		switch len(keys) {
		case 0:
			plain[id] = ""
		case 1:
			plain[id] = keys[0]
		default:
			plain[id] = keys
		}
	}
	raw, err := json.MarshalIndent(plain, "", "  ")
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if err := atomicfile.Write(path, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}
