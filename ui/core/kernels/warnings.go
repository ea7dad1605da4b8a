package kernels

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What libraries say once for each of many like things: Python's warnings, those of its
// logging, and what matplotlib's fonts are short of.
var (
	warned = regexp.MustCompile(`^\S.*:\d+: \w*(?:Warning|Error): |^WARNING:|^findfont: |^Font '.*' does not have a glyph for `)
	// python is a warning behind which stands the line of code that it is about.
	python = regexp.MustCompile(`^\S.*:\d+: \w*(?:Warning|Error): `)
	// varying is what may differ between two that are alike: numbers, and characters by
	// their names, codes, or in quotes.
	varying = regexp.MustCompile(`\\N\{[^}]*\}|\\[uUx][0-9a-fA-F]+|U\+[0-9a-fA-F]+|0x[0-9a-fA-F]+|[0-9]+(?:[.,:][0-9]+)*(?:[eE][-+]?[0-9]+)?|'.'`)
)

// longestWarning is how many lines of a warning's text are looked through for the code
// behind it.
const longestWarning = 12

// A warning is one that was said, or several that differ in numbers and characters only.
type warning struct {
	lines []string
	times int
	alike bool // and not the same
}

// condense leaves one of each of the warnings in a text that differ in nothing but
// numbers and characters, and tells how often it came.
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

// warningLines is how many of the lines are a warning, 0 if none begins there.
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

// write writes a warning, and how often it came behind its first line.
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

// lacking matches what matplotlib says of a character that no font of a text has. Of
// formulas it says something else, and they have fonts of their own.
var lacking = regexp.MustCompile(`Glyph (\d+) \([^)\n]*\) missing from `)

// missingGlyphs are the characters that matplotlib drew as boxes, in the order in which
// it said so.
func missingGlyphs(stderr string) []rune {
	var missing []rune
	for _, m := range lacking.FindAllStringSubmatch(stderr, -1) {
		n, err := strconv.ParseInt(m[1], 10, 32)
		if c := rune(n); err == nil && !slices.Contains(missing, c) {
			missing = append(missing, c)
		}
	}
	return missing
}
