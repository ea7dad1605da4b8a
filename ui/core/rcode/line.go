package rcode

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"easel/internal/truncate"
)

var (
	firstCall = regexp.MustCompile(`(?m)^1\. (.+?)(?:   # at line \d+ of file .*)?$`)
	frameHead = regexp.MustCompile(`^\d+\. `)
	frameLine = regexp.MustCompile(`   # at line (\d+)(?:-\d+)? of file (.+)$`)
	failing   = regexp.MustCompile(`(?s)^Error in (.+?) ?: `)
	unknown   = regexp.MustCompile("(?:object ['‘\"“](.+?)['’\"”] not found|could not find function ['‘\"“](.+?)['’\"”])")
)

// Where says which line of code failed, or "" if that is not certain. R says lines only of calls in functions that the user
// has written, counted in the cell that defined them.
func Where(code, message, traceback string) string {
	raised, called := raisedIn(code, framesOf(traceback)), ""
	if at := statement(code, message, traceback); at > 0 {
		called = lineOf(code, at)
	}
	switch {
	case raised == "" && called == "":
		return ""
	case raised == "" || raised == called:
		return "The error is in " + called
	case called == "":
		return "The error is in " + raised
	}
	return "The error is in " + raised + "\nIt was called from " + called
}

// raisedIn says where the innermost call is whose line R says, or "".
func raisedIn(code string, frames []frame) string {
	i := len(frames) - 1
	for i >= 0 && frames[i].line == 0 {
		i--
	}
	if i < 0 {
		return ""
	}
	f, within := frames[i], ""
	if i > 0 {
		within = frames[i-1].name
	}
	switch {
	case f.file != "<text>":
		return fmt.Sprintf("line %d of %s", f.line, f.file)
	case has(code, f, within):
		return lineOf(code, f.line)
	case isName(within):
		return fmt.Sprintf("the function %s, line %d of the cell that defined it", within, f.line)
	}
	return ""
}

// A frame is a call in a traceback.
type frame struct {
	name string // of the function that is called
	line int    // of the call, from 1; 0 if R does not say it
	file string // that has the line, or <text> for code that was sent to the kernel
}

func framesOf(traceback string) (frames []frame) {
	for line := range strings.Lines(traceback) {
		line = strings.TrimRight(line, "\n")
		if head := frameHead.FindString(line); head != "" {
			frames = append(frames, frame{name: calledIn(line[len(head):])})
		}
		if m := frameLine.FindStringSubmatch(line); m != nil && len(frames) > 0 {
			f := &frames[len(frames)-1]
			f.line, _ = strconv.Atoi(m[1])
			f.file = m[2]
		}
	}
	return frames
}

// calledIn returns the name of the function that a call calls, or "".
func calledIn(call string) string {
	if tokens := scan(call); len(tokens) > 1 && tokens[1].word == "(" && !tokens[0].text {
		return tokens[0].word
	}
	return ""
}

// has reports whether code has the line of a frame: that line has its call, in a function that code defines.
func has(code string, f frame, within string) bool {
	tokens := scan(code)
	unnamed := !isName(within) || within == "FUN"
	call, defined := false, unnamed && slices.ContainsFunc(tokens, beginsFunction)
	for i, t := range tokens {
		call = call || t.line == f.line && !t.text && t.word == f.name
		if t.word != within || t.text || i+2 >= len(tokens) {
			continue
		}
		assigned := tokens[i+1].word == "=" || tokens[i+1].word == "<" && tokens[i+2].word == "-"
		defined = defined || assigned && slices.ContainsFunc(tokens[i+2:min(i+5, len(tokens))], beginsFunction)
	}
	return call && defined
}

func beginsFunction(t token) bool { return t.word == "function" || t.word == "\\" }

// statement returns the line of code, from 1, with the statement that failed. It returns 0 if more than one statement may have failed, or
// none is found.
func statement(code, message, traceback string) (line int) {
	all := statements(scan(code))
	if name := submatch(unknown, message); name != "" {
		if at := only(all, []string{name}); at > 0 {
			return at
		}
	}
	for _, said := range []string{submatch(firstCall, traceback), submatch(failing, message)} {
		if said != "" {
			if at := only(all, words(scan(said))); at > 0 {
				return at
			}
		}
	}
	return 0
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

// lineOf says a line of code, from 1, with its text.
func lineOf(code string, n int) string {
	return fmt.Sprintf("line %d of the code: %s", n, truncate.Runes(strings.TrimSpace(strings.Split(code, "\n")[n-1]), 200))
}
