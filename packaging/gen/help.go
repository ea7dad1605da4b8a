package main

import (
	"regexp"
	"strings"

	"easel/ui/core/settings"
)

// A help is the text of `easel help` in parts.
type help struct {
	summary  string
	commands []item
	flags    []item
	notes    string // the last paragraph
}

// An item is a command or a flag. A flag has an argument and a variable, or neither.
type item struct{ name, argument, variable, text string }

var (
	commandLine = regexp.MustCompile(`^  (\S+)\s{2,}(.+)$`)
	flagLine    = regexp.MustCompile(`^  (--[a-z-]+)(?: (\S+))?(?:\s+(EASEL_[A-Z_=1]+))?(?:\s{2,}(.+))?$`)
	moreLine    = regexp.MustCompile(`^\s{8,}(\S.*)$`)
)

// readHelp parses the text of `easel help`.
func readHelp() help {
	paragraphs := strings.Split(strings.TrimSpace(settings.Usage), "\n\n")
	h := help{summary: paragraphs[0], notes: paragraphs[len(paragraphs)-1]}
	for _, p := range paragraphs {
		title, lines, _ := strings.Cut(p, "\n")
		into := &h.flags
		if strings.HasPrefix(title, "Commands") {
			into = &h.commands
		}
		for line := range strings.Lines(lines) {
			line = strings.TrimRight(line, "\n")
			switch m := flagLine.FindStringSubmatch(line); {
			case m != nil:
				*into = append(*into, item{m[1], m[2], m[3], m[4]})
			case moreLine.MatchString(line) && len(*into) > 0:
				last := &(*into)[len(*into)-1]
				last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(line))
			default:
				if m := commandLine.FindStringSubmatch(line); m != nil {
					*into = append(*into, item{name: m[1], text: m[2]})
				}
			}
		}
	}
	return h
}
