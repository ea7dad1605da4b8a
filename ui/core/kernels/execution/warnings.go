package execution

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Patterns of messages that libraries repeat with small differences: Python's warnings,
// those of its logging, and matplotlib's messages about fonts.
var (
	warned = regexp.MustCompile(`^\S.*:\d+: \w*(?:Warning|Error): |^WARNING:|^findfont: |^Font '.*' does not have a glyph for `)
	// python matches a warning that is followed by the line of code that it is about.
	python = regexp.MustCompile(`^\S.*:\d+: \w*(?:Warning|Error): `)
	// varying matches what may differ between similar messages: numbers, and characters
	// given as names, codes or in quotes.
	varying = regexp.MustCompile(`\\N\{[^}]*\}|\\[uUx][0-9a-fA-F]+|U\+[0-9a-fA-F]+|0x[0-9a-fA-F]+|[0-9]+(?:[.,:][0-9]+)*(?:[eE][-+]?[0-9]+)?|'.'`)
)

// longestWarning is the number of lines of a warning that are searched for the line of code
// after it.
const longestWarning = 12

// A warning is a line of text, or a warning that stands for all similar ones.
type warning struct {
	lines []string
	times int
	alike bool // they are similar but not identical
}

// condense merges the warnings in text that differ only in numbers and characters. It keeps
// the first of them and adds their number.
func condense(text string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	var out []*warning
	first := make(map[string]*warning)
	for lines := strings.SplitAfter(text, "\n"); len(lines) > 0; {
		n := warningLines(lines)
		if n == 0 {
			out = append(out, &warning{lines: lines[:1], times: 1})
			lines = lines[1:]
			continue
		}
		w := &warning{lines: lines[:n], times: 1}
		lines = lines[n:]
		key := varying.ReplaceAllString(strings.TrimRight(strings.Join(w.lines, ""), "\n"), "#")
		if known := first[key]; known != nil {
			known.times++
			known.alike = known.alike || !slices.EqualFunc(known.lines, w.lines, equalLine)
			continue
		}
		first[key] = w
		out = append(out, w)
	}
	var b strings.Builder
	for _, w := range out {
		w.write(&b)
	}
	return b.String()
}

func equalLine(a, b string) bool { return strings.TrimRight(a, "\n") == strings.TrimRight(b, "\n") }

// warningLines returns the number of lines of the warning that lines start with, or 0 if
// they do not start with one.
func warningLines(lines []string) int {
	if !warned.MatchString(lines[0]) {
		return 0
	}
	if !python.MatchString(lines[0]) {
		return 1
	}
	for i := 1; i < min(len(lines), longestWarning); i++ {
		if warned.MatchString(lines[i]) {
			break
		}
		if strings.HasPrefix(lines[i], "  ") {
			return i + 1
		}
	}
	return 1
}

// write writes a warning, with its count at the end of the first line.
func (w *warning) write(b *strings.Builder) {
	for i, line := range w.lines {
		if i == 0 && w.times > 1 {
			body := strings.TrimRight(line, "\n")
			b.WriteString(body)
			b.WriteString(w.count())
			line = line[len(body):]
		}
		b.WriteString(line)
	}
}

func (w *warning) count() string {
	if w.alike {
		return fmt.Sprintf(" [%d times, with different numbers or characters]", w.times)
	}
	return fmt.Sprintf(" [%d times]", w.times)
}
