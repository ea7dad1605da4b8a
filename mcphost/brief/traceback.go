package brief

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
)

// The forms of IPython's tracebacks.
var (
	tracebackFrame = regexp.MustCompile(`^(?:File |Cell In\s*\[|Input In\s*\[)`)
	tracebackLine  = regexp.MustCompile(`^-*>\s*(\d+)\s?(.*)`)
	tracebackHead  = regexp.MustCompile(`(?m)^(\S+) +Traceback \(most recent call last\)`)
	tracebackChain = regexp.MustCompile(`(?m)^(?:The above exception was the direct cause of|During handling of the above exception).*$`)
	installedCode  = regexp.MustCompile(`^File \S*(?:(?:site|dist)-packages|lib/python3[.\d]*|jupyter/overlays/[^/]+)/`)
	// olderFrame is a frame before IPython 8: a file and a function, without a line.
	olderFrame   = regexp.MustCompile(`^(<\S+>|(?:[~/\w]|[A-Za-z]:\\).*\.(?:py|pyx|pxi|pxd)) in (<module>|[\w.<>: ]+\(.*\))$`)
	olderCell    = regexp.MustCompile(`^<ipython-input-|[/\\]ipykernel_\d+[/\\]\d+\.py$`)
	compiledCode = regexp.MustCompile(`^File [^/~\s]\S*\.(?:pyx|pxi|pxd|pyi?):|^File <(?:frozen|__array_function__)`)
)

// ownOpen is IPython's frame around each open(); the user's code called it.
const ownOpen = ", in _modified_open("

// mostFrames is how many of the user's frames are kept at each end of a long traceback.
const mostFrames = 6

// mostCause is how much of the text of an exception that led to another one is kept, in bytes.
const mostCause = 400

// Traceback returns what a model needs of the traceback of R, or of IPython: the exceptions that led to the
// last one, then a line for each of the user's frames and for a library's last frame. The result
// has the last exception itself in other fields. Any other text is returned unchanged.
func Traceback(text string) string {
	if calls, ok := tracebackInR(text); ok {
		return calls
	}
	parts := tracebackChain.Split(text, -1)
	last := parts[len(parts)-1]
	frames := slices.DeleteFunc(framesOf(last), func(f frame) bool { return !f.user && strings.Contains(f.text, ownOpen) })
	if len(frames) == 0 {
		return strings.TrimSpace(text)
	}
	var lines []string
	final := exceptionOf(last)
	for _, p := range parts[:len(parts)-1] {
		if cause := exceptionOf(p); cause != final {
			lines = append(lines, "caused by "+truncate.Middle(cause, mostCause))
		}
	}
	for i, f := range frames {
		if f.user || i == len(frames)-1 {
			lines = append(lines, f.text)
		}
	}
	return strings.Join(middleOut(lines), "\n")
}

// shownTraceback returns what a model needs of the traceback of an error that other fields do not have.
func shownTraceback(text string) string {
	if calls, ok := tracebackInR(text); ok {
		message, _, _ := strings.Cut(text, "\nTraceback:\n")
		return strings.TrimSpace(message) + "\n" + calls
	}
	brief := Traceback(text)
	parts := tracebackChain.Split(text, -1)
	if final := exceptionOf(parts[len(parts)-1]); !strings.Contains(brief, final) {
		return brief + "\n" + final
	}
	return brief
}

// exceptionOf returns the exception of a part of a traceback: its type, message and notes.
func exceptionOf(part string) string {
	if m := tracebackHead.FindStringSubmatch(part); m != nil {
		for at := range strings.Lines(part) {
			line := strings.TrimRight(at, "\r\n")
			if line == m[1] || strings.HasPrefix(line, m[1]+":") {
				return strings.TrimSpace(part[strings.Index(part, "\n"+line)+1:])
			}
		}
	}
	return lastLine(part)
}

// notesOf returns the notes of the last exception of a traceback (PEP 678), which follow its
// message.
func notesOf(e catalog.ExecutionError) string {
	parts := tracebackChain.Split(e.Traceback, -1)
	notes, ok := strings.CutPrefix(exceptionOf(parts[len(parts)-1]), e.Type+": "+strings.TrimSpace(e.Message))
	if !ok {
		return ""
	}
	return strings.TrimSpace(notes)
}

// A frame is one frame of a traceback, on one line.
type frame struct {
	text string
	user bool
}

func framesOf(text string) (frames []frame) {
	isTraceback := tracebackHead.MatchString(text) // the form of an older frame is that of a sentence
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := olderFrame.FindStringSubmatch(line); m != nil && isTraceback {
			frames = append(frames, olderFrameOf(m[1], m[2]))
			continue
		}
		if tracebackFrame.MatchString(line) {
			frames = append(frames, frameOf(line))
			continue
		}
		if m := tracebackLine.FindStringSubmatch(line); m != nil && len(frames) > 0 {
			f := &frames[len(frames)-1]
			if source := strings.TrimSpace(m[2]); source != "" && !strings.Contains(f.text, ": ") {
				f.text += ": " + source
			}
			f.text = strings.Replace(f.text, lineUnknown, ", line "+m[1], 1)
		}
	}
	for i := range frames {
		frames[i].text = strings.Replace(frames[i].text, lineUnknown, "", 1)
	}
	return frames
}

// lineUnknown is in the text of an older frame until its line is known.
const lineUnknown = "\x00"

func frameOf(line string) frame {
	user := !installedCode.MatchString(line) && !compiledCode.MatchString(line)
	return frame{installedCode.ReplaceAllString(line, "File "), user}
}

// olderFrameOf returns a frame as newer versions of IPython write it.
func olderFrameOf(file, function string) frame {
	where := "File " + file
	if olderCell.MatchString(file) {
		where = "Cell"
	}
	if strings.HasPrefix(function, "<") { // of the cell or the module itself
		function = ""
	} else {
		function = ", in " + function
	}
	f := frameOf(where + ":")
	f.text = strings.TrimSuffix(f.text, ":") + lineUnknown + function
	return f
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// middleOut merges repeated lines and omits the middle of many lines, as deep recursion
// produces them.
func middleOut(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && lines[i+n] == lines[i] {
			n++
		}
		out = append(out, lines[i])
		if n > 1 {
			out[len(out)-1] += fmt.Sprintf(" (%d times)", n)
		}
		i += n
	}
	if over := len(out) - 2*mostFrames; over > 1 {
		tail := out[len(out)-mostFrames:]
		out = append(out[:mostFrames:mostFrames], fmt.Sprintf("… %d frames left out …", over))
		out = append(out, tail...)
	}
	return out
}
