package rcode

import (
	"regexp"
	"slices"
	"strings"
)

var (
	firstCall = regexp.MustCompile(`(?m)^1\. (.+?)(?:   # at line \d+ of file .*)?$`)
	failing   = regexp.MustCompile(`(?s)^Error in (.+?) ?: `)
	unknown   = regexp.MustCompile("(?:object ['‘\"“](.+?)['’\"”] not found|could not find function ['‘\"“](.+?)['’\"”])")
)

// Line returns the line of code, from 1, with the statement that failed, and its text. R says lines only of calls in functions. It
// returns 0 if more than one statement may have failed, or none is found.
func Line(code, message, traceback string) (line int, text string) {
	all := statements(scan(code))
	if name := submatch(unknown, message); name != "" {
		if at := only(all, []string{name}); at > 0 {
			return at, lineOf(code, at)
		}
	}
	for _, said := range []string{submatch(firstCall, traceback), submatch(failing, message)} {
		if said != "" {
			if at := only(all, words(scan(said))); at > 0 {
				return at, lineOf(code, at)
			}
		}
	}
	return 0, ""
}

// submatch returns the first group that has a text.
func submatch(re *regexp.Regexp, s string) string {
	m := re.FindStringSubmatch(s)
	for _, group := range m[min(1, len(m)):] {
		if group != "" {
			return group
		}
	}
	return ""
}

func words(tokens []token) (list []string) {
	for _, t := range tokens {
		if t.word != "\n" {
			list = append(list, t.word)
		}
	}
	return list
}

// only returns the line of the words in the only statement that has them, or 0.
func only(all [][]token, said []string) (line int) {
	if len(said) == 0 {
		return 0
	}
	for _, s := range all {
		for i := range s {
			if i+len(said) <= len(s) && slices.Equal(words(s[i:i+len(said)]), said) {
				if line > 0 {
					return 0
				}
				line = s[i].line
				break
			}
		}
	}
	return line
}

func lineOf(code string, n int) string {
	return strings.TrimSpace(strings.Split(code, "\n")[n-1])
}
