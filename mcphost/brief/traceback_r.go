package brief

import (
	"regexp"
	"strings"

	"easel/internal/truncate"
)

var (
	rTraceback = regexp.MustCompile(`(?m)^Traceback:\n\n1\. `)
	rFrame     = regexp.MustCompile(`^\d+\. `)
	rLine      = regexp.MustCompile(`   # at (line \d+(?:-\d+)?) of file (.+)$`)
	// rMachinery matches the calls with which R and its packages signal and handle a condition. They say nothing of the user's code.
	rMachinery = regexp.MustCompile(`^\d+\. (?:\.handleSimpleError|h|withCallingHandlers|withRestarts|withOneRestart|doWithOneRestart|` +
		`tryCatch|tryCatchList|tryCatchOne|doTryCatch|try_fetch|(?:rlang::|cli::)?(?:cli_)?abort|signal_abort|signalCondition|value\[\[3L\]\])\(`)
)

// tracebackInR returns what a model needs of a traceback as IRkernel writes it: a line for each call, without those of conditions. ok
// is false if text is another one. The message before it is in other fields.
func tracebackInR(text string) (brief string, ok bool) {
	at := rTraceback.FindStringIndex(text)
	if at == nil {
		return "", false
	}
	var calls []string
	for line := range strings.Lines(text[at[0]+len("Traceback:"):]) {
		line = strings.TrimRight(line, "\r\n")
		where := ""
		if m := rLine.FindStringSubmatch(line); m != nil {
			line = strings.TrimSuffix(line, m[0])
			if where = "   # " + m[1]; m[2] != "<text>" {
				where += " of " + m[2]
			}
		}
		switch {
		case rFrame.MatchString(line):
			calls = append(calls, truncate.Line(line, mostCall)+where)
		case len(calls) > 0 && line != "":
			calls[len(calls)-1] = strings.TrimSuffix(calls[len(calls)-1], " …") + where + " …"
		}
	}
	var kept []string
	for _, c := range calls {
		if !rMachinery.MatchString(c) {
			kept = append(kept, c)
		}
	}
	return strings.Join(middleOut(kept), "\n"), true
}

// mostCall is how much of a call is kept, in characters.
const mostCall = 200
